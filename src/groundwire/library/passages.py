"""Cuts a Markdown text into passages at the boundaries of its blocks."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from groundwire.library.model import FoundPassage
from groundwire.text.markdown import blocks, is_row, lines, plain
from groundwire.text.sentences import sentences
from groundwire.text.span import Span

TARGET = 1_500
"""How many characters a passage may have; only a row of a table may be longer."""

_LONGEST_ROW = 4 * TARGET
_SPACE = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class _Part:
    """Lines that are not torn apart; `level` is a heading's, 0 for anything else."""

    start: int
    end: int
    level: int = 0
    heading: str = ""


def cut(text: str) -> tuple[FoundPassage, ...]:
    """Return the passages of a text, in order; `text[start:end]` is each one's text.

    A heading begins a passage. Code is cut only between lines, a table only between rows, and
    prose that is too long between sentences.
    """
    found: list[FoundPassage] = []
    path: list[tuple[int, str]] = []
    open_parts: list[_Part] = []

    def close() -> None:
        if open_parts:
            headings = tuple(heading for _, heading in path if heading)
            found.append(
                FoundPassage(
                    ordinal=len(found),
                    start=open_parts[0].start,
                    end=open_parts[-1].end,
                    headings=headings,
                )
            )
            open_parts.clear()

    for part in _parts(text):
        if part.level and any(not one.level for one in open_parts):
            close()
        for piece in _pieces(text, part):
            if open_parts and piece.end - open_parts[0].start > TARGET:
                close()
            if part.level:
                path = [*(above for above in path if above[0] < part.level)]
                path.append((part.level, part.heading))
            open_parts.append(piece)
    close()
    return tuple(found)


def _parts(text: str) -> Iterator[_Part]:
    """Yield headings, and all that stands together between blank lines."""
    begun: _Part | None = None
    for block in blocks(text):
        if begun and (block.level or not block.is_joined):
            yield begun
            begun = None
        if block.level:
            heading = plain(text[block.said.start : block.said.end]).strip()
            yield _Part(block.start, block.end, block.level, heading)
        else:
            begun = _Part(begun.start if begun else block.start, block.end)
    if begun:
        yield begun


def _pieces(text: str, part: _Part) -> Iterator[_Part]:
    """Yield a part, in pieces if it is too long: whole lines as far as they fit."""
    if part.end - part.start <= TARGET or part.level:
        yield part
        return
    begun, last = part.start, part.start
    for line in lines(text, part.start, part.end):
        if line.end - begun > TARGET and last > begun:
            yield _Part(begun, last)
            begun = line.start
        if line.end - line.start > TARGET:
            *pieces, final = _line_pieces(text, line)
            yield from pieces
            begun = final.start
        last = line.end
    yield _Part(begun, last)


def _line_pieces(text: str, line: Span) -> Iterator[_Part]:
    start, end = line.start, line.end
    if is_row(text, line) and end - start <= _LONGEST_ROW:
        yield _Part(start, end)
        return
    while end - start > TARGET:
        stop, following = _break(text, start, start + TARGET)
        yield _Part(start, stop)
        start = following
    yield _Part(start, end)


def _break(text: str, start: int, limit: int) -> tuple[int, int]:
    """Return where a piece of a long line ends and where the next begins.

    The last sentence or word that ends in the second half is taken, else the limit itself.
    """
    half = (start + limit) // 2
    *_, last, following = [None, None, *sentences(text, half, limit)]
    if last and following:
        return last.end, following.start
    ends = [found for found in _SPACE.finditer(text, half, limit) if found.end() < limit]
    return (ends[-1].start(), ends[-1].end()) if ends else (limit, limit)
