"""Every value that a reader could find on a page, in whatever way it is written there."""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from groundwire.checks.number_words import (
    FRACTIONS,
    MAX_RUN,
    MONTHS,
    NAMED,
    NUMBER_WORDS,
    SCALES,
    SHORT_SCALES,
    UNITS,
    run_value,
)
from groundwire.checks.numerals import (
    APOSTROPHES,
    NUMERAL,
    RANGE_MARKS,
    YEAR,
    chain_end,
    chain_values,
    is_one_number,
    value_key,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from groundwire.checks.claim_numbers import ClaimNumber
    from groundwire.checks.words import TextWords

MAX_NUMERALS = 20_000
"""A page with more numbers than this is not read for them, and none is called absent."""

_MAX_NEAR = 64
_MAX_BEHIND = 24
_DIGITS = re.compile(r"(?<![\d.,])\d{1,18}(?![\d]|[.,]\d)")
_ROMAN = re.compile(r"M{0,3}(?:CM|CD|D?C{0,3})(?:XC|XL|L?X{0,3})(?:IX|IV|V?I{0,3})")
_ROMAN_LETTERS = frozenset("ivxlcdm")
_MAX_ROMAN = 7
_ROMAN_VALUES = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100, "D": 500, "M": 1000}
_VULGAR = {
    "\u00bc": 0.25, "\u00bd": 0.5, "\u00be": 0.75, "\u2153": 1 / 3, "\u2154": 2 / 3,
    "\u2155": 0.2, "\u215b": 0.125, "\u215c": 0.375, "\u215d": 0.625, "\u215e": 0.875,
}  # fmt: skip
# Each begins with what is rare on a page; what stands before that is looked at where it is found.
_VULGAR_SIGN = re.compile(f"[{''.join(_VULGAR)}]")
_WHOLE_BEFORE = re.compile(r"(\d{1,9})\s?\Z")
_POWER = re.compile(
    "[x\u00d7*]\\s?10\\s?\\^?\\s?\\{?([-\u2212]?\\d{1,2}|[\u2070\u00b9\u00b2\u00b3\u2074-\u2079]{1,2})"
)
_TIMES_BEFORE = re.compile(r"(?<![\d.])(\d{1,9}(?:\.\d{1,9})?)\s?\Z")
_MAX_BEFORE = 20
_PLAIN_DIGITS = str.maketrans(
    "\u2212\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079", "-0123456789"
)
_BETWEEN = frozenset(("to", "and", "or", "a", "half"))
# What may change the value of the numeral before or behind it.
_FOLLOWING = frozenset(
    (*SCALES, *SHORT_SCALES, *["to", "and", "or", "a", "half", "pm", "p", "in", "of", "out", "x"])
)
_LEADING = frozenset("'\u2019\u2018-\u2013\u2014/")
_TIMES = frozenset("x\u00d7*")
_RATIO_MARKS = frozenset(("/", "\u2044", "in", "of", "out of", "in every"))


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
            if number.is_about or number.unit != 1 or each != int(each)
        ]
        return min(close, key=lambda each: abs(each - value)) if close else None


def page_numbers(
    text: str, words: TextWords, by_word: Mapping[str, Sequence[int]] | None = None
) -> PageNumbers:
    """Return every value that a reader could find on a page; `by_word` is where each word is."""
    telling = _telling(words.by_word() if by_word is None else by_word)
    if len(telling) > MAX_NUMERALS:
        return PageNumbers(text=text, is_whole=False)
    places: dict[float, list[int]] = {}
    for value, place in _readings(text, words, sorted(telling)):
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
        or (len(word) <= _MAX_ROMAN and _ROMAN_LETTERS.issuperset(word))
        for at in places
    ]


def number_run(words: TextWords, at: int) -> Sequence[str]:
    """Return the number words that follow one another from a place on, `and` among them."""
    folded = words.folded
    end = at + 1
    while end < len(folded) and end - at < MAX_RUN:
        if words.starts[end] - words.ends[end - 1] > 2:
            break
        if folded[end] in NUMBER_WORDS:
            end += 1
        elif folded[end] == "and" and folded[end - 1] in SCALES and folded[end + 1 : end + 2]:
            if folded[end + 1] not in UNITS:
                break
            end += 2
        else:
            break
    return folded[at:end]


def _digits_of(value: float) -> str:
    return str(int(value)) if value == int(value) and abs(value) < 1e18 else ""


def _readings(text: str, words: TextWords, telling: Sequence[int]) -> Iterator[tuple[float, int]]:
    """Yield every value on a page with its place; `telling` are the words that may say one."""
    folded, starts = words.folded, words.starts
    inside = -1
    for at in telling:
        word = folded[at]
        if word[0].isdigit():
            last = chain_end(text, words, at) if at > inside else at
            if last > at:
                yield from _tied(text, words, at, last)
                inside = last if is_one_number(text, words, at, last) else inside
            if at > inside:
                yield from _alone(text, words, at)
        elif word in NUMBER_WORDS or word in NAMED or word in MONTHS:
            for value in _word_readings(words, at):
                yield value, starts[at]
        elif value := _roman(text[starts[at] : words.ends[at]]):
            yield value, starts[at]
    yield from _signs(text)


def _signs(text: str) -> Iterator[tuple[float, int]]:
    """Yield fractions that are one sign, with the numeral before them, and powers of ten."""
    for match in _VULGAR_SIGN.finditer(text):
        part, whole = _VULGAR[match[0]], _before(_WHOLE_BEFORE, text, match.start())
        place = whole.start() if whole else match.start()
        for value in (part, part * 100, int(whole[1] if whole else 0) + part):
            yield value, place
    for match in _POWER.finditer(text):
        if times := _before(_TIMES_BEFORE, text, match.start()):
            power = int(match[1].translate(_PLAIN_DIGITS))
            yield float(times[1]) * 10.0**power, times.start()


def _before(pattern: re.Pattern[str], text: str, place: int) -> re.Match[str] | None:
    """Return what ends just before a place, as far as it is looked at."""
    return pattern.search(text, max(0, place - _MAX_BEFORE), place)


def _tied(text: str, words: TextWords, at: int, last: int) -> Iterator[tuple[float, int]]:
    place = words.starts[at]
    for value in chain_values(text, words, at, last):
        yield value, place
        for multiple in _multiplied(words, value, last):
            yield multiple, place


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
        and text[end : end + 2].strip()[:1] not in _TIMES
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
    yield from _multiplied(words, value, at)
    if suffix in SHORT_SCALES:
        yield value * SHORT_SCALES[suffix]
    before = text[words.ends[at - 1] : words.starts[at]] if at else ""
    if value < 100:
        yield from _short_year(words, at, match, before)
    if value < 12 and {*words.folded[at + 1 : at + 3]} & {"pm", "p"}:
        yield value + 12
    yield from _ratio(text, words, at, value)


def _short_year(words: TextWords, at: int, match: re.Match[str], before: str) -> Iterator[float]:
    """Yield the years that `60s`, `'95` and the end of `2010-15` may mean."""
    value = float(match[1])
    if match[2] == "s":
        yield from (1800 + value, 1900 + value, 2000 + value)
    if len(match[1]) == 2 and before.endswith(APOSTROPHES):
        yield from (1900 + value, 2000 + value)
    if len(match[1]) == 2 and before in RANGE_MARKS and YEAR.fullmatch(words.folded[at - 1]):
        yield float(words.folded[at - 1][:2] + match[1])


def _multiplied(words: TextWords, value: float, last: int) -> Iterator[float]:
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


def _ratio(text: str, words: TextWords, at: int, value: float) -> Iterator[float]:
    """Yield what `1 in 4`, `3/4`, `3 out of 4` and `2 1/2` come to."""
    folded = words.folded
    below = next(
        (each for each in range(at + 1, min(at + 4, len(folded))) if folded[each].isdigit()), None
    )
    if below is None or len(folded[below]) > 12 or not int(folded[below]):
        return
    if text[words.ends[at] : words.starts[below]].strip().lower() not in _RATIO_MARKS:
        return
    part = value / float(folded[below])
    yield from _shares(part)
    if at and folded[at - 1].isdigit() and len(folded[at - 1]) < 12 and part < 1:
        yield float(folded[at - 1]) + part


def _shares(part: float) -> Iterator[float]:
    """Yield a share, and as percent in the ways it is rounded."""
    yield part
    yield round(100 * part, 1)
    yield float(round(100 * part))
    yield float(int(100 * part))


def _word_readings(words: TextWords, at: int) -> Iterator[float]:
    """Yield what number words at a place may mean."""
    folded = words.folded
    word = folded[at]
    if word in MONTHS:
        neighbours = (*folded[max(0, at - 1) : at], *folded[at + 1 : at + 2])
        if any(each[0].isdigit() for each in neighbours):
            yield float(MONTHS[word])
        return
    yield from NAMED.get(word, ())
    if word not in NUMBER_WORDS:
        return
    run = number_run(words, at)
    for length in {1, len(run)}:
        value = run_value(run[:length])
        if value is None:
            continue
        yield value
        yield from _multiplied(words, value, at + length - 1)
        yield from _worded_share(words, at + length, value)


def _worded_share(words: TextWords, end: int, value: float) -> Iterator[float]:
    """Yield what `two thirds`, `six and a half` and `one in four` come to."""
    folded = words.folded
    if below := FRACTIONS.get(folded[end] if end < len(folded) else ""):
        yield from _shares(value / below)
    if folded[end : end + 3] == ("and", "a", "half"):
        yield value + 0.5
    if folded[end : end + 1] and folded[end] in ("in", "of", "out"):
        for word in folded[end + 1 : end + 4]:
            whole = UNITS.get(word, float(word) if word.isdigit() and len(word) < 9 else 0.0)
            if whole:
                yield from _shares(value / whole)
                return


def _roman(word: str) -> int:
    """Return the value of a Roman numeral in capitals, 0 if invalid."""
    if len(word) > _MAX_ROMAN or not word.isupper() or not _ROMAN.fullmatch(word):
        return 0
    values = [_ROMAN_VALUES[letter] for letter in word]
    return sum(
        -value if value < following else value
        for value, following in zip(values, [*values[1:], 0], strict=True)
    )
