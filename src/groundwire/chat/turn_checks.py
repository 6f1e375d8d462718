"""The checks of one turn: what its citations come to, told after their markers."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from groundwire.chat.answer_checks import AnswerChecks, Reading
from groundwire.chat.cited_pages import cited_page
from groundwire.conversation import ChecksState

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groundwire.chat.events import ChatEvent, TurnEnded
    from groundwire.chat.plan import Conversation, Plan
    from groundwire.model import ReadReply


class TurnChecks:
    """Belongs to one turn; where nobody shall compare, nothing happens here."""

    def __init__(
        self, owner: AnswerChecks, conversation: Conversation, plan: Plan, message_id: str
    ) -> None:
        reading = Reading(
            policy=plan.policy,
            readers=conversation.services.read,
            pages=conversation.workspace.citation_checks,
        )
        self._owner = owner
        self._checker = owner.checker(message_id, reading)
        self._has_any = False

    @property
    def state(self) -> ChecksState:
        """Return the state of an answer in the making: also one that a crash cuts short cites."""
        return ChecksState.PENDING if self._checker else ChecksState.NONE

    def open(self, url: str, reply: ReadReply) -> None:
        """Take a page that was opened for the answer."""
        if self._checker is not None:
            self._checker.pages.add(url, cited_page(reply.page, reply.age_seconds))

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
