"""The part of a passage that shows best why it was found."""

from __future__ import annotations

import re

from groundwire.library.words import QueryWords
from groundwire.text.markdown import plain

LENGTH = 320
"""How many characters a snippet has, dots aside."""


def snippet(passage: str, alike: re.Pattern[str]) -> str:
    """Return the stretch of a passage with the most words of a query, on one line.

    `alike` finds those words: see `words_alike`, which is asked once for all passages.
    """
    text = " ".join(plain(passage).split())
    if len(text) <= LENGTH:
        return text
    best = _best_start([(found.start(), found[0]) for found in alike.finditer(text)])
    start = 0 if best < LENGTH // 4 else text.rfind(" ", 0, best - LENGTH // 8) + 1
    end = start + LENGTH
    if end >= len(text):
        end = len(text)
        start = text.find(" ", end - LENGTH) + 1
    else:
        end = max(text.rfind(" ", start, end), start + LENGTH // 2)
    return f"{'… ' if start else ''}{text[start:end]}{' …' if end < len(text) else ''}"


def words_alike(words: QueryWords) -> re.Pattern[str]:
    """Return what finds words that may have the stem of one in a query: only endings differ."""
    beginnings = {
        re.escape(word[: max(4, len(word) - 2)]) + (r"\w{0,4}" if len(word) > 3 else "")
        for word in words.each
    }
    return re.compile(rf"\b(?:{'|'.join(sorted(beginnings))})\b", re.IGNORECASE)


def _best_start(spots: list[tuple[int, str]]) -> int:
    """Return where the window with the most different words begins; of equals, the first."""
    best, most = 0, 0
    for place, (start, _) in enumerate(spots):
        near = spots[place : place + 60]
        within = {word[:4].lower() for spot, word in near if spot < start + LENGTH * 3 // 4}
        if len(within) > most:
            best, most = start, len(within)
    return best
