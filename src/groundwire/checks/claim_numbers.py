"""The numbers that a claim states, each with every value that it could be taken for."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from groundwire.checks.number_context import CENTURIES, ratio_around
from groundwire.checks.number_signs import mixed_at, powers
from groundwire.checks.number_words import (
    FRACTIONS,
    SCALES,
    SHORT_SCALES,
    UNITS,
    is_joined,
    number_run,
    run_value,
    year_value,
)
from groundwire.checks.numerals import (
    APOSTROPHES,
    NUMERAL,
    RANGE_MARKS,
    YEAR,
    chain_end,
    chain_values,
    date_end,
    is_behind_point,
    value_key,
)
from groundwire.checks.words import words_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from groundwire.checks.number_signs import Sign
    from groundwire.checks.words import TextWords

MAX_NUMBERS = 60
# Digits that are no numbers of a claim: addresses, identifiers, pages of a book, access dates.
_NOT_CLAIMED = re.compile(
    r"https?://\S{1,2000}|\bwww\.\S{1,500}|\bdoi:?\s?\S{1,200}|\b10\.\d{4,9}/\S{1,200}"
    r"|\b(?:isbn|issn|pmid|pmc|arxiv|oclc|bibcode)[:\s-]{0,3}[\dx.-]{4,24}"
    r"|\bpp?\.\s?\d{1,5}(?:\s?[-\u2013]\s?\d{1,5})?"
    r"|\b(?:accessed|retrieved|archived)(?:\s\w{1,12}){0,3}?\s\d{1,4}(?:\s\w{3,9}\s\d{4}|,\s\d{4})?"
    r"|\b[a-zA-Z]{1,3}\d{1,4}(?:\.\d{1,4}){1,4}"
    r"|\b(?:context|footnote|note|ref|figure|fig|table|section|chapter)\.?\s\d{1,3}\b",
    re.IGNORECASE,
)
_ABOVE = frozenset(("over", "more", "above", "exceeding"))
_BELOW = frozenset(("nearly", "almost", "under"))
_ABOUT = frozenset(("about", "around", "approximately", "roughly", "circa", "ca", "some"))
# Letters that multiply whatever they follow; `5m` and `5t` may be metres and tons.
_SURE_SCALES = frozenset(("k", "bn", "mn", "tn", "bln", "mrd", "mio"))


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimNumber:
    """A number of a claim: how it is written, where, and every value that it may mean.

    `unit` is the worth of its last digit. A value between `low` and `high` rounds to it;
    `is_about` says that a word such as `about` has widened that.
    """

    text: str
    start: int
    values: tuple[float, ...]
    unit: float
    low: float
    high: float
    is_about: bool = False


def claim_numbers(claim: str) -> tuple[ClaimNumber, ...]:
    """Return the numbers that a claim states, without those of its references."""
    said = _NOT_CLAIMED.sub(lambda match: " " * len(match[0]), claim)
    found: list[ClaimNumber] = []
    for sign in islice(powers(said), MAX_NUMBERS):
        found.append(_power(said[sign.start : sign.end], sign))
        said = f"{said[: sign.start]}{' ' * (sign.end - sign.start)}{said[sign.end :]}"
    words = words_of(said)
    at = apart = 0
    while at < len(words) and len(found) < MAX_NUMBERS:
        apart = max(apart, date_end(said, words, at))
        number, used = _number_at(said, words, at, is_apart=at < apart)
        if number is not None:
            found.append(number)
        at += used
    return tuple(sorted(found, key=lambda each: each.start))


def _power(text: str, sign: Sign) -> ClaimNumber:
    value = value_key(sign.value)
    return ClaimNumber(
        text=text, start=sign.start, values=(value,), unit=0.0, low=value, high=value
    )


def _number_at(
    text: str, words: TextWords, at: int, *, is_apart: bool
) -> tuple[ClaimNumber | None, int]:
    """Return the number that begins at a word, None if none does, and how many words it has."""
    word = words.folded[at]
    if word[0].isdigit():
        return _numeral_at(text, words, at, is_apart=is_apart)
    if word in SCALES:
        return _multiple_at(text, words, at)
    is_one = word == "one" and not {*words.folded[at + 1 : at + 2]} & SCALES.keys()
    if word in UNITS and word != "zero" and not is_one:
        return _worded_at(text, words, at)
    return None, 1


def _multiple_at(text: str, words: TextWords, at: int) -> tuple[ClaimNumber | None, int]:
    """Return `a hundred and twenty`; `a hundred` and `several million` are no numbers."""
    run = number_run(text, words, at)
    before = words.folded[at - 1] if at else ""
    if before == "a" and run[-1] in UNITS:
        return _worded_at(text, words, at)
    return None, len(run)


def _numeral_at(
    text: str, words: TextWords, at: int, *, is_apart: bool
) -> tuple[ClaimNumber | None, int]:
    if mixed := mixed_at(text, words.starts[at]):
        return _mixed(text, words, at, mixed)
    head = NUMERAL.fullmatch(words.folded[at])
    before = text[words.ends[at - 1] if at else 0 : words.starts[at]]
    if head is None or (head[1] == "00" and before == ":"):
        # A name such as `4chan`, whose digits say nothing alone; or the minutes of a full hour.
        return None, 1
    last = at if is_apart else chain_end(text, words, at)
    values = chain_values(text, words, at, last) if last > at else []
    if not values:
        # A plain numeral, or the first part of a date, whose parts are numbers of their own.
        last, values = at, [float(head[1])]
        if is_behind_point(text, words.starts[at]):
            values = [float(f"0.{head[1]}")]
    decimals = len(f"{values[0]:.12f}".rstrip("0").rpartition(".")[2])
    tail = NUMERAL.fullmatch(words.folded[last])
    suffix = tail[2] if tail else ""
    scale, end = _scale_behind(text, words, last, suffix)
    if scale == 1:
        values = [*values, *_other_meanings(text, words, at, last)]
        values += [value * SHORT_SCALES.get(suffix, 1) for value in values[:1]]
    scaled = [value * scale for value in values]
    shown = text[words.starts[at] : words.ends[end]]
    number = _number(words, at, shown, scaled, unit=10.0**-decimals * scale)
    return number, end - at + 1


def _mixed(text: str, words: TextWords, at: int, mixed: Sign) -> tuple[ClaimNumber, int]:
    """Return `2\u00bd` or `2\u00bd million`, as exact as it is with one decimal."""
    last = at
    while words.ends[last] < mixed.end:
        last += 1
    suffix = text[mixed.end : words.ends[last]].lower()
    scale, end = _scale_behind(text, words, last, suffix)
    values = [mixed.value * scale]
    if scale == 1:
        # Half is fifty percent, and `m` may be metres or millions.
        values.append(mixed.value * (100 if mixed.value < 1 else SHORT_SCALES.get(suffix, 1)))
    shown = text[words.starts[at] : words.ends[end]]
    return _number(words, at, shown, values, unit=0.1 * scale), end - at + 1


def _scale_behind(text: str, words: TextWords, last: int, suffix: str) -> tuple[float, int]:
    if suffix in _SURE_SCALES:
        return SHORT_SCALES[suffix], last
    following = last + 1
    if following < len(words) and is_joined(text, words, following):
        word = words.folded[following]
        if word in SCALES:
            return SCALES[word], following
        if word in _SURE_SCALES and word != "k":
            return SHORT_SCALES[word], following
    return 1.0, last


def _other_meanings(text: str, words: TextWords, at: int, last: int) -> Iterator[float]:
    """Yield what a plain numeral could also be taken for."""
    head = NUMERAL.fullmatch(words.folded[at])
    if head is None:
        return
    value, suffix = float(head[1]), head[2]
    before = text[words.ends[at - 1] if at else 0 : words.starts[at]]
    if value < 100 and (suffix == "s" or before.endswith(APOSTROPHES)):
        yield from (1800 + value, 1900 + value, 2000 + value)
    if at and before in RANGE_MARKS and len(head[1]) == 2:
        previous = words.folded[at - 1]
        if YEAR.fullmatch(previous):
            yield float(previous[:2] + head[1])
    # A note's mark may be glued to a year: `20221`.
    if last == at and 5 <= len(head[1]) <= 6 and YEAR.match(head[1]) and not suffix:
        yield float(head[1][:4])
    yield from _shared_scale(words, last, value)
    yield from ratio_around(text, words, at)
    following = words.folded[last + 1] if last + 1 < len(words) else ""
    if following in CENTURIES:
        yield 100 * (value - 1)
    elif suffix == "s" and value >= 1000 and value % 100 == 0:
        yield value / 100 + 1


def _shared_scale(words: TextWords, last: int, value: float) -> Iterator[float]:
    """Yield the value for the case that in `2 to 3 million` the word is meant of both."""
    for word in words.folded[last + 1 : last + 4]:
        if word in SCALES:
            yield value * SCALES[word]
            return
        if not (word[0].isdigit() or word in ("to", "and", "or")):
            return


def _worded_at(text: str, words: TextWords, at: int) -> tuple[ClaimNumber | None, int]:
    run = number_run(text, words, at)
    end = at + len(run)
    following = words.folded[end : end + 3]
    is_fraction = bool(following) and following[0] in FRACTIONS
    if is_fraction or following == ("and", "a", "half"):
        return None, len(run)
    value = run_value(run)
    shown = text[words.starts[at] : words.ends[end - 1]]
    values = [value, *ratio_around(text, words, at)]
    if (year := year_value(run)) is not None:
        values.append(year)
    if following and following[0] in CENTURIES:
        values.append(100 * (value - 1))
    return _number(words, at, shown, values, unit=0.0), len(run)


def _number(
    words: TextWords, at: int, shown: str, values: Sequence[float], *, unit: float
) -> ClaimNumber:
    near = {*words.folded[max(0, at - 2) : at]}
    unique = tuple(dict.fromkeys(map(value_key, values)))
    value = unique[0]
    wider = _width(value) if near & (_ABOUT | _ABOVE | _BELOW) else 0.0
    return ClaimNumber(
        text=shown,
        start=words.starts[at],
        values=unique,
        unit=unit,
        low=value - max(unit / 2, 0.0 if near & _ABOVE else wider),
        high=value + max(unit / 2, 0.0 if near & _BELOW else wider),
        is_about=bool(wider),
    )


def _width(value: float) -> float:
    """Return how far from a round number `about` may lead: half its last digit, a twentieth."""
    if not value or value != int(value):
        return 0.0
    digits = str(int(value))
    zeros = len(digits) - len(digits.rstrip("0"))
    return min(10.0**zeros / 2, value / 20)
