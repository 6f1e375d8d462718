"""Reading: one reader after the other until one can read the page."""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

from groundwire import guard
from groundwire.client import HttpReadProvider
from groundwire.config.settings.chains import named
from groundwire.errors import Attempt, GroundwireError, OverloadedError
from groundwire.guard.domains import LIBRARY_HOST
from groundwire.model import Page, ReadReply
from groundwire.search.cached_replies import (
    KeptPage,
    dump_page,
    load_page,
    local_page_key,
    service_page_key,
)
from groundwire.search.local import LocalReader, refuse_by_robots
from groundwire.search.search_context import attempt_of, is_configured
from groundwire.wire.contract import ReadsWithBrowser

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from typing import Any

    from groundwire.guard import DomainPolicy, WebUrl
    from groundwire.search.search_context import SearchContext
    from groundwire.wire.contract import Endpoint

    Ask = Callable[[KeptPage | None], Coroutine[Any, Any, KeptPage]]

LOCAL = "local"
"""The name of the reader that opens pages itself; all others are services."""
LIBRARY = "library"
"""The name of the reader that has the documents of this machine."""


class ReadChain:
    """Reads with the providers of the settings, or with the given ones, in their order.

    `policy`, which narrows the settings' own, holds for the page, its redirects and wherever a
    service says that it ended up. With `reads_library` documents of the library are read although
    it is not among the providers: for whoever owns this machine and names them.
    """

    def __init__(
        self,
        search_context: SearchContext,
        *,
        policy: DomainPolicy = guard.ANYWHERE,
        names: str | list[str] | None = None,
        reads_library: bool = False,
    ) -> None:
        self._reads_library = reads_library
        self._search_context = search_context
        self._policy = search_context.domains.narrowed(policy)
        self._names = named(names or search_context.settings.read_provider)
        self._ports = frozenset(search_context.settings.network.page_ports)

    def is_configured(self) -> bool:
        """Tell whether one of the readers has what it needs; our own always has."""
        return any(
            name == LOCAL or is_configured(self._search_context, name) for name in self._names
        )

    async def read_url(self, url: str) -> Page:
        """Return one page as an agent gets it; if no reader can read it, `error` has the reason."""
        return (await self.read(url)).page

    async def read(self, url: str, *, by_agent: bool = True, is_fresh: bool = False) -> ReadReply:
        """Return a page from the first reader that can read it, and why others could not.

        robots.txt holds for what an agent opens on its own, not for what a person asks for. With
        `is_fresh` the page's server is asked, however young the kept page is.

        Raises:
            BlockedError: The page may not be opened, by any reader.
        """
        target = guard.parse(url, ports=self._ports)
        self._policy.check(target)
        attempts: list[Attempt] = []
        for name in self._readers_of(target):
            try:
                kept, age = await self._ask(name, target, by_agent=by_agent, is_fresh=is_fresh)
            except GroundwireError as error:
                attempts.append(attempt_of(name, error))
                continue
            page = kept.page
            if page.success:
                self._check_end(page, target)
                return ReadReply(
                    service=name,
                    page=page,
                    attempts=tuple(attempts),
                    age_seconds=age,
                    fetched=kept.fetched,
                )
            attempts.append(Attempt(service=name, code="unreadable", reason=page.error))
        reasons = "; ".join(f"{attempt.service}: {attempt.reason}" for attempt in attempts)
        failed = Page(url=str(target), success=False, error=reasons)
        return ReadReply(service="", page=failed, attempts=tuple(attempts))

    def _readers_of(self, url: WebUrl) -> tuple[str, ...]:
        """Return who is asked for a page: of our library's documents, the library alone.

        Their addresses mean nothing to anybody else, and name files of this machine.
        """
        if url.host != LIBRARY_HOST:
            return self._names
        others = (LIBRARY,) if self._reads_library else self._names
        return tuple(filter(self._is_here, self._names)) or others

    def _is_here(self, name: str) -> bool:
        if name == LOCAL:
            return False
        with suppress(GroundwireError):
            return self._search_context.find(name).provider.is_local
        return False

    def _check_end(self, page: Page, target: WebUrl) -> None:
        if page.url != str(target):
            self._policy.check(guard.parse(page.url, ports=self._ports))

    async def _ask(
        self, name: str, url: WebUrl, *, by_agent: bool, is_fresh: bool
    ) -> tuple[KeptPage, float | None]:
        youth = 0.0 if is_fresh else self._search_context.settings.cache.page_seconds
        if name == LOCAL:
            reader = LocalReader(self._search_context, self._policy, by_agent=by_agent)
            key = local_page_key(url, self._policy, self._search_context.settings.network)
            return await self._kept_or(key, by_agent, partial(reader.read, url, key), youth)
        endpoint = self._search_context.find(name)
        if endpoint.provider.is_local:
            # No request is made, so there is nothing to cache.
            here = HttpReadProvider(endpoint, self._search_context.client, self._policy)
            return KeptPage(page=await here.read_url(str(url))), None
        key = service_page_key(endpoint, url, self._policy)
        ask = partial(self._ask_service, endpoint, url, key, by_agent)
        return await self._kept_or(key, by_agent, ask, youth)

    async def _kept_or(
        self, key: str, by_agent: bool, ask: Ask, youth: float
    ) -> tuple[KeptPage, float | None]:
        """Return a page that is young enough with its age, or ask for it once for all."""
        entry = await self._search_context.cache.get(key)
        kept = load_page(entry)
        if entry and kept and entry.age_seconds < youth:
            return kept, entry.age_seconds
        once = partial(self._ask_once, key, ask, kept, youth)
        return await self._search_context.pages.join(f"{key} {by_agent}", once), None

    async def _ask_once(self, key: str, ask: Ask, kept: KeptPage | None, youth: float) -> KeptPage:
        """Ask for a page unless another server did so in the same moment."""
        async with self._search_context.alone(key) as is_second:
            entry = await self._search_context.cache.get(key) if is_second else None
            newer = load_page(entry)
            if entry and newer and entry.age_seconds < youth:
                return newer
            return await ask(kept)

    async def _mind_robots(self, endpoint: Endpoint, url: WebUrl) -> None:
        try:
            await refuse_by_robots(self._search_context, url, self._policy)
        except OverloadedError:
            # A service may reach what we cannot, and answers for its own visit; a browser is ours.
            if isinstance(endpoint.provider, ReadsWithBrowser):
                raise

    async def _ask_service(
        self, endpoint: Endpoint, url: WebUrl, key: str, by_agent: bool, _: KeptPage | None
    ) -> KeptPage:
        search_context = self._search_context
        if by_agent and search_context.settings.read.respect_robots:
            await self._mind_robots(endpoint, url)
        seconds = search_context.settings.read.timeout_seconds
        reader = HttpReadProvider(
            endpoint, search_context.client, self._policy, patience_seconds=seconds
        )
        async with search_context.rate_limits.service(endpoint).turn(seconds):
            page = await reader.read_url(str(url))
        kept = KeptPage(page=page)
        if page.success:
            await search_context.cache.put(key, dump_page(kept))
        return kept
