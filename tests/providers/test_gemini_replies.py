"""Gemini: what it answers."""

import json
from pathlib import Path

import pytest

from groundwire.events import (
    Citations,
    Done,
    RawBlocks,
    SearchSuggestions,
    StreamEvent,
    TextDelta,
    ThinkingDelta,
    ToolCallDelta,
    ToolCallEnd,
    ToolCallStart,
    Usage,
    Warned,
    WebFetchResult,
    WebSearchResults,
    WebSearchStart,
)
from groundwire.model import (
    Citation,
    Json,
    SearchResult,
)
from groundwire.providers.gemini import Gemini, provider
from groundwire.sse import SseEvent, SseParser

REPLIES = Path(__file__).parent / "replies"
REDIRECT = "https://vertexaisearch.cloud.google.com/grounding-api-redirect/"


def stream(name: str, chunk_size: int = 7) -> list[StreamEvent]:
    body = (REPLIES / name).read_bytes()
    parser, decoder = SseParser(), Gemini(now=lambda: 1700).answer_decoder()
    events: list[StreamEvent] = []
    for start in range(0, len(body), chunk_size):
        for sent in parser.feed(body[start : start + chunk_size]):
            events += decoder.feed(sent)
    return [*events, *decoder.finish()]


def decode(*chunks: Json) -> list[StreamEvent]:
    decoder = Gemini(now=lambda: 1700).answer_decoder()
    events = [
        event for chunk in chunks for event in decoder.feed(SseEvent("message", json.dumps(chunk)))
    ]
    return [*events, *decoder.finish()]


def chunk(*parts: Json, **candidate: Json) -> Json:
    return {"candidates": [{"content": {"parts": list(parts), "role": "model"}, **candidate}]}


@pytest.mark.parametrize("chunk_size", [1, 7, 10_000])
def test_a_grounded_answer_is_cited_in_characters(chunk_size: int) -> None:
    events = stream("gemini-search.sse", chunk_size)

    text = "Otter können tauchen. Sie schlafen Hand in Hand. 🦦 Ende"
    first = Citation(
        url=f"{REDIRECT}AAA",
        title="otters.example.org",
        domain="otters.example.org",
        start=0,
        end=21,
    )
    assert events == [
        TextDelta("Otter können tau"),
        TextDelta("chen. Sie schlafen Hand in Hand. 🦦"),
        TextDelta(" Ende"),
        WebSearchStart("wie schlafen Otter"),
        WebSearchResults(
            (SearchResult(url=f"{REDIRECT}CCC", title="unused.example.com"),),
        ),
        Citations(
            (
                first,
                Citation(
                    url=f"{REDIRECT}BBB",
                    title="Sleeping otters",
                    domain="zoo.example.net",
                    start=22,
                    end=50,
                ),
                Citation(
                    url=f"{REDIRECT}AAA",
                    title="otters.example.org",
                    domain="otters.example.org",
                    start=22,
                    end=50,
                ),
            )
        ),
        SearchSuggestions('<div class="container">otters</div>'),
        Usage(
            input_tokens=12,
            output_tokens=16,
            cached_input_tokens=3,
            thinking_tokens=9,
            searches=1,
        ),
        Done("STOP"),
    ]
    assert text[22:50] == "Sie schlafen Hand in Hand. 🦦"


def test_parallel_calls_of_one_tool_get_ids_that_cannot_collide() -> None:
    events = stream("gemini-tools.sse")

    one, two = "call_look_1700_1", "call_look_1700_2"
    assert events == [
        ThinkingDelta("I need two looks."),
        TextDelta("Let me "),
        TextDelta("look."),
        ToolCallStart(one, "look"),
        ToolCallDelta(one, '{"at": "Öl"}'),
        ToolCallEnd(one),
        ToolCallStart(two, "look"),
        ToolCallDelta(two, '{"at": "sea"}'),
        ToolCallEnd(two),
        ToolCallStart("wire-7", "rest"),
        ToolCallDelta("wire-7", "{}"),
        ToolCallEnd("wire-7"),
        Usage(input_tokens=12, output_tokens=21, thinking_tokens=5),
        RawBlocks(
            [
                {"text": "I need two looks.", "thought": True},
                {"text": "Let me look."},
                {
                    "functionCall": {"name": "look", "args": {"at": "Öl"}},
                    "thoughtSignature": "c2lnbmVk",
                },
                {"functionCall": {"name": "look", "args": {"at": "sea"}}},
                {"functionCall": {"id": "wire-7", "name": "rest"}},
            ]
        ),
        Done("STOP"),
    ]


def test_two_replies_in_the_same_millisecond_do_not_share_ids() -> None:
    gemini = Gemini(now=lambda: 1700)
    body = chunk({"functionCall": {"name": "look"}}, finishReason="STOP")

    first, second = (gemini.answer_decoder().feed_body(body)[0] for _ in range(2))

    assert first == ToolCallStart("call_look_1700_1", "look")
    assert second == ToolCallStart("call_look_1700_2", "look")


def test_raw_parts_keep_signed_text_apart_from_plain_text() -> None:
    signed = {"text": " b", "thoughtSignature": "c2ln"}
    search = {"toolCall": {"id": "s", "toolType": "GOOGLE_SEARCH_WEB"}}

    events = decode(
        chunk({"text": "a"}),
        chunk(signed, {"text": " c"}),
        chunk({"text": " d"}, search, {}, finishReason="STOP"),
    )

    assert events[:4] == [TextDelta("a"), TextDelta(" b"), TextDelta(" c"), TextDelta(" d")]
    assert events[4:] == [
        RawBlocks([{"text": "a"}, signed, {"text": " c d"}, search]),
        Done("STOP"),
    ]


def test_grounding_and_usage_may_come_after_the_finish_reason_and_in_snake_case() -> None:
    late = {
        "candidates": [
            {
                "grounding_metadata": {
                    "web_search_queries": ["otters", "otters"],
                    "grounding_chunks": [{"web": {"uri": "https://www.a.org/x", "title": "A"}}],
                    "grounding_supports": [
                        {"segment": {"end_index": 2}, "grounding_chunk_indices": [0, 0]}
                    ],
                    "search_entry_point": {"rendered_content": "<b>"},
                },
                "url_context_metadata": {
                    "url_metadata": [
                        {
                            "retrieved_url": "https://b.org",
                            "url_retrieval_status": "URL_RETRIEVAL_STATUS_ERROR",
                        },
                        {
                            "retrieved_url": "https://c.org",
                            "url_retrieval_status": "URL_RETRIEVAL_STATUS_SUCCESS",
                        },
                    ]
                },
            }
        ],
        "usage_metadata": {"prompt_token_count": 3, "candidates_token_count": 4},
    }

    events = decode(chunk({"text": "Öl"}, finish_reason="STOP", index=0), late)

    assert events == [
        TextDelta("Öl"),
        WebSearchStart("otters"),
        WebFetchResult("https://b.org", error="URL_RETRIEVAL_STATUS_ERROR"),
        WebFetchResult("https://c.org"),
        Citations(
            (Citation(url="https://www.a.org/x", title="A", domain="a.org", start=0, end=1),)
        ),
        SearchSuggestions("<b>"),
        Usage(input_tokens=3, output_tokens=4, searches=1, fetches=2),
        Done("STOP"),
    ]


def test_a_whole_reply_says_the_same_as_its_stream_also_as_an_array() -> None:
    lines = (REPLIES / "gemini-search.sse").read_text(encoding="utf-8").split("\n")
    chunks = [json.loads(line[5:]) for line in lines if line.startswith("data:")]

    decoder = provider.answer_decoder()
    events = [*decoder.feed_body(chunks), *decoder.finish()]

    assert events == stream("gemini-search.sse")


def test_a_question_that_is_refused_ends_with_a_warning() -> None:
    events = decode(
        {"promptFeedback": {"blockReason": "SAFETY"}, "usageMetadata": {"promptTokenCount": 8}}
    )

    assert events == [
        Warned("gemini refuses the question: SAFETY", "blocked"),
        Usage(input_tokens=8),
        Done("blocked: SAFETY"),
    ]


def test_the_reason_for_stopping_is_gemini_s_own_word() -> None:
    events = decode(chunk({"text": "Otters "}), {"candidates": [{"finishReason": "RECITATION"}]})

    assert events == [TextDelta("Otters "), Done("RECITATION")]
