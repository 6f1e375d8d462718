"""Which words of an answer a marker stands for: the claim that is compared with its page."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from groundwire.checks.plain_text import plain
from groundwire.text.sentences import sentences

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

WINDOW = 2_000
"""So far back a claim may begin."""

REACH = 3 * WINDOW
"""So much text before a claim decides what it is: its line, the block above, and its sentence."""

_MAX_CONTEXT = 600
_MAX_LINES = 200
_MIN_SPAN_WORDS = 3
_MIN_CLAUSE_WORDS = 3
_BETWEEN = " \t\n,;:)\u2013\u2014"
_ITEM = re.compile(r"[ \t>]{0,40}(?:[-*+\u2022\u00b7]|\d{1,9}[.)])[ \t]")
_HEADING = re.compile(
    r"[ \t>]{0,40}(?:#{1,6}[ \t]|(?:\*\*|__)[^*_\n]{1,300}(?:\*\*|__)[ \t]{0,8}:?[ \t]{0,8}$)"
)
_ROW = re.compile(r"[ \t>]{0,40}\||[^|\n]{1,2000}[ ]\|[ ][^|\n]{1,2000}[ ]\|[ ]")
_RULED = re.compile(r"[ \t>|:-]{3,2000}")
_FENCE = re.compile(r"^[ \t>]{0,40}(`{3,64}|~{3,64})[^`\n]{0,1000}$", re.MULTILINE)
_WORD = re.compile(r"[^\W_]{1,100}")
_BLOCK_END = re.compile(
    r"\n[ \t>]{0,40}(?:\n|[-*+\u2022][ \t]|\d{1,9}[.)][ \t]|#{1,6}[ \t]|\||[`~]{3})"
)
_NOT_A_BREAK = re.compile(r"[^\n]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """The words that a marker stands for, without Markdown's signs; "" if there are none.

    `start` and `end` are their place in the given text. `context` is the sentence before, the
    line above a list or the head of a table: it tells names, and is no part of the claim.
    """

    text: str
    start: int
    end: int
    context: str = ""


def claim_at(text: str, position: int, *, start: int | None = None, after: int = 0) -> Claim:
    """Return the claim of a marker that stands at a position of a text without markers.

    It is what the provider's span names from `start` on, else the sentence before the marker,
    within its list item or table row. `after` is where the last marker before this one stands:
    in `one[1] and the other[2]` the second is for the other alone.
    """
    position = max(0, min(position, len(text)))
    if start is not None and 0 <= start < position:
        said = _said(text[start:position])
        if len(_WORD.findall(said)) >= _MIN_SPAN_WORDS:
            context = _Lines(without_code(text), start).context(start)
            return Claim(text=said, start=start, end=position, context=context)
    return _sentence_before(without_code(text), position, after)


def sentence_end(text: str, position: int, *, since: int | None = None) -> int:
    """Return where the sentence ends in which a position lies, within its block.

    One that ends right there is found if the text is read `since` a place before it.
    """
    begin = position if since is None else since
    rest = text[begin : position + WINDOW]
    if block_end := _BLOCK_END.search(rest):
        rest = rest[: block_end.start()]
    if "|" in rest.partition("\n")[0]:
        rest = rest.partition("\n")[0]
    ends = (begin + each.end for each in sentences(rest.replace("\n", " "), 0, len(rest)))
    return next((end for end in ends if end >= position), position)


def _sentence_before(text: str, position: int, after: int) -> Claim:
    low = max(0, position - WINDOW)
    end = low + len(text[low:position].rstrip())
    if end == low:
        return Claim(text="", start=position, end=position)
    lines = _Lines(text, end)
    if lines.is_row:
        return _row(text, lines, end, after)
    begins = lines.sentences(end)
    begin = begins[-1]
    if begin < after < end and len(_WORD.findall(text, after, end)) >= _MIN_CLAUSE_WORDS:
        context = plain(text[max(begin, after - _MAX_CONTEXT) : after])
        after = end - len(text[after:end].lstrip(_BETWEEN))
        return Claim(text=plain(text[after:end]), start=after, end=end, context=context)
    return Claim(text=_said(text[begin:end]), start=begin, end=end, context=lines.context(begin))


def _said(markdown: str) -> str:
    """Return what is said, without the end of a quotation that began before it."""
    said = plain(markdown)
    is_lone = said.endswith("\u201d") and not {"\u201c", "\u201e"} & {*said}
    return said[:-1].rstrip() if is_lone else said


def _row(text: str, lines: _Lines, marker: int, after: int) -> Claim:
    """Return a table row up to the marker; all of it if the marker stands in its first cell."""
    begin, end = lines.start, lines.end
    if "|" in text[begin:marker].strip().strip("|"):
        end = marker
        if begin < after < marker and len(_WORD.findall(text, after, marker)):
            begin = after
    return Claim(text=plain(text[begin:end]), start=begin, end=end, context=lines.context(begin))


class _Lines:
    """The lines of a text around a place: the block that it lies in, and what stands above."""

    def __init__(self, text: str, place: int) -> None:
        self._text = text
        self._low = max(0, place - WINDOW)
        self.start = self._line_start(place)
        newline = text.find("\n", place, place + WINDOW)
        self.end = newline if newline >= 0 else min(len(text), place + WINDOW)
        self.is_row = _is_row(text[self.start : self.end])
        if not self.is_row:
            self.start = self._block_start(self.start)

    def sentences(self, end: int) -> list[int]:
        """Return where the sentences of the block begin that end before a place."""
        # A line break within a paragraph ends no sentence.
        block = self._text[self.start : end].replace("\n", " ")
        lead = _ITEM.match(block)
        offset = lead.end() if lead else 0
        found = sentences(block, offset, len(block))
        return [self.start + each.start for each in found] or [self.start]

    def context(self, begin: int) -> str:
        """Return what stands before a claim: a sentence, a line above a list, a table's head."""
        if self.is_row:
            return self._above(_is_row, last=True)
        lead = _ITEM.match(self._text, self.start)
        # The number of an item is nothing that was said before it.
        first = lead.end() if lead else self.start
        end = first + len(self._text[first:begin].rstrip())
        if _WORD.search(self._text, first, end):
            return plain(self._text[self.sentences(end)[-1] : end][-_MAX_CONTEXT:])
        return self._above(_is_item if lead else None)

    def _above(self, skipped: Callable[[str], bool] | None = None, *, last: bool = False) -> str:
        """Return the last sentence above, past lines of one kind; or the topmost of those."""
        at, line = self.start, ""
        for _ in range(_MAX_LINES):
            if at <= self._low:
                return plain(line) if last else ""
            previous = self._line_start(at - 1)
            above = self._text[previous : at - 1]
            at = previous
            if skipped is not None and (skipped(above) or _RULED.fullmatch(above)):
                line = above if skipped(above) and not _RULED.fullmatch(above) else line
                continue
            if last:
                return plain(line)
            if above.strip() and not (skipped and above.startswith((" ", "\t"))):
                return self._last_sentence(previous + len(above.rstrip()))
        return ""

    def _last_sentence(self, end: int) -> str:
        lines = _Lines(self._text, end)
        return plain(self._text[lines.sentences(end)[-1] : end][-_MAX_CONTEXT:])

    def _line_start(self, place: int) -> int:
        return max(self._low, self._text.rfind("\n", self._low, place) + 1)

    def _block_start(self, start: int) -> int:
        """Return where the paragraph or list item begins that a line belongs to."""
        text = self._text
        for _ in range(_MAX_LINES):
            if start <= self._low or _ITEM.match(text, start) or _HEADING.match(text, start):
                break
            previous = self._line_start(start - 1)
            above = text[previous : start - 1]
            if not above.strip(" \t>") or _is_row(above) or _HEADING.match(above):
                break
            if above.rstrip().endswith(":"):
                break
            start = previous
        return start


def _is_row(line: str) -> bool:
    return _ROW.match(line) is not None


def _is_item(line: str) -> bool:
    return _ITEM.match(line) is not None


# All claims of an answer ask for the same text, one after the other.
@lru_cache(maxsize=1)
def without_code(text: str) -> str:
    """Return a text of the same length in which blocks of code are blank."""
    if "```" not in text and "~~~" not in text:
        return text
    pieces: list[str] = []
    at = 0
    for start, end in _blocks_of_code(text):
        pieces += (text[at:start], _NOT_A_BREAK.sub(" ", text[start:end]))
        at = end
    return "".join((*pieces, text[at:]))


def line_outside_code(text: str, place: int) -> int:
    """Return where the last line up to a place begins that lies in no block of code."""
    for start, end in _blocks_of_code(text):
        if start < place < end:
            return start
    return text.rfind("\n", 0, place) + 1


def _blocks_of_code(text: str) -> Iterator[tuple[int, int]]:
    opening: re.Match[str] | None = None
    for match in _FENCE.finditer(text):
        if opening is None:
            opening = match
        elif match[1].startswith(opening[1]):
            yield opening.start(), match.end()
            opening = None
    if opening is not None:
        yield opening.start(), len(text)
