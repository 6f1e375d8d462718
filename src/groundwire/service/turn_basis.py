"""What of the store a turn rests on: who speaks, where, and what was said before."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from groundwire import chat
from groundwire.errors import NotFoundError

if TYPE_CHECKING:
    from groundwire.conversation import ChatMessage
    from groundwire.store.turn_contexts import TurnContext


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnBasis:
    """A turn's agent, workspace, providers and session, and the session's messages, whole."""

    context: TurnContext
    messages: tuple[ChatMessage, ...] = ()

    def branch(self, parent: str | None) -> tuple[ChatMessage, ...]:
        """Return the messages that lead to one of them: "" is the newest, None is none.

        Raises:
            NotFoundError: There is no such message in the session.
        """
        if parent and parent not in {message.id for message in self.messages}:
            raise NotFoundError(f"there is no message {parent!r} in this session")
        newest = self.messages[-1].id if self.messages else None
        return chat.branch(self.messages, newest if parent == "" else parent)

    def answer_to(self, client_id: str) -> ChatMessage | None:
        """Return the newest answer to a message that its sender gave this id, None without one."""
        asked = {each.id for each in self.messages if each.client_id == client_id}
        answers = [each for each in self.messages if each.parent_id in asked]
        return answers[-1] if answers else None
