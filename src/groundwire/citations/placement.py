"""Puts markers into a whole text and numbers the sources."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate
from operator import itemgetter

from groundwire.citations.inline import Region, RegionKind
from groundwire.citations.markdown import scan
from groundwire.citations.marked import Folded, Marked, Marker, Support
from groundwire.citations.model_markers import KnownSources, check, reads_as_marker
from groundwire.citations.passages import Sentence, passage_of
from groundwire.citations.positions import Ground, Replacement, instead_of, locate
from groundwire.citations.sources import STRENGTH, Naming, Removals, SourceList, label
from groundwire.model import Citation


@dataclass(slots=True, kw_only=True)
class Place:
    """One change of the text and all that is cited there.

    `uses` are citations, each with the end of its span as given. At one place that end decides
    which is used first, so that a stream, which sees the shorter span first, agrees.
    """

    start: int
    end: int
    before: str = ""
    after: str = ""
    uses: list[tuple[int, Citation]] = field(default_factory=list)
    words: list[tuple[Citation, int]] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)

    @property
    def citations(self) -> list[Citation]:
        """Return what is cited, in order of use."""
        return [citation for _, citation in sorted(self.uses, key=itemgetter(0))]

    def take(self, other: Place) -> None:
        """Become one place with another that touches this one."""
        self.end = max(self.end, other.end)
        self.before = self.before or other.before
        self.after = self.after if "\n" in self.after else other.after
        self.uses += other.uses
        self.words += other.words
        self.unknown += other.unknown


def place(
    text: str,
    citations: Iterable[Citation],
    *,
    known: Mapping[str, Citation] | None = None,
    numbered: Iterable[str] = (),
) -> Marked:
    """Return the text with a marker at the end of every span that is a place.

    With `known`, markers that the model wrote itself are checked: it maps the ids that the model
    was given to their sources. Without it they stay as they are, and where there is no source at
    all, so does everything. `numbered` are URLs that have the numbers from 1 on already. What a
    policy removed gets no number: its markers are struck, and so is every link to it.
    """
    citations = tuple(citations)
    naming = Naming(sources=SourceList(numbered), removals=Removals())
    for citation in (*citations, *(known or {}).values()):
        naming.removals.add(citation)
    regions = scan(text)
    ground = Ground(
        window=lambda start, end: text[start:end],
        length=len(text),
        regions=regions,
        starts=[region.start for region in regions],
    )
    known_sources = KnownSources.KNOWN if citations or known else KnownSources.NONE
    return place_as(naming, text, ground, citations, known=known, known_sources=known_sources)


def place_as(
    naming: Naming,
    text: str,
    ground: Ground,
    citations: Iterable[Citation],
    *,
    known: Mapping[str, Citation] | None,
    known_sources: KnownSources,
) -> Marked:
    """Do the same where somebody else has read the text and says what a citation is called."""
    places = [*own_places(ground.regions, known, known_sources)]
    if naming.removals.causes:
        places += _removed_links(ground.regions, naming.removals)
    unplaced: list[Citation] = []
    passages: list[tuple[Sentence, Citation]] = []
    for citation in citations:
        change = locate(ground, citation)
        if change is None:
            unplaced.append(citation)
            continue
        places.append(of_citation(citation, change))
        if cause := naming.removals.cause(citation.url):
            passage = passage_of(ground, citation, change, is_final=True)
            passages += [(passage, cause)] if passage else []
    marked, ruler = _marked(text, merged(places), unplaced, naming)
    return replace(marked, folded=_folded(passages, ruler)) if passages else marked


def of_citation(citation: Citation, change: Replacement) -> Place:
    """Return the place of one citation."""
    words = [] if change.words_end is None else [(citation, change.words_end)]
    return Place(
        start=change.start,
        end=change.end,
        before=change.before,
        after=change.after,
        uses=[(citation.end or 0, citation)],
        words=words,
    )


def of_removed_link(link: Region, cause: Citation) -> Place:
    """Return the place of a link that leads where a policy forbids."""
    return of_citation(cause, instead_of(link, cause, link.outer_start))


def _removed_links(regions: Iterable[Region], removals: Removals) -> Iterator[Place]:
    for region in regions:
        if region.kind is RegionKind.LINK and (cause := removals.cause(region.url)):
            yield of_removed_link(region, cause)


def own_places(
    regions: Iterable[Region], known: Mapping[str, Citation] | None, known_sources: KnownSources
) -> Iterator[Place]:
    """Return the places of markers that the model wrote, and of characters without meaning."""
    for region in regions if known_sources is not KnownSources.NONE else ():
        if region.kind is RegionKind.STRAY:
            yield Place(start=region.start, end=region.end)
        elif region.kind is RegionKind.OWN and reads_as_marker(region, known, known_sources):
            checked = check(region.words, known or {})
            yield Place(
                start=region.start,
                end=region.end,
                uses=[(region.end, citation) for citation in checked.citations],
                unknown=list(checked.unknown) if known_sources is KnownSources.KNOWN else [],
            )


def merged(places: Iterable[Place]) -> list[Place]:
    """Return places in order, with those that touch made one."""
    result: list[Place] = []
    for one in sorted(places, key=lambda each: (each.start, each.end)):
        if result and one.start <= result[-1].end and not _divides(result[-1], one):
            result[-1].take(one)
        else:
            result.append(one)
    return result


def _divides(last: Place, one: Place) -> bool:
    """Tell whether words of a link stand between two places that touch."""
    is_same_link = (one.start, one.end) == (last.start, last.end)
    return bool(one.before.strip()) and not is_same_link


def _marked(
    text: str,
    places: Sequence[Place],
    unplaced: Sequence[Citation],
    naming: Naming,
) -> tuple[Marked, _Ruler]:
    found = [naming.name(one.citations, is_marked=True) for one in places]
    naming.name(sorted(unplaced, key=lambda each: STRENGTH[each.evidence]))
    unknown = [tuple(dict.fromkeys(one.unknown)) for one in places]
    shown = [
        f"{one.before}{label(named.numbers, named.struck, ids)}{one.after}"
        for one, named, ids in zip(places, found, unknown, strict=True)
    ]
    ruler = _Ruler(places, shown)
    pieces: list[str] = []
    changes: list[Marker] = []
    at = 0
    for index, (one, named) in enumerate(zip(places, found, strict=True)):
        pieces += (text[at : one.start], shown[index])
        at = one.end
        changes.append(
            Marker(
                start=ruler.shown_starts[index],
                numbers=named.numbers,
                struck=named.struck,
                unknown=unknown[index],
                before=one.before,
                after=one.after,
                replaced=text[one.start : one.end],
                supports=_supports(one, ruler, naming),
            )
        )
    pieces.append(text[at:])
    marked = Marked(
        text="".join(pieces),
        sources=naming.sources.sources(),
        changes=tuple(changes),
        removed=tuple(naming.removals.struck.values()),
    )
    return marked, ruler


def _folded(passages: Sequence[tuple[Sentence, Citation]], ruler: _Ruler) -> tuple[Folded, ...]:
    """Return passages as stretches of the marked text; those that touch are one."""
    found: list[Folded] = []
    for passage, cause in sorted(passages, key=lambda each: (each[0].start, each[0].end)):
        start, end = ruler.after(passage.start), ruler.before(passage.end)
        domains: tuple[str, ...] = (cause.domain,)
        if found and start <= found[-1].end:
            last = found.pop()
            start, end = last.start, max(last.end, end)
            domains = tuple(dict.fromkeys([*last.domains, *domains]))
        if start < end:
            found.append(Folded(start=start, end=end, domains=domains))
    return tuple(found)


def _supports(one: Place, ruler: _Ruler, naming: Naming) -> tuple[Support, ...]:
    quotes: dict[tuple[int, int, int], str] = {}
    for citation, words_end in one.words:
        if naming.removals.cause(citation.url):
            continue
        start, end = ruler.after(citation.start or 0), ruler.before(words_end)
        if start < end:
            words = naming.sources.add_span(citation, (start, end)), start, end
            quotes[words] = quotes.get(words) or citation.quote
    return tuple(
        Support(number=number, start=start, end=end, quote=quote)
        for (number, start, end), quote in quotes.items()
    )


class _Ruler:
    """Turns positions of the original text into positions of the marked one."""

    def __init__(self, places: Sequence[Place], shown: Sequence[str]) -> None:
        self._places = places
        self._starts = [one.start for one in places]
        growth = [len(new) - (one.end - one.start) for one, new in zip(places, shown, strict=True)]
        self._shifts = [0, *accumulate(growth)]
        self.shown_starts = [
            one.start + shift for one, shift in zip(places, self._shifts, strict=False)
        ]

    def after(self, position: int) -> int:
        """Return a position behind any marker that stands there."""
        count = bisect_right(self._starts, position)
        end = self._places[count - 1].end if count else position
        return max(position, end) + self._shifts[count]

    def before(self, position: int) -> int:
        """Return a position in front of any marker that stands there."""
        count = bisect_left(self._starts, position)
        if count and position <= self._places[count - 1].end:
            last = self._places[count - 1]
            kept = len(last.before) if last.before.strip() else 0
            return self.shown_starts[count - 1] + kept
        return position + self._shifts[count]
