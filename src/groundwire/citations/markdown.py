"""Reads Markdown as it arrives, just enough to know where a marker must not stand.

Lines are classified first (fences, indented code, blank lines, list items), then each paragraph
is scanned for what is inline. The result does not depend on how the text was cut into pieces.

It is a reader of its own beside `text.markdown`, which takes a whole text apart: here a line is
decided before its end has come, what may still become a link is held back, and what is asked is
where code and links lie within a paragraph, not what its blocks say.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from functools import partial

import regex

from groundwire.citations.inline import InlineScan, Region, RegionKind

_FENCE = regex.compile(
    r"[ \t>]{0,80}(?:(?:[-*+]|\d{1,9}[.)])[ \t]{1,8}){0,3}"
    r"(?:(?P<ticks>`{3,64})(?!`)[^`\n]{0,1000}|(?P<tildes>~{3,64})[^\n]{0,1000})\n"
)
_BLANK = regex.compile(r"[ \t\r>]{0,200}\n")
_ITEM = regex.compile(r"[ \t]{0,80}(?:(?P<list>[-*+]|\d{1,9}[.)])[ \t\r\n]|#{1,6}[ \t]|>)")
_INDENT = regex.compile(r" {4}| {0,3}\t")

# How much decided text is kept before it is forgotten, and how much of it then: what follows may
# depend on the last characters.
_MAX_DECIDED = 4096
_LOOK_BEHIND = 2

# What might turn out to be replaced by a marker, so that it is not shown before it is settled.
_CANDIDATE = regex.compile(r"\(?\[|!\[|\($|【|[\ue200-\ue206]")


class _Line(Enum):
    UNCLEAR = "more text could decide otherwise"
    BLANK = "blank"
    FENCE = "fence"
    ITEM = "starts a list item, heading or quote"
    TEXT = "text"


class _Mode(Enum):
    LINE = "at the start of a line"
    SKIP = "inside a line of code"
    INLINE = "inside a paragraph"


@dataclass(slots=True)
class Scanner:
    """Finds the regions of a text that is fed in pieces.

    `regions` are those that no further text can change, `starts` where they start; all before
    `settled` are there. Positions count characters from the first piece.
    """

    regions: list[Region] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)
    _buffer: str = ""
    _base: int = 0  # The position of the buffer's first character.
    _at: int = 0  # The index in the buffer from which nothing is decided.
    _mode: _Mode = _Mode.LINE
    _is_final: bool = False
    _inline: InlineScan = field(default_factory=partial(InlineScan, 0))
    _paragraph_start: int = 0
    _lines_known: int = 0  # Up to here every line belongs to the paragraph.
    _fence: str = ""
    _block_start: int | None = None
    _block_end: int = 0
    _follows_blank: bool = True
    _in_list: bool = False

    @property
    def settled(self) -> int:
        """Return the position before which every region is known, while text arrives."""
        return self._base + self._at if self._block_start is None else self._block_start

    @property
    def showable(self) -> int:
        """Return the position up to which nothing can still turn into a marker."""
        candidate = _CANDIDATE.search(self._buffer, self._at)
        return self._base + (candidate.start() if candidate else len(self._buffer))

    def feed(self, text: str) -> None:
        """Take the next piece."""
        if self._at > _MAX_DECIDED:
            self._cut(self._at - _LOOK_BEHIND)
        is_inside = self._mode is _Mode.INLINE and self._at == len(self._buffer)
        is_new_line = self._buffer.endswith("\n")
        self._buffer += text
        # Most pieces only make the paragraph longer, and that is cheap.
        if is_inside and not is_new_line and self._inline.pass_over(self._buffer, text):
            self._at = len(self._buffer)
        else:
            self._advance()

    def finish(self) -> None:
        """Decide everything that was left open."""
        self._is_final = True
        self._advance()
        if self._fence:
            self._block_end = self._base + len(self._buffer)
        self._close_block(is_open_ended=bool(self._fence))

    def _cut(self, count: int) -> None:
        """Forget what is decided."""
        self._buffer = self._buffer[count:]
        self._base += count
        self._at -= count
        self._lines_known -= count
        self._inline.shift(count)

    def _advance(self) -> None:
        while self._at < len(self._buffer):
            if self._mode is _Mode.SKIP:
                self._skip_line()
            elif self._mode is _Mode.INLINE:
                if not self._read_inline():
                    return
            elif not (self._read_fenced_line() if self._fence else self._start_line()):
                return

    def _skip_line(self) -> None:
        after = self._buffer.find("\n", self._at) + 1
        self._at = after or len(self._buffer)
        self._block_end = self._base + self._at
        if after:
            self._mode = _Mode.LINE

    def _read_fenced_line(self) -> bool:
        """Skip a line of code or take the closing fence; return false if that is unclear."""
        length = len(self._fence)
        closing = rf"[ \t>]{{0,80}}{self._fence[0]}{{{length},64}}[ \t\r]{{0,80}}\n"
        match, is_cut = self._match_line(regex.compile(closing), self._at)
        if is_cut:
            return False
        if match is None:
            self._mode = _Mode.SKIP
            return True
        self._at = min(self._at + len(match.group()), len(self._buffer))
        self._block_end = self._base + self._at
        self._fence = ""
        self._close_block()
        self._follows_blank = False
        return True

    def _start_line(self) -> bool:
        """Decide what a line is; return false if that is unclear."""
        kind, match = self._classify(self._at)
        if kind is _Line.UNCLEAR:
            return False
        line_end = min(self._at + (len(match.group()) if match else 0), len(self._buffer))
        may_be_code = self._block_start is not None or self._follows_blank
        if kind is _Line.BLANK:
            self._at = line_end
            self._follows_blank = True
        elif may_be_code and not self._in_list and _INDENT.match(self._buffer, self._at):
            if self._block_start is None:
                self._block_start = self._base + self._at
            self._mode = _Mode.SKIP
        elif kind is _Line.FENCE and match is not None:
            self._close_block()
            self._block_start = self._base + self._at
            self._fence = match["ticks"] or match["tildes"]
            self._at = line_end
        else:
            self._close_block()
            self._note_list(kind, match)
            self._mode = _Mode.INLINE
            self._paragraph_start = self._base + self._at
            self._lines_known = self._at
            self._inline = InlineScan(self._at)
        return True

    def _note_list(self, kind: _Line, match: regex.Match[str] | None) -> None:
        """Remember whether indented lines belong to a list item."""
        if kind is _Line.ITEM and match is not None and match["list"]:
            self._in_list = True
        elif not self._buffer[self._at].isspace() and (kind is _Line.ITEM or self._follows_blank):
            self._in_list = False
        self._follows_blank = False

    def _close_block(self, *, is_open_ended: bool = False) -> None:
        if self._block_start is not None:
            block = Region(RegionKind.BLOCK, self._block_start, self._block_end)
            block.is_open_ended = is_open_ended
            self.regions.append(block)
            self.starts.append(block.start)
            self._block_start = None

    def _classify(self, at: int) -> tuple[_Line, regex.Match[str] | None]:
        for kind, pattern in (
            (_Line.FENCE, _FENCE),
            (_Line.BLANK, _BLANK),
            (_Line.ITEM, _ITEM),
        ):
            match, is_cut = self._match_line(pattern, at)
            if is_cut:
                return _Line.UNCLEAR, None
            if match is not None:
                return kind, match
        return _Line.TEXT, None

    def _match_line(
        self, pattern: regex.Pattern[str], at: int
    ) -> tuple[regex.Match[str] | None, bool]:
        """Return a match at the start of a line, and whether more text could still make one."""
        if self._is_final:
            line_end = self._buffer.find("\n", at)
            if line_end < 0:
                # The end of the text ends its last line.
                return pattern.match(self._buffer[at:] + "\n"), False
        match = pattern.match(self._buffer, at, partial=not self._is_final)
        is_cut = match is not None and match.partial
        return (None if is_cut else match), is_cut

    def _read_inline(self) -> bool:
        """Scan the paragraph as far as it is there; return false if it may go on."""
        is_new = self._base + self._at == self._paragraph_start
        if not is_new and self._buffer[self._at - 1] == "\n":
            kind, _ = self._classify(self._at)
            if kind is _Line.UNCLEAR:
                return False
            if kind is not _Line.TEXT:
                self._mode = _Mode.LINE
                return True
        end, is_closed = self._end_of_paragraph()
        self._at, regions = self._inline.run(self._buffer, end, closed=is_closed)
        for region in regions:
            region.shift(self._base)
            self.starts.append(region.start)
        self.regions += regions
        if is_closed:
            self._mode = _Mode.LINE
        return is_closed

    def _end_of_paragraph(self) -> tuple[int, bool]:
        """Return how far the paragraph goes, and whether it is known to end there."""
        after = self._buffer.find("\n", max(self._at, self._lines_known)) + 1
        while after:
            if after == len(self._buffer):
                return after, self._is_final
            kind, _ = self._classify(after)
            if kind is not _Line.TEXT:
                return after, kind is not _Line.UNCLEAR
            self._lines_known = after
            after = self._buffer.find("\n", after) + 1
        return len(self._buffer), self._is_final


def scan(text: str) -> list[Region]:
    """Return the regions of a whole text."""
    scanner = Scanner()
    scanner.feed(text)
    scanner.finish()
    return scanner.regions
