"""Brave: a search engine with an index of its own."""

from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from groundwire.errors import AuthError, QuotaError, RateLimitError, ServiceError
from groundwire.model import SearchQuery, SearchResult
from groundwire.wire.contract import Access, HttpReply, HttpRequest, Provider, policy_refusal
from groundwire.wire.errors import message_of, rate_limits_of
from groundwire.wire.site_operator import within_sites

if TYPE_CHECKING:
    from collections.abc import Mapping

    from groundwire.model import Json

_TIME_RANGES = {"d": "pd", "w": "pw", "m": "pm", "y": "py"}
_MOST_RESULTS = 20
_TAG = re.compile(r"</?[a-z][^>]*>", re.IGNORECASE)


class Brave(Provider):
    """Pages from an index of its own."""

    title = "Brave Search"
    base_url = "https://api.search.brave.com"
    key_variable = "BRAVE_API_KEY"
    key_url = "https://api-dashboard.search.brave.com"
    filters = frozenset({"limit", "domains", "time_range"})

    def search_request(self, query: SearchQuery, access: Access) -> HttpRequest:
        parameters = {
            "q": within_sites(query.text, query.domains),
            "count": str(min(query.limit, _MOST_RESULTS)),
        }
        if query.time_range in _TIME_RANGES:
            parameters["freshness"] = _TIME_RANGES[query.time_range]
        for name in ("country", "search_lang"):
            if chosen := access.options.get(name):
                parameters[name] = chosen
        headers = {"Accept": "application/json"}
        if access.key:
            headers["X-Subscription-Token"] = access.key.reveal()
        url = f"{access.base_url}/res/v1/web/search?{urlencode(parameters)}"
        return HttpRequest(method="GET", url=url, headers=headers)

    def search_results(self, reply: HttpReply) -> list[SearchResult]:
        body: Json = reply.json()
        # Without hits there is no `web` at all, but always a `query`.
        found = body["web"]["results"] if body.get("web") else body["query"] and []
        return [
            SearchResult(
                url=hit["url"],
                title=_plain(hit.get("title")),
                snippet=_plain(hit.get("description")),
                published=hit.get("page_age") or hit.get("age") or "",
            )
            for hit in found
        ]

    def error_from(self, reply: HttpReply) -> ServiceError | None:
        if reply.status < 400:
            return None
        # A wrong key is a 422 here, and a used-up plan a 429, each with a word of its own.
        body: Json = reply.json()
        code = str(body["error"].get("code", "")).upper()
        reason = message_of(body) or code
        if "TOKEN" in code:
            return AuthError(reply.service, reason, status=reply.status)
        if "QUOTA" in code:
            return QuotaError(reply.service, reason, status=reply.status)
        if reply.status == 429:
            return RateLimitError(
                reply.service,
                reason,
                status=reply.status,
                retry_after_seconds=_wait(reply.headers),
                rate_limits=rate_limits_of(reply.headers),
            )
        return policy_refusal(reply) if reply.status == 403 else None


def _wait(headers: Mapping[str, str]) -> float | None:
    """Return the seconds until every window has room; the headers list one value per window."""
    left = headers.get("x-ratelimit-remaining", "").split(",")
    resets = headers.get("x-ratelimit-reset", "").split(",")
    full = [float(reset) for rest, reset in zip(left, resets, strict=False) if rest.strip() == "0"]
    return max(full, default=None)


def _plain(text: str | None) -> str:
    """Return words without the marks that Brave puts around what matched."""
    return html.unescape(_TAG.sub("", text or ""))


provider = Brave()
