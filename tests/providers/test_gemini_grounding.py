"""Gemini: sources and the places they support."""

import pytest

from groundwire.events import (
    Citations,
    Done,
    TextDelta,
    Warned,
    WebSearchResults,
)
from groundwire.model import (
    Citation,
    SearchResult,
)
from groundwire.wire.gemini.groundings import read_grounding, source_of
from tests.providers.gemini_wire import REDIRECT, chunk, decode


@pytest.mark.parametrize(
    ("url", "title", "domain", "shown"),
    [
        (f"{REDIRECT}A", "ruby-lang.org", "", ("ruby-lang.org", "ruby-lang.org")),
        (f"{REDIRECT}A", "WWW.Bücher.example", "", ("WWW.Bücher.example", "bücher.example")),
        (f"{REDIRECT}A", "A page", "", ("A page", "A page")),
        (f"{REDIRECT}A", "A page", "zoo.org", ("A page", "zoo.org")),
        (f"{REDIRECT}A", "", "", ("unknown", "unknown")),
        ("https://www.google.com/search?q=a b", "", "", ("google.com", "google.com")),
        ("https://en.zoo.org/x", "zoo.org", "", ("zoo.org", "zoo.org")),
        ("https://evil.example/x", "zoo.org", "", ("zoo.org", "evil.example")),
        ("https://notzoo.org/x", "zoo.org", "", ("zoo.org", "notzoo.org")),
    ],
)
def test_a_source_is_shown_under_its_own_domain(
    url: str, title: str, domain: str, shown: tuple[str, str]
) -> None:
    source = source_of(url, title, domain)

    assert (source.title, source.domain) == shown


@pytest.mark.parametrize(
    ("text", "offsets", "span"),
    [
        ("aé🦦z", (0, 3), (0, 2)),
        ("aé🦦z", (2, 7), (1, 3)),
        ("aé🦦z", (5, 10), (2, 4)),
        ("aé🦦z", (-1, 1), (0, 1)),
        ("aé🦦z", (-2, -1), (None, None)),
        ("abc", (-1, 9), (0, 3)),
        ("a\ud83db", (1, 4), (1, 2)),
    ],
)
def test_byte_offsets_are_clamped_and_snapped_back_to_a_character(
    text: str, offsets: tuple[int, int], span: tuple[int | None, int | None]
) -> None:
    chunks = [{"web": {"uri": "https://a.org", "title": "A"}}]
    segment = {"startIndex": offsets[0], "endIndex": offsets[1]}
    supports = [{"segment": segment, "groundingChunkIndices": [0]}]

    grounding = read_grounding({"groundingChunks": chunks, "groundingSupports": supports}, text)

    assert grounding.citations == (
        Citation(url="https://a.org", title="A", start=span[0], end=span[1]),
    )


def test_a_span_moves_onto_its_segment_if_that_stands_close_by() -> None:
    chunks = [{"web": {"uri": "https://a.org", "title": "A"}}]
    text = "It's an otter. It swims."
    supports = [
        {"segment": segment, "groundingChunkIndices": [0]}
        for segment in (
            {"startIndex": 17, "endIndex": 26, "text": "It swims."},
            {"startIndex": 15, "endIndex": 999, "text": "It swims."},
            {"startIndex": 0, "endIndex": 3, "text": "Not there"},
            {"startIndex": 20, "endIndex": 4},
            {"text": "It swims."},
        )
    ]

    grounding = read_grounding({"groundingChunks": chunks, "groundingSupports": supports}, text)

    assert [(cited.start, cited.end) for cited in grounding.citations] == [
        (15, 24),
        (0, 3),
        (None, None),
    ]


def test_indices_that_lead_nowhere_are_dropped_with_one_warning() -> None:
    grounding = {
        "groundingChunks": [
            {"web": {"uri": "https://a.org", "title": "A"}},
            {"retrievedContext": {"text": "no address"}},
            {"maps": {"uri": "https://maps.example/b", "title": "B"}},
        ],
        "groundingSupports": [
            {"segment": {"endIndex": 1}, "groundingChunkIndices": [7, 0, -1]},
            {"segment": {"endIndex": 1}, "groundingChunkIndices": [1]},
        ],
    }

    events = decode(chunk({"text": "x"}, finishReason="STOP", groundingMetadata=grounding))

    assert events == [
        TextDelta("x"),
        Warned("gemini cites 2 sources that it does not name", "dangling_citation"),
        Warned(
            "gemini cites a document without a name, which has no web address and is not in the "
            "list of sources",
            "source_without_url",
        ),
        WebSearchResults((SearchResult(url="https://maps.example/b", title="B"),)),
        Citations((Citation(url="https://a.org", title="A", start=0, end=1),)),
        Done("STOP"),
    ]
