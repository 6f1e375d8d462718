"""An answer with its markers: the one value that every rendering is made from, and its pieces."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from operator import attrgetter
from typing import ClassVar, TypeAlias

from groundwire.citations.sources import Removed, Source, label


@dataclass(slots=True, kw_only=True)
class Support:
    """Words of the marked text, from `start` to `end`, that rest on one source.

    `quote` is the passage of the source that says so, the first that was named; "" if none was.
    Not frozen, and neither is a marker: a session has thousands, and freezing triples their price.
    """

    number: int
    start: int
    end: int
    quote: str = ""


@dataclass(slots=True, kw_only=True)
class Marker:
    """A place where the marked text differs from the original.

    At `start` stand `before`, the label and `after`; in the original it was `replaced`. `before`
    and `after` are the words of a link or the space and line ends that keep Markdown intact.
    `numbers` name sources, `struck` are the URLs of sources that a policy removed, `unknown` the
    ids of markers without a source. All are empty where only a character without meaning was
    taken out.
    """

    start: int
    numbers: tuple[int, ...] = ()
    struck: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    before: str = ""
    after: str = ""
    replaced: str = ""
    supports: tuple[Support, ...] = ()

    @property
    def label(self) -> str:
        """Return the marker as plain text: `[1][2]`, `[removed]`, `[3?]` without a source."""
        return label(self.numbers, self.struck, self.unknown)

    @property
    def text(self) -> str:
        """Return all that stands in the marked text."""
        return f"{self.before}{self.label}{self.after}"

    @property
    def position(self) -> int:
        """Return where the label begins in the marked text."""
        return self.start + len(self.before)


@dataclass(frozen=True, slots=True, kw_only=True)
class Folded:
    """Words of the marked text, from `start` to `end`, that rest on sources a policy removed.

    A reader sees `note` in their place; a page may unfold them. `domains` are of the sources.
    """

    start: int
    end: int
    domains: tuple[str, ...]

    @property
    def note(self) -> str:
        """Return what is said instead of the words."""
        return folded_note(self.domains)


@dataclass(frozen=True, slots=True, kw_only=True)
class UnknownMarker:
    """A marker of the model's own that leads to no source; `position` is in the marked text."""

    id: str
    written: str
    position: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Marked:
    """An answer with markers, its numbered sources, and what changed to get there.

    `removed` are the sources that a policy took out, by first place, then those without one.
    `folded` are the words that rest on them, in order and apart from one another.
    """

    text: str
    sources: tuple[Source, ...] = ()
    changes: tuple[Marker, ...] = ()
    removed: tuple[Removed, ...] = ()
    folded: tuple[Folded, ...] = ()

    @property
    def markers(self) -> tuple[Marker, ...]:
        """Return the markers that a reader sees."""
        return tuple(change for change in self.changes if change.label)

    @property
    def unknown(self) -> tuple[UnknownMarker, ...]:
        """Return what the model cited and nobody knows."""
        return tuple(
            UnknownMarker(id=id_, written=change.replaced, position=change.position)
            for change in self.changes
            for id_ in change.unknown
        )

    def pieces(self) -> Iterator[str | Marker]:
        """Return the marked text in order: words, and the changes between them."""
        at = 0
        for change in self.changes:
            if change.start > at:
                yield self.text[at : change.start]
            yield change
            at = change.start + len(change.text)
        if at < len(self.text):
            yield self.text[at:]

    def shown_pieces(self) -> Iterator[str | Marker | Folded]:
        """Return the same as a reader sees it: what is folded is one piece, with all inside it."""
        at = 0
        for piece in self.pieces():
            end = at + len(piece if isinstance(piece, str) else piece.text)
            first = bisect_right(self.folded, at, key=attrgetter("end"))
            last = bisect_left(self.folded, end, key=attrgetter("start"))
            yield from _outside(piece, at, end, self.folded[first:last])
            at = end

    def unmark(self) -> str:
        """Return the original text."""
        pieces = [piece if isinstance(piece, str) else piece.replaced for piece in self.pieces()]
        return "".join(pieces)


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


def _outside(
    piece: str | Marker, at: int, end: int, folds: Sequence[Folded]
) -> Iterator[str | Marker | Folded]:
    """Return what is left of a piece outside of folds, and the folds that begin in it."""
    for fold in folds:
        if isinstance(piece, str) and fold.start > at:
            yield piece[: fold.start - at]
        if fold.start >= at:
            yield fold
        if fold.end >= end:
            return
        # Of a marker, only the words of its link can be folded.
        piece = piece[fold.end - at :] if isinstance(piece, str) else replace(piece, before="")
        at = fold.end
    yield piece


def folded_note(domains: Sequence[str]) -> str:
    """Return what is said in place of words that rest on removed sources."""
    return f"(Folded by policy: this rests on {', '.join(domains) or 'a page'}.)"
