"""The root of every error."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol


class PartialAnswer(Protocol):
    """The part of `groundwire.Answer` that an error promises: what had come before it."""

    @property
    def text(self) -> str:
        """Return the text, with its markers as the answer is kept."""

    @property
    def markdown(self) -> str:
        """Return the answer and its sources as Markdown."""

    @property
    def sources(self) -> Sequence[object]:
        """Return the numbered sources."""

    @property
    def status(self) -> str:
        """Return how the turn ended."""


class GroundwireError(Exception):
    """Anything that Groundwire raises on purpose.

    Its words are for a person. A model is told `ours` as it is and `quoted` inside a fence: what
    a class does not call ours counts as a stranger's. `answer` is what had come of an answer that
    ended with this error; None for all others.
    """

    code: str = "error"
    answer: PartialAnswer | None = None
    address: str = ""
    """Where a service or the database is. No part of the message: only the owner may know it."""

    def with_address(self) -> str:
        """Return the message with the address, for the owner's eyes."""
        return f"{self} ({self.address})" if self.address else str(self)

    @property
    def ours(self) -> str:
        """Return what of its words we wrote alone, "" if nothing."""
        return ""

    @property
    def quoted(self) -> str:
        """Return what of its words may repeat a stranger's, "" if nothing."""
        return str(self)


class OwnWordsError(GroundwireError):
    """An error that repeats nobody but us, our settings, and whoever called."""

    @property
    def ours(self) -> str:
        """Return all of its words."""
        return str(self)

    @property
    def quoted(self) -> str:
        """Return nothing: nobody else had a word in it."""
        return ""


class AnswerError(GroundwireError):
    """An answer ended early for a reason of its own; `code` says which, as `budget_rounds`."""

    code = "answer"

    def __init__(self, message: str, code: str) -> None:
        super().__init__(message)
        self.code = code
