"""What goes wrong in a Responses stream, and what is told of it."""

import json

import pytest

from groundwire import registry
from groundwire.client import Client
from groundwire.events import Done, Error, TextDelta, Warned
from groundwire.model import Json
from groundwire.wire.contract import Access, Endpoint, HttpRequest
from groundwire.wire.openai.responses_replies import ResponsesDecoder
from tests.loopback import serve, stream
from tests.providers.openai_wire import COMPLETED, delta, feed, finished, message


def decoder() -> ResponsesDecoder:
    return ResponsesDecoder("openai-responses")


@pytest.mark.parametrize(
    "error",
    [
        {"type": "error", "error": {"code": "rate_limit_exceeded", "message": "Slower."}},
        {"type": "error", "code": "rate_limit_exceeded", "message": "Slower.", "param": None},
    ],
)
def test_an_error_nested_or_flat_is_told_once(error: Json) -> None:
    reader = decoder()
    failed = {
        "type": "response.failed",
        "response": {
            "status": "failed",
            "error": {"code": "rate_limit_exceeded", "message": "Slower."},
        },
    }

    events = feed(reader, [delta("Yes"), error, failed])

    assert events == [
        TextDelta("Yes"),
        Error(
            "openai-responses: Slower; wait, or name a second provider in the settings",
            "rate_limit",
        ),
        Done("failed"),
    ]
    assert reader.finish() == ()


def test_a_failure_without_a_reason_is_an_error_too() -> None:
    events = feed(decoder(), [{"type": "response.failed", "response": {"status": "failed"}}])

    assert [type(event) for event in events] == [Error, Done]


def test_a_failure_whose_event_is_damaged_is_an_error_at_the_end() -> None:
    reader = decoder()
    response = {"status": "failed", "error": {"message": "No."}, "incomplete_details": 1.5}

    events = feed(reader, [{"type": "response.failed", "response": response}])

    assert [type(event) for event in events] == [Warned]
    assert [type(event) for event in reader.finish()] == [Error]


def test_an_incomplete_reply_is_done_and_says_why() -> None:
    response = {"status": "incomplete", "incomplete_details": {"reason": "content_filter"}}

    events = feed(decoder(), [delta("Yes"), {"type": "response.incomplete", "response": response}])

    assert events == [
        TextDelta("Yes"),
        Warned("the reply of openai-responses is incomplete: content_filter", "incomplete"),
        Done("incomplete"),
    ]


def test_a_local_server_may_begin_twice_and_end_twice() -> None:
    created = {"type": "response.created", "response": {"status": "in_progress"}}
    reader = decoder()

    events = feed(
        reader, [created, created, delta("Yes"), finished(message("Yes")), COMPLETED, "[DONE]"]
    )

    assert events == [TextDelta("Yes"), Done("completed")]
    assert reader.finish() == ()


def test_a_stream_without_its_last_event_is_an_error() -> None:
    reader = decoder()

    feed(reader, [delta("Yes"), finished(message("Yes"))])

    assert reader.finish() == [
        Error("the reply of openai-responses ended before it was complete", "truncated")
    ]


def test_damage_and_strange_events_do_not_stop_the_rest() -> None:
    events = feed(
        decoder(),
        [
            delta("Yes"),
            '{"type":"response.output_text.del',
            {"type": "response.output_item.done"},
            {"type": "response.new_thing", "x": 1},
            {"type": "response.output_text.delta", "delta": None},
            {"type": "response.refusal.delta", "delta": ["no"]},
            finished({"type": "new_item"}),
            {"type": "response.function_call_arguments.delta", "delta": "{"},
            COMPLETED,
            COMPLETED,
        ],
    )

    assert [type(event) for event in events] == [TextDelta] + [Warned] * 4 + [Done]


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"error": {"message": "No.", "type": "insufficient_quota"}}, "quota"),
        ({"detail": "Could not parse your authentication token."}, "bad_reply"),
        ({}, "bad_reply"),
        (None, "bad_reply"),
    ],
)
def test_a_whole_reply_that_is_none_is_an_error(body: Json, code: str) -> None:
    [event] = decoder().feed_body(body)

    assert isinstance(event, Error)
    assert event.code == code


CREATED = b'data: {"type":"response.created","response":{"status":"in_progress"}}\n\n'
OVERLOADED = (
    b'data: {"type":"response.failed","response":{"status":"failed",'
    b'"error":{"code":"server_error","message":"Try again later."}}}\n\n'
)
ANSWER = (
    b'data: {"type":"response.output_text.delta","item_id":"m","output_index":0,'
    b'"content_index":0,"delta":"Yes."}\n\n'
    b'data: {"type":"response.completed","response":{"status":"completed","output":[]}}\n\n'
)


@pytest.mark.parametrize("name", ["openai-responses", "codex"])
async def test_a_failure_after_the_opening_is_retried_because_nothing_was_said(name: str) -> None:
    async with serve(stream(CREATED, OVERLOADED), stream(CREATED, ANSWER)) as server:
        access = Access(base_url=server.url)
        endpoint = Endpoint(name=name, provider=registry.get(name), access=access)
        request = HttpRequest(method="POST", url=f"{server.url}/responses", body=b"{}")
        async with (
            Client(pause=_no_pause) as client,
            client.stream(endpoint, request) as received,
        ):
            kinds = [json.loads(data)["type"] async for data in received]

    assert kinds == ["response.created", "response.output_text.delta", "response.completed"]
    assert len(server.requests) == 2


async def _no_pause(seconds: float) -> None:
    pass
