"""What the wording of a short text says: a date, a price, the small print, a call to click.

Asked of every block, so the cheap question comes first: without a digit there is no date or price.
"""

from __future__ import annotations

import re

_DIGIT = re.compile(r"\d")
_YEAR_OR_TIME = re.compile(r"\b(?:19|20)\d\d\b|\b\d{1,2}:\d\d\b")
_AGO = re.compile(r"\bago\b")
_MONEY = re.compile(r"[$€£¥₹]\s?\d|\d\s?(?:€|(?:USD|EUR|kr)\b)")
_CALL = re.compile(
    r"(?:read|learn|view|see|show|load|find|sign|log|subscribe|share|follow|add|buy|shop|click|get"
    r"|download|reply|report|quote|like|print|email|skip|back|next|previous|home|menu|search|close)\b",
    re.IGNORECASE,
)
_SENTENCE_ENDS = frozenset(".!?。！？…:")
_CLOSING = "\"'”’)]"

NAMES = ("date", "money", "legal", "call")


def measure_wording(text: str) -> list[float]:
    """Return whether a text has each of NAMES, as numbers."""
    has_digit = _DIGIT.search(text) is not None
    return [
        float(
            (has_digit and _YEAR_OR_TIME.search(text) is not None)
            or ("ago" in text and _AGO.search(text) is not None)
        ),
        float(has_digit and _MONEY.search(text) is not None),
        float(_is_legal(text.lower())),
        float(_CALL.match(text) is not None),
    ]


def _is_legal(text: str) -> bool:
    # Asked of every short block, so without a loop.
    return (
        "©" in text
        or "all rights reserved" in text
        or "cookie" in text
        or "privacy" in text
        or "terms of" in text
    )


def has_price(text: str) -> bool:
    """Tell whether a text names an amount of money."""
    return _DIGIT.search(text) is not None and _MONEY.search(text) is not None


def ends_a_sentence(text: str) -> bool:
    """Tell whether a text ends as sentences do, in a closing quotation mark or bracket or not."""
    return text.rstrip(_CLOSING)[-1:] in _SENTENCE_ENDS
