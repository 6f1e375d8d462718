"""Where a turn keeps its messages: what chat asks of a store, and one that forgets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from groundwire.conversation import ChatMessage


class TurnStore(Protocol):
    """Keeps the two messages of a turn."""

    async def begin(self, question: ChatMessage | None, answer: ChatMessage) -> None:
        """Keep the user's message, if it is new, and the empty answer.

        Raises:
            ConflictError: The user's message was sent before.
            StoreError: It could not be kept.
        """

    async def save(self, answer: ChatMessage) -> None:
        """Keep an answer as it is now; the same once more changes nothing.

        Raises:
            StoreError: It could not be kept; what was kept before still is.
        """


class NullStore:
    """Keeps nothing, for a question that is asked once."""

    async def begin(self, question: ChatMessage | None, answer: ChatMessage) -> None:
        """Keep nothing."""

    async def save(self, answer: ChatMessage) -> None:
        """Keep nothing."""
