"""A page in Markdown as blocks and sentences, every one of them a slice of the page.

Code, headings, list items and the rows of tables are kept apart. A short line that ends in no
full stop and stands above a paragraph is its label: documentation names options and functions so.
Bold words that a paragraph begins with are its label too.
A row is quoted whole and named by its first cell, code in pieces that fit an answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from groundwire.text.markdown import BlockKind, MarkdownBlock, blocks, lines
from groundwire.text.sentences import sentences
from groundwire.text.span import Span

_CELL = re.compile(r"(?:[^|\\`]|\\.|`[^`]*`|`)+")
_LEAD = re.compile(r"\*\*([^*\n]{2,80})\*\*")
_LABEL_LENGTH = 160
MAX_CODE = 400
"""So much code is quoted at once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TextBlock:
    """Sentences that belong together, under headings.

    `headings` are slices too, outermost first; `label` is the line that names the block, None if
    it has none. `opens` if it is the first below either. `code` is what stands right below it in
    a fence. If `is_code` it is itself code, and its sentences are pieces of it. If `is_row` it is a
    row of a table whose label is its first cell. `head` is of every row what names the columns,
    empty if nothing does, and None of all else.
    """

    start: int
    end: int
    headings: tuple[Span, ...] = ()
    label: Span | None = None
    opens: bool = False
    sentences: tuple[Span, ...] = ()
    code: Span | None = None
    is_code: bool = False
    is_row: bool = False
    head: Span | None = None


@dataclass(slots=True)
class _Piece:
    kind: BlockKind
    start: int
    end: int
    level: int = 0
    row: Span | None = None
    head: Span | None = None


def blocks_of(text: str) -> list[TextBlock]:
    """Return the blocks of a page that can be quoted, in order."""
    found: list[TextBlock] = []
    path: list[tuple[int, Span]] = []
    labels: list[Span] = []
    opens = True
    pieces = [*_pieces(text)]
    for place, piece in enumerate(pieces):
        span = Span(piece.start, piece.end)
        if piece.kind is BlockKind.HEADING:
            path = [above for above in path if above[0] < piece.level] + [(piece.level, span)]
            labels, opens = [], True
            continue
        is_code = piece.kind is BlockKind.CODE
        following = pieces[place + 1] if place + 1 < len(pieces) else None
        is_prose = piece.kind not in (BlockKind.ROW, BlockKind.CODE)
        if is_prose and _is_label(text[piece.start : piece.end], following):
            # Several in a row name the same: `-f` and `--force`.
            labels = [*labels, span] if _follows_label(labels, pieces, place) else [span]
            opens = True
            continue
        own_label = _lead(text, piece) if is_prose else piece.row
        leads = not is_code and following is not None and following.kind is BlockKind.CODE
        found.append(
            TextBlock(
                start=piece.start,
                end=piece.end,
                headings=tuple(heading for _, heading in path),
                label=Span(labels[0].start, labels[-1].end) if labels else own_label,
                opens=opens or piece.row is not None,
                sentences=_parts(text, piece),
                code=Span(following.start, following.end) if leads and following else None,
                is_code=is_code,
                is_row=piece.row is not None and not labels,
                head=piece.head,
            )
        )
        opens = opens and is_code
    return found


def _parts(text: str, piece: _Piece) -> tuple[Span, ...]:
    """Return what of a piece is quoted by itself."""
    if piece.kind is BlockKind.CODE:
        return tuple(_code_parts(text, piece))
    if piece.row is not None:
        return (Span(piece.start, piece.end),)
    return tuple(sentences(text, piece.start, piece.end))


def _code_parts(text: str, piece: _Piece) -> Iterator[Span]:
    """Yield whole lines of code, as many as fit; a line that is too long is left out."""
    begun = last = piece.start
    for line in lines(text, piece.start, piece.end):
        if line.end - begun > MAX_CODE:
            if last > begun:
                yield Span(begun, last)
            begun = line.start if line.end - line.start <= MAX_CODE else line.end + 1
        last = line.end
    if text[begun:last].strip():
        yield Span(begun, last)


def _lead(text: str, piece: _Piece) -> Span | None:
    """Return the bold words with which a paragraph begins: they name what it is about."""
    found = _LEAD.match(text, piece.start, piece.end)
    return Span(found.start(1), found.end(1)) if found and found.end() < piece.end else None


def _follows_label(labels: list[Span], pieces: list[_Piece], place: int) -> bool:
    return bool(labels) and place > 0 and pieces[place - 1].end == labels[-1].end


def _is_label(text: str, following: _Piece | None) -> bool:
    if following is None or following.kind is BlockKind.HEADING:
        return False
    return len(text) < _LABEL_LENGTH and text.rstrip("*_`)")[-1:] not in ".!?:;,。"


def _pieces(text: str) -> Iterator[_Piece]:
    """Yield headings, code, paragraphs, items and rows, without the marks in front of them."""
    head: Span | None = None
    every = [*blocks(text)]
    for place, block in enumerate(every):
        if block.kind is BlockKind.ROW:
            if _is_head(every[place : place + 3]):
                head = block.said
            elif row := _row(text, block, head):
                yield row
        elif block.kind is not BlockKind.RULE:
            head = None
            yield _Piece(block.kind, block.said.start, block.said.end, block.level)


def columns(row: str) -> int:
    """Return how many cells a row of a table has."""
    return len(_CELL.findall(row))


def _is_head(rows: list[MarkdownBlock]) -> bool:
    """Tell whether the first of these names the columns of a table: a rule and a row follow."""
    kinds = [row.kind for row in rows[1:]]
    return kinds == [BlockKind.RULE, BlockKind.ROW] and all(row.is_joined for row in rows[1:])


def _row(text: str, block: MarkdownBlock, head: Span | None) -> _Piece | None:
    """Return a row from its first cell with words to its last, None if it has none."""
    cells = []
    for cell in _CELL.finditer(text, block.said.start, block.said.end):
        words = cell[0]
        if words.strip():
            left = cell.start() + len(words) - len(words.lstrip())
            cells.append(Span(left, cell.end() - (len(words) - len(words.rstrip()))))
    if not cells:
        return None
    start = cells[0].start
    head = head or Span(start, start)
    return _Piece(block.kind, start, cells[-1].end, row=cells[0], head=head)
