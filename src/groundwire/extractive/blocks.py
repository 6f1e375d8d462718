"""A page in Markdown as blocks and sentences, every one of them a slice of the page.

Code, headings, list items and the cells of tables are kept apart. A short line that ends in no
full stop and stands above a paragraph is its label: documentation names options and functions so.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_FENCE = re.compile(r"\s*(?:[-*+] |\d+[.)] |> )*(`{3,}|~{3,})")
_HEADING = re.compile(r" {0,3}(#{1,6})[ \t]+(?=\S)")
_ITEM = re.compile(r"\s*(?:[-*+]|\d{1,9}[.)])[ \t]+")
_QUOTE = re.compile(r"\s*(?:>[ \t]?)+")
_RULE = re.compile(r"[\s|:=~_*-]*$")
_CELL = re.compile(r"(?:[^|\\`]|\\.|`[^`]*`|`)+")
_END = re.compile(r"[.!?…。][\"'”’)\]*_`]*(?=\s|$)")
_ABBREVIATION = re.compile(
    r"(?:\b(?:e\.g|i\.e|etc|vs|cf|Dr|Mr|Mrs|St|No|Fig|approx|resp|incl)|\b[A-Z])\.$"
)
_NEXT = re.compile(r"(?P<space>\s+)[\"'“‘(\[*_`]*(?:[A-Z0-9]|[`*\\<-]|[^\x00-\x7f])")
_LABEL_LENGTH = 160
LONGEST = 2_000
"""What is longer is no sentence that anyone would quote."""


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of the page: a sentence, or lines of code."""

    start: int
    end: int


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
    kind: str  # heading, code, prose or cell
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
        if piece.kind == "heading":
            path = [above for above in path if above[0] < piece.level] + [(piece.level, span)]
            labels, opens = [], True
            continue
        if piece.kind == "code":
            continue
        following = pieces[place + 1] if place + 1 < len(pieces) else None
        if piece.kind == "prose" and _is_label(text[piece.start : piece.end], following):
            # Several in a row name the same: `-f` and `--force`.
            labels = [*labels, span] if _follows_label(labels, pieces, place) else [span]
            opens = True
            continue
        is_code = following is not None and following.kind == "code"
        label = Span(labels[0].start, labels[-1].end) if labels else piece.row
        found.append(
            TextBlock(
                start=piece.start,
                end=piece.end,
                headings=tuple(heading for _, heading in path),
                label=label,
                opens=opens or piece.row is not None,
                sentences=tuple(_sentences(text, piece.start, piece.end)),
                code=Span(following.start, following.end) if is_code and following else None,
            )
        )
        opens = False
    return found


def _follows_label(labels: list[Span], pieces: list[_Piece], place: int) -> bool:
    return bool(labels) and place > 0 and pieces[place - 1].end == labels[-1].end


def _is_label(text: str, following: _Piece | None) -> bool:
    if following is None or following.kind == "heading":
        return False
    return len(text) < _LABEL_LENGTH and text.rstrip("*_`)")[-1:] not in ".!?:;,。"


def _pieces(text: str) -> Iterator[_Piece]:
    """Yield headings, code, paragraphs, items and cells, without the marks in front of them."""
    begun: int | None = None
    last = 0
    lines = _lines(text)
    for start, end in lines:
        line = text[start:end]
        fence = _FENCE.match(line)
        heading = None if fence else _HEADING.match(line)
        is_row = line.lstrip().startswith("|")
        item = _ITEM.match(line)
        if begun is not None and (not line.strip() or fence or heading or is_row or item):
            yield _Piece("prose", begun, last)
            begun = None
        if fence:
            yield _code(text, fence[1], end, lines)
        elif heading:
            words = len(line.rstrip(" \t#"))
            yield _Piece("heading", start + heading.end(), start + words, len(heading[1]))
        elif is_row:
            yield from _cells(text, start, end)
        elif line.strip() and not (begun is None and _RULE.match(line)):
            mark = item or _QUOTE.match(line)
            if begun is None:
                begun = start + (mark.end() if mark else len(line) - len(line.lstrip()))
            last = start + len(line.rstrip())
    if begun is not None:
        yield _Piece("prose", begun, last)


def _lines(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    while start < len(text):
        end = text.find("\n", start)
        end = len(text) if end < 0 else end
        yield start, end
        start = end + 1


def _code(text: str, fence: str, end: int, lines: Iterator[tuple[int, int]]) -> _Piece:
    """Take the lines up to the end of a fence; the piece is what stands between."""
    first = min(end + 1, len(text))
    last = first
    for line_start, line_end in lines:
        bare = text[line_start:line_end].strip(" >\t")
        if len(bare) >= len(fence) and not bare.strip(fence[0]):
            break
        last = line_end
    return _Piece("code", first, max(first, last))


def _cells(text: str, start: int, end: int) -> Iterator[_Piece]:
    if _RULE.match(text, start, end):
        return
    row: Span | None = None
    for cell in _CELL.finditer(text, start, end):
        words = cell[0]
        if words.strip():
            left = cell.start() + len(words) - len(words.lstrip())
            right = cell.end() - (len(words) - len(words.rstrip()))
            yield _Piece("cell", left, right, row=row)
            row = row or Span(left, right)


def _sentences(text: str, start: int, end: int) -> Iterator[Span]:
    """Yield the sentences of a paragraph; one that opens a bracket or code also closes it."""
    begun = start
    for match in _END.finditer(text, start, end):
        stop = match.end()
        if stop >= end:
            break
        following = _NEXT.match(text, stop, end)
        if not following or _ABBREVIATION.search(text, max(begun, stop - 12), stop):
            continue
        # What never closes what it opens is cut all the same, some day.
        if stop - begun < LONGEST and _is_open(text[begun:stop]):
            continue
        yield Span(begun, stop)
        begun = following.end("space")
    if begun < end:
        yield Span(begun, end)


def _is_open(said: str) -> bool:
    pairs = (("[", "]"), ("(", ")"))
    return said.count("`") % 2 == 1 or any(said.count(a) > said.count(b) for a, b in pairs)
