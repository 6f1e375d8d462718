"""What a number comes to with what stands around it: `million`, percent, `in four`, a century."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groundwire.checks.number_words import SCALES, SHORT_SCALES, UNITS
from groundwire.checks.numerals import NUMERAL

if TYPE_CHECKING:
    from collections.abc import Iterator

    from groundwire.checks.words import TextWords

PERCENT = frozenset(("percent", "per", "pct"))
CENTURIES = frozenset(("century", "centuries"))
_MAX_BEHIND = 24
_BETWEEN = frozenset(("to", "and", "or", "a", "half"))
_RATIO_MARKS = frozenset(("/", "\u2044", "in", "of", "out of", "in every"))
_RATIO_WORDS = 4


def behind(text: str, words: TextWords, value: float, last: int) -> Iterator[float]:
    """Yield what a value may mean with what follows its last word."""
    yield from multiplied(words, value, last)
    end = words.ends[last]
    following = words.folded[last + 1] if last + 1 < len(words) else ""
    if following in PERCENT or text[end : end + 2].strip()[:1] == "%":
        yield value / 100
    elif following in CENTURIES and value == int(value):
        yield 100 * (value - 1)


def multiplied(words: TextWords, value: float, last: int) -> Iterator[float]:
    """Yield a value times the word behind it; in `2 to 3 million` the word counts for both."""
    folded = words.folded
    for following in range(last + 1, min(last + 5, len(folded))):
        word = folded[following]
        if words.starts[following] - words.ends[last] > _MAX_BEHIND:
            return
        if scale := _scale(word, is_next=following == last + 1):
            yield value * scale
            beyond = folded[following + 1] if following + 1 < len(folded) else ""
            yield value * scale * SCALES.get(beyond, 1)
            return
        if not (word[0].isdigit() or word in _BETWEEN):
            return
        if word == "half":
            value += 0.5
            yield value


def _scale(word: str, *, is_next: bool) -> float:
    if word in SCALES:
        return SCALES[word]
    if is_next and word in SHORT_SCALES:
        return SHORT_SCALES[word]
    numeral = NUMERAL.fullmatch(word)
    return SHORT_SCALES.get(numeral[2], 0.0) if numeral else 0.0


def shares(part: float) -> Iterator[float]:
    """Yield a share, and as percent in the ways it is rounded."""
    yield part
    yield round(100 * part, 1)
    yield float(round(100 * part))
    yield float(int(100 * part))


def ratio(text: str, words: TextWords, at: int) -> float | None:
    """Return what `3/4`, `1 in 4` or `three out of four` come to from its first number on."""
    value = _small(words.folded[at])
    for below in range(at + 1, min(at + _RATIO_WORDS, len(words))):
        whole = _small(words.folded[below])
        if whole is None:
            continue
        mark = text[words.ends[at] : words.starts[below]].strip().lower()
        return value / whole if value is not None and whole and mark in _RATIO_MARKS else None
    return None


def ratio_around(text: str, words: TextWords, at: int) -> Iterator[float]:
    """Yield what a ratio comes to of which a number is one of the two."""
    for first in range(max(0, at - _RATIO_WORDS + 1), at + 1):
        number = _small(words.folded[first])
        is_its = first == at or _next_number(words, first) == at
        if number is not None and is_its and (part := ratio(text, words, first)) is not None:
            yield from shares(part)


def _next_number(words: TextWords, first: int) -> int:
    near = range(first + 1, min(first + _RATIO_WORDS, len(words)))
    return next((at for at in near if _small(words.folded[at]) is not None), -1)


def _small(word: str) -> float | None:
    """Return a number in digits or a word, None if it is none of a ratio."""
    if word.isdigit():
        return float(word) if len(word) <= 12 else None
    return UNITS.get(word)
