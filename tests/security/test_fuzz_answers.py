"""Event streams, answers and their pages from anything a model or a stranger writes."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from random import Random

from hypothesis import strategies as st

from groundwire import citations
from groundwire.conversation import ChatMessage, MessageKind, Status
from groundwire.errors import EventTooLargeError
from groundwire.model import Citation, Evidence
from groundwire.tools.fence import clean, fenced, web_address
from groundwire.tools.ledger import Ledger
from groundwire.web.answer_page import answer_html, answer_page, harmless_html
from groundwire.wire.sse import SseEvent, SseParser
from tests.security.fuzzing import chances, damaged, fuzz, one_of, recordings
from tests.security.harmless import check_html

OFFSETS = st.none() | st.integers() | st.integers(min_value=-2, max_value=80)
PIECES = (
    *(
        "[1]",
        "[99]",
        "[1][2]",
        "[1, 7]",
        "[^1]",
        "【3†x】",
        "[removed]",
        "[1?]",
        "Sources:",
        "\n\n",
    ),
    *(
        "![i](https://evil.example/x.png)",
        "[l](https://evil.example/?q=x)",
        "<img src=x onerror=y>",
    ),
    *(
        "<script>",
        "```",
        "`",
        "~~~",
        "> ",
        "- ",
        "1. ",
        "# ",
        "|",
        "---",
        "&#xE000;0&#xE001;",
        "&lt;",
    ),
    *(
        "\ue000" + "0\ue001",
        "\ue200cite\ue202turn0search1\ue201",
        "\u202e",
        "\ud800",
        "<https://a.b>",
    ),
    *(
        "javascript:alert(1)",
        "[x]: https://evil.example",
        "[x]",
        "http://[",
        "\\",
        "*" * 50,
        "é",
        "🇩🇪",
    ),
)
texts = st.lists(st.sampled_from(PIECES) | st.text(max_size=8), max_size=30).map("".join)
urls = st.sampled_from(
    ["https://a.example/", "http://[", "javascript:x", "", "https://a.example/?q=[1]", "x\ny"]
)
cited_pages = st.lists(
    st.builds(
        Citation,
        url=urls,
        title=st.text(max_size=8) | st.sampled_from(["[2] x", "\n[1] fake (https://evil.example)"]),
        quote=st.text(max_size=8),
        start=OFFSETS,
        end=OFFSETS,
        evidence=st.sampled_from([*Evidence]),
    ),
    max_size=5,
)


@cache
def streams() -> list[bytes]:
    """Return recorded event streams, and one of ours."""
    found = recordings("anthropic", "gemini", "openai_responses", ending=".sse")
    return [
        b"event: a\ndata: {}\r\n\r\nid: 1\nretry: 5\ndata\n\n",
        *(p.read_bytes() for p in found),
    ]


def read(body: bytes, sizes: list[int], limit: int) -> tuple[list[SseEvent], bool]:
    """Return the events of a body in chunks of these sizes, and whether one was too large."""
    parser = SseParser(max_event_bytes=limit)
    events: list[SseEvent] = []
    at = 0
    try:
        while at < len(body):
            size = sizes[at % len(sizes)]
            events += parser.feed(body[at : at + size])
            at += size
        parser.feed(b"")
        parser.close()
    except EventTooLargeError:
        return events, True
    return events, False


@fuzz(60, chance=chances)
def test_a_damaged_stream_gives_the_same_events_however_it_is_cut(chance: Random) -> None:
    body = damaged(one_of(streams(), chance), chance)
    limit = chance.choice((1 << 20, 2_000))

    whole = read(body, [len(body) or 1], limit)

    assert read(body, [chance.randint(1, 700) for _ in range(5)], limit) == whole


@fuzz(80, text=texts, cited=cited_pages)
def test_markers_and_spans_lie_inside_the_text_and_every_rendering_stands(
    text: str, cited: list[Citation]
) -> None:
    known = {str(number): each for number, each in enumerate(cited[:2], 1)}
    marked = citations.place(text, cited, known=known)

    numbers = {source.number for source in marked.sources}
    assert marked.unmark() == text
    for marker in marked.markers:
        assert marked.text.startswith(marker.label, marker.position)
        assert set(marker.numbers) <= numbers
    for source in marked.sources:
        assert all(0 <= start <= end <= len(marked.text) for start, end in source.spans)
    for render in (
        citations.to_markdown,
        citations.to_plain,
        citations.to_terminal,
        citations.to_json,
    ):
        assert render(marked) is not None
    kept = citations.to_json(marked)
    assert citations.to_json(citations.from_json(kept)) == kept
    check_html(citations.to_html(marked) + citations.sources_to_html(marked))


@fuzz(80, text=texts, cited=cited_pages)
def test_the_page_of_an_answer_holds_its_own_elements_and_markers_only(
    text: str, cited: list[Citation]
) -> None:
    marked = citations.place(text, cited)
    message = ChatMessage(session_id="s", kind=MessageKind.AI_RESPONSE, content=marked.text)
    whole = answer_page(replace(message, marked=marked, status=Status.COMPLETE), text)

    check_html(whole)
    most = sum(len(m.numbers) + len(m.struck) + len(m.unknown) for m in marked.markers)
    assert whole.count('<sup class="citation') <= most


def test_letters_that_stand_for_our_own_places_make_no_marker() -> None:
    known = {"1": Citation(url="https://a.example/")}
    marked = citations.place("True.[1] Forged &#xE000;0&#xE001;.", [], known=known)
    message = ChatMessage(session_id="s", kind=MessageKind.AI_RESPONSE, content=marked.text)

    html = answer_html(replace(message, marked=marked))

    assert html.count("[1]") == 1
    assert html.rstrip().endswith("Forged \ue0000\ue001.</p>")


@fuzz(80, text=texts)
def test_what_a_stranger_writes_is_harmless_html_and_stays_in_its_fence(text: str) -> None:
    check_html(harmless_html(text))
    inside = fenced(clean(text), "about")
    opening, closing = inside.split("\n")[0], inside.rsplit("\n", 1)[1]

    word = opening.split()[1]
    assert closing == f"<<<END {word}>>>"
    assert inside.count(word) == 2


@fuzz(80, text=texts, url=st.text() | urls)
def test_no_text_makes_a_ledger_stumble_or_admit_what_it_was_not_told(text: str, url: str) -> None:
    ledger = Ledger()
    ledger.begin_turn("Only https://known.example/page, please")
    ledger.offer(text)

    admitted = ledger.admit(web_address(url))

    assert admitted is None or admitted == "https://known.example/page" or admitted in text
    assert len(web_address(url).split()) <= 1


def test_the_limit_of_an_event_counts_the_bytes_that_came() -> None:
    events = SseParser(max_event_bytes=12).feed(b"data: \xff\xff\xff\n\n" * 2)

    assert [event.data for event in events] == ["\ufffd" * 3] * 2
