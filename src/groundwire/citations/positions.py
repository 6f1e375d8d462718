"""Where the marker of one citation goes: a local question, the same for a stream and a whole."""

from __future__ import annotations

import unicodedata
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import regex

from groundwire.citations.inline import Region, RegionKind
from groundwire.citations.sources import canonical_url
from groundwire.model import Citation, domain_of

# How much white space at the end of a span is looked back over.
MAX_TRAILING_SPACE = 256

# What stands between two positions of the text.
Window: TypeAlias = Callable[[int, int], str]

_PAGE = 4096

# Text that is safe for streams has at most 30 marks in a row. Beyond this many code points
# a cluster may be cut, which keeps the work for one place bounded.
MAX_CLUSTER = 256

# `regex` does not know yet that a virama ties two Indic consonants (rule GB9c), and Python's
# text may hold the two halves of a surrogate pair as characters.
_VIRAMAS = "\u094d\u09cd\u0acd\u0b4d\u0c4d\u0d4d"
_CLUSTER = regex.compile(
    rf"[\ud800-\udbff][\udc00-\udfff]|\X(?:(?<=[{_VIRAMAS}][\u200c\u200d\p{{Mn}}]*)(?=\p{{Lo}})\X)*"
)
_CARRYING = frozenset({"Mn", "Me", "Mc", "Cf"})

_AFTER_LINK = frozenset(("", ".", ",", ";"))


@dataclass(slots=True, kw_only=True)
class Replacement:
    """A stretch of the original text that a marker replaces; an empty one for most.

    `words_end` is where the words end that the citation supports, None if it names none.
    `link` is the link that becomes the marker.
    """

    start: int
    end: int
    before: str = ""
    after: str = ""
    words_end: int | None = None
    link: Region | None = None


@dataclass(slots=True)
class GrowingText:
    """A growing text of which any stretch can be read without joining all of it."""

    pages: list[str] = field(default_factory=list)
    last: str = ""
    length: int = 0

    def append(self, text: str) -> None:
        """Take the next piece."""
        self.length += len(text)
        whole = self.last + text
        if len(whole) < _PAGE:
            self.last = whole
            return
        full = len(whole) - len(whole) % _PAGE
        self.pages += [whole[at : at + _PAGE] for at in range(0, full, _PAGE)]
        self.last = whole[full:]

    def window(self, start: int, end: int) -> str:
        """Return what stands between two positions."""
        first, last = start // _PAGE, end // _PAGE
        pages = self.pages[first : last + 1]
        if last >= len(self.pages):
            pages.append(self.last)
        return "".join(pages)[start - first * _PAGE : end - first * _PAGE]


@dataclass(slots=True, kw_only=True)
class Ground:
    """A text and what is in it; `length` is how much of it is there, which may grow.

    `starts` are those of the regions: searching plain numbers costs a fraction.
    """

    window: Window
    length: int
    regions: Sequence[Region]
    starts: Sequence[int]

    def region_at(self, position: int) -> Region | None:
        """Return the last region that starts at or before a position."""
        index = bisect_right(self.starts, position) - 1
        return self.regions[index] if index >= 0 else None


def span_of(citation: Citation, length: int) -> tuple[int, int] | None:
    """Return a citation's span with its end clamped, None if it is no place."""
    start, end = citation.start, citation.end
    if type(start) is not int or type(end) is not int:
        return None
    end = min(end, length)
    return (start, end) if 0 <= start < end else None


def locate(ground: Ground, citation: Citation) -> Replacement | None:
    """Return where a citation's marker goes, None if there is no such place."""
    span = span_of(citation, ground.length)
    if span is None:
        return None
    start, end = span
    first = max(start, end - MAX_TRAILING_SPACE)
    spoken = len(ground.window(first, end).rstrip())
    if spoken == 0 and first == start:
        return None
    words_end = first + spoken
    if link := _link_at(ground, citation, start, words_end):
        return instead_of(link, citation, start)
    return insertion(ground, words_end)


def _link_at(ground: Ground, citation: Citation, start: int, end: int) -> Region | None:
    """Return the link that the provider wrote as this very citation."""
    link = ground.region_at(end - 1)
    if link is None or link.kind is not RegionKind.LINK:
        return None
    if ground.window(link.outer_end, end) not in _AFTER_LINK:
        return None
    is_whole_span = start >= link.outer_start
    is_same_page = canonical_url(link.url) == canonical_url(citation.url)
    return link if is_whole_span or is_same_page else None


def instead_of(link: Region, citation: Citation, start: int) -> Replacement:
    """Return the change that makes a link the marker of a citation whose words begin at `start`."""
    change = Replacement(start=link.outer_start, end=link.outer_end, link=link)
    if link.outer_start == link.start and not _names_only_the_source(link, citation):
        # The words of a sentence stay; what goes is the address behind them.
        change.before = link.words
        change.words_end = link.end
    elif start < link.outer_start:
        change.words_end = link.outer_start
    return change


def _names_only_the_source(link: Region, citation: Citation) -> bool:
    """Tell whether a link's words are its host, its address, a number, or nothing."""
    words = link.words.strip().lower().removeprefix("www.")
    names = {domain_of(link.url), citation.domain, link.url.lower(), citation.url.lower(), ""}
    return words in names or words.isdigit()


def insertion(ground: Ground, position: int) -> Replacement | None:
    """Return the nearest safe place at or after a position."""
    words_end = position
    while True:
        region = ground.region_at(position)
        if region is not None and _is_inside(region, position):
            if region.is_open_ended:
                return None
            position = region.outer_end if region.kind is RegionKind.LINK else region.end
        border = end_of_cluster(ground.window, position, ground.length)
        if border == position:
            break
        position = border
    change = Replacement(start=position, end=position, words_end=words_end)
    _keep_markdown_intact(ground, change, ground.region_at(position - 1))
    return change


def _is_inside(region: Region, position: int) -> bool:
    if region.kind is RegionKind.LINK:
        return region.outer_start < position < region.outer_end
    is_after_open_fence = region.is_open_ended and position == region.end
    return region.start < position < region.end or is_after_open_fence


def _keep_markdown_intact(ground: Ground, change: Replacement, previous: Region | None) -> None:
    position = change.start
    following = ground.window(position, min(position + 1, ground.length))
    if previous is not None and previous.kind is RegionKind.BLOCK and previous.end == position:
        if ground.window(position - 1, position) != "\n":
            change.before = "\n"
        if following:
            change.after = "\n" if following in "\r\n" else "\n\n"
        return
    if previous is not None and previous.kind is RegionKind.URL and position <= previous.outer_end:
        # Programs that find addresses would take the marker for a part of this one.
        change.before = " "
    if following == "(":
        change.after = " "


def end_of_cluster(window: Window, position: int, length: int) -> int:
    """Return the position itself, or where the grapheme cluster that it would cut ends."""
    if not 0 < position < length:
        return position
    pair = window(position - 1, position + 1)
    if pair.isascii():
        return position + (pair == "\r\n")
    first = max(0, position - MAX_CLUSTER)
    text = window(first, min(length, position + MAX_CLUSTER))
    border = _certain_border(text, position - first)
    ends = (match.end() for match in _CLUSTER.finditer(text, border))
    while first + border < position:
        border = next(ends)
    return first + border


def _certain_border(text: str, at: int) -> int:
    """Return a place at or before `at` that is a border whatever stands before it."""
    while at > 0 and not _is_certain(text[at - 1], text[at]):
        at -= 1
    return at


def _is_certain(before: str, after: str) -> bool:
    # Marks and joiners carry what stands before them on; all other rules look at a pair.
    if unicodedata.category(before) in _CARRYING:
        return False
    return _CLUSTER.fullmatch(before + after) is None
