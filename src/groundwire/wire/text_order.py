"""Texts that arrive at the same time, put one after the other."""

from __future__ import annotations

from bisect import insort_right
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from groundwire.model import Json

Place: TypeAlias = tuple[int, ...]
"""Where the wire says that a text belongs: the number of its item, then of its part."""


class TextPart:
    """A text that arrives in pieces.

    `start` and `end` are its place in the whole answer: None before its turn has come, and before
    it is closed. `notes` are the citations that came before its turn.
    """

    __slots__ = ("end", "is_open", "notes", "pieces", "place", "start")

    def __init__(self, place: Place) -> None:
        self.place = place
        self.pieces: list[str] = []
        self.notes: list[Json] = []
        self.start: int | None = None
        self.end: int | None = None
        self.is_open = True

    @classmethod
    def told(cls, place: Place, text: str, start: int) -> TextPart:
        """Return a part that was told and is closed."""
        part = cls(place)
        part.pieces, part.is_open = [text], False
        part.start, part.end = start, start + len(text)
        return part

    @property
    def text(self) -> str:
        """Return all that has arrived."""
        if len(self.pieces) > 1:
            self.pieces = ["".join(self.pieces)]
        return self.pieces[0] if self.pieces else ""

    def rest_of(self, whole: str) -> str:
        """Return what a whole text has beyond what has arrived, "" if it is another text."""
        text = self.text
        return whole[len(text) :] if whole.startswith(text) else ""


class TextOrder:
    """Says whose turn it is to be told, so that no text is torn by another.

    One part is told while it arrives. What arrives of another waits until that one is closed, and
    as long as a part that belongs before it is open.
    """

    def __init__(self) -> None:
        self._speaker: TextPart | None = None
        self._queue: list[TextPart] = []  # Open or not yet told, by place.

    def begin(self, place: Place) -> TextPart:
        """Return a new part, which waits for its turn."""
        part = TextPart(place)
        self.enter(part)
        return part

    def enter(self, part: TextPart) -> None:
        """Let a part wait for its turn; of two at the same place the older comes first."""
        insort_right(self._queue, part, key=lambda each: each.place)

    def has_turn(self, part: TextPart) -> bool:
        """Tell whether what arrives of a part is told at once."""
        if self._speaker is None and self._queue and self._queue[0] is part:
            self._speaker = part
        return self._speaker is part

    def is_alone(self, part: TextPart) -> bool:
        """Tell whether a part has its turn and nothing else is open."""
        return self._speaker is part and len(self._queue) == 1

    def close(self, part: TextPart) -> list[TextPart]:
        """End a part; return those whose turn has come, in order."""
        part.is_open = False
        if self._speaker is part:
            self._speaker = None
            self._queue.remove(part)
        ready: list[TextPart] = []
        while self._queue and self._speaker is None:
            first = self._queue[0]
            if first.is_open and not first.pieces:
                break
            if first.is_open:
                self._speaker = first
            else:
                del self._queue[0]
            ready.append(first)
        return ready

    def open_parts(self) -> list[TextPart]:
        """Return the parts that are not closed, in order."""
        return [part for part in self._queue if part.is_open]
