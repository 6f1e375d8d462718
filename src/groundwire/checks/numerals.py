"""Digits as people write them: with thousands marks, decimal marks, and a word that multiplies."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groundwire.checks.words import TextWords

# In a folded word this sign is that of a fraction in one character: `2\u00bd` is not 21.
NUMERAL = re.compile(r"(?!\d{1,18}\u2044)(\d{1,18})([a-z]{0,8})")
YEAR = re.compile(r"(?:1[0-9]|20)\d\d")
APOSTROPHES = ("'", "\u2019", "\u2018")
RANGE_MARKS = frozenset(("-", "\u2013", "\u2014", "/", " - ", " \u2013 ", " \u2014 "))
_GROUPING = frozenset(",.'\u2019\u00a0\u202f\u2009 ")
_POINTS = frozenset(".,\u00b7")
_MAX_PARTS = 7


def value_key(value: float) -> float:
    """Return a value as it is compared: to twelve digits."""
    return float(f"{value:.12g}")


def is_behind_point(text: str, start: int) -> bool:
    """Tell whether digits are those of a decimal without its zero, as in `.5`."""
    return text[start - 1 : start] == "." and not text[max(0, start - 2) : start - 1].strip(" \n(")


def chain_end(text: str, words: TextWords, at: int) -> int:
    """Return the last word of the digits that a mark and nothing else ties to those at a word."""
    folded, starts, ends = words.folded, words.starts, words.ends
    last, is_spaced = at, True
    while last + 1 < len(folded) and last - at < _MAX_PARTS and folded[last].isdigit():
        gap = text[ends[last] : starts[last + 1]]
        following = NUMERAL.match(folded[last + 1])
        if following is None or len(gap) != 1 or gap not in _GROUPING:
            break
        # A space ties thousands alone, and none behind another mark: `12,345 678` are two numbers.
        if gap == " " and not (is_spaced and len(following[1]) == 3 and len(folded[at]) < 4):
            break
        is_spaced = gap == " "
        last += 1
    return last


def chain_values(text: str, words: TextWords, at: int, last: int) -> list[float]:
    """Return what tied digits come to as one number, the likelier first; none for a date."""
    tail = NUMERAL.match(words.folded[last])
    if tail is None:
        return []
    gaps = "".join(text[words.ends[place]] for place in range(at, last))
    return _whole_values([*words.folded[at:last], tail[1]], gaps)


def date_end(text: str, words: TextWords, at: int) -> int:
    """Return where tied digits end that are no number together, such as those of a date."""
    if not words.folded[at].isdigit():
        return 0
    last = chain_end(text, words, at)
    return last + 1 if last > at + 1 and not chain_values(text, words, at, last) else 0


def is_one_number(text: str, words: TextWords, at: int, last: int) -> bool:
    """Tell whether tied digits are no numbers of their own, as those of a date would be."""
    gaps = {text[words.ends[place]] for place in range(at, last)}
    if " " in gaps:
        return False
    if last == at + 1 and gaps == {"."} and len(words.folded[last]) == 2:
        return int(words.folded[at][:9]) > 31
    return bool(chain_values(text, words, at, last))


def _whole_values(parts: Sequence[str], gaps: str) -> list[float]:
    """`1,234` is a thousand before it is a decimal comma, and `1.234` the other way round."""
    head, tail = "".join(parts[:-1]), parts[-1]
    is_grouped = all(len(part) == 3 for part in parts[1:]) and len(parts[0]) < 4
    is_indian = len(tail) == 3 and all(len(part) == 2 for part in parts[1:-1])
    values = []
    if len({*gaps}) == 1 and (is_grouped or (is_indian and gaps[0] == ",")):
        values.append(float(head + tail))
    is_decimal = all(len(part) == 3 for part in parts[1:-1]) and gaps[-1] not in gaps[:-1]
    if gaps[-1] in _POINTS and is_decimal:
        values.append(float(f"{head}.{tail}"))
    if gaps[-1] == ".":
        values.reverse()
    return values
