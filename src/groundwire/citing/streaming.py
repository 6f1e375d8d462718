"""Markers while an answer arrives.

Text is shown as soon as it cannot turn into a marker any more, and what was shown never changes.
Most services name their sources after the words: then the marker comes later, as a
`MarkerPlaced` with its position in the text shown. A page inserts it there. A terminal that is
past that position leaves it to the list at the end.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from heapq import heappop, heappush
from typing import TypeAlias

from groundwire.citing.inline import Kind
from groundwire.citing.markdown import Scanner
from groundwire.citing.marked import Marked, label
from groundwire.citing.places import Change, Ground, locate
from groundwire.citing.placing import Place, merged, of_citation, own_places, place
from groundwire.citing.sources import SourceList
from groundwire.model import Citation

_PAGE = 4096


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """The next piece of text; it stays."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkerPlaced:
    """A marker at a position of the text shown so far, which counts no markers.

    Comes again with more numbers if the same place is cited again. `before` and `after` keep
    Markdown intact around it, as in `Marker`.
    """

    position: int
    numbers: tuple[int, ...]
    unknown: tuple[str, ...] = ()
    before: str = ""
    after: str = ""

    @property
    def label(self) -> str:
        """Return the marker as plain text."""
        return label(self.numbers, self.unknown)


Piece: TypeAlias = Shown | MarkerPlaced


@dataclass(frozen=True, slots=True, kw_only=True)
class Finished:
    """What was still held back, and the answer as a whole."""

    pieces: tuple[Piece, ...]
    marked: Marked


@dataclass(slots=True)
class _Text:
    """A growing text of which any stretch can be read without joining all of it."""

    pages: list[str] = field(default_factory=list)
    last: str = ""

    @property
    def length(self) -> int:
        return len(self.pages) * _PAGE + len(self.last)

    def append(self, text: str) -> None:
        whole = self.last + text
        full = len(whole) - len(whole) % _PAGE
        self.pages += [whole[at : at + _PAGE] for at in range(0, full, _PAGE)]
        self.last = whole[full:]

    def window(self, start: int, end: int) -> str:
        first, last = start // _PAGE, end // _PAGE
        pages = self.pages[first : last + 1]
        if last >= len(self.pages):
            pages.append(self.last)
        return "".join(pages)[start - first * _PAGE : end - first * _PAGE]


class MarkerStream:
    """Takes text and citations as they come and returns what can be shown.

    The answer at the end is what `place` makes of the whole text, with the numbers that were
    shown. Those are in order of first use as far as citations came in the order of their words.
    """

    def __init__(self, known: Mapping[str, Citation] | None = None) -> None:
        self._known = None if known is None else dict(known)
        self._text = _Text()
        self._scanner = Scanner()
        self._citations: list[Citation] = []
        # By position; the index keeps citations of one place in the order they came.
        self._waiting: list[tuple[int, int]] = []
        self._ready: list[tuple[int, int, int, Place]] = []
        self._regions_read = 0
        self._new_from = 0
        self._numbers = SourceList()
        self._display = _Display()

    def feed(self, text: str) -> list[Piece]:
        """Take the next piece of the answer."""
        self._new_from = self._text.length
        self._text.append(text)
        self._scanner.feed(text)
        return self._advance(self._scanner.settled, self._scanner.showable)

    def cite(self, citations: Iterable[Citation]) -> list[Piece]:
        """Take citations, whether their words have arrived or not."""
        for citation in citations:
            if type(citation.end) is int:
                heappush(self._waiting, (citation.end, len(self._citations)))
            self._citations.append(citation)
        return self._advance(self._scanner.settled, self._scanner.showable)

    def finish(self) -> Finished:
        """Return the rest, and the whole."""
        self._scanner.finish()
        self._new_from = self._text.length
        end = self._text.length
        pieces = self._advance(end + 1, end, is_final=True)
        marked = place(
            self._text.window(0, end),
            self._citations,
            known=self._known,
            numbered=self._numbers.urls(),
        )
        return Finished(pieces=tuple(pieces), marked=marked)

    def _advance(self, settled: int, showable: int, *, is_final: bool = False) -> list[Piece]:
        limit = min(showable, self._read_regions(settled))
        self._locate(settled, is_final=is_final)
        limit = min(limit, self._held_link(settled))
        places: list[Place] = []
        while self._ready and (self._ready[0][0] <= limit or is_final):
            places.append(heappop(self._ready)[-1])
        pieces = [piece for one in merged(places) for piece in self._announce(one)]
        return pieces + self._show(limit)

    def _read_regions(self, settled: int) -> int:
        """Prepare the model's own markers; return the first place that is not read yet."""
        regions = self._scanner.regions
        while self._regions_read < len(regions):
            region = regions[self._regions_read]
            if region.end >= settled:
                return region.outer_start
            self._regions_read += 1
            for one in own_places([region], self._known):
                heappush(self._ready, (one.start, one.end, -1, one))
        return self._text.length

    def _locate(self, settled: int, *, is_final: bool) -> None:
        """Prepare the markers of citations whose place cannot change any more."""
        ground = Ground(
            window=self._text.window,
            length=self._text.length,
            regions=self._scanner.regions,
            starts=self._scanner.starts,
        )
        while self._waiting and (self._waiting[0][0] < settled or is_final):
            _, index = heappop(self._waiting)
            citation = self._citations[index]
            change = locate(ground, citation)
            if change is None:
                continue
            if change.end >= settled:
                heappush(self._waiting, (change.end, index))
                continue
            if change.link is not None and change.start < self._display.upto:
                # The link is on the screen already and stays; the marker follows it.
                change = Change(start=change.end, end=change.end)
            one = of_citation(citation, change)
            heappush(self._ready, (one.start, one.end, index, one))

    def _held_link(self, settled: int) -> int:
        """Return where a link starts that came with the last piece: its citation follows it."""
        recent: list[int] = []
        for region in reversed(self._scanner.regions):
            if region.outer_end <= self._new_from and region.outer_end < settled:
                break
            if region.kind is Kind.LINK:
                recent.append(region.outer_start)
        replaced = {start for start, *_ in self._ready} if recent else ()
        return min((start for start in recent if start not in replaced), default=self._text.length)

    def _announce(self, one: Place) -> list[Piece]:
        pieces = self._show(one.start)
        if one.end > one.start:
            words, one.before = one.before, ""
            self._display.skip(one.start, one.end, len(words))
            pieces += [Shown(text=words)] if words else []
        if one.uses or one.unknown:
            numbers = [self._numbers.number(citation) for citation in one.citations]
            pieces.append(self._display.mark(one, numbers))
        return pieces

    def _show(self, upto: int) -> list[Piece]:
        shown = self._display.upto
        text = self._text.window(shown, upto) if upto > shown else ""
        self._display.upto = max(upto, shown)
        return [Shown(text=text)] if text else []


@dataclass(slots=True)
class _Mark:
    """All that was cited at one position; `before` and `after` have the place they are from."""

    position: int
    numbers: set[int] = field(default_factory=set)
    unknown: dict[str, None] = field(default_factory=dict)
    before: str = ""
    after: str = ""
    last: tuple[int, int] = (-1, -1)

    def take(self, one: Place, numbers: Iterable[int]) -> None:
        """Add a place."""
        self.numbers.update(numbers)
        self.unknown.update(dict.fromkeys(one.unknown))
        self.before = self.before or one.before
        is_last = (one.start, one.end) >= self.last
        if "\n" in one.after or (is_last and "\n" not in self.after):
            self.after = one.after
        self.last = max(self.last, (one.start, one.end))

    def told(self) -> MarkerPlaced:
        """Return the marker as it is now."""
        return MarkerPlaced(
            position=self.position,
            numbers=tuple(sorted(self.numbers)),
            unknown=tuple(self.unknown),
            before=self.before,
            after=self.after,
        )


@dataclass(slots=True)
class _Display:
    """What is on the screen: the original up to `upto`, without what became a marker.

    Of each stretch left out it knows the start, the end and how much is missing up to there.
    """

    upto: int = 0
    starts: list[int] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)
    missing: list[int] = field(default_factory=list)
    marks: dict[int, _Mark] = field(default_factory=dict)

    def skip(self, start: int, end: int, kept: int) -> None:
        """Leave out a stretch of the original but for so many characters."""
        self.upto = end
        before = self.missing[-1] if self.missing else 0
        self.starts.append(start)
        self.ends.append(end)
        self.missing.append(before + end - start - kept)

    def position(self, original: int) -> int:
        """Return where a position of the original is on the screen."""
        index = bisect_left(self.ends, original)
        if index < len(self.ends) and self.starts[index] < original:
            return self.ends[index] - self.missing[index]
        return original - (self.missing[index - 1] if index else 0)

    def mark(self, one: Place, numbers: Iterable[int]) -> MarkerPlaced:
        """Return the marker of a place, with all that was cited there before."""
        position = self.position(one.end)
        mark = self.marks.setdefault(position, _Mark(position))
        mark.take(one, numbers)
        return mark.told()
