"""Every value that a reader could find on a page, in whatever way it is written there."""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING

from groundwire.checks.number_context import CENTURIES, PERCENT, behind, ratio, shares
from groundwire.checks.number_signs import flat_powers, fractions, powers
from groundwire.checks.number_words import MONTHS, NAMED, NUMBER_WORDS, SCALES, SHORT_SCALES
from groundwire.checks.numerals import (
    APOSTROPHES,
    NUMERAL,
    RANGE_MARKS,
    YEAR,
    chain_end,
    chain_values,
    date_end,
    is_behind_point,
    is_one_number,
    value_key,
)
from groundwire.checks.page_number_words import MAX_ROMAN, ROMAN_LETTERS, roman, word_readings

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from groundwire.checks.claim_numbers import ClaimNumber
    from groundwire.checks.words import TextWords

MAX_NUMERALS = 20_000
"""A page with more numbers than this is not read for them, and none is called absent."""

_MAX_NEAR = 64
_FURTHEST = 1.25
"""A value and what it is rounded to differ by this factor at most."""

_DIGITS = re.compile(r"(?<![\d.,])\d{1,18}(?![\d]|[.,]\d)")
# What may change the value of the numeral before or behind it.
_FOLLOWING = frozenset((
    *(*SCALES, *SHORT_SCALES, *PERCENT, *CENTURIES),
    *("to", "and", "or", "a", "half", "pm", "p", "in", "of", "out", "x"),
))  # fmt: skip
_LEADING = frozenset(".'\u2019\u2018-\u2013\u2014/")
_SIGNS_BEHIND = frozenset("x\u00d7*%")
_DATE_MARKS = frozenset("/.-")


@dataclass(frozen=True, kw_only=True)
class PageNumbers:
    """The values of a page with the places of the words that say them.

    Where `is_whole` is false the page has more numbers than were read, and nothing can be called
    absent.
    """

    text: str = field(repr=False)
    places: dict[float, list[int]] = field(default_factory=dict)
    ordered: tuple[float, ...] = ()
    is_whole: bool = True

    @cached_property
    def runs(self) -> frozenset[str]:
        """Return the page's digits as they stand, addresses of links included."""
        return frozenset(run.lstrip("0") or "0" for run in _DIGITS.findall(self.text))

    def has(self, number: ClaimNumber) -> bool:
        """Tell whether a number of a claim is there, or cannot be called absent."""
        return not self.is_whole or any(
            value in self.places or _digits_of(value) in self.runs for value in number.values
        )

    def is_within(self, number: ClaimNumber, start: int, end: int) -> bool:
        """Tell whether a number is said between two characters of the page."""
        return any(
            start <= place < end for value in number.values for place in self.places.get(value, ())
        )

    def rounded(self, number: ClaimNumber) -> float | None:
        """Return the page's value that rounds to a number, None if there is none."""
        value, low, high = number.values[0], number.low, number.high
        near = self.ordered[bisect_left(self.ordered, low) : bisect_left(self.ordered, high)]
        # The year before is no rounding of a year.
        close = [
            each
            for each in near[:_MAX_NEAR]
            if (number.is_about or number.unit != 1 or each != int(each))
            and each <= value * _FURTHEST
            and value <= each * _FURTHEST
        ]
        return min(close, key=lambda each: abs(each - value)) if close else None


def page_numbers(
    text: str, words: TextWords, by_word: Mapping[str, Sequence[int]] | None = None
) -> PageNumbers:
    """Return every value that a reader could find on a page; `by_word` is where each word is."""
    telling = _telling(words.by_word() if by_word is None else by_word)
    signs = [*islice(_signs(text), MAX_NUMERALS + 1)]
    if max(len(telling), len(signs)) > MAX_NUMERALS:
        return PageNumbers(text=text, is_whole=False)
    places: dict[float, list[int]] = {}
    for value, place in (*_readings(text, words, sorted(telling)), *signs):
        places.setdefault(value_key(value), []).append(place)
    return PageNumbers(text=text, places=places, ordered=tuple(sorted(places)))


def _telling(by_word: Mapping[str, Sequence[int]]) -> list[int]:
    """Return where words stand that say a number, or may: each word is looked at once."""
    return [
        at
        for word, places in by_word.items()
        if word[0].isdigit()
        or word in NUMBER_WORDS
        or word in NAMED
        or word in MONTHS
        or (len(word) <= MAX_ROMAN and ROMAN_LETTERS.issuperset(word))
        for at in places
    ]


def _digits_of(value: float) -> str:
    return str(int(value)) if value == int(value) else ""


def _readings(text: str, words: TextWords, telling: Sequence[int]) -> Iterator[tuple[float, int]]:
    """Yield every value on a page with its place; `telling` are the words that may say one."""
    folded, starts = words.folded, words.starts
    inside, apart = -1, 0
    for at in telling:
        word = folded[at]
        if word[0].isdigit():
            last = chain_end(text, words, at) if at > inside else at
            if last > at:
                yield from _tied(text, words, at, last)
                apart = max(apart, date_end(text, words, at))
                is_one = at >= apart and is_one_number(text, words, at, last)
                inside = last if is_one else inside
            if at > inside:
                yield from _alone(text, words, at)
        elif word in NUMBER_WORDS or word in NAMED or word in MONTHS:
            for value in word_readings(text, words, at):
                yield value, starts[at]
        elif value := roman(text[starts[at] : words.ends[at]]):
            yield value, starts[at]


def _signs(text: str) -> Iterator[tuple[float, int]]:
    for found in (fractions, powers, flat_powers):
        for sign in found(text):
            yield sign.value, sign.start


def _tied(text: str, words: TextWords, at: int, last: int) -> Iterator[tuple[float, int]]:
    place = words.starts[at]
    tail = NUMERAL.match(words.folded[last])
    scale = SHORT_SCALES.get(tail[2] if tail else "", 0.0)
    for value in chain_values(text, words, at, last):
        yield value, place
        if scale:
            yield value * scale, place
        for meant in behind(text, words, value, last):
            yield meant, place


def _alone(text: str, words: TextWords, at: int) -> Iterator[tuple[float, int]]:
    """Yield the values of one numeral; most have nothing around that could mean more."""
    word, place, end = words.folded[at], words.starts[at], words.ends[at]
    following = words.folded[at + 1] if at + 1 < len(words) else ""
    if (
        word.isdigit()
        and len(word) < 19
        and not following[:1].isdigit()
        and following not in _FOLLOWING
        and text[place - 1 : place] not in _LEADING
        and text[end : end + 2].strip()[:1] not in _SIGNS_BEHIND
    ):
        yield float(word), place
        return
    for value in _numeral_readings(text, words, at):
        yield value, place


def _numeral_readings(text: str, words: TextWords, at: int) -> Iterator[float]:
    """Yield what the digits at a word may mean, alone and with what stands around them."""
    match = NUMERAL.match(words.folded[at])
    if match is None:
        return
    value, suffix = float(match[1]), match[2]
    yield value
    yield from behind(text, words, value, at)
    if suffix in SHORT_SCALES:
        yield value * SHORT_SCALES[suffix]
    if is_behind_point(text, words.starts[at]):
        yield float(f"0.{match[1]}")
    if value < 100:
        yield from _short_year(text, words, at, match)
    elif suffix == "s" and value % 100 == 0:
        yield value / 100 + 1
    yield from _clock(text, words, at, value)
    if (part := ratio(text, words, at)) is not None:
        yield from shares(part)
        if at and part < 1 and words.folded[at - 1].isdigit() and len(words.folded[at - 1]) < 12:
            yield float(words.folded[at - 1]) + part


def _clock(text: str, words: TextWords, at: int, value: float) -> Iterator[float]:
    """Yield the hour as the other clock has it: `3 pm` and `15:00`."""
    if value < 12 and {*words.folded[at + 1 : at + 3]} & {"pm", "p"}:
        yield value + 12
    elif 12 < value <= 24 and text[words.ends[at] : words.ends[at] + 1] in (":", "h"):
        yield value - 12


def _short_year(text: str, words: TextWords, at: int, match: re.Match[str]) -> Iterator[float]:
    """Yield the years that `60s`, `'95`, the end of `2010-15` and of `3/12/20` may mean."""
    value = float(match[1])
    if match[2] == "s":
        yield from (1800 + value, 1900 + value, 2000 + value)
    if len(match[1]) != 2:
        return
    before = text[words.ends[at - 1] if at else 0 : words.starts[at]]
    is_date = before in _DATE_MARKS and at > 1 and _are_day_and_month(words.folded[at - 2 : at])
    if before.endswith(APOSTROPHES) or is_date:
        yield from (1900 + value, 2000 + value)
    if at and before in RANGE_MARKS and YEAR.fullmatch(words.folded[at - 1]):
        yield float(words.folded[at - 1][:2] + match[1])


def _are_day_and_month(parts: Sequence[str]) -> bool:
    return all(part.isdigit() and len(part) < 3 and int(part) <= 31 for part in parts)
