"""The async form of search and read over any provider, as users call it."""

from __future__ import annotations

import asyncio
from dataclasses import asdict, replace
from functools import partial
from typing import TYPE_CHECKING

from groundwire import guard
from groundwire.client import filters
from groundwire.client.failures import awaited, called, wrong_type
from groundwire.client.forms import PAGE, RESULTS
from groundwire.errors import TimedOutError, UnsupportedError
from groundwire.model import Page, SearchQuery, SearchReply, SearchResult
from groundwire.system.determinism import now
from groundwire.wire.contract import (
    HttpRequest,
    Reads,
    ReadsDirectly,
    ReadsWithBrowser,
    Searches,
    SearchesDirectly,
)
from groundwire.wire.http import understand

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence
    from typing import TypeVar

    from groundwire.client.client import Client
    from groundwire.guard import DomainPolicy, WebUrl
    from groundwire.wire.contract import Endpoint

    T = TypeVar("T")


class HttpSearchProvider:
    """Searches with one endpoint; `patience_seconds` is how long it may take, retries included."""

    def __init__(
        self, endpoint: Endpoint, client: Client, *, patience_seconds: float | None = None
    ) -> None:
        self._endpoint = endpoint
        self._client = client
        self._patience_seconds = patience_seconds

    async def search(
        self,
        query: str,
        *,
        limit: int = 5,
        domains: tuple[str, ...] = (),
        time_range: str = "all",
    ) -> list[SearchResult]:
        """Return the hits, best first; empty only if there are none.

        Raises:
            UnsupportedError: The provider does not search.
        """
        wanted = SearchQuery(text=query, limit=limit, domains=domains, time_range=time_range)
        return [*(await self.find(wanted)).results]

    async def find(self, query: SearchQuery) -> SearchReply:
        """Return the hits that pass the filters of a query, and who applied each filter.

        Raises:
            UnsupportedError: The provider does not search.
            SettingsError: A filter is none.
        """
        wanted = filters.checked(query)
        results, notes = await self._ask(filters.asked_of(self._endpoint.provider, wanted))
        reply = filters.filtered(results, wanted, provider=self._endpoint.provider, now=now())
        return replace(reply, service=self._endpoint.name, notes=tuple(notes))

    async def _ask(self, query: SearchQuery) -> tuple[list[SearchResult], Sequence[str]]:
        """Return the hits, and what a reply says is missing among them."""
        provider, access = self._endpoint.provider, self._endpoint.access
        match provider:
            case SearchesDirectly():
                search = partial(provider.search, query, access)
                work = partial(self._in_time, search)
                about = {"search": asdict(query)}
                found = await self._client.direct(self._endpoint, about, work, RESULTS)
                return _checked(self._endpoint, found), ()
            case Searches():
                asking = partial(provider.search_request, query, access)
                request = called(self._endpoint, asking, HttpRequest)
                reply = await self._client.send(
                    self._endpoint, request, patience_seconds=self._patience_seconds
                )
                reading = partial(understand, provider.search_results, reply)
                found = called(self._endpoint, reading, list)
                notes = called(self._endpoint, partial(understand, provider.search_notes, reply))
                return _checked(self._endpoint, found), notes
            case _:
                raise UnsupportedError(self._endpoint.name, "search")

    async def _in_time(
        self, search: Callable[[], Awaitable[list[SearchResult]]]
    ) -> list[SearchResult]:
        searching = awaited(self._endpoint, search, list)
        return await within(self._patience_seconds, searching, self._endpoint.name)


class HttpReadProvider:
    """Reads pages with one endpoint; the URL is checked before anyone else is asked to open it."""

    def __init__(
        self,
        endpoint: Endpoint,
        client: Client,
        policy: DomainPolicy = guard.ANYWHERE,
        *,
        patience_seconds: float | None = None,
    ) -> None:
        self._endpoint = endpoint
        self._client = client
        self._policy = policy
        self._patience_seconds = patience_seconds

    async def read_url(self, url: str) -> Page:
        """Return one page as Markdown.

        Raises:
            UnsupportedError: The provider does not read pages.
        """
        provider, access = self._endpoint.provider, self._endpoint.access
        checked = await self._checked(url)
        match provider:
            case ReadsWithBrowser():
                return await self._direct(checked, partial(self._read_with, provider, checked))
            case ReadsDirectly():
                read = partial(provider.read_url, str(checked), access)
                return await self._direct(checked, read)
            case Reads():
                asking = partial(provider.read_request, str(checked), access)
                request = called(self._endpoint, asking, HttpRequest)
                reply = await self._client.send(
                    self._endpoint, request, patience_seconds=self._patience_seconds
                )
                page = partial(understand, partial(provider.read_page, str(checked)), reply)
                return called(self._endpoint, page, Page)
            case _:
                raise UnsupportedError(self._endpoint.name, "read")

    async def _direct(self, url: WebUrl, read: Callable[[], Awaitable[Page]]) -> Page:
        about, work = {"read": str(url)}, partial(self._in_time, read)
        return await self._client.direct(self._endpoint, about, work, PAGE)

    async def _in_time(self, read: Callable[[], Awaitable[Page]]) -> Page:
        reading = awaited(self._endpoint, read, Page)
        return await within(self._patience_seconds, reading, self._endpoint.name)

    async def _checked(self, url: str) -> WebUrl:
        """Return a URL that may be opened; where nobody connects there is no name to look up."""
        if not self._endpoint.provider.is_local:
            return await self._client.check_page(url, self._policy)
        target = guard.parse(url)
        self._policy.check(target)
        return target

    async def _read_with(self, provider: ReadsWithBrowser, url: WebUrl) -> Page:
        """Read with a browser behind a proxy; where the page ended up may have been refused."""
        async with self._client.guarding_proxy(self._policy) as proxy:
            open_browser = partial(self._client.browser, self._endpoint, proxy, self._policy)
            page = await provider.read_with(str(url), self._endpoint.access, open_browser)
            if refusal := proxy.refusal_of(page.url):
                raise refusal
            if not page.success:
                return page
            notes = (*page.notes, *proxy.notes())
            return replace(page, truncated=page.truncated or proxy.is_full, notes=notes)


def _checked(endpoint: Endpoint, found: list[SearchResult]) -> list[SearchResult]:
    """Return hits that are some: whatever else a provider gives would break later, elsewhere."""
    for each in found:
        if not isinstance(each, SearchResult):
            raise wrong_type(endpoint, each, SearchResult)
    return found


async def within(seconds: float | None, awaitable: Awaitable[T], name: str) -> T:
    """Await something of a service for so long and no longer.

    Raises:
        TimedOutError: It was not done in time.
    """
    try:
        async with asyncio.timeout(seconds):
            return await awaitable
    except TimeoutError:
        pass
    raise TimedOutError(name, "total", seconds or 0)
