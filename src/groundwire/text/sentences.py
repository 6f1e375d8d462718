"""Where sentences end. Whoever cuts a text between sentences asks here."""

from __future__ import annotations

import re
from collections.abc import Iterator

from groundwire.text.span import Span

LONGEST = 2_000
"""What is longer is no sentence that anyone would quote."""

_END = re.compile(r"[.!?…][\"'”’)\]*_`]*+(?=\s)|[。！？][」』”’]?")
_NEXT = re.compile(r"(?P<space>\s+)[\"'“‘(\[*_`]{0,6}(?:[A-Z0-9]|[`*\\<-]|[^\x00-\x7f])")
_SPACE = re.compile(r"\s*")
_ABBREVIATION = re.compile(
    r"\b(?:e\.g|i\.e|etc|vs|cf|Dr|Mr|Mrs|Ms|Prof|St|No|Fig|Inc|Ltd|Co|Jr|Sr|U\.S|approx|resp|incl"
    r"|[A-Z])\.$"
)
_FULL_WIDTH = frozenset("。！？")


def sentences(text: str, start: int, end: int) -> Iterator[Span]:
    """Yield the sentences of a paragraph; one that opens a bracket or code also closes it."""
    begun = start
    for match in _END.finditer(text, start, end):
        stop = match.end()
        if stop >= end:
            break
        is_full_width = text[match.start()] in _FULL_WIDTH
        following = (_SPACE if is_full_width else _NEXT).match(text, stop, end)
        if not following or _ABBREVIATION.search(text, max(begun, stop - 12), stop):
            continue
        # What never closes what it opens is cut all the same, some day.
        if stop - begun < LONGEST and _is_open(text[begun:stop]):
            continue
        yield Span(begun, stop)
        begun = following.end() if is_full_width else following.end("space")
    if begun < end:
        yield Span(begun, end)


def _is_open(said: str) -> bool:
    pairs = (("[", "]"), ("(", ")"))
    return said.count("`") % 2 == 1 or any(said.count(a) > said.count(b) for a, b in pairs)
