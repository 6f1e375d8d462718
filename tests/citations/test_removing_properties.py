"""Whatever is removed and whenever: it is no source, and a stream agrees with the whole."""

from hypothesis import given
from hypothesis import strategies as st

from groundwire.citations import (
    Marked,
    Marker,
    MarkerShown,
    MarkerStream,
    Source,
    canonical_url,
    place,
)
from groundwire.citations.inline import Region, RegionKind
from groundwire.citations.markdown import scan
from groundwire.model import Citation, Evidence
from tests.citations.examples import (
    known_of_any_evidence,
    lessons,
    mixed_citations,
    pieces_of,
    screen,
    texts,
)

seeds = st.integers(min_value=0, max_value=1000)


@given(text=texts, cited=mixed_citations, ids=known_of_any_evidence)
def test_nothing_removed_is_a_source_or_a_link(
    text: str, cited: list[Citation], ids: dict[str, Citation]
) -> None:
    marked = place(text, cited, known=ids)

    forbidden = {
        canonical_url(each.url)
        for each in (*cited, *ids.values())
        if each.evidence is Evidence.REMOVED
    }
    named = [canonical_url(each.url) for each in marked.removed]
    struck = {canonical_url(url) for marker in marked.markers for url in marker.struck}
    numbers = [source.number for source in marked.sources]
    assert marked.unmark() == text
    assert "".join(p if isinstance(p, str) else p.text for p in marked.pieces()) == marked.text
    assert forbidden.isdisjoint(canonical_url(source.url) for source in marked.sources)
    assert numbers == list(range(1, len(numbers) + 1))
    assert len(named) == len(set(named))
    assert struck <= set(named) <= forbidden
    assert {canonical_url(each.url) for each in cited} & forbidden <= set(named)
    links = {canonical_url(link.url) for link in _links_left(text, marked.changes)}
    assert forbidden.isdisjoint(links)


def _links_left(text: str, changes: tuple[Marker, ...]) -> list[Region]:
    """Return the links of a text that no change replaced."""
    replaced: set[int] = set()
    original = at = 0
    for change in changes:
        original += change.start - at
        replaced.update(range(original, original + len(change.replaced)))
        original += len(change.replaced)
        at = change.start + len(change.text)
    return [
        region
        for region in scan(text)
        if region.kind is RegionKind.LINK and region.start not in replaced
    ]


@given(text=texts, cited=mixed_citations, ids=known_of_any_evidence, seed=seeds)
def test_a_stream_that_knows_all_that_is_removed_equals_the_whole(
    text: str, cited: list[Citation], ids: dict[str, Citation], seed: int
) -> None:
    stream = MarkerStream()
    stream.learn(ids)
    pieces = stream.cite(cited)

    for piece in pieces_of(text, seed):
        pieces += stream.feed(piece)
    finished = stream.finish()

    assert finished.marked == place(text, cited, known=ids)
    if not any("](" in change.replaced for change in finished.marked.changes):
        assert screen([*pieces, *finished.pieces]) == finished.marked.text


PLAIN = [*"aé. \n", "word ", "`b`", "👨‍👩‍👧", "- "]
plain_texts = st.lists(st.sampled_from(PLAIN), max_size=20).map("".join)


@given(first=plain_texts, text=texts, cited=mixed_citations, ids=known_of_any_evidence, seed=seeds)
def test_a_stream_that_learns_ids_before_they_are_used_shows_the_whole(
    first: str, text: str, cited: list[Citation], ids: dict[str, Citation], seed: int
) -> None:
    forbidden = {canonical_url(c.url) for c in cited if c.evidence is Evidence.REMOVED}
    consistent = {
        id_: each
        for id_, each in ids.items()
        if canonical_url(each.url) in forbidden or each.evidence is not Evidence.REMOVED
    }
    stream = MarkerStream({})
    pieces = stream.cite(cited)

    for piece in pieces_of(first, seed):
        pieces += stream.feed(piece)
    stream.learn(consistent)
    for piece in pieces_of(text, seed + 1):
        pieces += stream.feed(piece)
    finished = stream.finish()

    numbered = [source.url for source in stream.sources.take_new()]
    assert finished.marked == place(first + text, cited, known=consistent, numbered=numbered)
    if not any("](" in change.replaced for change in finished.marked.changes):
        assert screen([*pieces, *finished.pieces]) == finished.marked.text


@given(
    text=texts,
    cited=mixed_citations,
    learnt=lessons,
    seed=seeds,
)
def test_a_stream_with_late_removals_and_ids_equals_the_whole_with_the_numbers_shown(
    text: str, cited: list[Citation], learnt: list[dict[str, Citation]], seed: int
) -> None:
    stream = MarkerStream()
    pieces = []
    sources: list[Source] = []
    waiting, to_learn = list(cited), list(learnt)

    for piece in pieces_of(text, seed):
        pieces += stream.feed(piece)
        pieces += stream.cite(waiting[:1])
        if to_learn:
            stream.learn(to_learn.pop(0))
        waiting = waiting[1:]
        sources += stream.sources.take_new()
    for lesson in to_learn:
        stream.learn(lesson)
    pieces += stream.cite(waiting)
    finished = stream.finish()

    sources += stream.sources.take_new()
    numbered = [source.url for source in sources]
    told = [piece for piece in [*pieces, *finished.pieces] if isinstance(piece, MarkerShown)]
    assert [source.number for source in sources] == list(range(1, len(sources) + 1))
    assert {number for marker in told for number in marker.numbers} == set(
        range(1, len(sources) + 1)
    )
    assert finished.marked == _placed(text, cited, learnt, numbered)


def _placed(
    text: str, cited: list[Citation], learnt: list[dict[str, Citation]], numbered: list[str]
) -> Marked:
    """Place with what was learnt in the end."""
    ranks = [Evidence.REMOVED, Evidence.CITED, Evidence.READ, Evidence.FOUND]
    known: dict[str, Citation] = {}
    for id_, citation in ((id_, c) for lesson in learnt for id_, c in lesson.items()):
        last = known.get(id_, citation)
        if ranks.index(citation.evidence) <= ranks.index(last.evidence):
            known[id_] = citation
    return place(text, cited, known=known if learnt else None, numbered=numbered)
