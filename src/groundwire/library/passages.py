"""Cuts a Markdown text into passages at the boundaries of its blocks."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from groundwire.library.model import FoundPassage
from groundwire.library.words import plain

TARGET = 1_500
"""How many characters a passage may have; only a row of a table may be longer."""

_LONGEST_ROW = 4 * TARGET
_MARKS = r"(?:[ >\t]|[-*+] |\d{1,9}[.)] )*"
_FENCE = re.compile(_MARKS + r"(?P<fence>`{3,}|~{3,})")
_HEADING = re.compile(r" {0,3}(?P<level>#{1,6})(?:[ \t]+(?P<text>.*?))?(?:[ \t]+#+)?[ \t]*")
_UNDERLINE = re.compile(r"([=\-~^\"'*+#])\1{2,}[ \t]*")
_ROW = re.compile(_MARKS + r"\|")
_SENTENCE_END = re.compile(r"[.!?…][\"'”’)\]*_`]*\s+")
_SPACE = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class _Block:
    """Lines that belong together; `level` is a heading's, 0 for anything else."""

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
    open_blocks: list[_Block] = []

    def close() -> None:
        if open_blocks:
            headings = tuple(heading for _, heading in path if heading)
            found.append(
                FoundPassage(
                    ordinal=len(found),
                    start=open_blocks[0].start,
                    end=open_blocks[-1].end,
                    headings=headings,
                )
            )
            open_blocks.clear()

    for block in _blocks(text):
        if block.level and any(not one.level for one in open_blocks):
            close()
        for piece in _pieces(text, block):
            if open_blocks and piece.end - open_blocks[0].start > TARGET:
                close()
            if block.level:
                path = [*(above for above in path if above[0] < block.level)]
                path.append((block.level, block.heading))
            open_blocks.append(piece)
    close()
    return tuple(found)


def _blocks(text: str) -> Iterator[_Block]:
    """Yield the blocks of a text: headings, code in fences, and what blank lines keep apart."""
    begun: int | None = None
    last = 0
    fence = ""
    for start, end in _lines(text):
        line = text[start:end]
        if fence:
            last = end
            if _closes(line, fence):
                fence = ""
            continue
        is_blank, opening = not line.strip(), _FENCE.match(line)
        heading = None if opening else _HEADING.fullmatch(line)
        if begun is not None and (is_blank or heading):
            yield _block(text, begun, last)
            begun = None
        if heading:
            yield _Block(start, end, len(heading["level"]), plain(heading["text"] or "").strip())
        elif not is_blank:
            begun, last = (start if begun is None else begun), end
            fence = opening["fence"] if opening else ""
    if begun is not None:
        yield _block(text, begun, last)


def _lines(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    while start <= len(text):
        end = text.find("\n", start)
        end = len(text) if end < 0 else end
        yield start, end
        start = end + 1


def _closes(line: str, fence: str) -> bool:
    bare = line.strip(" >\t")
    return len(bare) >= len(fence) and not bare.strip(fence[0])


def _block(text: str, start: int, end: int) -> _Block:
    """Return a block, which is a heading if its last line does nothing but underline the other."""
    lines = text[start:end].split("\n", 3)
    if len(lines) == 3 and lines[0] == lines[2]:  # A title between two lines, as in reST.
        lines = lines[1:]
    if len(lines) == 2 and _UNDERLINE.fullmatch(lines[1]) and not _ROW.match(lines[0]):
        level = {"=": 1, "-": 2}.get(lines[1][0], 3)
        return _Block(start, end, level, plain(lines[0]).strip())
    return _Block(start, end)


def _pieces(text: str, block: _Block) -> Iterator[_Block]:
    """Yield a block, in parts if it is too long: whole lines as far as they fit."""
    if block.end - block.start <= TARGET or block.level:
        yield block
        return
    begun, last = block.start, block.start
    for line_start, line_end in _lines(text[block.start : block.end]):
        start, end = block.start + line_start, block.start + line_end
        if end - begun > TARGET and last > begun:
            yield _Block(begun, last)
            begun = start
        if end - start > TARGET:
            *parts, final = _line_parts(text, start, end)
            yield from parts
            begun = final.start
        last = end
    yield _Block(begun, last)


def _line_parts(text: str, start: int, end: int) -> Iterator[_Block]:
    if _ROW.match(text, start, end) and end - start <= _LONGEST_ROW:
        yield _Block(start, end)
        return
    while end - start > TARGET:
        stop, following = _break(text, start, start + TARGET)
        yield _Block(start, stop)
        start = following
    yield _Block(start, end)


def _break(text: str, start: int, limit: int) -> tuple[int, int]:
    """Return where a part of a long line ends and where the next begins.

    The last sentence or word that ends in the second half is taken, else the limit itself.
    """
    half = (start + limit) // 2
    for pattern in (_SENTENCE_END, _SPACE):
        ends = [found for found in pattern.finditer(text, half, limit) if found.end() < limit]
        if ends:
            spaces = len(ends[-1][0]) - len(ends[-1][0].rstrip())
            return ends[-1].end() - spaces, ends[-1].end()
    return limit, limit
