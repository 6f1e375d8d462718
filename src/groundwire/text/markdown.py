"""Markdown as blocks, each a slice of the text, and as what a person reads of it.

The library cuts passages at these blocks, the extractive model quotes from them, and checks name
the heading above a passage by them. Markdown that is still arriving is another job: what may yet
become a link is not shown, and `citations.markdown` reads it piece by piece.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import Enum, auto
from itertools import takewhile
from typing import NamedTuple

from groundwire.text.span import Span

LINK_TARGET = r"\]\((?:[^()\s]|\([^()\s]*+\))*+(?:\s\"[^\"\n]*+\")?\)"
"""The end of a link, with where it leads."""

LINK = re.compile(rf"!?\[((?:[^\[\]]|\[[^\[\]]*+\])*+){LINK_TARGET}")
"""A link or picture; its group is what a person reads of it."""

PAGE_BREAK = "\n\n---\n\n"
"""What stands between two pages of a document, or two slides."""

_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")
_SIGNS = re.compile(r"(?m)^ {0,3}#{1,6}[ \t]+|\*\*|^ {0,3}(?:`{3,}|~{3,}).*$")

_IN_FRONT = r"(?:[ >\t]|[-*+] |\d{1,9}[.)] )*+"
_FENCE = re.compile(_IN_FRONT + r"(`{3,}|~{3,})")
_ROW = re.compile(_IN_FRONT + r"(?=\|)")
_HEADING = re.compile(r" {0,3}(#{1,6})(?=[ \t]|$)")
_UNDERLINE = re.compile(r"([=\-~^\"'*+#])\1{2,}[ \t]*")
_RULE = re.compile(r"[\s|:=~_*-]*+$")
_ITEM = re.compile(r"\s*(?:[-*+]|\d{1,9}[.)])[ \t]+")
_QUOTE = re.compile(r"\s*(?:>[ \t]?)+")
_CLOSING = re.compile(r"(?m)^[ \t>]*+(`{3,})")
# A line that begins otherwise goes on with a paragraph, or begins one.
_TELLING = frozenset("`~>-*+|#0123456789")


class BlockKind(Enum):
    """What a block is; a list has one block for each item, a table one for each row.

    A rule is a line of signs that parts what stands around it, in tables too.
    """

    HEADING = auto()
    CODE = auto()
    ROW = auto()
    ITEM = auto()
    PROSE = auto()
    RULE = auto()


_KINDS = (
    (_FENCE, BlockKind.CODE),
    (_HEADING, BlockKind.HEADING),
    (_ROW, BlockKind.ROW),
    (_ITEM, BlockKind.ITEM),
)


class MarkdownBlock(NamedTuple):
    """Lines that belong together, from the start of the first to the end of the last.

    `said` is without the marks around it: of code what stands in the fence, of a row all from
    its first bar. `level` is a heading's. `is_joined` if no blank line stands before the block.
    """

    kind: BlockKind
    start: int
    end: int
    said: Span
    level: int = 0
    is_joined: bool = False


def blocks(text: str) -> Iterator[MarkdownBlock]:
    """Yield the blocks of a text; only blank lines are in none of them."""
    open_lines: list[Span] = []
    is_joined = False
    rest = lines(text)
    for line in rest:
        kind = _kind(text, line)
        if open_lines and kind is not BlockKind.PROSE:
            yield from _paragraph(text, open_lines, is_joined=is_joined)
            open_lines, is_joined = [], True
        if kind is None:
            is_joined = False
        elif kind in (BlockKind.PROSE, BlockKind.ITEM):
            open_lines.append(line)
        else:
            yield _single(text, kind, line, rest, is_joined=is_joined)
            is_joined = True
    if open_lines:
        yield from _paragraph(text, open_lines, is_joined=is_joined)


def headings(text: str) -> Iterator[MarkdownBlock]:
    """Yield the headings of a text."""
    return (block for block in blocks(text) if block.kind is BlockKind.HEADING)


def plain(markdown: str) -> str:
    """Return what a person reads in Markdown: words of links without their addresses, no marks.

    What the library indexes depends on it: who changes it raises `library.index.FORMS`.
    """
    return _ESCAPED.sub(r"\1", _SIGNS.sub("", LINK.sub(r"\1", markdown)))


def fence_for(code: str) -> str:
    """Return a fence that nothing in the code closes."""
    longest = max((len(run) for run in _CLOSING.findall(code)), default=2)
    return "`" * (longest + 1)


def lines(text: str, start: int = 0, end: int | None = None) -> Iterator[Span]:
    """Yield the lines of a text, or of a stretch of it, without what ends them."""
    last = len(text) if end is None else end
    while start < last:
        newline = text.find("\n", start, last)
        stop = last if newline < 0 else newline
        yield Span(start, stop)
        start = stop + 1


def is_row(text: str, line: Span) -> bool:
    """Tell whether a line is a row of a table."""
    return _ROW.match(text, line.start, line.end) is not None


def _kind(text: str, line: Span) -> BlockKind | None:
    """Return what a line begins or goes on with, None if it is blank."""
    first = text[line.start : line.start + 1]
    if first not in _TELLING and not first.isspace():
        return BlockKind.PROSE  # Most lines: they are not looked at any further.
    words = text[line.start : line.end]
    if not (bare := words.lstrip()):
        return None
    kinds = _KINDS if bare[0] in _TELLING else ()
    kind = next((kind for pattern, kind in kinds if pattern.match(words)), BlockKind.PROSE)
    return BlockKind.RULE if kind is BlockKind.ROW and _RULE.match(words) else kind


def _single(
    text: str, kind: BlockKind, line: Span, rest: Iterator[Span], *, is_joined: bool
) -> MarkdownBlock:
    """Return the block that a line is or, if it opens a fence, begins."""
    if kind is BlockKind.CODE:
        return _code(text, line, rest, is_joined=is_joined)
    level, said = 0, line
    if kind is BlockKind.HEADING and (marks := _HEADING.match(text, line.start, line.end)):
        level, said = len(marks[1]), _title(text, marks.end(), line.end)
    elif kind is BlockKind.ROW and (marks := _ROW.match(text, line.start, line.end)):
        said = Span(marks.end(), line.end)
    return MarkdownBlock(
        kind=kind, start=line.start, end=line.end, said=said, level=level, is_joined=is_joined
    )


def _title(text: str, start: int, end: int) -> Span:
    """Return the words of a heading, without space around them and signs that close it."""
    words = text[start:end].rstrip(" \t")
    bare = words.rstrip("#")
    if not bare or bare[-1] in " \t":
        words = bare.rstrip(" \t")
    first = len(words) - len(words.lstrip(" \t"))
    return Span(start + first, start + max(first, len(words)))


def _code(text: str, line: Span, rest: Iterator[Span], *, is_joined: bool) -> MarkdownBlock:
    """Take the lines up to the end of a fence; one that never ends goes to the end."""
    opening = _FENCE.match(text, line.start, line.end)
    fence = opening[1] if opening else "```"
    first = last = min(line.end + 1, len(text))
    end = line.end
    for following in rest:
        end = following.end
        bare = text[following.start : end].strip(" >\t")
        if len(bare) >= len(fence) and not bare.strip(fence[0]):
            break
        last = end
    said = Span(first, last)
    return MarkdownBlock(
        kind=BlockKind.CODE, start=line.start, end=end, said=said, is_joined=is_joined
    )


def _paragraph(text: str, held: list[Span], *, is_joined: bool) -> Iterator[MarkdownBlock]:
    """Yield a paragraph, an item or a heading that is underlined; rules above it stand alone."""
    if heading := _underlined(text, held, is_joined=is_joined):
        yield heading
        return
    rules = [*takewhile(lambda line: _RULE.match(text, line.start, line.end), held)]
    for rule in rules:
        yield MarkdownBlock(
            kind=BlockKind.RULE, start=rule.start, end=rule.end, said=rule, is_joined=is_joined
        )
        is_joined = True
    if len(rules) == len(held):
        return
    first, last = held[len(rules)], held[-1]
    words = text[first.start : first.end]
    item = _ITEM.match(words)
    mark = item or _QUOTE.match(words)
    begun = first.start + (mark.end() if mark else len(words) - len(words.lstrip()))
    yield MarkdownBlock(
        kind=BlockKind.ITEM if item else BlockKind.PROSE,
        start=first.start,
        end=last.end,
        said=Span(begun, max(begun, last.start + len(text[last.start : last.end].rstrip()))),
        is_joined=is_joined,
    )


def _underlined(text: str, held: list[Span], *, is_joined: bool) -> MarkdownBlock | None:
    """Return a heading whose last line does nothing but underline the other, as in plain text."""
    if not 2 <= len(held) <= 3:
        return None
    *above, title, under = (text[line.start : line.end] for line in held)
    if above and above[0] != under:  # A title between two lines, as in reST.
        return None
    is_plain = not (_RULE.match(title) or _ITEM.match(title) or _QUOTE.match(title))
    if not is_plain or not _UNDERLINE.fullmatch(under):
        return None
    place = held[-2].start + len(title) - len(title.lstrip())
    return MarkdownBlock(
        kind=BlockKind.HEADING,
        start=held[0].start,
        end=held[-1].end,
        said=Span(place, place + len(title.strip())),
        level={"=": 1, "-": 2}.get(under[0], 3),
        is_joined=is_joined,
    )
