"""What is noted of each turn for whoever runs the server: when it began, spoke and ended."""

from __future__ import annotations

import time
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from groundwire.chat.events import CitationChecked, TextShown, TurnEnded

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Sequence

    from groundwire.chat.events import ChatEvent
    from groundwire.checks import CitationCheck
    from groundwire.conversation import ChatMessage


@dataclass(slots=True, kw_only=True)
class WatchedTurn:
    """A turn as a server sees it: `began_at` and `ended_at` in seconds since 1970.

    `first_text_seconds` is None where no text has come.
    """

    began_at: float = field(default_factory=time.time)
    ended_at: float = 0.0
    first_text_seconds: float | None = None


class TurnObserver(Protocol):
    """Is told of every turn of a server."""

    def turn_ended(self, turn: WatchedTurn, message: ChatMessage) -> None:
        """A turn has ended, with this answer."""

    def citation_checked(self, citation: CitationCheck) -> None:
        """A citation was compared with its page."""


async def watched(
    batches: AsyncGenerator[Sequence[ChatEvent], None], observers: Sequence[TurnObserver]
) -> AsyncGenerator[Sequence[ChatEvent], None]:
    """Hand on the events of a turn as they come, and tell the observers what they come to."""
    turn, clock = WatchedTurn(), time.monotonic
    began = clock()
    async with aclosing(batches):
        async for batch in batches:
            if turn.first_text_seconds is None and any(type(each) is TextShown for each in batch):
                turn.first_text_seconds = clock() - began
            # Checks come beside the text and after the end; nothing else is looked at one by one.
            for event in batch:
                if type(event) is CitationChecked:
                    for observer in observers:
                        observer.citation_checked(event.citation)
            if batch and type(last := batch[-1]) is TurnEnded:
                turn.ended_at = turn.began_at + clock() - began
                for observer in observers:
                    observer.turn_ended(turn, last.message)
            yield batch
