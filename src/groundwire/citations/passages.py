"""Which words of an answer rest on a source that a policy removed: the sentences of its span.

Some providers name the words that a page supports, some only the link behind them. Either way the
sentences that the span touches are meant; a line's end ends one too. Code and links are never cut.
"""

from __future__ import annotations

from dataclasses import dataclass

import regex

from groundwire.citations.inline import Region, RegionKind
from groundwire.citations.positions import Ground, Replacement, span_of
from groundwire.model import Citation

# How far a sentence is followed; without a limit a long text without one would cost its square.
MAX_SENTENCE = 600

_END = regex.compile(r"[.!?…][\"'”’)\]*_]*+(?=\s)|[。！？][」』”’]?|\n")
_LAST_END = regex.compile(f"(?r){_END.pattern}")
_ENDED = regex.compile(r"(?:[.!?…][\"'”’)\]*_]*+|[。！？][」』”’]?|\n)$")
_LINE_START = regex.compile(r"[ \t>]*(?:(?:[-*+]|\d{1,9}[.)]|#{1,6})[ \t]+)*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Sentence:
    """Words of the original text; more text may follow that belongs to them unless `is_whole`."""

    start: int
    end: int
    is_whole: bool


def passage_of(
    ground: Ground, citation: Citation, change: Replacement, *, is_final: bool
) -> Sentence | None:
    """Return the sentences that a placed citation is tied to, None if there are no words."""
    span = span_of(citation, ground.length)
    if span is None:
        return None
    words_end = _words_end(ground, change)
    words = ground.window(min(span[0], words_end), words_end)
    # A span that begins with the blank between two sentences is not tied to the first of them.
    start = _start(ground, words_end - len(words.lstrip() or words), words_end)
    if not ground.window(start, words_end).strip():
        return None
    end, is_whole = _end(ground, words_end, max(change.end, words_end), is_final=is_final)
    return Sentence(start=start, end=end, is_whole=is_whole)


def _words_end(ground: Ground, change: Replacement) -> int:
    """Return where the words end; those of a bare link are the words before it."""
    if change.link is None:
        return change.start
    if change.before.strip():
        return change.link.end
    first = max(0, change.start - MAX_SENTENCE)
    before = first + len(ground.window(first, change.start).rstrip(" \t"))
    if before > 0 and ground.window(before - 1, before) == "\n":
        # A link on a line of its own belongs to the line above.
        before = first + len(ground.window(first, before - 1).rstrip(" \t"))
    return before


def _start(ground: Ground, start: int, words_end: int) -> int:
    """Return where the sentence begins in which a span starts."""
    limit = max(0, start - MAX_SENTENCE)
    region = ground.region_at(start)
    if region is not None and region.start < start < region.end:
        start = region.start
    text = ground.window(limit, words_end)
    # The end of the last sentence is not the start of it.
    own_end = _ENDED.search(text.rstrip()) if start >= words_end else None
    until = own_end.start() if own_end else start - limit
    ends = (match.end() for match in _LAST_END.finditer(text, 0, until))
    begin = next((end for end in ends if not _is_inside(ground, limit + end - 1)), 0)
    begin = _after_bare_link(ground, limit + begin, limit + until) - limit
    at_line = begin == 0 or text[begin - 1] == "\n"
    lead = _LINE_START.match(text, begin) if at_line and (begin or not limit) else None
    begin = lead.end() if lead else begin
    gap = len(text[begin:until]) - len(text[begin:until].lstrip())
    return limit + begin + gap


def _after_bare_link(ground: Ground, limit: int, until: int) -> int:
    """Return where the last link in parentheses ends: it closes what came before it.

    Without one between two places it is the first of them.
    """
    region = ground.region_at(until)
    while region is not None and region.start >= limit:
        if _is_bare_link(region) and region.outer_end <= until:
            return region.outer_end
        region = ground.region_at(region.start - 1)
    return limit


def _is_bare_link(region: Region) -> bool:
    return region.kind is RegionKind.LINK and region.outer_start < region.start


def _end(ground: Ground, words_end: int, after: int, *, is_final: bool) -> tuple[int, bool]:
    """Return where the sentence ends, and whether that is sure; `after` is behind the marker."""
    first = max(0, words_end - 8)
    if _ENDED.search(ground.window(first, words_end)):
        return words_end, True
    limit = min(ground.length, after + MAX_SENTENCE)
    text = ground.window(after, limit)
    ends = (match for match in _END.finditer(text) if not _is_inside(ground, after + match.start()))
    found = next(ends, None)
    length = len(text) if found is None else found.end()
    is_whole = found is not None or is_final or limit == after + MAX_SENTENCE
    rest = text[:length].rstrip()
    # A full stop behind the marker says nothing.
    has_words = any(letter.isalnum() for letter in rest)
    return (after + len(rest) if has_words else words_end), is_whole


def _is_inside(ground: Ground, position: int) -> bool:
    region = ground.region_at(position)
    return region is not None and region.outer_start <= position < region.outer_end
