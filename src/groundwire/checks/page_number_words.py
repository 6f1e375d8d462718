"""What number words and Roman numerals of a page may mean."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from groundwire.checks.number_context import behind, ratio, shares
from groundwire.checks.number_words import (
    FRACTIONS,
    MONTHS,
    NAMED,
    NUMBER_WORDS,
    SCALES,
    number_run,
    run_value,
    year_value,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from groundwire.checks.words import TextWords

MAX_ROMAN = 7
ROMAN_LETTERS = frozenset("ivxlcdm")
_ROMAN = re.compile(r"M{0,3}(?:CM|CD|D?C{0,3})(?:XC|XL|L?X{0,3})(?:IX|IV|V?I{0,3})")
_ROMAN_VALUES = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100, "D": 500, "M": 1000}
_PART_OF = frozenset(("a", "an", "of"))
_MAX_PART_OF = 4


def word_readings(text: str, words: TextWords, at: int) -> Iterator[float]:
    """Yield what the number word at a place may mean, alone and with what stands around it."""
    word = words.folded[at]
    if word in MONTHS:
        yield from _month(words, at)
        return
    yield from NAMED.get(word, ())
    if word in FRACTIONS:
        yield from _parts(words, at)
    if word in NUMBER_WORDS:
        yield from _run_readings(text, words, at)


def _month(words: TextWords, at: int) -> Iterator[float]:
    folded = words.folded
    neighbours = (*folded[max(0, at - 1) : at], *folded[at + 1 : at + 2])
    if any(each[0].isdigit() for each in neighbours):
        yield float(MONTHS[folded[at]])


def _parts(words: TextWords, at: int) -> Iterator[float]:
    """Yield what `half a million` and `an hour and a half` come to."""
    folded = words.folded
    part = 1 / FRACTIONS[folded[at]]
    for following in folded[at + 1 : at + _MAX_PART_OF]:
        if following in SCALES:
            yield part * SCALES[following]
        if following not in _PART_OF:
            break
    if folded[max(0, at - 2) : at] == ("and", "a"):
        before = folded[at - 3] if at > 2 else ""
        yield (1 + part) * SCALES.get(before, 1)


def _run_readings(text: str, words: TextWords, at: int) -> Iterator[float]:
    run = number_run(text, words, at)
    if (year := year_value(run)) is not None:
        yield year
    for length in {1, len(run)}:
        value = run_value(run[:length])
        yield value
        yield from behind(text, words, value, at + length - 1)
        yield from _with_parts(words, value, at + length)
    if (part := ratio(text, words, at)) is not None:
        yield from shares(part)


def _with_parts(words: TextWords, value: float, end: int) -> Iterator[float]:
    """Yield what `two thirds` and `six and a half` come to."""
    folded = words.folded
    if below := FRACTIONS.get(folded[end] if end < len(folded) else ""):
        yield from shares(value / below)
    if folded[end : end + 3] == ("and", "a", "half"):
        yield value + 0.5


def roman(word: str) -> int:
    """Return the value of a Roman numeral in capitals, 0 if it is none."""
    if len(word) > MAX_ROMAN or not word.isupper() or not _ROMAN.fullmatch(word):
        return 0
    values = [_ROMAN_VALUES[letter] for letter in word]
    return sum(
        -value if value < following else value
        for value, following in zip(values, [*values[1:], 0], strict=True)
    )
