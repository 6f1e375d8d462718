"""Searching: one service after the other until one can answer, or all of them together."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from groundwire.client import HttpSearchProvider, filters
from groundwire.config.settings.chains import named
from groundwire.errors import Attempt, GroundwireError, NothingFoundError, SearchFailedError
from groundwire.model import SearchQuery, SearchReply
from groundwire.search.cached_replies import dump_search, load_search, search_key
from groundwire.search.merge import merged
from groundwire.search.query_embedding import with_query_embedding
from groundwire.search.search_context import attempt_of, is_configured

if TYPE_CHECKING:
    from groundwire.model import SearchResult
    from groundwire.search.search_context import SearchContext
    from groundwire.wire.contract import Endpoint


class SearchChain:
    """Searches with the providers of the settings, or with the given ones, in their order.

    `together` asks all of them at once and mixes what they find; None leaves it to the settings.
    """

    def __init__(
        self,
        search_context: SearchContext,
        names: str | list[str] | None = None,
        *,
        together: bool | None = None,
    ) -> None:
        self._search_context = search_context
        self._names = named(names or search_context.settings.search_provider)
        self._together = search_context.settings.search.together if together is None else together

    def is_configured(self) -> bool:
        """Tell whether one of the services has what it needs."""
        return any(is_configured(self._search_context, name) for name in self._names)

    async def search(self, query: str, *, limit: int = 5) -> list[SearchResult]:
        """Return the hits, best first; empty only if there are none.

        Raises:
            SearchFailedError: No service could be searched.
        """
        return [*(await self.find(SearchQuery(text=query, limit=limit))).results]

    async def find(self, query: SearchQuery) -> SearchReply:
        """Return what the services find, and why some could not.

        Raises:
            SearchFailedError: No service could be searched; it has the reason of each.
            SettingsError: A filter of the query is invalid.
        """
        wanted = filters.checked(filters.narrowed(query, self._search_context.domains))
        if self._together:
            return await self._find_together(wanted)
        return await self._find_first(wanted)

    async def _find_first(self, query: SearchQuery) -> SearchReply:
        attempts: list[Attempt] = []
        empty: SearchReply | None = None
        for name in self._names:
            try:
                reply = await self._ask(name, query)
            except GroundwireError as error:
                attempts.append(attempt_of(name, error))
                continue
            if reply.results or not self._search_context.settings.search.next_on_nothing:
                return replace(reply, attempts=tuple(attempts))
            empty = empty or reply
            attempts.append(attempt_of(name, NothingFoundError(query.text)))
        if empty is None:
            raise SearchFailedError(query.text, tuple(attempts))
        others = (attempt for attempt in attempts if attempt.service != empty.service)
        return replace(empty, attempts=tuple(others))

    async def _find_together(self, query: SearchQuery) -> SearchReply:
        answers = await asyncio.gather(*(self._try(name, query) for name in self._names))
        replies = [answer for answer in answers if isinstance(answer, SearchReply)]
        attempts = [answer for answer in answers if isinstance(answer, Attempt)]
        if not replies:
            raise SearchFailedError(query.text, tuple(attempts))
        if len(replies) == 1:
            return replace(replies[0], attempts=tuple(attempts))
        return merged(replies, query.limit, attempts)

    async def _try(self, name: str, query: SearchQuery) -> SearchReply | Attempt:
        try:
            return await self._ask(name, query)
        except GroundwireError as error:
            return attempt_of(name, error)

    async def _ask(self, name: str, query: SearchQuery) -> SearchReply:
        endpoint = self._search_context.find(name)
        note = ""
        if endpoint.provider.is_per_workspace:
            endpoint, note = await with_query_embedding(self._search_context, endpoint, query.text)
        key = search_key(endpoint, query)
        if (kept := await self._kept(key)) is not None:
            return kept
        asking = partial(self._ask_once, endpoint, query, key)
        reply = await self._search_context.searches.join(key, asking)
        return replace(reply, notes=(*reply.notes, note)) if note else reply

    async def _kept(self, key: str) -> SearchReply | None:
        max_age_seconds = self._search_context.settings.cache.search_seconds
        return load_search(await self._search_context.cache.get(key), max_age_seconds)

    async def _ask_once(self, endpoint: Endpoint, query: SearchQuery, key: str) -> SearchReply:
        """Ask a service unless another server did so in the same moment."""
        async with self._search_context.alone(key) as is_second:
            if is_second and (kept := await self._kept(key)) is not None:
                return kept
            return await self._ask_service(endpoint, query, key)

    async def _ask_service(self, endpoint: Endpoint, query: SearchQuery, key: str) -> SearchReply:
        search_context = self._search_context
        seconds = search_context.settings.search.timeout_seconds
        provider = HttpSearchProvider(endpoint, search_context.client, patience_seconds=seconds)
        async with search_context.rate_limits.service(endpoint).turn(seconds):
            reply = await provider.find(query)
        # No results may be temporary, and a local index needs no cache.
        if reply.results and not endpoint.provider.is_local:
            await search_context.cache.put(key, dump_search(reply))
        return reply
