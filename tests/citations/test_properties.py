"""What holds for any text, any spans and any chunking."""

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from groundwire.citations import (
    Marked,
    MarkerStream,
    canonical_url,
    from_utf8_bytes,
    from_utf16,
    place,
    to_html,
    to_json,
    to_markdown,
    to_plain,
    to_terminal,
)
from groundwire.citations.inline import RegionKind
from groundwire.citations.markdown import Scanner, scan
from groundwire.model import Citation
from tests.citations.examples import KNOWN, citations, known, pieces_of, screen, shown_text, texts

seeds = st.integers(min_value=0, max_value=1000)
Known = dict[str, Citation] | None


@given(text=texts, cited=citations, ids=known)
def test_markers_removed_give_the_original_back(
    text: str, cited: list[Citation], ids: Known
) -> None:
    marked = place(text, cited, known=ids)

    assert marked.unmark() == text
    assert "".join(p if isinstance(p, str) else p.text for p in marked.pieces()) == marked.text


@given(text=texts, cited=citations, ids=known)
def test_every_marker_has_its_source_and_every_citation_is_listed(
    text: str, cited: list[Citation], ids: Known
) -> None:
    marked = place(text, cited, known=ids)

    numbers = [source.number for source in marked.sources]
    keys = [canonical_url(source.url) for source in marked.sources]
    assert numbers == list(range(1, len(numbers) + 1))
    assert len(set(keys)) == len(keys)
    assert {canonical_url(citation.url) for citation in cited} <= set(keys)
    for marker in marked.markers:
        assert marked.text.startswith(marker.label, marker.position)
        assert set(marker.numbers) <= set(numbers)
        assert list(marker.numbers) == sorted(set(marker.numbers))


@given(text=texts, cited=citations, ids=known)
def test_numbers_go_by_first_use(text: str, cited: list[Citation], ids: Known) -> None:
    marked = place(text, cited, known=ids)

    seen = 0
    for marker in marked.markers:
        new = [number for number in marker.numbers if number > seen]
        assert new == list(range(seen + 1, seen + 1 + len(new)))
        seen += len(new)
    assert [source.is_marked for source in marked.sources] == [
        source.number <= seen for source in marked.sources
    ]


@given(text=texts, cited=citations)
def test_no_marker_stands_inside_code_a_link_or_a_character(
    text: str, cited: list[Citation]
) -> None:
    marked = place(text, cited)

    borders = {match.end() for match in regex.finditer(r"\X", text)} | {0}
    regions = [region for region in scan(text) if region.kind is not RegionKind.STRAY]
    original = 0
    at = 0
    for marker in marked.changes:
        original += marker.start - at
        at = marker.start + len(marker.text)
        if not marker.replaced:
            assert original in borders
            assert text[original - 1 : original + 1] != "\ud83d\ude00"
            assert not any(region.start < original < region.end for region in regions)
        original += len(marker.replaced)


@given(text=texts, seed=seeds)
def test_what_is_code_or_link_does_not_depend_on_the_chunks(text: str, seed: int) -> None:
    scanner = Scanner()

    for piece in pieces_of(text, seed):
        before = list(scanner.regions)
        scanner.feed(piece)
        assert scanner.regions[: len(before)] == before
    scanner.finish()

    assert scanner.regions == scan(text)


@given(text=texts, cited=citations, ids=known, seed=seeds)
def test_a_stream_that_knows_its_citations_equals_the_whole(
    text: str, cited: list[Citation], ids: Known, seed: int
) -> None:
    stream = MarkerStream(ids)
    pieces = stream.cite(cited)

    for piece in pieces_of(text, seed):
        pieces += stream.feed(piece)
    finished = stream.finish()

    assert finished.marked == place(text, cited, known=ids)
    if not any("](" in change.replaced for change in finished.marked.changes):
        assert screen([*pieces, *finished.pieces]) == finished.marked.text


@given(text=texts, cited=citations, ids=known, seed=seeds)
def test_a_stream_with_late_citations_equals_the_whole_with_the_numbers_shown(
    text: str, cited: list[Citation], ids: Known, seed: int
) -> None:
    stream = MarkerStream(ids)
    pieces = []
    waiting = list(cited)

    for piece in pieces_of(text, seed):
        pieces += stream.feed(piece)
        pieces += stream.cite(waiting[:1])
        waiting = waiting[1:]
    pieces += stream.cite(waiting)
    finished = stream.finish()

    marked = finished.marked
    numbered = [source.url for source in marked.sources if source.is_marked]
    assert marked == place(text, cited, known=ids, numbered=numbered)
    # What a model wrote before there was a source is shown as it came, and judged in the end.
    is_judged_late = not ids and any(
        each.kind in (RegionKind.OWN, RegionKind.STRAY) for each in scan(text)
    )
    if not is_judged_late and not any("](" in change.replaced for change in marked.changes):
        assert screen([*pieces, *finished.pieces]) == marked.text


@given(text=texts, ids=st.sampled_from([None, {}]), seed=seeds)
def test_a_stream_without_a_source_shows_the_text_as_it_came(
    text: str, ids: Known, seed: int
) -> None:
    stream = MarkerStream(ids)

    pieces = [shown for piece in pieces_of(text, seed) for shown in stream.feed(piece)]
    finished = stream.finish()

    assert shown_text([*pieces, *finished.pieces]) == text
    assert finished.marked == Marked(text=text)


@given(text=texts, ids=st.sampled_from([None, {}]), seed=seeds)
def test_a_stream_that_expects_sources_and_gets_none_takes_out_only_what_nobody_can_read(
    text: str, ids: Known, seed: int
) -> None:
    readable = regex.sub("[\ue200-\ue206]", "", text)
    stream = MarkerStream(ids, expects_sources=True)

    pieces = [shown for piece in pieces_of(readable, seed) for shown in stream.feed(piece)]
    finished = stream.finish()

    assert shown_text([*pieces, *finished.pieces]) == readable
    assert finished.marked == Marked(text=readable)


@given(text=texts, seed=seeds)
def test_a_stream_told_of_sources_first_judges_as_the_whole_does(text: str, seed: int) -> None:
    stream = MarkerStream({})
    stream.know_sources()

    pieces = [shown for piece in pieces_of(text, seed) for shown in stream.feed(piece)]
    pieces += stream.cite([Citation(url="https://x.com/found")])
    finished = stream.finish()

    assert finished.marked == place(text, [Citation(url="https://x.com/found")], known={})
    assert screen([*pieces, *finished.pieces]) == finished.marked.text


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("filler", [2040, 2050, 4100])
def test_a_long_stream_may_forget_what_is_decided(filler: int, seed: int) -> None:
    text = "a " * filler + "[1] `b [1]` ([x.com](https://x.com/a)) c"
    link = text.index("([")
    cited = [Citation(url="https://x.com/a", start=link, end=len(text) - 2)]
    stream = MarkerStream(KNOWN)

    pieces = [shown for piece in pieces_of(text, seed) for shown in stream.feed(piece)]
    pieces += stream.cite(cited)
    finished = stream.finish()

    assert finished.marked == place(text, cited, known=KNOWN)
    assert finished.marked.text.endswith("a [1] `b [1]` [2] c")


@given(text=st.text(alphabet="aé€😀\ud83d\ude00", max_size=20), data=st.data())
def test_offsets_of_every_kind_lead_to_the_character(text: str, data: st.DataObject) -> None:
    position = data.draw(st.integers(min_value=0, max_value=len(text)))
    in_bytes = len(text[:position].encode("utf-8", "surrogatepass"))
    in_units = sum(2 if ord(character) > 0xFFFF else 1 for character in text[:position])

    assert from_utf8_bytes(text, [in_bytes, 999]) == {in_bytes: position, 999: len(text)}
    assert from_utf16(text, [in_units, 999]) == {in_units: position, 999: len(text)}


@given(text=texts, cited=citations, ids=known)
def test_a_number_means_the_same_source_everywhere(
    text: str, cited: list[Citation], ids: Known
) -> None:
    marked = place(text, cited, known=ids)

    for source in marked.sources:
        line = f"[{source.number}] {source.domain} ({source.url})"
        assert line in to_markdown(marked)
        assert line in to_plain(marked)
        assert line in to_terminal(marked)
        assert to_json(marked)["sources"][source.number - 1]["url"] == source.url
        if source.is_marked:
            assert f'aria-label="Source {source.number}: {source.domain}"' in to_html(marked)
