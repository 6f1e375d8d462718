"""The checks of all answers of a program: begun with a turn, followed to their end beside it."""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Protocol

from groundwire import guard
from groundwire.chat.citation_checker import CitationChecker
from groundwire.chat.cited_pages import CheckLimits, CitedPage, CitedPages
from groundwire.chat.comparer import Comparer
from groundwire.chat.events import CitationChecked
from groundwire.chat.opinions import Opinions
from groundwire.conversation import ChecksState
from groundwire.errors import StoreError
from groundwire.search import ReadChain

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Mapping, Sequence

    from groundwire.chat.events import ChatEvent, TurnEnded
    from groundwire.chat.opinions import Judge
    from groundwire.chat.plan import Conversation, Plan
    from groundwire.checks import CitationCheck
    from groundwire.citations import Marked
    from groundwire.config.settings.check_table import CheckSettings
    from groundwire.guard import DomainPolicy
    from groundwire.search import SearchContext

NO_JUDGE = "off"
"""What a workspace names instead of a judge."""

_LOG = logging.getLogger(__name__)


class CheckStore(Protocol):
    """Keeps what the citations of answers came to."""

    async def save(
        self, message_id: str, checks: Sequence[CitationCheck], pages: Mapping[int, CitedPage]
    ) -> None:
        """Keep checks, and the pages that sources with these numbers were compared with.

        Raises:
            StoreError: They could not be kept.
        """

    async def finish(self, message_id: str) -> None:
        """Note that nothing of an answer is left to be compared.

        Raises:
            StoreError: It could not be noted.
        """


class NullCheckStore:
    """Keeps nothing, for a question that is asked once."""

    async def save(
        self, message_id: str, checks: Sequence[CitationCheck], pages: Mapping[int, CitedPage]
    ) -> None:
        """Keep nothing."""

    async def finish(self, message_id: str) -> None:
        """Note nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """How the pages of an answer are read: where to, by whom, and whether anew.

    `pages` is the workspace's choice (off, opened, all), "" for that of the settings, and so is
    `judge`: a provider, off, or "".
    """

    policy: DomainPolicy = guard.ANYWHERE
    readers: tuple[str, ...] = ()
    pages: str = ""
    judge: str = ""
    is_fresh: bool = False


class AnswerChecks:
    """One for a program. Belongs to one event loop; whoever made it closes it."""

    def __init__(
        self,
        means: SearchContext,
        keeper: CheckStore,
        limits: Callable[[CheckSettings], CheckLimits],
        *,
        open_judge: Callable[[str], Awaitable[Judge]] | None = None,
    ) -> None:
        self._means = means
        self._keeper = keeper
        self._limits = limits
        self._open_judge = open_judge
        self._comparer = Comparer()
        self._followed: dict[str, CitationChecker] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}

    @property
    def busy(self) -> frozenset[str]:
        """Return the ids of the answers whose checks are being followed."""
        return frozenset(self._tasks)

    def checker(self, message_id: str, reading: Reading) -> CitationChecker | None:
        """Return what compares the citations of an answer, None if nobody shall."""
        settings = self._limits(self._means.settings.checks)
        limits = replace(
            settings,
            pages=reading.pages or settings.pages,
            judge=reading.judge or settings.judge,
        )
        if limits.pages == "off":
            return None
        chain = ReadChain(self._means, policy=reading.policy, names=[*reading.readers] or None)
        read = partial(chain.read, is_fresh=reading.is_fresh)
        pages, opinions = CitedPages(read, limits), self._opinions(limits)
        return CitationChecker(message_id, pages, self._comparer, opinions)

    def _opinions(self, limits: CheckLimits) -> Opinions:
        is_judged = self._open_judge is not None and limits.judge not in ("", NO_JUDGE)
        opened = partial(self._open_judge, limits.judge) if self._open_judge and is_judged else None
        return Opinions(opened, self._comparer, limit=limits.judge_claims)

    def follow(self, checker: CitationChecker) -> None:
        """Keep what an answer's citations come to, until all of them are compared."""
        key = checker.message_id
        before = self._tasks.get(key)
        self._followed[key] = checker
        self._tasks[key] = asyncio.ensure_future(self._follow(checker, before))

    def followed(self, message_id: str) -> CitationChecker | None:
        """Return who compares the citations of an answer now, None if nobody does."""
        return self._followed.get(message_id)

    async def late(self, message_id: str) -> AsyncGenerator[CitationChecked, None]:
        """Yield what is compared after the end of an answer, until all of it is."""
        checker = self._followed.get(message_id)
        while checker is not None:
            if events := checker.ready():
                for event in events:
                    yield event
            elif not checker.is_over:
                await checker.changed()
            elif task := self._tasks.get(message_id):
                # Whoever saw the end of it finds all of it kept.
                await asyncio.wait([task])
                return
            else:
                return

    async def close(self) -> None:
        """Stop: what is not compared stays open for whoever comes next."""
        tasks = [*self._tasks.values()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self._comparer.close()

    async def _follow(self, checker: CitationChecker, before: asyncio.Task[None] | None) -> None:
        key = checker.message_id
        try:
            if before is not None:
                before.cancel()
                with suppress(asyncio.CancelledError):
                    await asyncio.wait([before])
            await self._keep(checker)
        except StoreError as error:
            _LOG.warning("checks of an answer are not kept: %s", error)
        finally:
            await checker.close()
            if self._followed.get(key) is checker:
                del self._followed[key]
                del self._tasks[key]

    async def _keep(self, checker: CitationChecker) -> None:
        saved: set[int] = set()
        progress = await checker.progress()
        while True:
            # Of what was compared twice, the last holds.
            checks = {(each.position, each.number): each for each in progress.checks}
            current = [each for each in checks.values() if each in checker.checks]
            pages = {
                each.number: page
                for each in current
                if each.number not in saved and (page := checker.page_of(each))
            }
            if current:
                await self._keeper.save(checker.message_id, current, pages)
            saved |= pages.keys()
            if progress.is_over:
                break
            progress = await checker.progress(progress.seen)
        await self._keeper.finish(checker.message_id)

    def resume(
        self,
        message_id: str,
        marked: Marked,
        reading: Reading,
        *,
        done: Iterable[CitationCheck] = (),
        pages: Iterable[tuple[str, CitedPage]] = (),
    ) -> bool:
        """Go on with the checks of a kept answer; tell whether there is anything to compare.

        `done` are those that are kept, `pages` what is at hand, each with the URL it is cited by.
        """
        checker = self.checker(message_id, reading)
        if checker is None:
            return False
        for url, page in pages:
            checker.pages.add(url, page)
        checker.finish(marked, done=done)
        self.follow(checker)
        return True


class TurnChecks:
    """Belongs to one turn; where nobody shall compare, nothing happens here."""

    def __init__(
        self, owner: AnswerChecks, conversation: Conversation, plan: Plan, message_id: str
    ) -> None:
        reading = Reading(
            policy=plan.policy,
            readers=conversation.services.read,
            pages=conversation.workspace.citation_checks,
            judge=conversation.workspace.citation_judge,
        )
        self._owner = owner
        self._checker = owner.checker(message_id, reading)
        self._has_any = False
        self.is_on = self._checker is not None
        # Of an answer in the making: also one that a crash cuts short has citations.
        self.state = ChecksState.PENDING if self._checker else ChecksState.NONE

    def open(self, page: CitedPage) -> None:
        """Take a page that was opened for the answer."""
        if self._checker is not None:
            self._checker.pages.add(page.asked_url, page)

    def following(self, batch: Sequence[ChatEvent]) -> Sequence[ChatEvent]:
        """Return events of the turn, and behind them what was compared meanwhile."""
        if self._checker is None:
            return batch
        self._checker.take(batch)
        checked = self._checker.ready()
        return [*batch, *checked] if checked else batch

    def finish(
        self, events: Sequence[ChatEvent], ended: TurnEnded
    ) -> tuple[Sequence[ChatEvent], TurnEnded]:
        """Return the last events of the turn, with what is compared so far."""
        if self._checker is None:
            return events, ended
        told = self.following(events)
        self._checker.finish(ended.answer.marked)
        self._has_any = bool(self._checker.pending or self._checker.checks)
        state = ChecksState.PENDING if self._has_any else ChecksState.NONE
        message = replace(ended.message, checks_state=state)
        return told, replace(ended, message=message, checks=self._checker.checks)

    def follow(self) -> None:
        """Have the rest compared beside everything else: the answer is kept."""
        if self._checker is not None and self._has_any:
            self._owner.follow(self._checker)
