"""Searching: one service after the other until one can answer."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from groundwire.client import HttpSearchProvider, filtering
from groundwire.errors import Attempt, GroundwireError, NothingFoundError, SearchFailedError
from groundwire.model import SearchQuery, SearchReply
from groundwire.searching.keeping import dump_search, load_search, search_key
from groundwire.searching.means import attempt_of, named

if TYPE_CHECKING:
    from groundwire.contract import Endpoint
    from groundwire.model import SearchResult
    from groundwire.searching.means import Means


class SearchChain:
    """Searches with the providers of the settings, or with the given ones, in their order."""

    def __init__(self, means: Means, names: str | list[str] | None = None) -> None:
        self._means = means
        self._names = named(names or means.settings.search_provider)

    async def search(self, query: str, *, limit: int = 5) -> list[SearchResult]:
        """Return the hits, best first; empty only if there are none.

        Raises:
            SearchFailedError: No service could be searched.
        """
        return [*(await self.find(SearchQuery(text=query, limit=limit))).results]

    async def find(self, query: SearchQuery) -> SearchReply:
        """Return what the first service that can answer finds, and why others could not.

        Raises:
            SearchFailedError: No service could be searched; it has the reason of each.
            SettingsError: A filter of the query is none.
        """
        wanted = filtering.checked(query)
        attempts: list[Attempt] = []
        empty: SearchReply | None = None
        for name in self._names:
            try:
                reply = await self._ask(name, wanted)
            except GroundwireError as error:
                attempts.append(attempt_of(name, error))
                continue
            if reply.results or not self._means.settings.search.next_on_nothing:
                return replace(reply, attempts=tuple(attempts))
            empty = empty or reply
            attempts.append(attempt_of(name, NothingFoundError(wanted.text)))
        if empty is None:
            raise SearchFailedError(wanted.text, tuple(attempts))
        others = (attempt for attempt in attempts if attempt.service != empty.service)
        return replace(empty, attempts=tuple(others))

    async def _ask(self, name: str, query: SearchQuery) -> SearchReply:
        endpoint = self._means.find(name)
        key = search_key(endpoint, query)
        max_age_seconds = self._means.settings.cache.search_seconds
        kept = load_search(await self._means.cache.get(key), max_age_seconds)
        if kept is not None:
            return kept
        return await self._means.searches.join(
            key, partial(self._ask_service, endpoint, query, key)
        )

    async def _ask_service(self, endpoint: Endpoint, query: SearchQuery, key: str) -> SearchReply:
        means = self._means
        seconds = means.settings.search.timeout_seconds
        provider = HttpSearchProvider(endpoint, means.client, patience_seconds=seconds)
        async with means.politeness.service(endpoint).turn(seconds):
            reply = await provider.find(query)
        # What is not there now may be there in a minute.
        if reply.results:
            await means.cache.put(key, dump_search(reply))
        return reply
