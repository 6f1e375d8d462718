"""Where the words of a question stand on a page."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from groundwire.extractive.questions import Asked, Term
from groundwire.extractive.synonyms import others
from groundwire.text.markdown import LINK_TARGET
from groundwire.text.words import stem, without_accents

_TARGET = re.compile(LINK_TARGET)
_ADDRESS = re.compile(r"https?://[^\s)>\]]+")
_LETTERS = re.compile(r"[^\W_]+")
_BY_LAST, _BY_PARTS, _BY_SLIP, _BY_SYNONYM = 0.8, 0.6, 0.8, 0.6
_LEAST_ALIKE, _ENDING, _SLIP = 4, 4, 2
"""Words that are alike begin with so many of the same letters, and differ in no more than these."""

_NEAR = 24
"""Within so many characters two words stand side by side, marks and a small word between them."""


@dataclass(slots=True)
class Matches:
    """The places of every term on a page, and how well each fits: 1 is to the letter.

    `alike` are the places of words that are not the term and look like it: `revocation` for
    `revoked`, and slips of the pen.
    """

    places: list[list[int]] = field(default_factory=list)
    strengths: list[list[float]] = field(default_factory=list)
    alike: list[list[int]] = field(default_factory=list)

    def within(self, start: int, end: int) -> list[float]:
        """Return how well each term is met in a stretch, 0 if it is not there."""
        found = []
        for places, strengths in zip(self.places, self.strengths, strict=True):
            first = bisect_left(places, start)
            after = bisect_left(places, end, lo=first)
            found.append(max(strengths[first:after], default=0.0))
        return found

    def resembled(self, start: int, end: int) -> list[bool]:
        """Tell of each term whether a word that looks like it stands in a stretch."""
        return [bisect_left(places, start) < bisect_left(places, end) for places in self.alike]

    def in_order(self, start: int, end: int) -> int:
        """Return how many terms stand in a stretch in the order in which they were asked."""
        spots = sorted(
            (place, -number)
            for number, places in enumerate(self.places)
            for place in places[bisect_left(places, start) : bisect_left(places, end)]
        )
        # The longest rising run of numbers, by the least number that ends one of each length.
        ends: list[int] = []
        for _, number in spots:
            spot = bisect_left(ends, -number)
            ends[spot : spot + 1] = [-number]
        return len(ends)

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
        alike: list[int] = []
        by_place = _found(bare, term, alike)
        if term.is_proper and not by_place:
            _note(by_place, _slips(text, bare, term.stem), _BY_SLIP)
        found = sorted(by_place.items())
        matches.places.append([place for place, _ in found])
        matches.strengths.append([strength for _, strength in found])
        matches.alike.append(alike)
    return matches


def _lower(text: str) -> str:
    """Return text in lower case, every character at its place: a few would become two."""
    text = without_accents(text)
    lowered = text.lower()
    if len(lowered) == len(text):
        return lowered
    return "".join(each.lower() if len(each.lower()) == 1 else each for each in text)


def _blank(match: re.Match[str]) -> str:
    return f"]{' ' * (len(match[0]) - 1)}" if match[0][0] == "]" else " " * len(match[0])


def _found(text: str, term: Term, alike: list[int]) -> dict[int, float]:
    """Return where a term stands and how well it fits; words that look like it go into `alike`."""
    found: dict[int, float] = {}
    if term.run:
        _note(found, _starts(re.finditer(re.escape(term.stem), text)), 1.0)
    elif term.is_name:
        _note(found, _starts(_whole(term.stem).finditer(text)), 1.0)
        if term.last not in ("", term.stem):
            _note(found, _starts(_whole(term.last).finditer(text)), _BY_LAST)
    elif term.parts:
        parts = r"[\W_]{0,3}".join(f"{re.escape(part)}[^\\W_]{{0,4}}" for part in term.parts)
        _note(found, _starts(re.finditer(rf"\b{parts}", text)), 1.0)
        _note(found, _words(text, max(term.parts, key=len)), _BY_PARTS)
    else:
        _note(found, _words(text, term.stem, alike), 1.0)
        if not term.is_proper:
            for other in others(term.stem):
                _note(found, _words(text, other), _BY_SYNONYM)
    return found


def _starts(matches: Iterable[re.Match[str]]) -> Iterator[int]:
    return (one.start() for one in matches)


def _note(found: dict[int, float], places: Iterable[int], strength: float) -> None:
    for place in places:
        found.setdefault(place, strength)


def _words(text: str, root: str, alike: list[int] | None = None) -> Iterator[int]:
    """Yield where words stand whose stem is the given one; put those of similar words aside.

    Stems are beginnings, but for a last letter.
    """
    start = root[:-1] if root.endswith("i") and len(root) > 3 else root
    if alike is not None:
        start = start[:_LEAST_ALIKE]
    known: dict[str, bool | None] = {}
    # A pattern that begins with letters is found faster than one that looks back first.
    for found in re.finditer(rf"{re.escape(start)}[^\W_]*", text):
        place, word = found.start(), found[0]
        if place and text[place - 1].isalnum():
            continue
        if word not in known:
            other = stem(word)
            known[word] = True if other == root else (False if is_alike(other, root) else None)
        if known[word]:
            yield place
        elif known[word] is False and alike is not None:
            alike.append(place)


_SHORTEST_SLIP, _LONG_SLIP = 5, 8
"""Names of so many letters may differ in one, names of so many in two."""


def _slips(text: str, bare: str, root: str) -> Iterator[int]:
    """Yield where a name stands that is this one but for a slip of the pen."""
    if len(root) < _SHORTEST_SLIP or not root.isalpha():
        return
    most = 2 if len(root) >= _LONG_SLIP else 1
    known: dict[str, bool] = {}
    for found in re.finditer(rf"{root[0]}[^\W_]+", bare):
        place, word = found.start(), found[0]
        if not text[place].isupper() or (place and bare[place - 1].isalnum()):
            continue
        if word not in known:
            known[word] = _differ(stem(word), root, most)
        if known[word]:
            yield place


def _differ(one: str, other: str, most: int) -> bool:
    """Tell whether two words become the same by changing so many letters at most."""
    if abs(len(one) - len(other)) > most:
        return False
    row = list(range(len(other) + 1))
    for place, letter in enumerate(one, start=1):
        before, row[0] = row[0], place
        for spot, against in enumerate(other, start=1):
            before, row[spot] = (
                row[spot],
                min(row[spot] + 1, row[spot - 1] + 1, before + (letter != against)),
            )
    return row[-1] <= most


def is_alike(one: str, other: str) -> bool:
    """Tell whether two stems have all but their last letters, or all but two, in common."""
    longest = max(len(one), len(other))
    before = _common(one, other)
    behind = _common(one[before:][::-1], other[before:][::-1])
    is_form = before >= longest - _ENDING
    return before >= _LEAST_ALIKE and (is_form or before + behind >= longest - _SLIP)


def _common(one: str, other: str) -> int:
    """Return with how many of the same letters two words begin."""
    pairs = zip(one, other, strict=False)
    return next((place for place, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))


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
