"""A text that cites, compared with its pages: each page read once, a few at a time."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Protocol

from groundwire.checks import (
    Check,
    CitationCheck,
    NotCompared,
    check_claim,
    hash_of,
    index_page,
    not_read,
    summary_line,
)
from groundwire.checks.judged_page import IndexedPage
from groundwire.errors import GroundwireError
from groundwire.model import Page
from groundwire.text.plural import plural

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from groundwire.chat.opinions import Judge
    from groundwire.checks import Opinion, PageIndex
    from groundwire.checks.cited_text import CitedClaim, CitedText
    from groundwire.search import ReadChain

AT_ONCE = 4
MAX_PAGES = 200


class Pages(Protocol):
    """Where pages come from: the web, or a folder in which they were saved."""

    async def read(self, url: str) -> Page:
        """Return a page; of one that cannot be read, the reason."""


class WebPages:
    """Pages that the reader chain reads, with all that holds for any page."""

    def __init__(self, chain: ReadChain, *, by_agent: bool = True) -> None:
        self._chain = chain
        self._by_agent = by_agent

    async def read(self, url: str) -> Page:
        """Return a page; of one that cannot be read, the reason."""
        try:
            return (await self._chain.read(url, by_agent=self._by_agent)).page
        except GroundwireError as error:
            return Page(url=url, success=False, error=str(error))


@dataclass(frozen=True, slots=True, kw_only=True)
class LineCheck:
    """A citation's check, and on which line of the given text its marker stands."""

    line: int
    citation: CitationCheck


@dataclass(frozen=True, slots=True, kw_only=True)
class TextCheck:
    """All citations of a text with their checks, in the order of the text.

    `mentions` are links that carry no claim. With `is_cut` the text has more citations than these.
    """

    checks: tuple[LineCheck, ...] = ()
    mentions: int = 0
    is_cut: bool = False

    @property
    def summary(self) -> str:
        """Return one line for the whole text."""
        return summary_line(each.citation for each in self.checks)


@dataclass(frozen=True, slots=True, kw_only=True)
class PageProgress:
    """A page was read or could not be: so many of so many are done."""

    page: Page
    url: str
    done: int
    total: int


class TextChecker:
    """Compares texts with their pages."""

    def __init__(
        self,
        pages: Pages,
        *,
        judge: Judge | None = None,
        tell: Callable[[PageProgress], None] | None = None,
        max_pages: int = MAX_PAGES,
    ) -> None:
        self._pages = pages
        self._judge = judge
        self._tell = tell
        self._max_pages = max_pages
        self._turns = asyncio.Semaphore(AT_ONCE)

    async def check(self, cited: CitedText) -> TextCheck:
        """Return what the comparison of every claim with its page comes to."""
        claims: dict[str, list[CitedClaim]] = {}
        for each in cited.citations:
            claims.setdefault(each.url, []).append(each)
        urls = [url for url in claims if url]
        done: dict[CitedClaim, CitationCheck] = {}
        counted = _Counted(total=min(len(urls), self._max_pages))
        try:
            async with asyncio.TaskGroup() as tasks:
                for url in urls[: self._max_pages]:
                    tasks.create_task(self._check_page(url, claims[url], done, counted))
        except BaseExceptionGroup as several:
            # A judge without a key, say: callers know the error, not the group.
            raise several.exceptions[0] from None
        limit = f"the limit of {plural(self._max_pages, 'page')} a text was reached"
        for each in cited.citations:
            if each not in done:
                left = not_read(limit) if each.url else Check(not_compared=NotCompared.NO_SOURCE)
                done[each] = _citation(each, left)
        return TextCheck(
            checks=tuple(
                LineCheck(line=each.line, citation=done[each]) for each in cited.citations
            ),
            mentions=cited.mentions,
            is_cut=cited.is_cut,
        )

    async def _check_page(
        self,
        url: str,
        claims: Sequence[CitedClaim],
        done: dict[CitedClaim, CitationCheck],
        counted: _Counted,
    ) -> None:
        async with self._turns:
            page = await self._pages.read(url)
            counted.done += 1
            if self._tell is not None:
                self._tell(PageProgress(page=page, url=url, done=counted.done, total=counted.total))
            if not page.success:
                for claim in claims:
                    done[claim] = _citation(claim, not_read(page.error))
                return
            # Beside the loop: a long page takes half a second to index.
            index = await asyncio.to_thread(_indexed, page)
            for claim in claims:
                done[claim] = await self._compared(claim, page, index)

    async def _compared(self, claim: CitedClaim, page: Page, index: PageIndex) -> CitationCheck:
        said = claim.claim
        check = check_claim(said.text, index, quote=claim.quote, context=said.context)
        opinion = None
        if self._judge is not None and check.not_compared is None:
            opinion = (await self._judge.judge(said.text, IndexedPage(index))).opinion
        return _citation(claim, check, page_hash=hash_of(page.content), opinion=opinion)


@dataclass(slots=True, kw_only=True)
class _Counted:
    total: int
    done: int = 0


def _indexed(page: Page) -> PageIndex:
    index = index_page(page.content, has_pages=page.metadata.pages is not None)
    index.prepare()
    return index


def _citation(
    claim: CitedClaim, check: Check, *, page_hash: str = "", opinion: Opinion | None = None
) -> CitationCheck:
    return CitationCheck(
        number=claim.number,
        position=claim.position,
        claim=claim.claim.text,
        url=claim.url,
        check=check,
        checked_at=datetime.now(UTC),
        page_hash=page_hash,
        opinion=opinion,
    )
