"""Markers while an answer arrives.

Text is shown as soon as it cannot turn into a marker any more, and what was shown never changes.
Most services name their sources after the words: then the marker comes later, as a
`MarkerShown` with its position in the text shown. A page inserts it there. A terminal that is
past that position leaves it to the list at the end.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from heapq import heappop, heappush

from groundwire.citations.inline import Region, RegionKind
from groundwire.citations.markdown import Scanner
from groundwire.citations.marked import (
    Marked,
    MarkerShown,
    PassageFolded,
    Piece,
    Support,
    TextShown,
)
from groundwire.citations.model_markers import KnownSources
from groundwire.citations.passages import passage_of
from groundwire.citations.placement import (
    Place,
    merged,
    of_citation,
    of_removed_link,
    own_places,
    place_as,
)
from groundwire.citations.positions import Ground, GrowingText, Replacement, locate
from groundwire.citations.sources import (
    STRENGTH,
    Named,
    Naming,
    Removals,
    SourceList,
    canonical_url,
)
from groundwire.model import Citation


@dataclass(frozen=True, slots=True, kw_only=True)
class Finished:
    """What was still held back, and the answer as a whole."""

    pieces: tuple[Piece, ...]
    marked: Marked


@dataclass(slots=True, kw_only=True)
class _Fold:
    """A citation of a removed source whose passage is not told as a whole yet.

    `cause` is the citation that removed the source.
    """

    citation: Citation
    change: Replacement
    cause: Citation
    was_told: bool = False


@dataclass(slots=True)
class _Mark:
    """All that was cited at one position; `before` and `after` have the place they are from."""

    numbers: set[int] = field(default_factory=set)
    struck: dict[str, None] = field(default_factory=dict)
    unknown: dict[str, None] = field(default_factory=dict)
    before: str = ""
    after: str = ""
    supports: list[Support] = field(default_factory=list)
    last: tuple[int, int] = (-1, -1)


@dataclass(slots=True)
class _Display:
    """What is on the screen: the original up to `upto`, without what became a marker.

    Of each stretch left out it knows the start, the end and how much is missing up to there.
    `withdrawn` are numbers that no marker shows any more, with the URLs of their sources.
    """

    upto: int = 0
    starts: list[int] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)
    missing: list[int] = field(default_factory=list)
    marks: dict[int, _Mark] = field(default_factory=dict)
    withdrawn: dict[int, str] = field(default_factory=dict)

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

    def mark(self, one: Place, named: Named, sources: SourceList) -> MarkerShown:
        """Return the marker of a place, with all that was cited there before."""
        position = self.position(one.end)
        mark = self.marks.setdefault(position, _Mark())
        mark.numbers.update(named.numbers)
        mark.struck.update(dict.fromkeys(named.struck))
        mark.unknown.update(dict.fromkeys(one.unknown))
        mark.before = mark.before or one.before
        for citation, words_end in one.words:
            number = sources.given(citation.url)
            start, end = self.position(citation.start or 0), self.position(words_end)
            if number is not None and start < end:
                mark.supports.append(
                    Support(number=number, start=start, end=end, quote=citation.quote)
                )
        place = (one.start, one.end)
        if "\n" in one.after or (place >= mark.last and "\n" not in mark.after):
            mark.after = one.after
        mark.last = max(mark.last, place)
        for number in sorted(mark.numbers & self.withdrawn.keys()):
            mark.numbers.remove(number)
            mark.struck[self.withdrawn[number]] = None
        # Nor is told any more what a page says that was removed.
        mark.supports = [each for each in mark.supports if each.number not in self.withdrawn]
        return MarkerShown(
            position=position,
            numbers=tuple(sorted(mark.numbers)),
            struck=tuple(mark.struck),
            unknown=tuple(mark.unknown),
            before=mark.before,
            after=mark.after,
            supports=tuple(mark.supports),
        )


class MarkerStream:
    """Takes text and citations as they come and returns what can be shown.

    The answer at the end is what `place` makes of the whole text, with the numbers that were
    shown. Those are in order of first use as far as citations came in the order of their words.
    Until a source is known, numbers in brackets are shown as they came. `expects_sources` says
    that somebody searches, so that what nobody can read is never shown. `sources` are those that
    have a number; their spans are known only when the answer is finished.
    """

    def __init__(
        self,
        known: Mapping[str, Citation] | None = None,
        *,
        expects_sources: bool = False,
    ) -> None:
        self._known_sources = KnownSources.EXPECTED if expects_sources else KnownSources.NONE
        self._known = None if known is None else dict(known)
        self._text = GrowingText()
        self._scanner = Scanner()
        self._ground = Ground(
            window=self._text.window,
            length=0,
            regions=self._scanner.regions,
            starts=self._scanner.starts,
        )
        self._citations: list[Citation] = []
        # By position; the index keeps citations of one place in the order they came.
        self._waiting: list[tuple[int, int]] = []
        # A model's own marker is a region until it is shown: its id may become known meanwhile.
        self._ready: list[tuple[int, int, int, Place | Region]] = []
        self._regions_read = 0
        self._new_from = 0
        # By canonical URL, those that lead where nothing is removed yet.
        self._links: dict[str, list[Region]] = {}
        self.sources = SourceList()
        self._naming = Naming(sources=self.sources, removals=Removals())
        self._display = _Display()
        # Passages of removed sources whose sentence may go on, and how much of each was told.
        self._folds: list[_Fold] = []
        if known:
            self.know_sources()
        self._remove(known.values() if known else ())

    def feed(self, text: str) -> list[Piece]:
        """Take the next piece of the answer."""
        start = self._new_from = self._text.length
        self._text.append(text)
        self._ground.length = self._text.length
        self._scanner.feed(text)
        settled, showable = self._scanner.settled, self._scanner.showable
        if showable == start + len(text) and text and self._is_up_to_date(start, settled):
            self._display.upto = showable
            return [TextShown(text)]
        return self._advance(settled, showable)

    def _is_up_to_date(self, start: int, settled: int) -> bool:
        """Tell whether all before `start` is shown, and nothing is waiting for what follows."""
        regions = self._scanner.regions
        is_read = self._regions_read == len(regions) and not self._folds
        if self._display.upto != start or self._ready or not is_read:
            return False
        return not self._waiting or self._waiting[0][0] >= settled

    def cite(self, citations: Iterable[Citation]) -> list[Piece]:
        """Take citations, whether their words have arrived or not."""
        first = len(self._citations)
        self._citations += citations
        new = self._citations[first:]
        if new:
            self.know_sources()
        for index, citation in enumerate(new, start=first):
            if type(citation.end) is int:
                heappush(self._waiting, (citation.end, index))
        self._remove(new)
        return self._advance(self._scanner.settled, self._scanner.showable)

    def learn(self, known: Mapping[str, Citation]) -> None:
        """Take more ids that the model was given; stronger evidence or a removal replaces one.

        What was shown stays as it is until the answer is finished.
        """
        ids = self._known = {} if self._known is None else self._known
        for id_, citation in known.items():
            if id_ not in ids or STRENGTH[citation.evidence] <= STRENGTH[ids[id_].evidence]:
                ids[id_] = citation
        if ids:
            self.know_sources()
        self._remove(known.values())

    def know_sources(self) -> None:
        """Take it that the answer has sources: from here on, a number without one is unknown."""
        self._known_sources = KnownSources.KNOWN

    def finish(self) -> Finished:
        """Return the rest, and the whole."""
        self._scanner.finish()
        self._new_from = self._text.length
        end = self._text.length
        pieces = self._advance(end + 1, end, is_final=True)
        text = self._text.window(0, end)
        # The numbers that were shown, less all that was ever removed, in the order in which `place`
        # takes them: of one page the first URL is the one shown.
        shown = [source.url for source in self.sources.sources()]
        naming = Naming(sources=SourceList(shown), removals=Removals())
        known = (self._known or {}).values()
        for citation in (*self._citations, *known, *self._naming.removals.causes.values()):
            naming.removals.add(citation)
        marked = place_as(
            naming,
            text,
            self._ground,
            self._citations,
            known=self._known,
            known_sources=self._known_sources,
        )
        return Finished(pieces=tuple(pieces), marked=marked)

    def _advance(self, settled: int, showable: int, *, is_final: bool = False) -> list[Piece]:
        limit = min(showable, self._read_regions(settled))
        self._locate(settled, is_final=is_final)
        limit = min(limit, self._held_link(settled))
        places: list[Place] = []
        while self._ready and (self._ready[0][0] <= limit or is_final):
            ready = heappop(self._ready)[-1]
            if isinstance(ready, Region):
                places += own_places([ready], self._known, self._known_sources)
            else:
                places.append(ready)
        pieces = [piece for one in merged(places) for piece in self._announce(one)]
        pieces += self._show(limit)
        return pieces + self._fold(is_final=is_final) if self._folds else pieces

    def _read_regions(self, settled: int) -> int:
        """Prepare the model's own markers; return the first place that is not read yet."""
        regions = self._scanner.regions
        while self._regions_read < len(regions):
            region = regions[self._regions_read]
            if region.end >= settled:
                return region.outer_start
            self._regions_read += 1
            if region.kind is RegionKind.LINK:
                self._read_link(region)
            elif region.kind in (RegionKind.OWN, RegionKind.STRAY):
                heappush(self._ready, (region.start, region.end, -1, region))
        return self._text.length

    def _read_link(self, link: Region) -> None:
        if cause := self._naming.removals.cause(link.url):
            self._strike_link(link, cause)
        else:
            self._links.setdefault(canonical_url(link.url), []).append(link)

    def _strike_link(self, link: Region, cause: Citation) -> None:
        one = of_removed_link(link, cause)
        if one.start < self._display.upto:
            one = of_citation(cause, _behind(link.outer_end))
        heappush(self._ready, (one.start, one.end, -1, one))

    def _remove(self, citations: Iterable[Citation]) -> None:
        """Strike from now on what a policy removed, and the links to it."""
        for citation in citations:
            if not self._naming.removals.add(citation):
                continue
            for link in self._links.pop(canonical_url(citation.url), ()):
                self._strike_link(link, citation)
            number = self.sources.given(citation.url)
            if number is not None:
                self._display.withdrawn[number] = self._naming.removals.strike(citation)

    def _fold(self, *, is_final: bool) -> list[Piece]:
        """Return the passages that rest on removed sources, as far as they are shown."""
        pieces: list[Piece] = []
        waiting: list[_Fold] = []
        for fold in self._folds:
            passage = passage_of(self._ground, fold.citation, fold.change, is_final=is_final)
            if passage is None:
                continue
            end = min(passage.end, self._display.upto)
            if end > passage.start and (not fold.was_told or passage.is_whole):
                pieces.append(self._folded(passage.start, end, fold.cause))
                fold.was_told = True
            if not passage.is_whole or end < passage.end:
                waiting.append(fold)
        self._folds = waiting
        return pieces

    def _folded(self, start: int, end: int, cause: Citation) -> PassageFolded:
        position = self._display.position
        return PassageFolded(start=position(start), end=position(end), domains=(cause.domain,))

    def _locate(self, settled: int, *, is_final: bool) -> None:
        """Prepare the markers of citations whose place cannot change any more."""
        while self._waiting and (self._waiting[0][0] < settled or is_final):
            _, index = heappop(self._waiting)
            citation = self._citations[index]
            change = locate(self._ground, citation)
            if change is None:
                continue
            if change.end >= settled:
                heappush(self._waiting, (change.end, index))
                continue
            if cause := self._naming.removals.cause(citation.url):
                self._folds.append(_Fold(citation=citation, change=change, cause=cause))
            if change.link is not None and change.start < self._display.upto:
                change = _behind(change.end)
            one = of_citation(citation, change)
            heappush(self._ready, (one.start, one.end, index, one))

    def _held_link(self, settled: int) -> int:
        """Return where a link starts that came with the last piece: its citation follows it.

        One that is a marker already, or on the screen, holds nothing back.
        """
        recent: list[int] = []
        for region in reversed(self._scanner.regions):
            if region.outer_end <= self._new_from and region.outer_end < settled:
                break
            if region.kind is RegionKind.LINK and region.outer_start >= self._display.upto:
                recent.append(region.outer_start)
        # What stands right in front of a link replaces nothing.
        replaced = {start for start, end, *_ in self._ready if end > start} if recent else ()
        return min((start for start in recent if start not in replaced), default=self._text.length)

    def _announce(self, one: Place) -> list[Piece]:
        pieces = self._show(one.start)
        if one.end > one.start:
            words, one.before = one.before, ""
            self._display.skip(one.start, one.end, len(words))
            pieces += [TextShown(words)] if words else []
        if one.uses or one.unknown:
            named = self._naming.name(one.citations, is_marked=True)
            pieces.append(self._display.mark(one, named, self._naming.sources))
        return pieces

    def _show(self, upto: int) -> list[Piece]:
        shown = self._display.upto
        text = self._text.window(shown, upto)
        self._display.upto = max(upto, shown)
        return [TextShown(text)] if text else []


def _behind(end: int) -> Replacement:
    """Return the place behind a link that is on the screen already and stays there."""
    return Replacement(start=end, end=end)
