"""A key in a message: it is taken out before the message is kept or sent, and that is told."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groundwire.chat.events import Noticed

if TYPE_CHECKING:
    from groundwire.chat.plan import Ask
    from groundwire.conversation import ChatMessage


def hidden_key(ask: Ask, question: ChatMessage) -> list[Noticed]:
    """Return a notice if the message that is kept is not what the user sent."""
    if question.content == ask.text:
        return []
    message = "what looks like a key was taken out of the message: keys belong in Settings"
    return [Noticed(message=message, code="key_hidden")]
