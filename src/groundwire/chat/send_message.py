"""Runs turns: what a program asks, and everything a turn needs besides the question."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from groundwire.chat.budgets import Budgets, has_quotas
from groundwire.chat.events import Noticed, TurnEnded
from groundwire.chat.plan import Conversation, choices_of, with_usable_model
from groundwire.chat.quotas import QuotaHolder, Quotas, counted
from groundwire.chat.turn import Turn
from groundwire.conversation import (
    ChatMessage,
    Choices,
    MessageKind,
    SearchChoice,
    SearchMode,
    Status,
)
from groundwire.conversation.quota import Wish
from groundwire.redaction import without_keys
from groundwire.wire.text import whole

if TYPE_CHECKING:
    from groundwire.catalog import TokenPrice
    from groundwire.chat.answer_checks import AnswerChecks
    from groundwire.chat.budgets import Meter
    from groundwire.chat.checkpoint import SnapshotStore, TurnStore
    from groundwire.chat.events import ChatEvent
    from groundwire.search import SearchContext

HISTORY_TOKENS = 60_000
_NONE_CHOSEN = Choices()
_KEY_HIDDEN = Noticed(
    message="what looks like a key was taken out of the message: keys belong in Settings",
    code="key_hidden",
)


class SendMessage:
    """Runs turns. One for a program; every turn has its own state.

    Without `checks` no citation is compared, without `snapshots` no page is kept, and without
    `quotas` nothing is counted.
    """

    def __init__(
        self,
        search_context: SearchContext,
        turn_store: TurnStore,
        *,
        checks: AnswerChecks | None = None,
        snapshots: SnapshotStore | None = None,
        budgets: Budgets | None = None,
        quotas: Quotas | None = None,
        prices: Mapping[str, TokenPrice] | None = None,
        history_tokens: int = HISTORY_TOKENS,
    ) -> None:
        self.search_context = search_context
        self.turn_store = turn_store
        self.checks = checks
        self.snapshots = snapshots
        self.budgets = budgets or Budgets()
        self.quotas = quotas
        self.prices = prices or {}
        self.history_tokens = history_tokens

    def batches(
        self,
        conversation: Conversation,
        question: ChatMessage,
        choices: Choices = _NONE_CHOSEN,
        *,
        is_new: bool = True,
        client_id: str | None = None,
    ) -> AsyncGenerator[Sequence[ChatEvent], None]:
        """Stream one turn, all that came together at a time; closing the generator cancels it.

        A question that is not new is kept already: then its answer is made anew, and `client_id`
        is the sender's own id of the request for that.
        """
        conversation = with_usable_model(conversation, choices, self.search_context.domains)
        asked = question
        if is_new:  # A key in a conversation would be sent on and kept.
            asked = replace(question, content=without_keys(whole(question.content)))
        answer = ChatMessage(
            session_id=conversation.session.id,
            kind=MessageKind.AI_RESPONSE,
            parent_id=asked.id,
            client_id=client_id,
            status=Status.STREAMING,
            provider=conversation.provider_name or conversation.endpoint.name,
            model=conversation.model,
            raw_provider=conversation.maker,
        )
        turn = Turn(self, conversation, choices, question=asked, answer=answer)
        notices = [_KEY_HIDDEN] if asked.content != question.content else []
        batches = turn.start(is_new=is_new, notices=notices)
        limits = self.search_context.settings.quotas
        if self.quotas is None or not has_quotas(limits, conversation.workspace):
            return batches
        wish = Wish(answers=1, asks_model=True, may_search=choices.search is not SearchChoice.OFF)
        return _counted(batches, self.quotas, conversation, wish, meter=turn.meter)

    def resume(
        self,
        conversation: Conversation,
        question: ChatMessage,
        answer: ChatMessage,
        decisions: Mapping[str, bool],
    ) -> AsyncGenerator[Sequence[ChatEvent], None]:
        """Go on with a turn that waited for the user, whose word on each call is given."""
        going_on = replace(answer, status=Status.STREAMING)
        turn = Turn(self, conversation, choices_of(answer), question=question, answer=going_on)
        batches = turn.go_on(decisions)
        limits = self.search_context.settings.quotas
        if self.quotas is None or not has_quotas(limits, conversation.workspace):
            return batches
        return _counted(batches, self.quotas, conversation, None, meter=turn.meter)

    async def check_quotas(self, conversation: Conversation, answer: ChatMessage) -> None:
        """Look whether a turn that waited for the user may go on: ask before `resume`.

        It was counted as an answer when it began.

        Raises:
            QuotaExceededError: It may not.
        """
        if self.quotas is not None:
            wish = Wish(asks_model=True, may_search=answer.mode is not SearchMode.OFF)
            await self.quotas.admit(QuotaHolder.of(conversation), wish)


def _counted(
    batches: AsyncGenerator[Sequence[ChatEvent], None],
    quotas: Quotas,
    conversation: Conversation,
    wish: Wish | None,
    *,
    meter: Meter,
) -> AsyncGenerator[Sequence[ChatEvent], None]:
    holder = QuotaHolder.of(conversation)
    return counted(batches, quotas, holder, wish, meter=meter, is_last=_is_last)


def _is_last(batch: Sequence[ChatEvent]) -> bool:
    return bool(batch) and type(batch[-1]) is TurnEnded
