"""Chat's keeper over the store."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from groundwire.conversation import ChatMessage
    from groundwire.store.messages import Messages


class StoredTurns:
    """Keeps the messages of turns."""

    def __init__(self, messages: Messages) -> None:
        self._messages = messages

    async def begin(self, question: ChatMessage | None, answer: ChatMessage) -> None:
        """Keep the user's message, if it is new, and the empty answer.

        Raises:
            ConflictError: The user's message was sent before.
            StoreError: It could not be kept.
        """
        await self._messages.begin(question, answer)

    async def save(self, answer: ChatMessage) -> None:
        """Keep an answer as it is now.

        Raises:
            StoreError: It could not be kept.
        """
        await self._messages.update(answer)
