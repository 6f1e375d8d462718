"""Tavily: search and page extraction made for agents."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from groundwire.errors import (
    BadReplyError,
    InvalidRequestError,
    QuotaError,
    RateLimitError,
    ServiceError,
)
from groundwire.model import Page, SearchQuery, SearchResult
from groundwire.redaction import redact
from groundwire.wire.authorization import bearer
from groundwire.wire.contract import Access, HttpReply, HttpRequest, Provider, policy_refusal
from groundwire.wire.errors import MAX_REASON_LENGTH, message_of, retry_after_of

if TYPE_CHECKING:
    from groundwire.model import Json

_TIME_RANGES = {"d": "day", "w": "week", "m": "month", "y": "year"}
_MOST_RESULTS = 20
_SPENT = "the plan's limit is reached"


class Tavily(Provider):
    """Search and reading for agents; answers a little also without a key."""

    title = "Tavily"
    base_url = "https://api.tavily.com"
    key_variable = "TAVILY_API_KEY"
    key_is_optional = True
    key_url = "https://app.tavily.com"
    filters = frozenset({"limit", "domains", "time_range"})
    # A longer list makes it return nothing at all.
    max_domains = 19

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
        # A page that it cannot read is told inside a reply with status 200.
        failed = message_of(body.get("failed_results"))
        for page in body["results"]:
            if content := page.get("raw_content"):
                return Page(
                    url=page.get("url") or url,
                    title=page.get("title") or "",
                    content=content,
                    notes=(f"Tavily could not read all of it: {failed}",) if failed else (),
                )
        return Page(url=url, success=False, error=failed or "Tavily returned no content")

    def error_from(self, reply: HttpReply) -> ServiceError | None:
        if reply.status == 200 and "detail" in (body := reply.json()):
            reason = message_of(body) or "it says neither what it found nor why not"
            return BadReplyError(reply.service, reason, status=200)
        if reply.status in (432, 433):
            return QuotaError(reply.service, _reason(reply), status=reply.status)
        if reply.status == 429 and "error" in (body := reply.json()):
            return _too_often_without_a_key(reply, body["error"])
        if reply.status == 403:
            return policy_refusal(reply)
        if reply.status == 422:
            return InvalidRequestError(reply.service, _complaints(reply.json()), status=422)
        return None


def _too_often_without_a_key(reply: HttpReply, error: Json) -> RateLimitError:
    """Without a key it answers with an envelope of its own, which says what to do next."""
    window = f" (limit per {error['window']})" if error.get("window") else ""
    actions = [
        action.get("description") if isinstance(action, dict) else action
        for action in error.get("next_actions") or ()
    ]
    reason = "; ".join(filter(None, (f"{message_of(error).rstrip('.')}{window}", *actions)))
    return RateLimitError(
        reply.service,
        redact(reason)[:MAX_REASON_LENGTH],
        status=reply.status,
        retry_after_seconds=retry_after_of(reply.headers, {"error": error}, datetime.now(UTC)),
    )


def _reason(reply: HttpReply) -> str:
    """Return its own words; a proxy in between may have put a page in their place."""
    try:
        return message_of(reply.json()) or _SPENT
    except BadReplyError:
        return _SPENT


def _complaints(body: Json) -> str:
    """Return what is wrong with each field; the list names its place beside the words."""
    details = body["detail"]
    if not isinstance(details, list):
        return message_of(body) or "the request is not valid"
    return "; ".join(
        f"{'.'.join(map(str, detail.get('loc', [])))}: {message_of(detail)}".removeprefix(": ")
        for detail in details
    )


def _headers(access: Access) -> dict[str, str]:
    keyless = {"X-Tavily-Access-Mode": "keyless", "X-Client-Source": "groundwire"}
    return bearer(access) or keyless


provider = Tavily()
