"""Opens pages for a conversation: one budget for all, a place to begin, a fence around each."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import TYPE_CHECKING

from groundwire.errors import GroundwireError
from groundwire.tools.fencing import NOTICE, clean, fenced, one_line, web_address
from groundwire.tools.tool import ToolOutput
from groundwire.tools.web_contract import OpenPagesToolResult, OpenPageToolResult, Provenance

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groundwire.model import ReadReply
    from groundwire.searching import ReadChain
    from groundwire.tools.ledger import Ledger
    from groundwire.tools.tool import Progress
    from groundwire.tools.web_contract import OpenPageArguments

URL_NOT_IN_CONTEXT = "url_not_in_context"


class PageOpener:
    """Reads what the ledger admits."""

    def __init__(self, read: ReadChain, ledger: Ledger, *, max_length: int) -> None:
        self._chain = read
        self._ledger = ledger
        self._max_length = max_length

    async def open(self, given: OpenPageArguments, progress: Progress) -> ToolOutput:
        """Read one page or several at once."""
        urls = [given.url] if isinstance(given.url, str) else [*dict.fromkeys(given.url)]
        await progress(f"Reading {', '.join(urls)}")
        found = await asyncio.gather(*(self._read(url) for url in urls))
        budget = given.max_length or self._max_length
        lengths = [
            len(each.page.content) - given.start if not isinstance(each, OpenPageToolResult) else 0
            for each in found
        ]
        results = [
            each if isinstance(each, OpenPageToolResult) else self._result(each, given.start, share)
            for each, share in zip(found, shares(budget, lengths), strict=True)
        ]
        if isinstance(given.url, str):
            return _output(results, results[0], _service(found))
        return _output(results, OpenPagesToolResult(pages=results), _service(found))

    def wrong(self, reason: str) -> ToolOutput:
        """Return what is said about arguments that cannot be used."""
        result = failed_page("", f"invalid_arguments: {reason}")
        return _output([result], result)

    async def _read(self, url: str) -> ReadReply | OpenPageToolResult:
        admitted = self._ledger.admit(url)
        if admitted is None:
            reason = self._ledger.refusal(url)
            return failed_page(url, f"{URL_NOT_IN_CONTEXT}: {reason}")
        try:
            reply = await self._chain.read(admitted)
        except GroundwireError as error:
            return failed_page(url, f"{error.code}: {error}")
        if not reply.page.success:
            return failed_page(web_address(reply.page.url), f"unreadable: {reply.page.error}")
        # It was read: going on with it, also by the URL it ended up at, needs no new permission.
        self._ledger.allow(admitted)
        self._ledger.allow(web_address(reply.page.url))
        return reply

    def _result(self, reply: ReadReply, start: int, length: int) -> OpenPageToolResult:
        number = self._ledger.number(web_address(reply.page.url), one_line(reply.page.title))
        result = page_result(reply, number, start=start, max_length=length)
        self._ledger.offer(result.content)
        return result


def page_result(
    reply: ReadReply, number: int = 1, *, start: int = 0, max_length: int
) -> OpenPageToolResult:
    """Return a part of a page that was read; `number` is its citation's."""
    page, url = reply.page, web_address(reply.page.url)
    whole = clean(page.content)
    if start and start >= len(whole):
        reason = f"start {start} is past the end: the page has {len(whole)} characters"
        return failed_page(url, f"invalid_arguments: {reason}")
    content = whole[start : start + max_length]
    end = start + len(content)
    goes_on = end < len(whole)
    fetched_at = datetime.now(UTC) - timedelta(seconds=reply.age_seconds or 0)
    return OpenPageToolResult(
        url=url,
        title=one_line(page.title),
        content=content,
        content_length=len(content),
        # Of a page that was cut before it came to us nobody knows the whole length.
        original_length=None if page.truncated else len(whole),
        truncated=goes_on or page.truncated,
        status="success",
        message="; ".join(one_line(note) for note in page.notes),
        next_start=end if goes_on else None,
        provenance=Provenance(
            citation_id=number,
            source_url=url,
            fetched_at=fetched_at.isoformat(timespec="seconds"),
            content_hash=sha256(content.encode("utf-8", "replace")).hexdigest(),
        ),
    )


def failed_page(url: str, error: str) -> OpenPageToolResult:
    """Return the result for a page that there is not."""
    return OpenPageToolResult(
        url=url, title="", content="", content_length=0, status="error", error=error
    )


def shares(budget: int, lengths: Sequence[int]) -> list[int]:
    """Return how much of a budget each page gets: what short ones leave, long ones share."""
    given = [0] * len(lengths)
    left = budget
    by_length = sorted(range(len(lengths)), key=lambda place: lengths[place])
    for count, place in enumerate(by_length):
        fair = left // (len(lengths) - count)
        given[place] = max(0, min(lengths[place], fair))
        left -= given[place]
    return given


def _service(found: Sequence[ReadReply | OpenPageToolResult]) -> str:
    names = [each.service for each in found if not isinstance(each, OpenPageToolResult)]
    return ", ".join(dict.fromkeys(names))


def _output(
    results: Sequence[OpenPageToolResult],
    whole: OpenPageToolResult | OpenPagesToolResult,
    service: str = "",
) -> ToolOutput:
    is_error = all(result.status == "error" for result in results)
    texts = [_text(result) for result in results]
    if not is_error:
        texts.insert(0, NOTICE)
    data = whole.model_dump()
    return ToolOutput(text="\n\n".join(texts), data=data, is_error=is_error, service=service)


def _text(result: OpenPageToolResult) -> str:
    if result.provenance is None:
        return f"Error: {result.url} {result.error}".replace("  ", " ")
    about = f"[{result.provenance.citation_id}] {result.url} at {result.provenance.fetched_at}"
    heading = f"{result.title}\n\n" if result.title else ""
    text = fenced(f"{heading}{result.content}", about)
    if result.message:
        text = f"{text}\nThe page may not be whole: {result.message}"
    if result.next_start is not None:
        return f"{text}\nThe page goes on: call open_page with start={result.next_start}."
    return f"{text}\nThe page goes on, but was cut." if result.truncated else text
