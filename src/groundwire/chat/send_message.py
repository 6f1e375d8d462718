"""Runs turns: what a program asks, and everything a turn needs besides the question."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from groundwire.chat.answer_checks import AnswerChecks, NullCheckStore
from groundwire.chat.budgets import Budgets
from groundwire.chat.cited_pages import CheckLimits
from groundwire.chat.plan import Ask, Conversation, asked_before, with_usable_model
from groundwire.chat.snapshots import NullSnapshotStore
from groundwire.chat.turn import Turn
from groundwire.conversation import ChatMessage, MessageKind, Status
from groundwire.redaction import without_keys
from groundwire.wire.text import whole

if TYPE_CHECKING:
    from groundwire.catalog import TokenPrice
    from groundwire.chat.checkpoint import TurnStore
    from groundwire.chat.events import ChatEvent
    from groundwire.chat.snapshots import SnapshotStore
    from groundwire.config.settings.check_table import CheckSettings
    from groundwire.search import SearchContext

HISTORY_TOKENS = 60_000


def _no_checks(_: CheckSettings) -> CheckLimits:
    return CheckLimits(pages="off")


class SendMessage:
    """Runs turns. One for a program; every turn has its own state."""

    def __init__(
        self,
        means: SearchContext,
        keeper: TurnStore,
        *,
        checks: AnswerChecks | None = None,
        snapshots: SnapshotStore | None = None,
        budgets: Budgets | None = None,
        prices: Mapping[str, TokenPrice] | None = None,
        history_tokens: int = HISTORY_TOKENS,
    ) -> None:
        self.means = means
        self.keeper = keeper
        self.checks = checks or AnswerChecks(means, NullCheckStore(), _no_checks)
        self.snapshots = snapshots or NullSnapshotStore()
        self.budgets = budgets or Budgets()
        self.prices = prices or {}
        self.history_tokens = history_tokens

    def batches(
        self,
        conversation: Conversation,
        ask: Ask,
        *,
        question: ChatMessage | None = None,
    ) -> AsyncGenerator[Sequence[ChatEvent], None]:
        """Stream one turn, all that came together at a time; closing the generator cancels it.

        `question` is the user's message where it is kept already: then its answer is made anew.
        """
        conversation = with_usable_model(conversation, ask, self.means.domains)
        asked = question or self._asked(conversation, ask)
        answer = ChatMessage(
            session_id=conversation.session.id,
            kind=MessageKind.AI_RESPONSE,
            parent_id=asked.id,
            status=Status.STREAMING,
            provider=conversation.provider_name or conversation.endpoint.name,
            model=conversation.model,
            raw_provider=conversation.maker,
        )
        turn = Turn(self, conversation, ask, question=asked, answer=answer)
        return turn.start(is_new=question is None)

    def resume(
        self,
        conversation: Conversation,
        question: ChatMessage,
        answer: ChatMessage,
        decisions: Mapping[str, bool],
    ) -> AsyncGenerator[Sequence[ChatEvent], None]:
        """Go on with a turn that waited for the user, whose word on each call is given."""
        ask = asked_before(question, answer)
        going_on = replace(answer, status=Status.STREAMING)
        turn = Turn(self, conversation, ask, question=question, answer=going_on)
        return turn.go_on(decisions)

    def _asked(self, conversation: Conversation, ask: Ask) -> ChatMessage:
        earlier = conversation.history
        return ChatMessage(
            session_id=conversation.session.id,
            kind=MessageKind.USER,
            # A key in a conversation would be sent on and kept.
            content=without_keys(whole(ask.text)),
            attachments=ask.attachments,
            client_id=ask.client_id,
            parent_id=earlier[-1].id if earlier else None,
        )
