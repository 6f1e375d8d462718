"""Real answers, through our own decoders: markers where they belong, nothing cited twice."""

import json
from pathlib import Path

import pytest

from groundwire import registry
from groundwire.citations import MarkerStream, canonical_url, place
from groundwire.citations.inline import RegionKind
from groundwire.citations.markdown import scan
from groundwire.events import Citations, StreamEvent, TextDelta
from groundwire.wire.contract import Answers
from groundwire.wire.sse import SseParser
from tests.citations.examples import screen
from tests.shared import shared

GEMINI = [
    "google_search_nonstream.mirascope_ts.2.json",
    "google_search_nonstream.pydantic.1.json",
    "google_search_stream.pydantic.1.sse",
    "google_search_stream.pydantic.2.json",
]
OPENAI = [
    "web_search_builtin.pydantic.json",
    "web_search_multi.langchain.2.sse",
    "web_search_nonstream.vercel.json",
    "web_search_stream.mirascope.1.sse",
    "web_search_stream.vercel.sse",
]


def replay(provider_name: str, file: str) -> list[StreamEvent]:
    provider = registry.get(provider_name)
    assert isinstance(provider, Answers)
    decoder = provider.answer_decoder()
    body = shared(f"recordings/{file}").read_bytes()
    if Path(file).suffix == ".json":
        return [*decoder.feed_body(json.loads(body)), *decoder.finish()]
    sent = SseParser().feed_data(body)
    return [event for each in sent for event in decoder.feed_data(each)] + [*decoder.finish()]


def text_of(events: list[StreamEvent]) -> str:
    return "".join(event.text for event in events if isinstance(event, TextDelta))


@pytest.mark.parametrize("file", GEMINI)
def test_every_marker_of_a_gemini_answer_is_at_the_end_of_its_segment(file: str) -> None:
    events = replay("gemini", f"gemini/{file}")
    text = text_of(events)
    cited = [each for event in events if isinstance(event, Citations) for each in event.citations]
    assert not text.isascii()

    marked = place(text, cited)

    expected = {text[: each.end].rstrip() for each in cited if each.end is not None}
    found = {
        place_before
        for marker in marked.markers
        if (place_before := _original(marked.text[: marker.start], text))
    }
    assert found == expected
    assert marked.unmark() == text


def _original(marked: str, text: str) -> str:
    """Return the start of `text` whose characters are those of `marked` without markers."""
    at = 0
    skipped = 0
    while at < len(marked):
        if marked[at] == text[at - skipped]:
            at += 1
        else:
            end = marked.index("]", at) + 1
            skipped += end - at
            at = end
    return text[: at - skipped]


@pytest.mark.parametrize("file", OPENAI)
def test_no_openai_answer_cites_twice(file: str) -> None:
    events = replay("openai-responses", f"openai_responses/{file}")
    cited = [each for event in events if isinstance(event, Citations) for each in event.citations]

    marked = place(text_of(events), cited)

    sources = {canonical_url(each.url) for each in cited}
    links = [region for region in scan(marked.text) if region.kind is RegionKind.LINK]
    assert sources
    assert [link for link in links if canonical_url(link.url) in sources] == []
    assert sum(len(marker.numbers) for marker in marked.markers) == len(cited)


@pytest.mark.parametrize("file", [file for file in OPENAI if file.endswith(".sse")])
def test_a_streamed_openai_answer_shows_markers_instead_of_links_from_the_start(file: str) -> None:
    events = replay("openai-responses", f"openai_responses/{file}")
    stream = MarkerStream()

    pieces = []
    for event in events:
        if isinstance(event, TextDelta):
            pieces += stream.feed(event.text)
        elif isinstance(event, Citations):
            pieces += stream.cite(event.citations)
    finished = stream.finish()

    cited = [each for event in events if isinstance(event, Citations) for each in event.citations]
    assert finished.marked == place(text_of(events), cited)
    assert screen([*pieces, *finished.pieces]) == finished.marked.text
