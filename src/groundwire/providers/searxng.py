"""SearXNG: a metasearch engine that people run themselves."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from groundwire.errors import OverloadedError, RateLimitError, RefusedError, ServiceError
from groundwire.model import SearchQuery, SearchResult
from groundwire.wire.contract import Access, HttpReply, HttpRequest, Provider
from groundwire.wire.errors import retry_after_of
from groundwire.wire.site_operator import within_sites

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groundwire.model import Json

_TIME_RANGES = {"d": "day", "w": "week", "m": "month", "y": "year"}
_BANG = re.compile(r"(?:(?<=\s)|^)[!\s]*!")
_OPTIONS = ("language", "categories", "engines", "safesearch")


class SearXNG(Provider):
    """Your own metasearch server; no key, no account."""

    title = "SearXNG"
    base_url = "http://127.0.0.1:8888"
    # Domains are only a hint to its engines, and it has no limit.
    filters = frozenset({"time_range"})

    def search_request(self, query: SearchQuery, access: Access) -> HttpRequest:
        # A word with a ! in front would choose an engine, !! would leave for another website.
        plain = _BANG.sub("", query.text)
        parameters = {"q": within_sites(plain, query.domains), "format": "json"}
        if query.time_range in _TIME_RANGES:
            parameters["time_range"] = _TIME_RANGES[query.time_range]
        for name in _OPTIONS:
            if (chosen := access.options.get(name)) is not None:
                parameters[name] = ",".join(chosen) if isinstance(chosen, list) else str(chosen)
        return HttpRequest(
            method="GET",
            url=f"{access.base_url}/search?{urlencode(parameters)}",
            # Its bot detection refuses clients that do not look like a browser.
            headers={"Accept": "text/html,application/json", "Accept-Language": "en,*;q=0.5"},
        )

    def search_results(self, reply: HttpReply) -> list[SearchResult]:
        return [
            SearchResult(
                url=hit["url"],
                title=hit.get("title") or "",
                snippet=hit.get("content") or "",
                published=hit.get("publishedDate") or "",
            )
            for hit in reply.json()["results"]
            if hit.get("url")  # Answers and key-value rows lead nowhere.
        ]

    def search_notes(self, reply: HttpReply) -> Sequence[str]:
        silent = _unresponsive(reply.json())
        return (f"these engines did not answer: {silent}",) if silent else ()

    def error_from(self, reply: HttpReply) -> ServiceError | None:
        if reply.status == 403 and "json" not in reply.headers.get("content-type", ""):
            return RefusedError(
                reply.service,
                "its JSON format is switched off",
                status=403,
                fix="add `json` to `search.formats` in its settings.yml and restart it",
            )
        if reply.status == 429:
            return RateLimitError(
                reply.service,
                "its limiter takes us for a robot",
                status=429,
                retry_after_seconds=retry_after_of(reply.headers, None, datetime.now(UTC)),
                fix="set `server.limiter` to false in its settings.yml, or let this machine pass "
                "in its limiter.toml",
            )
        if reply.status == 200:
            return _all_engines_failed(reply)
        return None


def _all_engines_failed(reply: HttpReply) -> ServiceError | None:
    """It answers 200 with no results also when no engine could be asked."""
    body: Json = reply.json()
    # Answers of its own are no hits: who looked for pages did not find out whether there are any.
    has_hits = any(hit.get("url") for hit in body.get("results") or ())
    if has_hits or not body.get("unresponsive_engines"):
        return None
    return OverloadedError(
        reply.service,
        f"none of its engines answered: {_unresponsive(body)}",
        status=200,
        fix="try again later, or enable other engines in its settings.yml",
    )


def _unresponsive(body: Json) -> str:
    """Return the engines that did not answer, each with its reason."""
    named = body.get("unresponsive_engines") or ()
    return ", ".join(f"{engine} ({reason})" for engine, reason, *_ in named)


provider = SearXNG()
