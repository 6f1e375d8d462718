"""The part of a passage that shows best why it was found."""

from __future__ import annotations

import re
from unicodedata import category

from groundwire.library.words import QueryWords
from groundwire.text.markdown import plain
from groundwire.text.unspaced import is_unspaced

LENGTH = 320
"""How many characters a snippet has, dots aside."""

_LONGEST_WORD = 80


def snippet(passage: str, alike: re.Pattern[str]) -> str:
    """Return the stretch of a passage with the most words of a query, on one line.

    `alike` finds those words: see `words_alike`, which is asked once for all passages.
    """
    text = " ".join(plain(passage).split())
    if len(text) <= LENGTH:
        return text
    best = _best_start([(found.start(), found[0]) for found in alike.finditer(text)])
    start = 0
    if best >= LENGTH // 4:
        wanted = best - LENGTH // 8
        start = _cut(text, wanted, text.rfind(" ", 0, wanted) + 1)
    end = start + LENGTH
    if end >= len(text):
        end = len(text)
        start = _cut(text, end - LENGTH, text.find(" ", end - LENGTH) + 1)
    else:
        end = _cut(text, end, text.rfind(" ", start, end))
    return f"{'… ' if start else ''}{text[start:end]}{' …' if end < len(text) else ''}"


def _cut(text: str, wanted: int, space: int) -> int:
    """Return where to cut a text: at a space if one is near, else between two characters."""
    if abs(space - wanted) <= _LONGEST_WORD:
        return space
    while wanted and category(text[wanted]).startswith("M"):
        wanted -= 1
    return wanted


def words_alike(words: QueryWords) -> re.Pattern[str]:
    """Return what finds words that may have the stem of one in a query: only endings differ."""
    beginnings = {
        re.escape(word[: max(4, len(word) - 2)]) + (r"\w{0,4}" if len(word) > 3 else "")
        for word in words.each
        if not is_unspaced(word)
    }
    pairs = "".join(f"|{re.escape(word)}" for word in words.each if is_unspaced(word))
    # Without words there is nothing to find, and an empty pattern would find that everywhere.
    whole = rf"\b(?:{'|'.join(sorted(beginnings))})\b" if beginnings else r"(?!)"
    return re.compile(f"{whole}{pairs}", re.IGNORECASE)


def _best_start(spots: list[tuple[int, str]]) -> int:
    """Return where the window with the most different words begins; of equals, the first."""
    best, most = 0, 0
    for place, (start, _) in enumerate(spots):
        near = spots[place : place + 60]
        within = {word[:4].lower() for spot, word in near if spot < start + LENGTH * 3 // 4}
        if len(within) > most:
            best, most = start, len(within)
    return best
