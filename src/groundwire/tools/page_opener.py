"""Opens pages for a conversation: one budget for all, a place to begin, a fence around each."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from datetime import timedelta
from hashlib import sha256
from typing import TYPE_CHECKING

from groundwire.checks import check_claim, index_page
from groundwire.errors import GroundwireError
from groundwire.system.determinism import now
from groundwire.text.plural import plural
from groundwire.tools.claim_result import claim_result, claim_words
from groundwire.tools.fence import (
    ModelText,
    Ours,
    StrangersText,
    clean,
    cut,
    error_words,
    for_model,
    one_line,
    web_address,
)
from groundwire.tools.tool import ToolOutput
from groundwire.tools.web_contract import OpenPageToolResult, Provenance, typed

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from groundwire.model import ReadReply
    from groundwire.search import ReadChain
    from groundwire.tools.claim_result import ClaimCheckResult
    from groundwire.tools.ledger import Ledger
    from groundwire.tools.surfaces import Surface
    from groundwire.tools.tool import Progress
    from groundwire.tools.web_contract import OpenPageArguments

    OnPage = Callable[[str, ReadReply], None]
    """Is told each page that was read whole, and the URL it was asked for by."""

URL_NOT_IN_CONTEXT = "url_not_in_context"
_MAX_TITLE = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class Failed:
    """A page that there is not; `error` begins with the reason in one word."""

    url: str
    error: ModelText


class PageOpener:
    """Reads what the ledger admits."""

    def __init__(
        self,
        read: ReadChain,
        ledger: Ledger,
        *,
        max_length: int,
        surface: Surface,
        on_page: OnPage | None = None,
    ) -> None:
        self._surface = surface
        self._on_page = on_page
        self._chain = read
        self._ledger = ledger
        self._max_length = max_length

    async def open(self, given: OpenPageArguments, progress: Progress) -> ToolOutput:
        """Read one page or several at once."""
        urls = [given.url] if isinstance(given.url, str) else [*dict.fromkeys(given.url)]
        await progress(f"Reading {', '.join(urls)}")
        found = await asyncio.gather(*(self.read(url) for url in urls))
        budget = given.max_length or self._max_length
        lengths = [
            len(each.page.content) - given.start if not isinstance(each, Failed) else 0
            for each in found
        ]
        results = [
            each if isinstance(each, Failed) else self._result(each, given, share)
            for each, share in zip(found, shares(budget, lengths), strict=True)
        ]
        is_list = not isinstance(given.url, str)
        return pages_output(results, is_list=is_list, service=_service(found))

    def wrong(self, reason: str) -> ToolOutput:
        """Return what is said about arguments that cannot be used."""
        return pages_output([failed_page("", "invalid_arguments", Ours(reason))])

    async def read(self, url: str) -> ReadReply | Failed:
        """Return a page that the ledger admits, or why there is none."""
        admitted = self._ledger.admit(url)
        if admitted is None:
            reason = self._ledger.refusal(url, self._surface.hint)
            return failed_page(url, URL_NOT_IN_CONTEXT, Ours(reason))
        try:
            reply = await self._chain.read(admitted)
        except GroundwireError as error:
            return failed_page(url, error.code, *error_words(error))
        if not reply.page.success:
            return failed_page(reply.page.url, "unreadable", *_reasons(reply))
        if self._on_page is not None:
            self._on_page(admitted, reply)
        # It was read: going on with it, also by the URL it ended up at, needs no new permission.
        self._ledger.allow(admitted)
        self._ledger.allow(web_address(reply.page.url))
        return reply

    def _result(
        self, reply: ReadReply, given: OpenPageArguments, length: int
    ) -> OpenPageToolResult | Failed:
        start = given.start
        characters = len(clean(reply.page.content))
        if start and start >= characters:
            most = plural(characters, "character")
            reason = f"start {start} is past the end: the page has {most}"
            return failed_page(reply.page.url, "invalid_arguments", Ours(reason))
        number = self._ledger.number(web_address(reply.page.url), one_line(reply.page.title))
        result = page_result(reply, number, start=start, max_length=length)
        self._ledger.offer(result.content)
        if given.claim.strip():
            result.check = _compared(given.claim.strip(), reply)
        return result


def _compared(claim: str, reply: ReadReply) -> ClaimCheckResult:
    """Hold a claim against all of a page, also where only a part of it is handed on."""
    has_pages = reply.page.metadata.pages is not None
    page = index_page(clean(reply.page.content), has_pages=has_pages)
    return claim_result(check_claim(claim, page), web_address(reply.page.url))


def page_result(
    reply: ReadReply, number: int = 1, *, start: int = 0, max_length: int
) -> OpenPageToolResult:
    """Return a part of a page that was read; `number` is its citation's."""
    page, url = reply.page, web_address(reply.page.url)
    whole = clean(page.content)
    content = whole[start : start + max_length]
    end = start + len(content)
    goes_on = end < len(whole)
    fetched_at = now() - timedelta(seconds=reply.age_seconds or 0)
    return OpenPageToolResult(
        url=url,
        title=one_line(page.title),
        content=content,
        content_length=len(content),
        # The whole length of a page that the service cut is unknown.
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


def failed_page(url: str, code: str, *words: str) -> Failed:
    """Return the result for a page that there is not: why in one word, and in pieces."""
    return Failed(url=url, error=for_model(Ours(f"{code}:"), *words, has_notice=False))


def _reasons(reply: ReadReply) -> list[str]:
    """Return why no reader could read a page: our part of each reason, and the quoted part."""
    known = "; ".join(
        f"{each.service}: {each.ours or 'it could not be read'}" for each in reply.attempts
    )
    said = ((each.service, each.strangers) for each in reply.attempts)
    return [Ours(known), "; ".join(f"{name}: {words}" for name, words in said if words)]


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


def pages_output(
    results: Sequence[OpenPageToolResult | Failed], *, is_list: bool = False, service: str = ""
) -> ToolOutput:
    """Return what the tool gives back for one page, or for a list of them."""
    pages = [_data(result) for result in results]
    return ToolOutput(
        text=for_model(*(piece for result in results for piece in _pieces(result))),
        data={"pages": pages} if is_list else pages[0],
        is_error=all(isinstance(result, Failed) for result in results),
        service=service,
    )


def _service(found: Sequence[ReadReply | Failed]) -> str:
    names = [each.service for each in found if not isinstance(each, Failed)]
    return ", ".join(dict.fromkeys(names))


def _data(result: OpenPageToolResult | Failed) -> dict[str, object]:
    if isinstance(result, OpenPageToolResult):
        return typed(result)
    empty = OpenPageToolResult(
        url=result.url, title="", content="", content_length=0, status="error"
    )
    return {**typed(empty), "error": result.error}


def _pieces(result: OpenPageToolResult | Failed) -> list[str]:
    if isinstance(result, Failed):
        return [Ours("Error:"), web_address(result.url), result.error]
    pieces: list[str] = [_fenced_page(result)]
    if result.check is not None:
        pieces += [Ours("The claim:"), *claim_words(result.check)]
    if result.message:
        pieces += [Ours("The page may not be whole:"), result.message]
    if result.next_start is not None:
        return [*pieces, Ours(f"The page goes on: call open_page with start={result.next_start}.")]
    return [*pieces, Ours("The page goes on, but was cut.")] if result.truncated else pieces


def _fenced_page(result: OpenPageToolResult) -> StrangersText:
    heading = f"{cut(result.title, _MAX_TITLE)}\n\n" if result.title else ""
    source = result.provenance
    about = f"[{source.citation_id}] {result.url} at {source.fetched_at}" if source else ""
    return StrangersText(f"{heading}{result.content}", about)
