"""Gemini: what it answers."""

import json
from dataclasses import replace

import pytest

from groundwire.events import (
    Citations,
    Done,
    RawBlocks,
    SearchSuggestions,
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
    SearchResult,
)
from groundwire.providers.gemini import Gemini, provider
from tests.providers.gemini_wire import REDIRECT, REPLIES, chunk, decode, stream

OTTERS = Citation(url=f"{REDIRECT}AAA", title="otters.example.org", domain="otters.example.org")
ZOO = Citation(
    url=f"{REDIRECT}BBB", title="Sleeping otters", domain="zoo.example.net", start=22, end=50
)


@pytest.mark.parametrize("chunk_size", [1, 7, 10_000])
def test_a_grounded_answer_is_cited_in_characters(chunk_size: int) -> None:
    events = stream("gemini-search.sse", chunk_size)

    text = "Otter können tauchen. Sie schlafen Hand in Hand. 🦦 Ende"
    assert events == [
        TextDelta("Otter können tau"),
        TextDelta("chen. Sie schlafen Hand in Hand. 🦦"),
        TextDelta(" Ende"),
        WebSearchStart("wie schlafen Otter"),
        WebSearchResults(
            (SearchResult(url=f"{REDIRECT}CCC", title="unused.example.com"),),
        ),
        Citations((replace(OTTERS, start=0, end=21), ZOO, replace(OTTERS, start=22, end=50))),
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


LATE = {
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


def test_grounding_and_usage_may_come_after_the_finish_reason_and_in_snake_case() -> None:
    events = decode(chunk({"text": "Öl"}, finish_reason="STOP", index=0), LATE)

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
