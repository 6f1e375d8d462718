"""A judge's opinions on the citations of one answer: asked for when the answer is there."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Protocol, TypeAlias

from groundwire.chat.budgets import Cost
from groundwire.model import Usage
from groundwire.redaction import redact

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from groundwire.chat.cited_pages import CitedPage
    from groundwire.chat.comparer import Comparer
    from groundwire.checks import CitationCheck, Opinion
    from groundwire.checks.judged_page import JudgedPage

AT_ONCE = 2
"""So many claims of one answer are put to the judge at the same time."""

SECONDS = 60.0
"""So long a judge may think about one claim."""

_DROPPED = "No opinion: the judge named no words that are on the page."

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """What a judge said, None if the words it named are not on the page, and what that cost."""

    opinion: Opinion | None = None
    usage: Usage = field(default_factory=Usage)
    tokens: int = 0
    cost: Cost = field(default_factory=Cost)


class Judge(Protocol):
    """Somebody who is asked what they think of a claim and its page."""

    async def judge(self, claim: str, page: JudgedPage) -> Judgement:
        """Return an opinion whose words stand on the page, if there is one, and its cost."""


class Account(Protocol):
    """Who pays for a judge."""

    async def admit(self) -> None:
        """Let a question to the judge begin.

        Raises:
            QuotaExceededError: A quota is used up.
        """

    async def spend(self, judgement: Judgement) -> None:
        """Count what one has cost."""


class NoAccount:
    """Lets everything begin, and counts nothing."""

    async def admit(self) -> None:
        """Let it begin."""

    async def spend(self, judgement: Judgement) -> None:
        """Count nothing."""


OpenJudge: TypeAlias = "Callable[[], Awaitable[Judge]]"


@dataclass(frozen=True, slots=True, kw_only=True)
class _ComparedPage:
    """A page that the process that compares has indexed."""

    comparer: Comparer
    page: CitedPage

    async def passages(self, claim: str) -> str:
        """Return what of the page comes nearest to a claim."""
        return await self.comparer.passages(self.page, claim)

    async def has(self, words: str) -> bool:
        """Tell whether words stand on the page to the letter."""
        return await self.comparer.has(self.page, words)


class Opinions:
    """Belongs to one answer. Without a judge nothing is asked, and nothing here ever raises."""

    def __init__(
        self,
        open_judge: OpenJudge | None,
        comparer: Comparer,
        *,
        limit: int = 0,
        account: Account | None = None,
    ) -> None:
        self._open = open_judge
        self._comparer = comparer
        self._account = account or NoAccount()
        self._limit = limit
        self._wanted: set[tuple[int, int]] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._places = asyncio.Semaphore(AT_ONCE)
        self._judge: asyncio.Future[Judge] | None = None

    def marked(self, check: CitationCheck) -> CitationCheck:
        """Return a check that says whether a judge is to be asked about it."""
        key = check.position, check.number
        is_wanted = (
            self._open is not None
            and check.check.not_compared is None
            and (key in self._wanted or len(self._wanted) < self._limit)
        )
        if is_wanted:
            self._wanted.add(key)
        return replace(check, opinion_pending=is_wanted) if is_wanted else check

    def ask(
        self, check: CitationCheck, page: CitedPage, tell: Callable[[CitationCheck], None]
    ) -> None:
        """Ask about a check, and tell it again with the opinion, or without one."""
        task = asyncio.ensure_future(self._ask(check, page, tell))
        self._tasks.add(task)

    @property
    def is_over(self) -> bool:
        """Tell whether nobody is being asked."""
        return not self._tasks

    async def close(self) -> None:
        """Stop asking; what was not told stays open."""
        tasks = [*self._tasks]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _ask(
        self, check: CitationCheck, page: CitedPage, tell: Callable[[CitationCheck], None]
    ) -> None:
        opinion, reason = None, _DROPPED
        try:
            async with self._places, asyncio.timeout(SECONDS):
                judge = await self._opened()
                await self._account.admit()
                seen = _ComparedPage(comparer=self._comparer, page=page)
                judgement = await judge.judge(check.claim, seen)
            opinion = judgement.opinion
            # Before it is told: whoever sees it finds it counted.
            await self._account.spend(judgement)
        except TimeoutError:
            reason = f"No opinion: the judge did not answer within {SECONDS:.0f} s."
            _LOG.warning(reason)
        except Exception as error:  # noqa: BLE001 - an answer must not end for an opinion
            reason = f"No opinion: {redact(str(error))}"
            _LOG.warning(reason)
        task = asyncio.current_task()
        if task is not None:
            self._tasks.discard(task)
        why = "" if opinion else reason
        tell(replace(check, opinion=opinion, opinion_pending=False, no_opinion=why))

    async def _opened(self) -> Judge:
        """Return the judge, which is looked for once."""
        if self._judge is None:
            if self._open is None:
                raise LookupError("there is no judge")
            self._judge = asyncio.ensure_future(self._open())
        return await asyncio.shield(self._judge)
