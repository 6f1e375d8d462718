"""What became of some questions, counted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields


@dataclass(slots=True)
class Tally:
    """How many first quotes and how many of at most three hold the answer, and what it took.

    Where the pages have no answers, what counts is how many are refused or hedged.
    """

    has_answers: bool = True
    questions: int = 0
    first: int = 0
    any: int = 0
    refused: int = 0
    hedged: int = 0
    quotes: int = 0
    wrong_quotes: int = 0
    first_characters: int = 0
    characters: int = 0
    cpu_seconds: float = 0.0

    def note(self, *, hits: Sequence[bool], lengths: Sequence[int], cpu_seconds: float) -> None:
        """Count one answer: which of its quotes are right, and how long each is."""
        self.questions += 1
        self.first += hits[:1] == [True]
        self.any += any(hits)
        self.quotes += len(hits)
        self.first_characters += sum(lengths[:1])
        self.characters += sum(lengths)
        self.cpu_seconds += cpu_seconds

    def add(self, other: Tally) -> None:
        """Count what was counted elsewhere."""
        for each in fields(self):
            if each.name != "has_answers":
                setattr(self, each.name, getattr(self, each.name) + getattr(other, each.name))

    def figures(self) -> dict[str, float]:
        """Return counts, and means over the questions."""
        count = max(1, self.questions)
        return {
            "questions": self.questions,
            "has_answers": self.has_answers,
            "first": self.first,
            "any": self.any,
            "refused": self.refused,
            "hedged": self.hedged,
            "quotes": self.quotes,
            "wrong_quotes": self.wrong_quotes,
            "first_characters": self.first_characters / count,
            "characters": self.characters / count,
            "cpu_seconds": self.cpu_seconds / count,
        }
