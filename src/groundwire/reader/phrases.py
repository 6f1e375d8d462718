"""What the wording of a short text says: a date, a price, the small print, a call to click.

Asked of every block, so cheap questions come first: without a digit there is no price.
"""

from __future__ import annotations

import re

from groundwire.text.lengths import has_no_sentence_marks, spaced

_LONG = 80  # Characters: what reads like a sentence or more.
_WORD = re.compile(r"\w+")
_YEAR_OR_TIME = re.compile(r"\b(?:19|20)\d\d\b|\b\d{1,2}:\d\d\b")
_AGO = re.compile(r"\bago\b")
_MONEY = re.compile(r"[$€£¥₹]\s?\d|\d\s?(?:€|(?:USD|EUR|kr)\b)")
_AMOUNT = re.compile(r"\d[\d.,]{0,14}(?<=\d)")
_DECIMALS = 2
_CALL = re.compile(
    r"(?:read|learn|view|see|show|load|find|sign|log|subscribe|share|follow|add|buy|shop|click|get"
    r"|download|reply|report|quote|like|print|email|skip|back|next|previous|home|menu|search|close)\b"
)
_SENTENCE_ENDS = frozenset(".!?。！？…:：؟۔।॥។။")
_CLOSING = "\"'”’)]」』）】》»"

# Letters in lower case, digits, and a space for every byte that is not part of an ASCII word.
_ASCII_WORDS = bytes(
    ord(sign.lower()) if sign.isascii() and (sign.isalnum() or sign == "_") else ord(" ")
    for sign in map(chr, range(256))
)

NAMES = ("date", "money", "legal", "call")


def words_of(text: str) -> list[str]:
    """Return the words of a text in lower case; in ASCII they are a table away."""
    if not text.isascii():
        return _WORD.findall(spaced(text.lower()))
    return text.encode().translate(_ASCII_WORDS).decode().split()


def measure_wording(text: str, has_digit: bool) -> tuple[float, ...]:
    """Return whether a text has each of NAMES, as numbers."""
    lowered = text.lower()
    has_date = has_digit and _YEAR_OR_TIME.search(text) is not None
    return (
        1.0 if has_date or ("ago" in text and _AGO.search(text) is not None) else 0.0,
        1.0 if has_digit and _MONEY.search(text) is not None else 0.0,
        1.0 if _is_legal(lowered) else 0.0,
        1.0 if _CALL.match(lowered) is not None else 0.0,
    )


def has_price(text: str) -> bool:
    """Tell whether a text names an amount of money."""
    return _MONEY.search(text) is not None


def amounts(text: str) -> set[str]:
    """Return the numbers of a text in hundredths, however their parts are set apart."""
    found = set()
    for match in _AMOUNT.finditer(text):
        whole, mark, part = match[0].rpartition(max(".,", key=match[0].rfind))
        if not mark or len(part) > _DECIMALS:
            whole, part = match[0], ""
        digits = "".join(filter(str.isdigit, whole))
        found.add(f"{digits}{part:0<{_DECIMALS}}".lstrip("0"))
    return found


def _is_legal(text: str) -> bool:
    # Asked of every short block, so without a loop.
    return (
        "©" in text
        or "all rights reserved" in text
        or "cookie" in text
        or "privacy" in text
        or "terms of" in text
    )


def ends_a_sentence(text: str) -> bool:
    """Tell whether a text ends as sentences do, in a closing quotation mark or bracket or not."""
    if text.rstrip(_CLOSING)[-1:] in _SENTENCE_ENDS:
        return True
    return not text.isascii() and len(text) >= _LONG and has_no_sentence_marks(text)
