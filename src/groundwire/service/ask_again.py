"""A question asked again: what is not said anew is as it was for the answer that there is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from groundwire import registry
from groundwire.chat import choices_of
from groundwire.conversation import ChatMessage, MessageKind, Status
from groundwire.errors import ConflictError, NotFoundError
from groundwire.service.ask_options import AskOptions, chosen

if TYPE_CHECKING:
    from groundwire.conversation import Choices
    from groundwire.store import Store


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """A question, and an answer that was made to it."""

    question: ChatMessage
    answer: ChatMessage


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderAndModel:
    """Who shall answer, by name or id; "" is the agent's own."""

    provider: str
    model: str


async def answered(store: Store, answer_id: str, session: str = "") -> Answered:
    """Return an answer with its question, so that another can be made.

    Raises:
        NotFoundError: There is no such answer, or not in this session.
        ConflictError: It is still being made.
    """
    answer = await store.messages.get(answer_id)
    if session and answer.session_id != session:
        raise NotFoundError(f"there is no answer {answer_id!r} in this session")
    if answer.kind is not MessageKind.AI_RESPONSE or answer.parent_id is None:
        raise NotFoundError(f"{answer_id!r} is no answer")
    if answer.status is Status.STREAMING:
        raise ConflictError("the answer is still being made: stop it first")
    return Answered(question=await store.messages.get(answer.parent_id), answer=answer)


def chosen_again(earlier: Answered, options: AskOptions) -> Choices:
    """Return what was chosen for a question, save for what is given.

    Raises:
        TypeError: Files cannot be added to a question that is kept.
        ConfigError: There is no such choice of search or thinking.
    """
    if "attachments" in options:
        raise TypeError("a retry asks the same question: send attachments with a new one")
    return chosen(options, choices_of(earlier.answer))


async def answerer_again(store: Store, earlier: Answered, options: AskOptions) -> ProviderAndModel:
    """Return who answered, save for what is given; a model belongs to its provider.

    Raises:
        ConflictError: Nobody else is named, and the provider of the answer was removed.
    """
    answer = earlier.answer
    if "provider" in options or not answer.raw_provider:
        return ProviderAndModel(
            provider=options.get("provider", ""), model=options.get("model", "")
        )
    records = {each.id for each in await store.providers.list()}
    if answer.raw_provider not in records and answer.raw_provider not in registry.names():
        raise ConflictError(
            f"the provider {answer.provider!r} of this answer was removed: "
            "choose another provider or model, then retry"
        )
    model = options.get("model", answer.model)
    return ProviderAndModel(provider=answer.raw_provider, model=model)
