"""Where the words of a question stand on a page."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from groundwire.extractive.questions import Asked, Term
from groundwire.text.markdown import LINK_TARGET
from groundwire.text.words import stem

_TARGET = re.compile(LINK_TARGET)
_ADDRESS = re.compile(r"https?://[^\s)>\]]+")
_LETTERS = re.compile(r"[^\W_]+")
_BY_LAST, _BY_PARTS = 0.8, 0.6
_NEAR = 24
"""Within so many characters two words stand side by side, marks and a small word between them."""


@dataclass(slots=True)
class Matches:
    """The places of every term on a page, and how well each fits: 1 is to the letter."""

    places: list[list[int]] = field(default_factory=list)
    strengths: list[list[float]] = field(default_factory=list)

    def within(self, start: int, end: int) -> list[float]:
        """Return how well each term is met in a stretch, 0 if it is not there."""
        found = []
        for places, strengths in zip(self.places, self.strengths, strict=True):
            first = bisect_left(places, start)
            after = bisect_left(places, end, lo=first)
            found.append(max(strengths[first:after], default=0.0))
        return found

    def neighbours(self, start: int, end: int) -> list[bool]:
        """Tell of each pair of terms that follow each other whether they do so in a stretch."""
        inside = [
            places[bisect_left(places, start) : bisect_left(places, end)] for places in self.places
        ]
        return [
            any(0 < right - left <= _NEAR for left in one for right in other)
            for one, other in pairwise(inside)
        ]


def match(text: str, asked: Asked) -> Matches:
    """Find the terms of a question in a page; addresses of links say nothing."""
    bare = _lower(_ADDRESS.sub(_blank, _TARGET.sub(_blank, text)))
    matches = Matches()
    for term in asked.terms:
        found = sorted(_found(bare, term).items())
        matches.places.append([place for place, _ in found])
        matches.strengths.append([strength for _, strength in found])
    return matches


def _lower(text: str) -> str:
    """Return text in lower case, every character at its place: a few would become two."""
    lowered = text.lower()
    if len(lowered) == len(text):
        return lowered
    return "".join(each.lower() if len(each.lower()) == 1 else each for each in text)


def _blank(match: re.Match[str]) -> str:
    return f"]{' ' * (len(match[0]) - 1)}" if match[0][0] == "]" else " " * len(match[0])


def _found(text: str, term: Term) -> dict[int, float]:
    found: dict[int, float] = {}
    if term.is_name:
        _note(found, _whole(term.stem).finditer(text), 1.0)
        if term.last not in ("", term.stem):
            _note(found, _whole(term.last).finditer(text), _BY_LAST)
    elif term.parts:
        parts = r"[\W_]{0,3}".join(f"{re.escape(part)}[^\\W_]{{0,4}}" for part in term.parts)
        _note(found, re.finditer(rf"\b{parts}", text), 1.0)
        _note(found, _words(text, max(term.parts, key=len)), _BY_PARTS)
    else:
        _note(found, _words(text, term.stem), 1.0)
    return found


def _note(found: dict[int, float], matches: Iterable[re.Match[str]], strength: float) -> None:
    for one in matches:
        found.setdefault(one.start(), strength)


def _words(text: str, root: str) -> Iterable[re.Match[str]]:
    """Yield the words whose stem is the given one; stems are beginnings, but for a last letter."""
    start = root[:-1] if root.endswith("i") and len(root) > 3 else root
    pattern = re.compile(rf"(?<![^\W_]){re.escape(start)}[^\W_]*")
    return (found for found in pattern.finditer(text) if stem(found[0]) == root)


def _whole(name: str) -> re.Pattern[str]:
    """Return what finds a name; Markdown may have put a backslash before its marks."""
    letters = "".join(
        each if each.isalnum() or each.isspace() else rf"\\?{re.escape(each)}" for each in name
    )
    before = r"(?<![\w-])" if name[0] == "-" else r"(?<!\w)"
    return re.compile(rf"{before}{letters}(?![\w-])" if _LETTERS.search(name) else re.escape(name))


def shares(asked: Asked, pages: Sequence[tuple[Matches, Sequence[tuple[int, int]]]]) -> list[float]:
    """Return of each term in what share of all blocks it stands."""
    total = sum(len(blocks) for _, blocks in pages)
    counts = [0] * len(asked.terms)
    for matches, blocks in pages:
        for start, end in blocks:
            for number, met in enumerate(matches.within(start, end)):
                counts[number] += met > 0
    return [count / total if total else 0.0 for count in counts]
