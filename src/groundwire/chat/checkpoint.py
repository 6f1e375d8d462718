"""Keeps a turn's messages while it runs: before the first byte, now and then, at every end."""

from __future__ import annotations

import asyncio
import time
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from groundwire.chat.events import Noticed
from groundwire.errors import ConflictError, StoreBusyError, StoreError

if TYPE_CHECKING:
    from groundwire.chat.draft import Draft
    from groundwire.conversation import ChatMessage

SAVE_SECONDS = 0.25
SAVE_CHARACTERS = 1_000
# A save writes the whole answer: of one longer than this there are fewer, in proportion, so that
# all saves together cost in proportion to the answer and not to its square.
LONG_CHARACTERS = 20_000


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


@dataclass(slots=True)
class Checkpoint:
    """Belongs to one turn. A store that fails is a warning: the answer goes on.

    Every save tries anew, also to begin, so that an answer is kept as soon as there is room.
    `warnings` say what could not be kept; `question` is None where it is kept already.
    """

    keeper: TurnStore
    question: ChatMessage | None
    answer: ChatMessage
    is_kept: bool = False
    warnings: list[Noticed] = field(default_factory=list)
    _saving: asyncio.Task[None] | None = None
    _saved_at: float = field(default_factory=time.monotonic)
    _saved_length: int = 0

    async def begin(self) -> None:
        """Keep the question and the empty answer.

        Raises:
            ConflictError: The question was sent before, and is answered elsewhere.
            StoreBusyError: Too much is going on: better not begun than not kept.
        """
        try:
            await self.keeper.begin(self.question, self.answer)
            self.is_kept = True
        except (ConflictError, StoreBusyError):
            raise
        except StoreError as error:
            self._warn(error)

    def save_soon(self, draft: Draft) -> None:
        """Keep a growing answer if it is time, beside the stream and never twice at once."""
        grown = draft.text_length - self._saved_length
        moment = time.monotonic()
        rarely = max(1.0, draft.text_length / LONG_CHARACTERS)
        is_soon = moment - self._saved_at < SAVE_SECONDS * rarely
        if is_soon and grown < SAVE_CHARACTERS * rarely:
            return
        if self._saving is None or self._saving.done():
            self._saved_at, self._saved_length = moment, draft.text_length
            self._saving = asyncio.ensure_future(self.save(draft.snapshot()))

    async def save(self, message: ChatMessage) -> None:
        """Keep an answer as it is."""
        try:
            if not self.is_kept:
                await self._begin_again()
            await self.keeper.save(message)
            self.warnings = []
        except StoreError as error:
            self._warn(error)

    async def finish(self, message: ChatMessage) -> None:
        """Keep an answer as it ended, after any save that still runs."""
        if self._saving is not None:
            await self._saving
        await self.save(message)

    async def _begin_again(self) -> None:
        # In conflict with itself it was kept after all, and only the word of it got lost.
        with suppress(ConflictError):
            await self.keeper.begin(self.question, self.answer)
        self.is_kept = True

    def _warn(self, error: StoreError) -> None:
        message = f"this conversation is not saved: {error}"
        self.warnings = [Noticed(message=message, code="not_saved")]
