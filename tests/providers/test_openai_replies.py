"""What replies in Chat Completions say, streamed and whole."""

import pytest

from groundwire.events import (
    Citations,
    Done,
    Error,
    TextDelta,
    ThinkingDelta,
    ToolCallDelta,
    ToolCallEnd,
    ToolCallStart,
    Warned,
    WebSearchResults,
)
from groundwire.model import Citation, Json, SearchResult, Usage
from groundwire.wire.openai.chat_replies import ChatDecoder
from tests.providers.openai_wire import chunk, feed, replay

LINK = "https://otters.example/hands?utm_source=openai"


def decoder() -> ChatDecoder:
    return ChatDecoder("openai")


def annotation(url: str, start: Json, end: Json, **more: Json) -> Json:
    inner = {"url": url, "title": "T", "start_index": start, "end_index": end, **more}
    return {"type": "url_citation", "url_citation": inner}


def test_a_searched_answer_is_told_with_its_citation_before_the_end() -> None:
    events = replay(decoder(), "openai-search.sse")

    link = f"([otters.example]({LINK}))"
    assert events == [
        TextDelta("Loutres 🦦 hold hands "),
        TextDelta(f"{link}."),
        Citations((Citation(url=LINK, title="Otters hold hands", start=21, end=87),)),
        Usage(input_tokens=11, output_tokens=29, cached_input_tokens=3, thinking_tokens=5),
        Done("stop"),
    ]
    assert f"Loutres 🦦 hold hands {link}."[21:87] == link


def test_parallel_calls_are_put_together_by_their_index() -> None:
    events = replay(decoder(), "openai-tools.sse")

    assert events == [
        ToolCallStart("call_a", "weather"),
        ToolCallDelta("call_a", '{"city":'),
        ToolCallDelta("call_a", '"Oslo"}'),
        ToolCallStart("call_b", "clock"),
        ToolCallDelta("call_b", "{}"),
        ToolCallEnd("call_a"),
        ToolCallEnd("call_b"),
        Done("tool_calls"),
    ]


def test_calls_that_share_an_index_or_have_no_id_are_kept_apart() -> None:
    first = {"index": 0, "id": "a", "function": {"name": "one", "arguments": "{}"}}
    second = {"index": 0, "id": "b", "function": {"name": "two", "arguments": {"x": 1}}}
    nameless = {"index": 1, "function": {"name": "three", "arguments": None}}

    events = feed(decoder(), [chunk({"tool_calls": [call]}) for call in (first, second, nameless)])

    assert events == [
        ToolCallStart("a", "one"),
        ToolCallDelta("a", "{}"),
        ToolCallStart("b", "two"),
        ToolCallDelta("b", '{"x": 1}'),
        ToolCallStart("call_chatcmpl-1_1", "three"),
    ]


def test_a_flat_annotation_is_read_like_a_nested_one() -> None:
    flat = {"type": "url_citation", "url": "https://a.example/", "start_index": 0, "end_index": 2}

    events = feed(decoder(), [chunk({"content": "Yes", "annotations": [flat]})])

    assert events == [
        TextDelta("Yes"),
        Citations((Citation(url="https://a.example/", title="a.example", start=0, end=2),)),
    ]


@pytest.mark.parametrize(
    ("start", "end"), [(0, 0), (3, 3), (-1, 2), (2, 1), (None, None), ("0", "2"), (0, True)]
)
def test_what_is_no_place_is_cited_without_one(start: Json, end: Json) -> None:
    cited = annotation("https://a.example/", start, end)

    events = feed(decoder(), [chunk({"content": "Yes", "annotations": [cited]})])

    assert events == [
        TextDelta("Yes"),
        Citations((Citation(url="https://a.example/", title="T"),)),
    ]


def test_a_place_past_the_end_waits_for_its_text_and_keeps_its_turn() -> None:
    early = [
        annotation("https://a.example/", 0, 5),
        annotation("https://b.example/", 0, 99),
        annotation("https://c.example/", 0, 0),
    ]

    events = feed(
        decoder(),
        [chunk({"annotations": early}), chunk({"content": "Otter"}), chunk({}, "stop"), "[DONE]"],
    )

    assert events == [
        TextDelta("Otter"),
        Citations(
            (
                Citation(url="https://a.example/", title="T", start=0, end=5),
                Citation(url="https://b.example/", title="T"),
                Citation(url="https://c.example/", title="T"),
            )
        ),
        Done("stop"),
    ]


def test_a_citation_is_told_once_and_other_annotations_never() -> None:
    cited = annotation("https://a.example/", 0, 3)
    others: Json = [{"type": "file", "file": {}}, {"type": "url_citation"}, None, "x"]

    events = feed(
        decoder(),
        [
            chunk({"content": "Yes", "annotations": [cited, *others]}),
            chunk({"annotations": [cited]}, "stop"),
        ],
    )

    assert events == [
        TextDelta("Yes"),
        Citations((Citation(url="https://a.example/", title="T", start=0, end=3),)),
    ]


@pytest.mark.parametrize("name", ["reasoning", "reasoning_content"])
def test_reasoning_is_thinking(name: str) -> None:
    assert feed(decoder(), [chunk({"content": "", name: "Hm."})]) == [ThinkingDelta("Hm.")]


def test_a_refusal_and_content_in_parts_are_text() -> None:
    parts = [{"type": "text", "text": "A"}, {"type": "thinking"}, {"type": "text", "text": "B"}]

    events = feed(decoder(), [chunk({"refusal": "I can't."}), chunk({"content": parts})])

    assert events == [TextDelta("I can't."), TextDelta("AB")]


def test_only_the_first_choice_is_read() -> None:
    second = {"index": 1, "delta": {"content": "No"}, "finish_reason": None}
    first = {"index": 0, "delta": {"content": "Yes"}, "finish_reason": None}

    events = feed(decoder(), [{"choices": [second]}, {"choices": [first, second]}])

    assert events == [TextDelta("Yes")]


def test_a_server_without_end_marker_is_done_when_it_has_stopped() -> None:
    reader = decoder()

    told = feed(reader, [chunk({"content": "Yes"}), chunk({}, "stop")])

    assert told == [TextDelta("Yes")]
    assert reader.finish() == [Done("stop")]
    assert reader.finish() == ()


def test_an_end_marker_is_enough_for_an_end() -> None:
    reader = decoder()

    told = feed(reader, [chunk({"content": "Yes"}), "[DONE]", "[DONE]"])

    assert told == [TextDelta("Yes"), Done("")]
    assert reader.finish() == ()


def test_a_reply_that_stops_in_the_middle_is_an_error_and_its_calls_stay_open() -> None:
    reader = decoder()
    call = {"index": 0, "id": "a", "function": {"name": "one", "arguments": '{"x'}}

    told = feed(reader, [chunk({"tool_calls": [call]})])

    assert told == [ToolCallStart("a", "one"), ToolCallDelta("a", '{"x')]
    assert reader.finish() == [
        Error("the reply of openai ended before it was complete", "truncated")
    ]


def test_a_closing_message_adds_no_text_that_was_told() -> None:
    choice = {
        "index": 0,
        "message": {"content": "Yes", "annotations": [annotation("https://a.example/", 0, 3)]},
        "finish_reason": "stop",
    }

    events = feed(decoder(), [chunk({"content": "Yes"}), {"choices": [choice]}, "[DONE]"])

    assert events == [
        TextDelta("Yes"),
        Citations((Citation(url="https://a.example/", title="T", start=0, end=3),)),
        Done("stop"),
    ]


def test_perplexitys_pages_are_found_not_cited_and_told_once() -> None:
    pages = ["https://a.example/", "https://b.example/"]
    hits = [{"url": "https://c.example/", "title": "C", "date": "2026-01-02", "snippet": "See."}]
    usage = {"prompt_tokens": 1, "completion_tokens": 1, "cost": {"total_cost": 0.006}}

    events = feed(
        decoder(),
        [
            chunk({"content": "A[1]"}, citations=pages, usage=usage),
            chunk({"content": "B[2]"}, citations=pages, usage=usage),
            chunk({"content": ""}, "stop", citations=pages, search_results=hits, usage=usage),
        ],
    )

    assert events == [
        WebSearchResults(
            (
                SearchResult(url="https://a.example/", title="a.example"),
                SearchResult(url="https://b.example/", title="b.example"),
            )
        ),
        TextDelta("A[1]"),
        Usage(input_tokens=1, output_tokens=1, cost_usd=0.006),
        TextDelta("B[2]"),
        WebSearchResults(
            (
                SearchResult(
                    url="https://c.example/", title="C", snippet="See.", published="2026-01-02"
                ),
            )
        ),
    ]


def test_the_last_report_of_each_field_counts() -> None:
    events = feed(
        decoder(),
        [
            {"choices": [], "usage": {"prompt_tokens": 5, "completion_tokens": 1}},
            {"choices": [], "usage": {"completion_tokens": 7, "prompt_tokens": None}},
            {"choices": [], "usage": {"completion_tokens": 7}},
        ],
    )

    assert events == [
        Usage(input_tokens=5, output_tokens=1),
        Usage(input_tokens=5, output_tokens=7),
    ]


def test_damage_is_skipped_with_a_warning_and_the_rest_is_read() -> None:
    torn = chunk({"content": "lost", "tool_calls": 5})

    events = feed(
        decoder(),
        [
            chunk({"content": "Yes"}),
            '{"choices": [{',
            torn,
            chunk({"content": 7}),
            chunk({"tool_calls": [{"index": 0, "id": "a", "function": {"name": None}}]}),
            chunk({"annotations": [annotation("https://a.example/", 0, 3)]}, "stop"),
            {"object": "ping"},
            "[DONE]",
        ],
    )

    assert [type(event) for event in events] == [
        TextDelta,
        Warned,
        Warned,
        Warned,
        Warned,
        Citations,
        Done,
    ]
    assert events[5] == Citations((Citation(url="https://a.example/", title="T", start=0, end=3),))


def test_an_error_in_the_stream_is_told_once_and_keeps_what_came() -> None:
    error = {"message": "The server is overloaded.", "type": "server_error"}
    reader = decoder()

    events = feed(reader, [chunk({"content": "Yes"}), {"error": error}, {"error": error}, "[DONE]"])

    assert events == [
        TextDelta("Yes"),
        Error("openai: The server is overloaded; try again later", "overloaded"),
    ]
    assert reader.finish() == ()


def test_a_whole_reply_says_the_same_as_a_stream() -> None:
    message = {
        "role": "assistant",
        "content": "Yes",
        "refusal": None,
        "annotations": [annotation("https://a.example/", 0, 3)],
        "tool_calls": [
            {"id": "a", "type": "function", "function": {"name": "one", "arguments": "{}"}},
            {"id": "b", "type": "function", "function": {"name": "two", "arguments": "{}"}},
        ],
    }
    body = {
        "choices": [{"index": 0, "message": message, "finish_reason": "tool_calls"}],
        "usage": {"prompt_tokens": 3, "completion_tokens": 2},
    }

    assert decoder().feed_body(body) == [
        TextDelta("Yes"),
        Citations((Citation(url="https://a.example/", title="T", start=0, end=3),)),
        ToolCallStart("a", "one"),
        ToolCallDelta("a", "{}"),
        ToolCallStart("b", "two"),
        ToolCallDelta("b", "{}"),
        ToolCallEnd("a"),
        ToolCallEnd("b"),
        Usage(input_tokens=3, output_tokens=2),
        Done("tool_calls"),
    ]


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"error": {"message": "No.", "code": "invalid_api_key"}}, "auth"),
        ({"choices": []}, "bad_reply"),
        ({}, "bad_reply"),
        ([], "bad_reply"),
    ],
)
def test_a_whole_reply_that_is_none_is_an_error(body: Json, code: str) -> None:
    [event] = decoder().feed_body(body)

    assert isinstance(event, Error)
    assert event.code == code
