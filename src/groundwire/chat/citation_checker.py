"""The citations of one answer, compared with their pages beside its stream."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from groundwire.chat.cited_claims import StreamedClaims, cited_claims
from groundwire.chat.comparer import not_compared
from groundwire.chat.events import CitationChecked
from groundwire.chat.opinions import Opinions
from groundwire.checks import NotCompared
from groundwire.citations import canonical_url
from groundwire.redaction import redact

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from groundwire.chat.cited_claims import AnswerClaim
    from groundwire.chat.cited_pages import CitedPage, CitedPages
    from groundwire.chat.comparer import Comparer
    from groundwire.chat.events import ChatEvent
    from groundwire.checks import CitationCheck
    from groundwire.citations import Marked

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """What came since somebody last looked, and where to go on; `is_over` if that is all."""

    checks: tuple[CitationCheck, ...]
    seen: int
    is_over: bool


class CitationChecker:
    """Belongs to one answer. Nothing here raises into the turn or makes it wait.

    `take` sees every event of the turn, and begins to compare what its markers stand for. At the
    end `finish` sees the answer as it is kept: what is different there is compared again.
    """

    def __init__(
        self,
        message_id: str,
        pages: CitedPages,
        comparer: Comparer,
        opinions: Opinions | None = None,
    ) -> None:
        self.message_id = message_id
        self.pages = pages
        self._comparer = comparer
        self._opinions = opinions or Opinions(None, comparer)
        self._stream = StreamedClaims()
        self._asked: dict[tuple[int, int], AnswerClaim] = {}
        self._done: dict[tuple[int, int], CitationCheck] = {}
        self._open: dict[str, list[AnswerClaim]] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._log: list[CitationCheck] = []
        self._told = 0
        self._is_final = False
        self._news = asyncio.Event()

    def take(self, events: Sequence[ChatEvent]) -> None:
        """Begin to compare what the markers among these events stand for."""
        for claim in self._stream.take(events):
            self._ask(claim)

    def ready(self) -> list[CitationChecked]:
        """Return what was compared since the last call."""
        new, self._told = self._log[self._told :], len(self._log)
        return [CitationChecked(message_id=self.message_id, citation=each) for each in new]

    def finish(self, marked: Marked, *, done: Iterable[CitationCheck] = ()) -> None:
        """Compare what the answer as it is kept says, where it was not; `done` are kept ones."""
        final = {each.key: each for each in cited_claims(marked)}
        self._asked = {key: each for key, each in self._asked.items() if final.get(key) == each}
        self._done = {key: each for key, each in self._done.items() if key in self._asked}
        for check in done:
            key = check.position, check.number
            if key in final and final[key].claim == check.claim:
                self._asked[key], self._done[key] = final[key], check
        for claim in final.values():
            self._ask(claim)
        self._is_final = True
        self.pages.end()
        for key, check in self._done.items():
            self._judge(key, check)
        self._tell()

    @property
    def checks(self) -> tuple[CitationCheck, ...]:
        """Return what is compared so far, by the places of the markers."""
        return tuple(self._done[key] for key in sorted(self._done))

    @property
    def pending(self) -> int:
        """Return how many citations are still to be compared."""
        return len(self._asked) - len(self._done)

    def page_of(self, check: CitationCheck) -> CitedPage | None:
        """Return the page that a citation was compared with, None if it was not."""
        return self.pages.known(check.url) if check.page_hash else None

    @property
    def is_over(self) -> bool:
        """Tell whether the answer has ended and all of it is compared."""
        return self._is_final and not self._tasks and self._opinions.is_over

    async def changed(self) -> None:
        """Wait until something was compared, or there is no more to come."""
        await self._news.wait()

    async def progress(self, seen: int = 0) -> Progress:
        """Wait until there is more than was seen, or no more to come."""
        while len(self._log) <= seen and not self.is_over:
            await self._news.wait()
        new = tuple(self._log[seen:])
        return Progress(checks=new, seen=len(self._log), is_over=self.is_over)

    async def close(self) -> None:
        """Stop; what was not compared stays so."""
        tasks = [*self._tasks.values()]
        for task in tasks:
            task.cancel()
        await self._opinions.close()
        await self.pages.close()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _tell(self) -> None:
        """Wake everybody who waits; whoever waits from now on waits for the next time."""
        news, self._news = self._news, asyncio.Event()
        news.set()

    def _ask(self, claim: AnswerClaim) -> None:
        if self._asked.get(claim.key) == claim:
            return
        self._asked[claim.key] = claim
        self._done.pop(claim.key, None)
        page = canonical_url(claim.url)
        self._open.setdefault(page, []).append(claim)
        if page not in self._tasks:
            self._tasks[page] = asyncio.ensure_future(self._compare(page, claim.url))

    async def _compare(self, page: str, url: str) -> None:
        """Compare all that is open of one page, also what comes meanwhile."""
        try:
            while claims := self._open.pop(page, []):
                self._settle(claims, await self._compared(url, claims))
        finally:
            del self._tasks[page]
            self._tell()

    async def _compared(self, url: str, claims: Sequence[AnswerClaim]) -> Collection[CitationCheck]:
        try:
            found = await self.pages.get(url)
            if isinstance(found, NotCompared):
                return [not_compared(each, found) for each in claims]
            return await self._comparer.compare(found, claims)
        except Exception as error:  # noqa: BLE001 - an answer must not end for its checks
            _LOG.error("a citation was not compared: %s", redact(repr(error)), exc_info=error)
            return [not_compared(each, NotCompared.UNREADABLE) for each in claims]

    def _settle(self, claims: Sequence[AnswerClaim], checks: Collection[CitationCheck]) -> None:
        for claim, check in zip(claims, checks, strict=True):
            # What was asked for anew meanwhile is compared once more.
            if self._asked.get(claim.key) is claim:
                marked = self._opinions.marked(check)
                self._done[claim.key] = marked
                self._log.append(marked)
                if self._is_final:
                    self._judge(claim.key, marked)
        self._tell()

    def _judge(self, key: tuple[int, int], check: CitationCheck) -> None:
        """Have the judge asked about a check that awaits it: of an answer as it is kept only."""
        if not check.opinion_pending:
            return
        if (page := self.page_of(check)) is None:
            self._opine(key, check, replace(check, opinion_pending=False))
        else:
            self._opinions.ask(check, page, partial(self._opine, key, check))

    def _opine(self, key: tuple[int, int], before: CitationCheck, after: CitationCheck) -> None:
        if self._done.get(key) is before:
            self._done[key] = after
            self._log.append(after)
        self._tell()
