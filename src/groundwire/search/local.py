"""The reader of our own: opens a page through the guard and makes Markdown of it."""

from __future__ import annotations

from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from hashlib import sha256
from typing import TYPE_CHECKING

from groundwire.client.robots import RobotsVerdict
from groundwire.errors import OverloadedError, RobotsRefusedError
from groundwire.model import Fetched, Page
from groundwire.search.cached_replies import KeptPage, dump_page
from groundwire.system.compression import pack
from groundwire.wire import errors

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from groundwire.guard import DomainPolicy, WebUrl
    from groundwire.search.search_context import SearchContext
    from groundwire.wire.contract import HttpReply

# What a page was served as; never what a server says to one visitor, such as a cookie.
_KEPT_HEADERS = ("content-type", "content-language", "date", "etag", "last-modified")


class LocalReader:
    """Reads pages for one caller: under one policy, with the rules that hold for it."""

    def __init__(
        self, search_context: SearchContext, policy: DomainPolicy, *, by_agent: bool
    ) -> None:
        self._search_context = search_context
        self._policy = policy
        self._minds_robots = by_agent and search_context.settings.read.respect_robots

    async def read(self, url: WebUrl, key: str, kept: KeptPage | None) -> KeptPage:
        """Return a page, asking only whether it has changed where it was kept.

        Raises:
            BlockedError: The page, a redirect or an address is refused.
            NetworkError: Nothing arrived.
        """
        reply = await self._fetch(url, kept.validators if kept else {})
        if reply.status == 304:
            if kept is not None and reply.url == kept.page.url:
                await self._search_context.cache.put(key, dump_page(kept))
                return kept
            reply = await self._fetch(url, {})
        if not 200 <= reply.status < 300:
            self._heed(url, reply)
            failed = f"{url.host} answered with HTTP status {reply.status}"
            return KeptPage(page=Page(url=reply.url, success=False, error=failed))
        read = await self._search_context.extract(reply)
        is_cut = read.truncated or reply.is_truncated
        page = replace(read, url=reply.url, truncated=is_cut)
        headers = reply.headers
        fresh = KeptPage(
            page=page,
            etag=headers.get("etag", ""),
            last_modified=headers.get("last-modified", ""),
            fetched=self._fetched(reply) if page.success else None,
        )
        if page.success and _may_be_cached(reply):
            await self._search_context.cache.put(key, dump_page(fresh))
        return fresh

    def _fetched(self, reply: HttpReply) -> Fetched | None:
        """Return the bytes of a page packed, None where they are not to be kept."""
        settings = self._search_context.settings.snapshots
        if not settings.enabled or len(reply.body) > settings.max_page_bytes:
            return None
        return Fetched(
            status=reply.status,
            headers={name: reply.headers[name] for name in _KEPT_HEADERS if name in reply.headers},
            packed=pack(reply.body),
            size=len(reply.body),
            body_hash=sha256(reply.body).hexdigest(),
        )

    async def _fetch(self, url: WebUrl, headers: dict[str, str]) -> HttpReply:
        return await self._search_context.client.fetch_page(
            str(url), self._policy, headers=headers, enter=self._enter
        )

    @asynccontextmanager
    async def _enter(self, url: WebUrl) -> AsyncIterator[None]:
        if self._minds_robots:
            await refuse_by_robots(self._search_context, url, self._policy)
        async with self._search_context.rate_limits.page(url):
            yield

    def _heed(self, url: WebUrl, reply: HttpReply) -> None:
        """Remember a wait that the server asks for."""
        fault = errors.read_fault(
            url.host,
            status=reply.status,
            headers=reply.headers,
            body=b"",
            now=datetime.now(UTC),
        )
        if fault.retry_after_seconds:
            self._search_context.rate_limits.host(url.host).learn(fault)


async def refuse_by_robots(
    search_context: SearchContext, url: WebUrl, policy: DomainPolicy
) -> None:
    """Check a page against its site's robots.txt.

    Raises:
        RobotsRefusedError: The site asks programs not to open it.
        OverloadedError: The site does not say, so that RFC 9309 asks us to stay away.
    """
    fetch = partial(
        search_context.client.fetch_page, policy=policy, enter=search_context.rate_limits.page
    )
    match await search_context.robots.verdict(url, fetch):
        case RobotsVerdict.DISALLOWED:
            raise RobotsRefusedError(
                str(url),
                f"the robots.txt of {url.host} asks programs not to; a person can open it, or "
                "set read.respect_robots to false",
            )
        case RobotsVerdict.UNREACHABLE:
            raise OverloadedError(url.host, "its robots.txt cannot be fetched")


def _may_be_cached(reply: HttpReply) -> bool:
    control = reply.headers.get("cache-control", "").lower()
    return "no-store" not in control and not reply.is_truncated
