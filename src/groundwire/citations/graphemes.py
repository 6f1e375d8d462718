"""Where a character as a person sees it ends: Unicode's grapheme clusters."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from typing import TypeAlias

import regex

# What stands between two positions of the text.
Window: TypeAlias = Callable[[int, int], str]

# Text that is safe for streams has at most 30 marks in a row. Beyond this many code points
# a cluster may be cut, which keeps the work for one place bounded.
MAX_CLUSTER = 256

# `regex` does not know yet that a virama ties two Indic consonants (rule GB9c), and Python's
# text may hold the two halves of a surrogate pair as characters.
_VIRAMAS = "\u094d\u09cd\u0acd\u0b4d\u0c4d\u0d4d"
_CLUSTER = regex.compile(
    rf"[\ud800-\udbff][\udc00-\udfff]|\X(?:(?<=[{_VIRAMAS}][\u200c\u200d\p{{Mn}}]*)(?=\p{{Lo}})\X)*"
)
_CARRYING = frozenset({"Mn", "Me", "Mc", "Cf"})


def end_of_cluster(window: Window, position: int, length: int) -> int:
    """Return the position itself, or where the cluster that it would cut ends."""
    if not 0 < position < length:
        return position
    pair = window(position - 1, position + 1)
    if pair.isascii():
        return position + (pair == "\r\n")
    first = max(0, position - MAX_CLUSTER)
    text = window(first, min(length, position + MAX_CLUSTER))
    at = _certain_border(text, position - first)
    while at < position - first:
        match = _CLUSTER.match(text, at)
        at = match.end() if match else at + 1
    return first + at


def _certain_border(text: str, at: int) -> int:
    """Return a place at or before `at` that is a border whatever stands before it."""
    while at > 0 and not _is_certain(text[at - 1], text[at]):
        at -= 1
    return at


def _is_certain(before: str, after: str) -> bool:
    # Marks and joiners carry what stands before them on; all other rules look at a pair.
    if unicodedata.category(before) in _CARRYING:
        return False
    match = _CLUSTER.match(before + after)
    return match is not None and match.end() == 1
