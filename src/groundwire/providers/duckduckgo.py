"""DuckDuckGo: searches without a key, through the `ddgs` library's reader of its pages."""

from __future__ import annotations

import asyncio
import logging
import re
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlsplit

from groundwire.errors import (
    BadReplyError,
    ConnectError,
    GroundwireError,
    NetworkError,
    OverloadedError,
    RateLimitError,
    RefusedError,
    ServiceError,
    TimedOutError,
    TruncatedError,
)
from groundwire.model import SearchQuery, SearchResult
from groundwire.wire.contract import Access, Provider
from groundwire.wire.http import MALFORMED
from groundwire.wire.site_operator import within_sites

if TYPE_CHECKING:
    from ddgs.engines.duckduckgo import Duckduckgo
    from ddgs.results import TextResult

_NAME = "duckduckgo"
_CUT = ("BodyError", "DecodeError")
_REASONS = {
    "DNSError": "its name could not be looked up, as if there were no network",
    "ConnectError": "it cannot be reached, as if there were no network",
}
"""The library's kinds of failure in words."""
# A word with a ! in front, or a \ before the first, would send the query to another website.
_BANG = re.compile(r"(?:(?<=\s)|^)[!\s]*!|^[\\\s]+")
_TOO_OFTEN = (202, 403, 418, 429)
_ELSEWHERE = "set a proxy for it, or name a second provider in the settings"
# Marks of the page and not plain words, because the page repeats the query.
_CHALLENGE = re.compile(r"anomaly-modal|anomaly\.js|challenge-form|bots use DuckDuckGo too")
_NO_RESULTS = re.compile(r"""class=["'][^"']*\b(?:no-results|result--no-result)\b""")


class DuckDuckGo(Provider):
    """Searches without a key or an account; refuses machines that ask too often."""

    title = "DuckDuckGo"
    base_url = "https://html.duckduckgo.com"
    filters = frozenset({"domains", "time_range"})
    delay_seconds = 1.0

    async def search(self, query: SearchQuery, access: Access) -> list[SearchResult]:
        try:
            # The library is synchronous; its own time limit ends the thread.
            return await asyncio.to_thread(_search, query, access)
        except GroundwireError as error:
            # The frames it came through hold the library's client, and so a connection.
            failure = error.with_traceback(None)
        raise failure


def _search(query: SearchQuery, access: Access) -> list[SearchResult]:
    # Imported here, because it loads two large libraries. Its class for one engine, not `DDGS`:
    # that one says "No results found." whatever the status, and asks many companies at once.
    from ddgs.engines.duckduckgo import Duckduckgo as Engine  # noqa: PLC0415

    # It logs the whole query at INFO.
    logging.getLogger("primp").setLevel(logging.WARNING)
    seconds = max(1, int(access.options.get("timeout_seconds", 10)))
    engine = Engine(proxy=access.options.get("proxy"), timeout=seconds)
    payload = engine.build_payload(
        within_sites(_BANG.sub("", query.text), query.domains),
        access.options.get("region", "us-en"),
        "moderate",
        None if query.time_range == "all" else query.time_range,
    )
    status, text = _fetch(engine, f"{access.base_url}/html/", payload, seconds)
    if error := _fault(status):
        raise error
    results = _results(engine, text)
    if not results:
        _refuse_what_is_not_nothing(text)
    return results


def _results(engine: Duckduckgo, text: str) -> list[SearchResult]:
    from lxml.etree import LxmlError  # noqa: PLC0415 - as above

    try:
        hits = engine.extract_results(text) if text.strip() else []
        return [_result(hit) for hit in engine.post_extract_results(hits) if hit.href]
    except (LxmlError, *MALFORMED):
        pass
    raise BadReplyError(_NAME, "its page cannot be read", status=200)


def _fetch(engine: Duckduckgo, url: str, payload: dict[str, str], seconds: int) -> tuple[int, str]:
    from ddgs.exceptions import DDGSException, TimeoutException  # noqa: PLC0415 - as above

    try:
        response = engine.http_client.request(engine.search_method, url, data=payload)
    except TimeoutException:
        failure: NetworkError = TimedOutError(_NAME, "total", seconds)
    except DDGSException as error:
        # Of its words only the kind: the rest repeats addresses.
        kind = str(error).partition(":")[0]
        reason = _REASONS.get(kind, kind)
        failure = TruncatedError(_NAME) if kind in _CUT else ConnectError(_NAME, reason)
    else:
        return response.status_code, response.text
    raise failure


def _result(hit: TextResult) -> SearchResult:
    return SearchResult(url=_target(hit.href), title=hit.title, snippet=hit.body)


def _target(link: str) -> str:
    """Return where a link leads that goes through DuckDuckGo's own counter."""
    parts = urlsplit(link)
    if parts.path == "/l/" and (target := parse_qs(parts.query).get("uddg")):
        return target[0]
    return link


def _fault(status: int) -> ServiceError | None:
    if status in _TOO_OFTEN:
        return RateLimitError(
            _NAME,
            "it refuses this machine for asking too often",
            status=status,
            fix=f"wait some minutes, raise its delay_seconds, {_ELSEWHERE}",
        )
    if status >= 500:
        return OverloadedError(_NAME, "it cannot answer now", status=status)
    if status != 200:
        return BadReplyError(_NAME, "it answers with an unknown status", status=status)
    return None


def _refuse_what_is_not_nothing(text: str) -> None:
    """A page without results counts as nothing found only where it says so."""
    if _CHALLENGE.search(text):
        raise RefusedError(
            _NAME,
            "it asks this machine to prove that it is no robot",
            status=200,
            fix=f"wait an hour, {_ELSEWHERE}",
        )
    if not _NO_RESULTS.search(text):
        raise BadReplyError(_NAME, "its page has no results and does not say why", status=200)


provider = DuckDuckGo()
