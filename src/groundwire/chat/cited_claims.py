"""What the markers of an answer stand for: its claims, each with the source that it names.

Positions count characters of the answer's text without markers.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import TYPE_CHECKING

from groundwire.chat.events import MarkerShown, SourceNumbered, TextShown
from groundwire.checks import REACH, claim_at, line_outside_code

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from groundwire.chat.events import ChatEvent
    from groundwire.citations import Marked, Marker
    from groundwire.citations.marked import Support


_KEPT = 4 * REACH


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerClaim:
    """Words of an answer, and one source that they are said to come from.

    `quote` is the passage of the source that the provider named, "" if it named none.
    """

    number: int
    position: int
    url: str
    claim: str
    context: str = ""
    quote: str = ""

    @property
    def key(self) -> tuple[int, int]:
        """Return what tells it from the others of an answer."""
        return self.position, self.number


def marker_positions(marked: Marked) -> list[int]:
    """Return where each marker of an answer stands in its text without markers."""
    lengths = [0, *accumulate(len(each.label) for each in marked.markers)]
    return [each.position - before for each, before in zip(marked.markers, lengths, strict=False)]


def cited_claims(marked: Marked) -> tuple[AnswerClaim, ...]:
    """Return the claims of an answer as it is kept, each with each of its sources."""
    plain = _Plain(marked)
    urls = {source.number: source.url for source in marked.sources}
    return tuple(
        each
        for index, marker in enumerate(marked.markers)
        for each in plain.claims(index, marker, urls)
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Place:
    """Where a marker stands in a text without markers; `after` is where the one before does.

    `text` is that text from `base` on.
    """

    position: int
    after: int
    text: str
    base: int = 0

    def claim(self, number: int, url: str, supports: Iterable[Support]) -> AnswerClaim:
        """Return what it stands for; `supports` have places in the same text."""
        named = next((each for each in supports if each.number == number), None)
        start = named.start - self.base if named else None
        at, after = self.position - self.base, max(0, self.after - self.base)
        claim = claim_at(self.text, at, start=start, after=after)
        return AnswerClaim(
            number=number,
            position=self.position,
            url=url,
            claim=claim.text,
            context=claim.context,
            quote=named.quote if named else "",
        )


class _Plain:
    """The text of an answer without its markers."""

    def __init__(self, marked: Marked) -> None:
        markers = marked.markers
        self._starts = [each.position for each in markers]
        self._lengths = [0, *accumulate(len(each.label) for each in markers)]
        ends = [0, *(each.position + len(each.label) for each in markers)]
        pieces = zip(ends, [*self._starts, len(marked.text)], strict=True)
        self.text = "".join(marked.text[start:end] for start, end in pieces)
        self._positions = marker_positions(marked)

    def claims(self, index: int, marker: Marker, urls: Mapping[int, str]) -> Iterator[AnswerClaim]:
        """Return what a marker stands for, once for each of its sources."""
        after = self._positions[index - 1] if index else 0
        place = _Place(position=self._positions[index], after=after, text=self.text)
        supports = [replace(each, start=self._position(each.start)) for each in marker.supports]
        for number in marker.numbers:
            yield place.claim(number, urls[number], supports)

    def _position(self, marked: int) -> int:
        return marked - self._lengths[bisect_left(self._starts, marked)]


class RecentText:
    """A text that is being written, and the end of it, in which most claims are.

    Whoever joined all of it at each marker would copy a long answer thousands of times.
    """

    def __init__(self) -> None:
        self._all: list[str] = []
        self._recent: list[str] = []
        self._base = 0

    def add(self, text: str) -> None:
        """Take what was written since."""
        self._all.append(text)
        self._recent.append(text)

    def before(self, place: int) -> tuple[int, str]:
        """Return text that tells what is claimed from a place on, and where it begins."""
        recent = "".join(self._recent)
        if len(recent) > 2 * _KEPT:
            cut = line_outside_code(recent, len(recent) - _KEPT)
            self._base += cut
            recent = recent[cut:]
        self._recent = [recent]
        if self._base <= max(0, place - REACH):
            return self._base, recent
        self._all = ["".join(self._all)]
        return 0, self._all[0]


class StreamedClaims:
    """The claims of an answer that is being written, as its events tell them."""

    def __init__(self) -> None:
        self._text = RecentText()
        self._urls: dict[int, str] = {}
        self._positions: list[int] = []

    def take(self, events: Sequence[ChatEvent]) -> list[AnswerClaim]:
        """Return what the markers among these events stand for."""
        found: list[AnswerClaim] = []
        for event in events:
            match event:
                case TextShown(text):
                    self._text.add(text)
                case SourceNumbered(source=source):
                    self._urls[source.number] = source.url
                case MarkerShown():
                    found += self._claims(event)
        return found

    def _claims(self, marker: MarkerShown) -> Iterator[AnswerClaim]:
        before = bisect_left(self._positions, marker.position)
        after = self._positions[before - 1] if before else 0
        if bisect_right(self._positions, marker.position) == before:
            insort(self._positions, marker.position)
        starts = [each.start for each in marker.supports]
        base, text = self._text.before(min([marker.position, *starts]))
        place = _Place(position=marker.position, after=after, text=text, base=base)
        for number in marker.numbers:
            if number in self._urls:
                yield place.claim(number, self._urls[number], marker.supports)
