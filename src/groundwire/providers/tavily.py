"""Tavily: search and page extraction made for agents."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groundwire.contract import Access, HttpReply, HttpRequest, Provider
from groundwire.errors import QuotaError, ServiceError
from groundwire.faults import message_of
from groundwire.model import Page, SearchQuery, SearchResult

if TYPE_CHECKING:
    from groundwire.model import Json

_TIME_RANGES = {"d": "day", "w": "week", "m": "month", "y": "year"}
_MOST_RESULTS = 20


class Tavily(Provider):
    """Search and reading for agents; answers a little also without a key."""

    title = "Tavily"
    base_url = "https://api.tavily.com"
    key_variable = "TAVILY_API_KEY"
    key_is_optional = True
    key_url = "https://app.tavily.com"

    def search_request(self, query: SearchQuery, access: Access) -> HttpRequest:
        body: Json = {"query": query.text, "max_results": min(query.limit, _MOST_RESULTS)}
        if query.domains:
            body["include_domains"] = list(query.domains)
            body["include_domains_mode"] = "restrict"
        if query.time_range in _TIME_RANGES:
            body["time_range"] = _TIME_RANGES[query.time_range]
        return HttpRequest.post_json(f"{access.base_url}/search", body, _headers(access))

    def search_results(self, reply: HttpReply) -> list[SearchResult]:
        return [
            SearchResult(
                url=hit["url"],
                title=hit.get("title") or "",
                snippet=hit.get("content") or "",
                published=hit.get("published_date") or "",
            )
            for hit in reply.json()["results"]
        ]

    def read_request(self, url: str, access: Access) -> HttpRequest:
        body = {"urls": [url], "extract_depth": "basic", "format": "markdown"}
        return HttpRequest.post_json(f"{access.base_url}/extract", body, _headers(access))

    def read_page(self, url: str, reply: HttpReply) -> Page:
        body: Json = reply.json()
        for page in body["results"]:
            content = page.get("raw_content") or ""
            return Page(url=page.get("url") or url, title=page.get("title") or "", content=content)
        # A page that it cannot read is told inside a reply with status 200.
        failed = message_of(body.get("failed_results")) or "Tavily returned no content"
        return Page(url=url, success=False, error=failed)

    def error_from(self, reply: HttpReply) -> ServiceError | None:
        if reply.status in (432, 433):
            reason = message_of(reply.json()) or "the plan's limit is reached"
            return QuotaError(reply.service, reason, status=reply.status)
        return None


def _headers(access: Access) -> dict[str, str]:
    if access.key:
        return {"Authorization": f"Bearer {access.key.reveal()}"}
    return {"X-Tavily-Access-Mode": "keyless", "X-Client-Source": "groundwire"}


provider = Tavily()
