"""The async form of search and read over any provider, as users call it."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from groundwire import guard
from groundwire.contract import Reads, ReadsDirectly, Searches, SearchesDirectly, understand
from groundwire.errors import UnsupportedError
from groundwire.model import Page, SearchQuery, SearchResult

if TYPE_CHECKING:
    from groundwire.client.door import Client
    from groundwire.contract import Endpoint
    from groundwire.guard import DomainPolicy


class HttpSearchProvider:
    """Searches with one endpoint."""

    def __init__(self, endpoint: Endpoint, client: Client) -> None:
        self._endpoint = endpoint
        self._client = client

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
        provider, access = self._endpoint.provider, self._endpoint.access
        wanted = SearchQuery(text=query, limit=limit, domains=domains, time_range=time_range)
        match provider:
            case SearchesDirectly():
                return await provider.search(wanted, access)
            case Searches():
                request = provider.search_request(wanted, access)
                reply = await self._client.send(self._endpoint, request)
                return understand(provider.search_results, reply)
            case _:
                raise UnsupportedError(self._endpoint.name, "search")


class HttpReadProvider:
    """Reads pages with one endpoint; the URL is checked before anyone else is asked to open it."""

    def __init__(
        self, endpoint: Endpoint, client: Client, policy: DomainPolicy = guard.ANYWHERE
    ) -> None:
        self._endpoint = endpoint
        self._client = client
        self._policy = policy

    async def read_url(self, url: str) -> Page:
        """Return one page as Markdown.

        Raises:
            UnsupportedError: The provider does not read pages.
        """
        provider, access = self._endpoint.provider, self._endpoint.access
        checked = guard.parse(url)
        self._policy.check(checked)
        match provider:
            case ReadsDirectly():
                return await provider.read_url(str(checked), access)
            case Reads():
                request = provider.read_request(str(checked), access)
                reply = await self._client.send(self._endpoint, request)
                return understand(partial(provider.read_page, str(checked)), reply)
            case _:
                raise UnsupportedError(self._endpoint.name, "read")
