"""Exa: search by meaning, made for models."""

from __future__ import annotations

from datetime import date, timedelta
from typing import TYPE_CHECKING

from groundwire.model import SearchQuery, SearchResult
from groundwire.system.determinism import now
from groundwire.wire.contract import Access, HttpReply, HttpRequest, Provider, policy_refusal

if TYPE_CHECKING:
    from collections.abc import Callable

    from groundwire.errors import ServiceError
    from groundwire.model import Json

_DAYS = {"d": 1, "w": 7, "m": 31, "y": 366}
_MOST_RESULTS = 100
_SNIPPET_CHARACTERS = 1000


def _today() -> date:
    return now().date()


class Exa(Provider):
    """Pages found by meaning instead of words."""

    title = "Exa"
    base_url = "https://api.exa.ai"
    key_variable = "EXA_API_KEY"
    key_url = "https://dashboard.exa.ai/api-keys"
    filters = frozenset({"limit", "domains", "time_range"})

    def __init__(self, today: Callable[[], date] = _today) -> None:
        self._today = today

    def search_request(self, query: SearchQuery, access: Access) -> HttpRequest:
        body: Json = {
            "query": query.text,
            "numResults": min(query.limit, _MOST_RESULTS),
            # Text is paid for, so no more of it than a snippet.
            "contents": {"text": {"maxCharacters": _SNIPPET_CHARACTERS}},
        }
        if query.domains:
            body["includeDomains"] = list(query.domains)
        if query.time_range in _DAYS:
            first = self._today() - timedelta(days=_DAYS[query.time_range])
            body["startPublishedDate"] = f"{first.isoformat()}T00:00:00.000Z"
        headers = {"x-api-key": access.key.reveal()} if access.key else {}
        return HttpRequest.post_json(f"{access.base_url}/search", body, headers)

    def search_results(self, reply: HttpReply) -> list[SearchResult]:
        return [
            SearchResult(
                url=hit["url"],
                title=hit.get("title") or "",
                snippet=hit.get("text") or " … ".join(hit.get("highlights") or ()),
                published=hit.get("publishedDate") or "",
            )
            for hit in reply.json()["results"]
        ]

    def error_from(self, reply: HttpReply) -> ServiceError | None:
        return policy_refusal(reply) if reply.status == 403 else None


provider = Exa()
