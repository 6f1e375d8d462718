"""Which page, and which words of the answer, a citation of Anthropic's is about."""

import pytest

from groundwire.events import RawBlocks, WebFetchResult, WebFetchStart
from groundwire.model import AssistantMessage, Attachment, Citation, UserMessage
from groundwire.providers.anthropic import provider
from groundwire.wire.contract import Question
from tests.providers.anthropic_wire import (
    OTTER,
    START,
    cited,
    closing,
    ending,
    feed,
    fetched,
    growing,
    opening,
    passage,
    text,
)


def test_citations_are_taken_wherever_they_come() -> None:
    raft = {**OTTER, "url": "https://example.net/raft"}
    own = {
        "type": "search_result_location",
        "source": "https://example.com/kelp",
        "title": "Kelp",
        "cited_text": "Kelp.",
        "search_result_index": 0,
    }

    events = feed(
        provider.answer_decoder(),
        START,
        *text(0, "So: "),
        opening(1, {"type": "text", "text": "rafts", "citations": [OTTER]}),
        growing(1, "citations_delta", citation=own),
        closing(1),
        growing(1, "citations_delta", citation=raft),
        *ending("end_turn"),
    )

    spans = [(citation.url, citation.start, citation.end) for citation in cited(events)]
    assert spans == [
        ("https://example.org/otter", 4, 9),
        ("https://example.com/kelp", 4, 9),
        ("https://example.net/raft", 4, 9),
    ]


def test_a_passage_of_a_fetched_page_is_cited_with_the_pages_url() -> None:
    events = feed(
        provider.answer_decoder(),
        START,
        *fetched(0, "https://example.org/a", "Page", "Otters float."),
        *fetched(1, "https://example.org/b", "Page", "Otters dive."),
        *fetched(2, "https://example.org/c.pdf", None, ""),
        *text(6, "They dive", passage(1, "Otters dive.", "Page")),
        *text(7, " and eat", {"type": "page_location", "document_index": 2, "cited_text": "Eat."}),
        *ending("end_turn"),
    )

    assert events[:6] == [
        WebFetchStart("https://example.org/a"),
        WebFetchResult("https://example.org/a", "Page"),
        WebFetchStart("https://example.org/b"),
        WebFetchResult("https://example.org/b", "Page"),
        WebFetchStart("https://example.org/c.pdf"),
        WebFetchResult("https://example.org/c.pdf"),
    ]
    assert cited(events) == [
        Citation(url="https://example.org/b", title="Page", quote="Otters dive.", start=0, end=9),
        Citation(url="https://example.org/c.pdf", quote="Eat.", start=9, end=17),
    ]


@pytest.mark.parametrize("is_known", [True, False])
def test_attached_documents_count_but_have_no_url(is_known: bool) -> None:
    notes = Attachment(
        type="file", mime_type="text/plain", base64_data="T3R0ZXJzIHNsZWVwLg==", file_name="notes"
    )
    asked = UserMessage(content="Sleep?", attachments=(notes,))
    question = Question(model="m", messages=(asked,)) if is_known else None

    events = feed(
        provider.answer_decoder(question),
        START,
        *fetched(0, "https://example.org/a", "Page", "Otters float."),
        *text(2, "They sleep", passage(0, "Otters sleep.", "notes")),
        *text(3, " and float", passage(1, "Otters float.", "Page")),
        *ending("end_turn"),
    )

    spans = [(citation.url, citation.start, citation.end) for citation in cited(events)]
    assert spans == [("https://example.org/a", 10, 20)]


def test_a_passage_that_fits_two_pages_is_not_guessed() -> None:
    events = feed(
        provider.answer_decoder(),
        START,
        *fetched(0, "https://example.org/a", "Page", "Otters float."),
        *fetched(1, "https://example.org/b", "Page", "Otters float."),
        *text(4, "They float", passage(7, "Otters float.", "Page")),
        *ending("end_turn"),
    )

    assert cited(events) == []


def test_a_page_of_an_earlier_turn_is_cited_with_its_url() -> None:
    first = provider.answer_decoder()
    told = feed(
        first,
        START,
        *fetched(0, "https://example.org/a", "Page", "Otters float."),
        *text(2, "Read."),
        *ending("end_turn"),
    )
    raw = next(event.blocks for event in told if isinstance(event, RawBlocks))
    before = AssistantMessage(content="Read.", raw_blocks=raw, raw_provider="anthropic")
    messages = (UserMessage(content="Read it."), before, UserMessage(content="Float?"))
    decoder = provider.answer_decoder(Question(model="m", messages=messages))

    events = feed(
        decoder,
        START,
        *text(0, "Yes", passage(0, "Otters float.", "Page")),
        *ending("end_turn"),
    )

    assert [citation.url for citation in cited(events)] == ["https://example.org/a"]


def test_a_citation_that_is_none_is_left_out() -> None:
    events = feed(
        provider.answer_decoder(),
        START,
        *text(0, "Yes", "x", {"url": ["x"]}, {"title": "no URL"}, OTTER),
        *ending("end_turn"),
    )

    assert [citation.url for citation in cited(events)] == ["https://example.org/otter"]
