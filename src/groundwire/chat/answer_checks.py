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
from groundwire.chat.cited_pages import CitedPage, CitedPages
from groundwire.chat.comparer import Comparer
from groundwire.chat.events import CitationChecked
from groundwire.chat.opinions import Opinions
from groundwire.chat.quotas import NoQuotas, QuotaHolder
from groundwire.conversation import ChecksState
from groundwire.conversation.quota import QuotaUse, Wish
from groundwire.errors import StoreError
from groundwire.search import ReadChain

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Mapping, Sequence

    from groundwire.chat.budgets import Cost
    from groundwire.chat.events import ChatEvent, TurnEnded
    from groundwire.chat.opinions import Account, Judge, Judgement
    from groundwire.chat.plan import Conversation, Plan
    from groundwire.chat.quotas import Quotas
    from groundwire.checks import CitationCheck
    from groundwire.citations import Marked
    from groundwire.config.settings.check_table import CheckSettings
    from groundwire.conversation import Workspace
    from groundwire.guard import DomainPolicy
    from groundwire.model import Usage
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

    async def spend(self, message_id: str, usage: Usage, cost: Cost) -> None:
        """Add what a judge used to what an answer did.

        Raises:
            StoreError: It could not be kept.
        """


class NullCheckStore:
    """Keeps nothing, for a question that is asked once."""

    async def save(
        self, message_id: str, checks: Sequence[CitationCheck], pages: Mapping[int, CitedPage]
    ) -> None:
        """Keep nothing."""

    async def finish(self, message_id: str) -> None:
        """Note nothing."""

    async def spend(self, message_id: str, usage: Usage, cost: Cost) -> None:
        """Add nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """How the pages of an answer are read: for whom, where to, by whom, and whether anew.

    The workspace says which pages (off, opened, all), who judges, and which library is its own;
    where it says nothing, the settings do. `user_id` is whose quotas a judge counts towards.
    """

    workspace: Workspace
    user_id: str | None = None
    policy: DomainPolicy = guard.ANYWHERE
    readers: tuple[str, ...] = ()
    is_fresh: bool = False

    @classmethod
    def of_turn(cls, conversation: Conversation, plan: Plan) -> Reading:
        """Return how pages are read beside a turn."""
        return cls(
            workspace=conversation.workspace,
            user_id=conversation.session.user_id,
            policy=plan.policy,
            readers=conversation.services.read,
        )


class AnswerChecks:
    """One for a program. Belongs to one event loop; whoever made it closes it."""

    def __init__(
        self,
        search_context: SearchContext,
        check_store: CheckStore,
        *,
        open_judge: Callable[[str], Awaitable[Judge]] | None = None,
        quotas: Quotas | None = None,
    ) -> None:
        self._search_context = search_context
        self._check_store = check_store
        self._quotas = quotas or NoQuotas()
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
        settings = self._search_context.settings.checks
        workspace = reading.workspace
        if (workspace.citation_checks or settings.pages) == "off":
            return None
        chosen = {"pages": workspace.citation_checks, "judge": workspace.citation_judge}
        limits = settings.model_copy(update={name: each for name, each in chosen.items() if each})
        search_context = self._search_context.within(workspace.library)
        chain = ReadChain(search_context, policy=reading.policy, names=[*reading.readers] or None)
        read = partial(chain.read, is_fresh=reading.is_fresh)
        account = _Account(message_id, reading, self._check_store, self._quotas)
        opinions = self._opinions(limits, account)
        return CitationChecker(message_id, CitedPages(read, limits), self._comparer, opinions)

    def of_turn(self, conversation: Conversation, plan: Plan, message_id: str) -> TurnChecks | None:
        """Return the checks of an answer in the making, None if nobody shall compare it."""
        checker = self.checker(message_id, Reading.of_turn(conversation, plan))
        return None if checker is None else TurnChecks(self, checker)

    def _opinions(self, limits: CheckSettings, account: Account) -> Opinions:
        is_judged = self._open_judge is not None and limits.judge not in ("", NO_JUDGE)
        opened = partial(self._open_judge, limits.judge) if self._open_judge and is_judged else None
        return Opinions(opened, self._comparer, limit=limits.judge_claims, account=account)

    def follow(self, checker: CitationChecker) -> None:
        """Keep what an answer's citations come to, until all of them are compared."""
        key = checker.message_id
        before = self._tasks.get(key)
        self._followed[key] = checker
        self._tasks[key] = asyncio.ensure_future(self._follow(checker, before))

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
            standing = {(each.position, each.number): each for each in checker.checks}
            current = [each for key, each in checks.items() if standing.get(key) == each]
            pages = {
                each.number: page
                for each in current
                if each.number not in saved and (page := checker.page_of(each))
            }
            if current:
                await self._check_store.save(checker.message_id, current, pages)
            saved |= pages.keys()
            if progress.is_over:
                break
            progress = await checker.progress(progress.seen)
        await self._check_store.finish(checker.message_id)

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


class _Account:
    """Counts what a judge costs with the answer, and towards the quotas of whoever asked it."""

    def __init__(
        self, message_id: str, reading: Reading, check_store: CheckStore, quotas: Quotas
    ) -> None:
        self._message_id = message_id
        self._check_store = check_store
        self._quotas = quotas if quotas.concerns(reading.workspace) else NoQuotas()
        self._holder = QuotaHolder(user_id=reading.user_id, workspace=reading.workspace)

    async def admit(self) -> None:
        """Let a question to the judge begin.

        Raises:
            QuotaExceededError: A quota is used up.
        """
        await self._quotas.admit(self._holder, Wish(asks_model=True))

    async def spend(self, judgement: Judgement) -> None:
        """Count what one has cost; what cannot be kept is told in the log."""
        cost = judgement.cost
        try:
            await self._check_store.spend(self._message_id, judgement.usage, cost)
            used = QuotaUse(tokens=judgement.tokens, cost_usd=cost.usd or 0.0)
            await self._quotas.add(self._holder, used)
        except StoreError as error:
            _LOG.warning("what a judge cost is not kept: %s", error)


class TurnChecks:
    """Belongs to one turn."""

    def __init__(self, owner: AnswerChecks, checker: CitationChecker) -> None:
        self._owner = owner
        self._checker = checker
        self._has_any = False

    def open(self, page: CitedPage) -> None:
        """Take a page that was opened for the answer."""
        self._checker.pages.add(page.asked_url, page)

    def following(self, batch: Sequence[ChatEvent]) -> Sequence[ChatEvent]:
        """Return events of the turn, and behind them what was compared meanwhile."""
        self._checker.take(batch)
        checked = self._checker.ready()
        return [*batch, *checked] if checked else batch

    def finish(
        self, events: Sequence[ChatEvent], ended: TurnEnded
    ) -> tuple[Sequence[ChatEvent], TurnEnded]:
        """Return the last events of the turn, with what is compared so far."""
        told = self.following(events)
        self._checker.finish(ended.answer.marked)
        self._has_any = bool(self._checker.pending or self._checker.checks)
        state = ChecksState.PENDING if self._has_any else ChecksState.NONE
        message = replace(ended.message, checks_state=state)
        return told, replace(ended, message=message, checks=self._checker.checks)

    def follow(self) -> None:
        """Have the rest compared beside everything else: the answer is kept."""
        if self._has_any:
            self._owner.follow(self._checker)
