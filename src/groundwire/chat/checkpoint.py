"""Keeps a turn while it runs: before the first byte, now and then, at every end with its pages."""

from __future__ import annotations

import asyncio
import logging
import time
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from groundwire.chat.events import Noticed
from groundwire.errors import ConflictError, StoreBusyError, StoreError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groundwire.chat.cited_pages import CitedPage
    from groundwire.chat.draft import Draft
    from groundwire.conversation import ChatMessage

SAVE_SECONDS = 0.25
SAVE_CHARACTERS = 1_000
# A save writes the whole answer: of one longer than this there are fewer, in proportion, so that
# all saves together cost in proportion to the answer and not to its square.
LONG_CHARACTERS = 20_000

_LOG = logging.getLogger(__name__)


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


class SnapshotStore(Protocol):
    """Keeps pages as they were read."""

    async def save(self, message_id: str, pages: Sequence[CitedPage]) -> None:
        """Keep pages with the answer that they were read for; the same once more is once.

        Raises:
            StoreError: They could not be kept.
        """


@dataclass(slots=True)
class Checkpoint:
    """Belongs to one turn. A store that fails is a warning: the answer goes on.

    Every save tries anew, also to begin, so that an answer is kept as soon as there is room.
    `warnings` say what could not be kept; `question` is None where it is kept already. `pages`
    were opened for the answer, and are kept with it where `snapshots` is not None.
    """

    turn_store: TurnStore
    question: ChatMessage | None
    answer: ChatMessage
    snapshots: SnapshotStore | None = None
    is_kept: bool = False
    pages: list[CitedPage] = field(default_factory=list)
    warnings: list[Noticed] = field(default_factory=list)
    _saving: asyncio.Task[None] | None = None
    _due: asyncio.TimerHandle | None = None
    _saved_at: float = field(default_factory=time.monotonic)
    _saved_length: int = 0

    async def begin(self) -> None:
        """Keep the question and the empty answer.

        Raises:
            ConflictError: The question was sent before, and is answered elsewhere.
            StoreBusyError: Too much is going on: better not begun than not kept.
        """
        try:
            await self.turn_store.begin(self.question, self.answer)
            self.is_kept = True
        except (ConflictError, StoreBusyError):
            raise
        except StoreError as error:
            self._warn(error)

    def save_soon(self, draft: Draft) -> None:
        """Keep a growing answer when it is time, beside the stream and never twice at once."""
        grown = draft.text_length - self._saved_length
        moment = time.monotonic()
        rarely = max(1.0, draft.text_length / LONG_CHARACTERS)
        wait = self._saved_at + SAVE_SECONDS * rarely - moment
        is_due = wait <= 0 or grown >= SAVE_CHARACTERS * rarely
        if is_due and (self._saving is None or self._saving.done()):
            self._saved_at, self._saved_length = moment, draft.text_length
            self._saving = asyncio.ensure_future(self.save(draft.snapshot()))
        elif self._due is None:
            # A model that falls silent must not take its last words with it, nor those that came
            # while a slow store kept the ones before.
            later = wait if wait > 0 else SAVE_SECONDS
            self._due = asyncio.get_running_loop().call_later(later, self._save_due, draft)

    def _save_due(self, draft: Draft) -> None:
        self._due = None
        self.save_soon(draft)

    async def save(self, message: ChatMessage) -> None:
        """Keep an answer as it is."""
        try:
            if not self.is_kept:
                await self._begin_again()
            await self.turn_store.save(message)
            self.warnings = []
        except StoreError as error:
            self._warn(error)

    async def finish(self, message: ChatMessage) -> None:
        """Keep an answer as it ended, after any save that still runs, and its pages."""
        if self._due is not None:
            self._due.cancel()
        if self._saving is not None:
            await self._saving
        await self.save(message)
        pages, self.pages = self.pages, []
        if self.snapshots is None or not pages:
            return
        try:
            await self.snapshots.save(message.id, pages)
        except StoreError as error:
            # The answer stands all the same.
            _LOG.warning("the pages of an answer are not kept: %s", error)

    async def _begin_again(self) -> None:
        # In conflict with itself it was kept after all, and only the word of it got lost.
        with suppress(ConflictError):
            await self.turn_store.begin(self.question, self.answer)
        self.is_kept = True

    def _warn(self, error: StoreError) -> None:
        message = f"this conversation is not saved: {error}"
        self.warnings = [Noticed(message=message, code="not_saved")]
