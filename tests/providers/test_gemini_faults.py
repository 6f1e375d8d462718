"""Gemini: what can go wrong, and what is kept then."""

import json
from datetime import UTC, datetime

import pytest

from groundwire.errors import WebSearchUnsupportedError
from groundwire.events import (
    Done,
    Error,
    TextDelta,
    Usage,
    Warned,
)
from groundwire.model import (
    Json,
)
from groundwire.providers.gemini import provider
from groundwire.wire.contract import HttpReply
from groundwire.wire.errors import read_fault
from groundwire.wire.sse import SseEvent
from tests.providers.gemini_wire import chunk, decode


def test_a_reply_without_finish_reason_is_cut_off_and_keeps_what_came() -> None:
    events = decode({**chunk({"text": "Half"}), "usageMetadata": {"promptTokenCount": 2}})

    assert events == [
        TextDelta("Half"),
        Usage(input_tokens=2),
        Error("the reply of gemini ended before it was complete", "truncated"),
    ]


def test_an_error_in_the_stream_is_reported_once_with_its_delay() -> None:
    error = {
        "error": {
            "code": 429,
            "message": "Slow down.",
            "status": "RESOURCE_EXHAUSTED",
            "details": [{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "48s"}],
        }
    }

    events = decode(chunk({"text": "Half"}), error, error)

    assert events == [
        TextDelta("Half"),
        Error(
            "gemini: Slow down; wait, or name a second provider in the settings",
            "rate_limit",
            48.0,
        ),
    ]


@pytest.mark.parametrize("body", ["error", ["error"]])
def test_an_error_body_is_one_error(body: Json) -> None:
    error = {"error": {"code": 404, "message": "No such model", "status": "NOT_FOUND"}}

    decoder = provider.answer_decoder()
    events = decoder.feed_body([error] if isinstance(body, list) else error)

    assert events == [Error("gemini: No such model", "invalid_request")]
    assert decoder.finish() == ()


@pytest.mark.parametrize("body", [None, 7, [], {}, {"candidates": []}, [None]])
def test_a_body_that_is_no_reply_is_one_error(body: Json) -> None:
    events = provider.answer_decoder().feed_body(body)

    assert [type(event) for event in events] == [Error]


@pytest.mark.parametrize(
    "damaged",
    [
        {"candidates": [{"content": {"parts": [{"text": "a"}, {"text": 5}, "x"]}}]},
        {
            "candidates": [
                {"content": {"parts": [{"text": "a"}, {"functionCall": {}, "text": 1}, 2]}}
            ]
        },
        {"candidates": [{"content": {"parts": [{"text": "a"}, {"functionCall": {"x": 1}}]}}]},
        {"candidates": [{"content": {"parts": [{"text": "a"}]}, "groundingMetadata": [1]}]},
        {"candidates": [{"content": {"parts": [{"text": "a"}]}, "urlContextMetadata": "x"}]},
    ],
)
def test_what_is_damaged_in_a_chunk_does_not_cost_the_text_in_it(damaged: Json) -> None:
    events = decode(damaged, chunk({"text": "b"}, finishReason="STOP"))

    assert [event for event in events if not isinstance(event, Warned)] == [
        TextDelta("a"),
        TextDelta("b"),
        Done("STOP"),
    ]
    assert [event.code for event in events if isinstance(event, Warned)] == ["malformed_event"]


@pytest.mark.parametrize(
    "grounding",
    [
        {"groundingChunks": [1]},
        {
            "groundingChunks": [{"web": {"uri": "https://a.org"}}],
            "groundingSupports": [{"segment": 1}],
        },
        {
            "groundingChunks": [{"web": {"uri": "https://a.org"}}],
            "groundingSupports": [{"segment": {"endIndex": "x"}, "groundingChunkIndices": [0]}],
        },
        {"groundingSupports": [{"groundingChunkIndices": ["0"]}]},
    ],
)
def test_damaged_grounding_costs_the_citations_only(grounding: Json) -> None:
    events = decode(chunk({"text": "a"}, finishReason="STOP", groundingMetadata=grounding))

    assert events == [
        TextDelta("a"),
        Warned("skipped malformed grounding of gemini", "malformed_event"),
        Done("STOP"),
    ]


def test_garbage_is_skipped_with_a_warning_and_a_done_after_the_end_is_nothing() -> None:
    decoder = provider.answer_decoder()

    garbage = decoder.feed(SseEvent("message", "{no"))
    decoder.feed(SseEvent("message", json.dumps(chunk({"text": "a"}, finishReason="STOP"))))
    done = decoder.feed(SseEvent("message", "[DONE]"))

    assert [type(event) for event in garbage] == [Warned]
    assert list(done) == []
    assert decoder.finish() == [Done("STOP")]
    assert decoder.finish() == ()


def test_a_wrong_usage_is_ignored() -> None:
    events = decode({**chunk({"text": "a"}, finishReason="STOP"), "usageMetadata": "many"})

    assert events == [TextDelta("a"), Done("STOP")]


def test_a_bad_key_is_an_auth_error_although_its_status_is_400() -> None:
    body = {
        "error": {
            "code": 400,
            "message": "API key not valid. Please pass a valid API key.",
            "status": "INVALID_ARGUMENT",
            "details": [{"reason": "API_KEY_INVALID", "domain": "googleapis.com"}],
        }
    }
    raw = json.dumps(body).encode()

    fault = read_fault("gemini", status=400, headers={}, body=raw, now=datetime.now(UTC))

    assert fault.code == "auth"
    assert provider.error_from(HttpReply(status=400, body=raw, service="gemini")) is None


def test_a_model_without_search_is_told_from_other_bad_requests() -> None:
    message = "Google Search tool is not supported for models/gemini-1.0-pro."
    body = json.dumps({"error": {"code": 400, "message": message}}).encode()

    error = provider.error_from(HttpReply(status=400, body=body, service="gemini"))

    assert isinstance(error, WebSearchUnsupportedError)
    assert error.reason == message


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (500, b'{"error": {"message": "search is not supported"}}'),
        (400, b"search is not supported"),
        (400, b'{"error": {"message": "unknown field: searchy"}}'),
    ],
)
def test_other_failures_mean_what_they_mean_everywhere(status: int, body: bytes) -> None:
    assert provider.error_from(HttpReply(status=status, body=body, service="gemini")) is None
