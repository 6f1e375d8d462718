"""Whether words that were found are the quoted ones to the letter.

Typography, spacing, markup and reference marks may differ; case and punctuation may not.
"""

from __future__ import annotations

import re

from groundwire.checks.words import INVISIBLE, REFERENCE, TAG
from groundwire.text.markdown import LINK_TARGET

_AROUND = 12
_NEAR = 600
# Signs that are drawn in many ways and mean one thing.
_SAME = str.maketrans(
    {
        **dict.fromkeys("\u2018\u2019\u201a\u201b\u2032\u00b4\u02bc", "'"),
        **dict.fromkeys("\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb", '"'),
        **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63\uff0d", "-"),
        "\u2026": "...",
        "\u00d7": "x",
    }
)
# The sign of a list's item comes first: the space before it is none of a reader's, too.
_NOT_SAID = re.compile(rf"^-(?=\s)|(?<=\n)[ ]{{0,8}}-(?=\s)|[\s*_`#>|\\~\[\]!{INVISIBLE}]")
_MARKUP = re.compile(rf"{REFERENCE}|{LINK_TARGET}|{TAG}|[\u00b9\u00b2\u00b3\u2070-\u2079]{{1,6}}")
_REFERENCE = re.compile(REFERENCE)
_UNSEEN = re.compile(rf"{LINK_TARGET}|{TAG}")
_REST_OF_LINK = re.compile(rf"[*_`~.,;:!?\"'\u2019\u201d)]{{0,6}}{LINK_TARGET}")
_ELLIPSIS = re.compile(r"\[\s?(?:\u2026|\.{3})\s?\]|\(\s?(?:\u2026|\.{3})\s?\)|\u2026|\.{3,6}")
_DASHES = re.compile(r"-{1,3}")


def is_to_the_letter(quote: str, text: str, start: int, end: int) -> bool:
    """Tell whether a quote says exactly what stands at a place of a page."""
    if not _has_the_same_marks(quote, text, start, end):
        return False
    if rest := _REST_OF_LINK.match(text, end):
        end = rest.end()
    page = _plain(text[max(0, start - _AROUND) : end + _AROUND])
    place = 0
    for part in _ELLIPSIS.split(quote):
        said = _plain(part)
        found = page.find(said, place)
        if found < 0:
            return False
        place = found + len(said)
    return True


def _has_the_same_marks(quote: str, text: str, start: int, end: int) -> bool:
    """Tell whether what no reader sees agrees, where both sides have it.

    A quote without reference marks, addresses and tags is as true as one with them; one with
    others than the page's is not.
    """
    near = text[max(0, start - _NEAR) : end + _NEAR]
    if any(mark not in near for mark in _UNSEEN.findall(quote)) and _UNSEEN.search(near):
        return False
    marks = _REFERENCE.findall(quote)
    there = text[max(0, start - _AROUND) : end + _AROUND]
    return not (any(mark not in there for mark in marks) and _REFERENCE.search(there))


def _plain(text: str) -> str:
    return _DASHES.sub("-", _NOT_SAID.sub("", _MARKUP.sub("", text).translate(_SAME)))
