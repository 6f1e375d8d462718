"""What a reader of a growing answer has on the screen: text that stays, and markers in it."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, field
from typing import ClassVar, TypeAlias

from groundwire.citations.marked import Support, label
from groundwire.citations.placement import Place
from groundwire.citations.sources import Named, SourceList


@dataclass(slots=True)
class TextShown:
    """The next text of the answer; it stays."""

    type: ClassVar[str] = "text"

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkerShown:
    """A marker belongs at this position of the text shown so far, which counts no markers.

    Comes again with more numbers if the same place is cited again. `struck`, `before` and
    `after` are as in `Marker`; so are `supports`, but for their places, which count no markers
    either.
    """

    type: ClassVar[str] = "marker"

    position: int
    numbers: tuple[int, ...]
    unknown: tuple[str, ...] = ()
    struck: tuple[str, ...] = ()
    before: str = ""
    after: str = ""
    supports: tuple[Support, ...] = field(default=(), compare=False, repr=False)

    @property
    def label(self) -> str:
        """Return the marker as plain text."""
        return label(self.numbers, self.struck, self.unknown)


@dataclass(frozen=True, slots=True, kw_only=True)
class PassageFolded:
    """Words of the text shown so far rest on sources that the policy removed: they are folded.

    It comes again with a later `end` when more of the same sentence has been shown. `domains` are
    those of the sources, `reason` is why they may not be shown, where somebody says so.
    """

    type: ClassVar[str] = "folded"

    start: int
    end: int
    domains: tuple[str, ...]
    reason: str = ""


Piece: TypeAlias = TextShown | MarkerShown | PassageFolded


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
class Display:
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
        return MarkerShown(
            position=position,
            numbers=tuple(sorted(mark.numbers)),
            struck=tuple(mark.struck),
            unknown=tuple(mark.unknown),
            before=mark.before,
            after=mark.after,
            supports=tuple(mark.supports),
        )
