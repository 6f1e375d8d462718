"""Perplexity: its Search API, which ranks pages; not its models."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groundwire.model import SearchQuery, SearchResult
from groundwire.wire.authorization import bearer
from groundwire.wire.contract import Access, HttpReply, HttpRequest, Provider, policy_refusal

if TYPE_CHECKING:
    from groundwire.errors import ServiceError
    from groundwire.model import Json

_TIME_RANGES = {"d": "day", "w": "week", "m": "month", "y": "year"}
_MOST_RESULTS = 20


class Perplexity(Provider):
    """Ranked pages with dates, from an index of its own."""

    title = "Perplexity"
    base_url = "https://api.perplexity.ai"
    key_variable = "PERPLEXITY_API_KEY"
    key_url = "https://www.perplexity.ai/account/api"
    filters = frozenset({"limit", "domains", "time_range"})

    def search_request(self, query: SearchQuery, access: Access) -> HttpRequest:
        body: Json = {
            "query": query.text,
            "max_results": min(query.limit, _MOST_RESULTS),
            # Its own default, high, makes snippets as long as pages.
            "search_context_size": access.options.get("search_context_size", "low"),
        }
        if query.domains:
            body["search_domain_filter"] = list(query.domains)
        if query.time_range in _TIME_RANGES:
            body["search_recency_filter"] = _TIME_RANGES[query.time_range]
        return HttpRequest.post_json(f"{access.base_url}/search", body, bearer(access))

    def search_results(self, reply: HttpReply) -> list[SearchResult]:
        return [
            SearchResult(
                url=hit["url"],
                title=hit.get("title") or "",
                snippet=hit.get("snippet") or "",
                published=hit.get("date") or hit.get("last_updated") or "",
            )
            for hit in reply.json()["results"]
        ]

    def error_from(self, reply: HttpReply) -> ServiceError | None:
        return policy_refusal(reply) if reply.status == 403 else None


provider = Perplexity()
