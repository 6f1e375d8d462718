"""Dates as pages write them, in one form: ISO 8601."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime
from email.utils import parsedate_to_datetime

_MONTHS = {
    name: number
    for number, names in enumerate(
        (
            "january jan", "february feb", "march mar", "april apr", "may", "june jun", "july jul",
            "august aug", "september sept sep", "october oct", "november nov", "december dec",
        ),
        start=1,
    )
    for name in names.split()
}  # fmt: skip
_NAMES = "|".join(sorted(_MONTHS, key=len, reverse=True))
_ISO = re.compile(r"(\d{4})-(\d{1,2})-(\d{1,2})(?:[T ](\d{2}:\d{2}(?::\d{2})?)\S*)?")
_PLAIN = re.compile(r"(\d{4})[/.]?(\d{2})[/.]?(\d{2})(?:\D|$)")
_MONTH_FIRST = re.compile(
    rf"\b({_NAMES})\.?\s+(\d{{1,2}})(?:st|nd|rd|th)?,?\s+(\d{{4}})\b", re.IGNORECASE
)
_DAY_FIRST = re.compile(
    rf"\b(\d{{1,2}})(?:st|nd|rd|th|\.)?\s+({_NAMES})\.?,?\s+(\d{{4}})\b", re.IGNORECASE
)
_EAST_ASIAN = re.compile(r"(\d{4})\s?[年년]\s?(\d{1,2})\s?[月월]\s?(\d{1,2})\s?[日일]")
_IN_ADDRESS = re.compile(r"/((?:19|20)\d\d)[/-](\d{1,2})[/-](\d{1,2})(?=[/-]|$)")
_MAX_CHARACTERS = 200
_EARLIEST = 1800  # Older than that, it is no date of a page.


def iso_date(text: str) -> str:
    """Return a date as ISO 8601, with its time where it has one; "" if invalid."""
    said = " ".join(text[:_MAX_CHARACTERS].split())
    if match := _ISO.search(said):
        day = _date(match[1], match[2], match[3])
        return _timed(match[0], day) if day and match[4] else day
    return _from_header(said) or date_in_words(said) or _plain(said)


def date_in_words(text: str) -> str:
    """Return the first date that a text has in English words, such as March 2, 2026.

    Also in those of Chinese, Japanese and Korean, which hardly vary.
    """
    if match := _EAST_ASIAN.search(text[:_MAX_CHARACTERS]):
        return _date(match[1], match[2], match[3])
    found = [
        (match.start(), _date(match[year], str(_MONTHS[match[month].lower()]), match[day]))
        for pattern, year, month, day in ((_MONTH_FIRST, 3, 1, 2), (_DAY_FIRST, 3, 2, 1))
        if (match := pattern.search(text[:_MAX_CHARACTERS]))
    ]
    return min(found, default=(0, ""))[1]


def date_in_address(path: str) -> str:
    """Return the day that a page's address names, such as /2026/03/02/; "" if none."""
    match = _IN_ADDRESS.search(path)
    return _date(match[1], match[2], match[3]) if match else ""


def _timed(written: str, day: str) -> str:
    """Return a date with its time as it was written, the day alone if that is no time."""
    try:
        return datetime.fromisoformat(written.replace(" ", "T", 1)).isoformat()
    except ValueError:
        return day


def _from_header(text: str) -> str:
    """Return a date as e-mail and feeds write it."""
    if not text[-1:].isalnum() or ":" not in text:
        return ""
    try:
        moment = parsedate_to_datetime(text)
    except (ValueError, IndexError):
        return ""
    if moment.year < _EARLIEST:
        return ""
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).isoformat()


def _plain(text: str) -> str:
    match = _PLAIN.match(text)
    return _date(match[1], match[2], match[3]) if match else ""


def _date(year: str, month: str, day: str) -> str:
    try:
        found = date(int(year), int(month), int(day))
    except ValueError:
        return ""
    return found.isoformat() if found.year >= _EARLIEST else ""
