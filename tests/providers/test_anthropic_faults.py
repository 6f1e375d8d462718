"""What is kept of Anthropic's replies when something goes wrong."""

import json

import pytest

from groundwire.events import (
    Citations,
    Done,
    Error,
    RawBlocks,
    TextDelta,
    ToolCallEnd,
    Warned,
    WebFetchResult,
    WebFetchStart,
    WebSearchStart,
)
from groundwire.model import Citation, Json
from groundwire.providers.anthropic import provider
from tests.providers.anthropic_wire import (
    OTTER,
    START,
    STOP,
    closing,
    ending,
    feed,
    growing,
    opening,
    text,
)


def test_failures_of_the_services_tools_are_told_and_the_answer_goes_on() -> None:
    search = {"type": "web_search_tool_result_error", "error_code": "max_uses_exceeded"}
    fetch = {"type": "web_fetch_tool_result_error", "error_code": "url_not_allowed"}
    url = "https://example.org/a"

    events = feed(
        provider.answer_decoder(),
        START,
        opening(0, {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {}}),
        closing(0),
        opening(1, {"type": "web_search_tool_result", "tool_use_id": "s", "content": search}),
        closing(1),
        opening(2, {"type": "server_tool_use", "id": "f", "name": "web_fetch", "input": {}}),
        growing(2, "input_json_delta", partial_json=json.dumps({"url": url})),
        closing(2),
        opening(3, {"type": "web_fetch_tool_result", "tool_use_id": "f", "content": fetch}),
        closing(3),
    )

    assert events == [
        WebSearchStart(None),
        Warned("the web search of anthropic failed: max_uses_exceeded", "tool_failed"),
        WebFetchStart(url),
        WebFetchResult(url, error="url_not_allowed"),
    ]


def test_a_continuation_that_breaks_off_is_truncated() -> None:
    decoder = provider.answer_decoder()
    feed(decoder, START, *ending("pause_turn"))

    feed(decoder, START, opening(0, {"type": "text", "text": ""}))

    assert decoder.finish() == [
        Error("the reply of anthropic ended before it was complete", "truncated")
    ]


def test_an_error_inside_the_stream_keeps_what_came() -> None:
    overloaded = {"type": "overloaded_error", "message": "Overloaded"}
    decoder = provider.answer_decoder()

    events = feed(
        decoder,
        START,
        *text(0, "Otters hold", OTTER)[:-1],
        {"type": "error", "error": overloaded},
        {"type": "error", "error": overloaded},
        STOP,
    )

    assert events == [
        TextDelta("Otters hold"),
        Citations(
            (
                Citation(
                    url="https://example.org/otter", quote="Otters hold hands.", start=0, end=11
                ),
            )
        ),
        Error("anthropic: Overloaded; try again later", "overloaded"),
    ]
    assert decoder.finish() == ()


@pytest.mark.parametrize(
    ("kind", "code"),
    [
        ("authentication_error", "auth"),
        ("rate_limit_error", "rate_limit"),
        ("invalid_request_error", "invalid_request"),
        ("api_error", "overloaded"),
    ],
)
def test_an_error_body_is_one_error(kind: str, code: str) -> None:
    body = {"type": "error", "error": {"type": kind, "message": "No."}, "request_id": "req_1"}

    (event,) = provider.answer_decoder().feed_body(body)

    assert isinstance(event, Error)
    assert event.code == code


def test_a_reply_that_breaks_off_keeps_the_citations_of_its_last_block() -> None:
    decoder = provider.answer_decoder()
    feed(decoder, START, *text(0, "Otters", OTTER)[:-1])

    events = decoder.finish()

    assert [type(event) for event in events] == [Citations, Error]


def test_a_second_beginning_replaces_what_was_unfinished() -> None:
    first = {"type": "tool_use", "id": "toolu_1", "name": "add", "input": {}}
    second = {"type": "tool_use", "id": "toolu_2", "name": "add", "input": {}}

    events = feed(
        provider.answer_decoder(),
        START,
        START,
        opening(0, first),
        growing(0, "input_json_delta", partial_json='{"a'),
        START,
        opening(0, second),
        growing(0, "input_json_delta", partial_json='{"a": 1}'),
        closing(0),
        *ending("tool_use"),
    )

    assert [event for event in events if isinstance(event, ToolCallEnd)] == [ToolCallEnd("toolu_2")]
    assert events[-1] == Done("tool_use")


def test_what_is_unknown_or_late_is_ignored_but_for_a_late_source() -> None:
    decoder = provider.answer_decoder()
    source = Citation(
        url="https://example.org/otter", quote="Otters hold hands.", start=0, end=len("No start")
    )

    events = feed(
        decoder,
        {"type": "ping"},
        START,
        {"type": "weather_report", "sun": True},
        opening(0, {"type": "hologram", "data": "x"}),
        growing(0, "hologram_delta", data="y"),
        closing(0),
        closing(9),
        growing(1, "text_delta", text="No start"),
        *ending("end_turn"),
        growing(1, "text_delta", text="too late"),
        growing(1, "citations_delta", citation=OTTER),
        *ending("end_turn", output_tokens=9),
    )

    assert events == [
        TextDelta("No start"),
        RawBlocks([{"type": "hologram", "data": "x"}, {"type": "text", "text": "No start"}]),
        Done("end_turn"),
        Citations((source,)),
    ]
    assert decoder.text_length == len("No start")


def test_what_comes_for_a_block_that_was_closed_is_kept_in_it() -> None:
    thought = {"type": "thinking", "thinking": ""}

    events = feed(
        provider.answer_decoder(),
        START,
        opening(0, thought),
        growing(0, "thinking_delta", thinking="Otters"),
        closing(0),
        growing(0, "thinking_delta", thinking="?"),
        growing(0, "signature_delta", signature="c2ln"),
        *text(1, "They hold"),
        growing(1, "text_delta", text=" hands."),
        growing(1, "citations_delta", citation=OTTER),
        *ending("end_turn"),
    )

    assert events[-2:] == [
        RawBlocks(
            [
                {"type": "thinking", "thinking": "Otters?", "signature": "c2ln"},
                {"type": "text", "text": "They hold hands.", "citations": [OTTER]},
            ]
        ),
        Done("end_turn"),
    ]


@pytest.mark.parametrize(
    "damaged",
    [
        opening(0, {"text": "no type"}),
        opening(0, {"type": "web_search_tool_result", "tool_use_id": "s", "content": ["x"]}),
        opening(0, {"type": "tool_use"}),
        growing(0, "text_delta", text=7),
        growing(0, "text_delta"),
        growing(0, "input_json_delta", partial_json=None),
        {"type": "content_block_delta", "index": 0},
        {"type": "message_start"},
        {"type": "message_delta", "delta": "x"},
    ],
)
def test_a_damaged_event_costs_only_itself(damaged: Json) -> None:
    events = feed(
        provider.answer_decoder(), START, damaged, *text(0, "Yes", OTTER), *ending("end_turn")
    )

    assert [type(event) for event in events] == [Warned, TextDelta, Citations, Done]


def test_a_whole_reply_of_another_shape_is_an_error() -> None:
    (event,) = provider.answer_decoder().feed_body({"content": "Hello"})

    assert isinstance(event, Error)
    assert event.code == "bad_reply"
