"""`SearchContext`: client, cache, rate limits and reader, shared by all chains of a program."""

from __future__ import annotations

import asyncio
import copy
import time
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from groundwire.cache import (
    Cache,
    MemoryCache,
    NoCache,
    RedisCache,
    SingleFlight,
    SqliteCache,
)
from groundwire.cache.locks import NoLocks, RedisLocks
from groundwire.client.gate_states import NoGateStates, RedisGateStates
from groundwire.client.rate_limits import RateLimits
from groundwire.client.robots import Robots
from groundwire.config.settings import home
from groundwire.errors import Attempt, BlockedError, ConfigError, GroundwireError
from groundwire.model import Page, SearchReply
from groundwire.system.closeable import AsyncCloseable

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

    from groundwire.cache.locks import Locks
    from groundwire.cache.redis_connection import RedisConnection
    from groundwire.client import Client
    from groundwire.config.settings import CacheSettings, Settings
    from groundwire.reader import Reader
    from groundwire.search.cached_replies import KeptPage
    from groundwire.wire.contract import Endpoint, HttpReply

_LOOK_SECONDS = 0.1

Extract: TypeAlias = "Callable[[HttpReply], Awaitable[Page]]"
"""Extracts a page from a response; `success` is false for one that it cannot read."""


class SearchContext(AsyncCloseable):
    """The client, how to find a provider by name, the cache, rate limits and robots.txt files.

    A context manager that closes what it opened, but not the client that it was given.
    """

    def __init__(
        self,
        settings: Settings,
        client: Client,
        *,
        find: Callable[[str], Endpoint],
        cache: Cache | None = None,
        extract: Extract | None = None,
        redis: RedisConnection | None = None,
    ) -> None:
        self.settings = settings
        self.domains = settings.domains
        self.client = client
        self.find = find
        gates = RedisGateStates(redis) if redis else NoGateStates()
        self.rate_limits = RateLimits(settings.rate_limits, shared=gates)
        self.cache = cache if cache is not None else open_cache(settings.cache, redis)
        self._is_shared = redis is not None
        self.locks: Locks = RedisLocks(redis) if redis else NoLocks()
        self.robots = Robots(settings.network.user_agent)
        self.searches: SingleFlight[SearchReply] = SingleFlight()
        self.pages: SingleFlight[KeptPage] = SingleFlight()
        self.icons: SingleFlight[bytes] = SingleFlight()
        self._extract = extract
        self._reader: Reader | None = None

    async def extract(self, reply: HttpReply) -> Page:
        """Return what a server sent as a page, with our own reader unless another was given."""
        if self._extract is not None:
            return await self._extract(reply)
        if self._reader is None:
            from groundwire.reader import Reader  # noqa: PLC0415 - it loads a parser of HTML

            self._reader = Reader()
        content_type = reply.headers.get("content-type", "")
        return await self._reader.read(reply.body, content_type, reply.url)

    def within(self, library: str) -> SearchContext:
        """Return the same for one workspace, whose `library` it has: no other's is found there.

        What it shares is closed with this one.
        """
        narrowed = copy.copy(self)
        narrowed.find = partial(_find_within, self.find, library)
        # One reader for all, which is closed once.
        narrowed.extract = self.extract  # type: ignore[method-assign] # the same method, bound
        return narrowed

    @asynccontextmanager
    async def alone(self, key: str) -> AsyncIterator[bool]:
        """Be the only server that asks for something; give whether another one may just have.

        Then the cache is to be looked at again. Nobody waits longer than a service may take.
        """
        limit = max(self.settings.search.timeout_seconds, self.settings.read.timeout_seconds)
        until = time.monotonic() + limit
        has_it = await self.locks.take(key, limit)
        while not has_it and time.monotonic() < until:
            await asyncio.sleep(_LOOK_SECONDS)
            has_it = await self.locks.take(key, limit)
        try:
            yield self._is_shared
        finally:
            if has_it:
                await self.locks.release(key)

    async def close(self) -> None:
        """Close the cache and stop the reader."""
        await self.cache.close()
        if self._reader is not None:
            await self._reader.close()


def open_cache(settings: CacheSettings, redis: RedisConnection | None = None) -> Cache:
    """Return the cache that the settings ask for; with Redis it is one for all servers."""
    own = _own_cache(settings)
    if redis is None or settings.kind == "off":
        return own
    return RedisCache(
        redis, own, kept_seconds=max(settings.search_seconds, settings.page_seconds, 60)
    )


def _own_cache(settings: CacheSettings) -> Cache:
    match settings.kind:
        case "off":
            return NoCache()
        case "sqlite":
            return SqliteCache(
                Path(settings.path) if settings.path else home() / "cache.sqlite3",
                max_entries=settings.max_entries,
                max_bytes=settings.max_bytes,
            )
        case "memory":
            return MemoryCache(max_entries=settings.max_entries, max_bytes=settings.max_bytes)


def _find_within(find: Callable[[str], Endpoint], library: str, name: str) -> Endpoint:
    """Return a provider; one of which each workspace has its own, as this workspace has it."""
    found = find(name)
    if not found.provider.is_per_workspace:
        return found
    options = {**found.access.options, "workspace": library}
    return replace(found, access=replace(found.access, options=options))


def is_configured(search_context: SearchContext, name: str) -> bool:
    """Tell whether a service has the key or address that it needs."""
    try:
        search_context.find(name)
    except ConfigError:
        return False
    return True


def attempt_of(service: str, error: GroundwireError) -> Attempt:
    """Return why a service could not be used, as an attempt.

    Raises:
        BlockedError: We refuse the URL ourselves, whichever service would read it.
    """
    if isinstance(error, BlockedError):
        raise error
    return Attempt(
        service=service,
        code=error.code,
        reason=str(error),
        ours=error.ours,
        quoted=error.quoted,
    )
