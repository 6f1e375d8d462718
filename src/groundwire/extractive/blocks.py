"""A page in Markdown as blocks and sentences, every one of them a slice of the page.

Code, headings, list items and the cells of tables are kept apart. A short line that ends in no
full stop and stands above a paragraph is its label: documentation names options and functions so.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from groundwire.text.markdown import Block, BlockKind, blocks
from groundwire.text.sentences import sentences
from groundwire.text.span import Span

_CELL = re.compile(r"(?:[^|\\`]|\\.|`[^`]*`|`)+")
_LABEL_LENGTH = 160


@dataclass(frozen=True, slots=True, kw_only=True)
class TextBlock:
    """Sentences that belong together, under headings.

    `headings` are slices too, outermost first; `label` is the line that names the block, None if
    it has none. `opens` if it is the first below either. `code` is what stands right below it in
    a fence.
    """

    start: int
    end: int
    headings: tuple[Span, ...] = ()
    label: Span | None = None
    opens: bool = False
    sentences: tuple[Span, ...] = ()
    code: Span | None = None


@dataclass(slots=True)
class _Piece:
    kind: BlockKind
    start: int
    end: int
    level: int = 0
    row: Span | None = None


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
        if piece.kind is BlockKind.CODE:
            continue
        following = pieces[place + 1] if place + 1 < len(pieces) else None
        if piece.kind is not BlockKind.ROW and _is_label(text[piece.start : piece.end], following):
            # Several in a row name the same: `-f` and `--force`.
            labels = [*labels, span] if _follows_label(labels, pieces, place) else [span]
            opens = True
            continue
        is_code = following is not None and following.kind is BlockKind.CODE
        label = Span(labels[0].start, labels[-1].end) if labels else piece.row
        found.append(
            TextBlock(
                start=piece.start,
                end=piece.end,
                headings=tuple(heading for _, heading in path),
                label=label,
                opens=opens or piece.row is not None,
                sentences=tuple(sentences(text, piece.start, piece.end)),
                code=Span(following.start, following.end) if is_code and following else None,
            )
        )
        opens = False
    return found


def _follows_label(labels: list[Span], pieces: list[_Piece], place: int) -> bool:
    return bool(labels) and place > 0 and pieces[place - 1].end == labels[-1].end


def _is_label(text: str, following: _Piece | None) -> bool:
    if following is None or following.kind is BlockKind.HEADING:
        return False
    return len(text) < _LABEL_LENGTH and text.rstrip("*_`)")[-1:] not in ".!?:;,。"


def _pieces(text: str) -> Iterator[_Piece]:
    """Yield headings, code, paragraphs, items and cells, without the marks in front of them."""
    for block in blocks(text):
        if block.kind is BlockKind.ROW:
            yield from _cells(text, block)
        elif block.kind is not BlockKind.RULE:
            yield _Piece(block.kind, block.said.start, block.said.end, block.level)


def _cells(text: str, block: Block) -> Iterator[_Piece]:
    row: Span | None = None
    for cell in _CELL.finditer(text, block.said.start, block.said.end):
        words = cell[0]
        if words.strip():
            left = cell.start() + len(words) - len(words.lstrip())
            right = cell.end() - (len(words) - len(words.rstrip()))
            yield _Piece(block.kind, left, right, row=row)
            row = row or Span(left, right)
