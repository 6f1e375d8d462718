"""Numbers that are not digits alone: fractions in one sign, and powers of ten.

Each pattern begins with what is rare on a page; what stands before is looked at where it is found.
"""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING, NamedTuple

from groundwire.checks.number_words import SCALES, SHORT_SCALES

if TYPE_CHECKING:
    from collections.abc import Iterator

_VULGAR = "[\u00bc-\u00be\u2150-\u215e]"
_VULGAR_SIGN = re.compile(_VULGAR)
_WHOLE = r"\d{1,3}(?:,\d{3}){1,3}|\d{1,9}"
_WHOLE_BEFORE = re.compile(rf"({_WHOLE})(\s?)\Z")
_MIXED = re.compile(rf"(?:({_WHOLE})\s?)?({_VULGAR})")
_WORD_BEHIND = re.compile(r"[\s-]?([a-z]{1,9})(?![a-z])", re.IGNORECASE)
_RAISED = "[\u2070\u00b9\u00b2\u00b3\u2074-\u2079]"
# A page may have lost the sign that raises, but not where nothing is multiplied.
_FLAT_POWER = re.compile(r"[x\u00d7*]\s?10\s?([-\u2212]?\d{1,2})(?!\d)")
_POWER = re.compile(rf"10\s?(?:\^\s?\{{?([-\u2212]?\d{{1,2}})\}}?|({_RAISED}{{1,2}}))")
_EXPONENT = re.compile(r"\d[eE]([+-]?\d{1,2})(?![^\W_])")
_FACTOR = re.compile(r"(?<![\d.])(\d{1,9}(?:[.,]\d{1,9})?)\s?[x\u00d7*\u00b7]\s?\Z")
_FLAT_FACTOR = re.compile(r"(?<![\d.])(\d{1,9}(?:\.\d{1,9})?)\s?\Z")
_DECIMAL = re.compile(r"(?<![\d.])(\d{1,9}(?:\.\d{1,9})?)\Z")
_MAX_BEFORE = 24
_PLAIN_DIGITS = str.maketrans(
    "\u2212\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079", "-0123456789"
)


class Sign(NamedTuple):
    """A number with its place in a text: a tuple, since a page may have very many."""

    value: float
    start: int
    end: int


def fractions(text: str) -> Iterator[Sign]:
    """Yield what fractions in one sign may mean: alone, as percent, and with what is around."""
    for match in _VULGAR_SIGN.finditer(text):
        part, whole = unicodedata.numeric(match[0]), _before(_WHOLE_BEFORE, text, match.start())
        start = whole.start() if whole else match.start()
        mixed = _whole(whole[1] if whole else "") + part
        word = _WORD_BEHIND.match(text, match.end())
        behind = word[1].lower() if word else ""
        scale = SCALES.get(behind) or SHORT_SCALES.get(behind, 1)
        # Only right behind its number is it surely no number of its own.
        alone = () if whole and not whole[2] else (part, part * 100)
        for value in {mixed, mixed * scale, *alone}:
            yield Sign(value=value, start=start, end=match.end())


def mixed_at(text: str, start: int) -> Sign | None:
    """Return the number with a fraction in one sign that begins at a place, such as `2\u00bd`."""
    match = _MIXED.match(text, start)
    if match is None:
        return None
    value = _whole(match[1] or "") + unicodedata.numeric(match[2])
    return Sign(value=value, start=start, end=match.end())


def _whole(digits: str) -> int:
    return int(digits.replace(",", "") or 0)


def flat_powers(text: str) -> Iterator[Sign]:
    """Yield what `4x106` means where the sign that raises was lost."""
    for match in _FLAT_POWER.finditer(text):
        if factor := _before(_FLAT_FACTOR, text, match.start()):
            yield _power(factor[1], match[1], factor.start(), match.end())


def powers(text: str) -> Iterator[Sign]:
    """Yield what `4 x 10^6`, `10^6` and `4e6` mean."""
    for match in _POWER.finditer(text):
        start = match.start()
        if text[max(0, start - 1) : start].isdigit():
            continue
        factor = _before(_FACTOR, text, start)
        start = factor.start() if factor else start
        raised = match[1] or match[2]
        yield _power(factor[1] if factor else "1", raised, start, match.end())
    for match in _EXPONENT.finditer(text):
        if digits := _before(_DECIMAL, text, match.start() + 1):
            yield _power(digits[1], match[1], digits.start(), match.end())


def _power(factor: str, raised: str, start: int, end: int) -> Sign:
    power = int(raised.translate(_PLAIN_DIGITS))
    return Sign(value=float(factor.replace(",", ".")) * 10.0**power, start=start, end=end)


def _before(pattern: re.Pattern[str], text: str, place: int) -> re.Match[str] | None:
    """Return what ends just before a place, as far as it is looked at."""
    return pattern.search(text, max(0, place - _MAX_BEFORE), place)
