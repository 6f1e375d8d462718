"""What a failed reply means."""

import json
from datetime import UTC, datetime

import pytest

from groundwire.errors import (
    AuthError,
    BadReplyError,
    ContextTooLongError,
    InvalidRequestError,
    OverloadedError,
    QuotaError,
    RateLimitError,
    ServiceError,
)
from groundwire.wire import errors

NOW = datetime(2026, 11, 15, 12, 0, 0, tzinfo=UTC)


def fault(status: int, body: object, **headers: str) -> ServiceError:
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    text = body if isinstance(body, bytes) else json.dumps(body).encode()
    return errors.read_fault("service", status=status, headers=names, body=text, now=NOW)


@pytest.mark.parametrize(
    ("status", "body", "expected"),
    [
        (400, {"error": {"message": "no", "type": "invalid_request_error"}}, InvalidRequestError),
        (401, {"error": {"message": "no", "type": "invalid_request_error"}}, AuthError),
        (401, {"detail": "no"}, AuthError),
        (404, {"error": {"code": "usage_limit_reached"}}, QuotaError),
        (429, {"error": {"type": "rate_limit_error"}}, RateLimitError),
        (429, {"error": {"code": "insufficient_quota", "type": "insufficient_quota"}}, QuotaError),
        (
            429,
            {
                "error": {
                    "type": "rate_limit_error",
                    "details": {"error_code": "enforced_spend_limit_reached"},
                }
            },
            QuotaError,
        ),
        (
            400,
            {
                "error": {
                    "code": 400,
                    "status": "INVALID_ARGUMENT",
                    "details": [{"reason": "API_KEY_INVALID"}],
                }
            },
            AuthError,
        ),
        (400, {"error": {"code": "context_length_exceeded"}}, ContextTooLongError),
        (400, {"error": {"type": "exceed_context_size_error"}}, ContextTooLongError),
        (400, {"error": {"message": "prompt is too long: 9 tokens > 8"}}, ContextTooLongError),
        (400, {"message": "This model's maximum context length is 8 tokens"}, ContextTooLongError),
        (
            400,
            {
                "error": {
                    "message": "The input token count (9) exceeds the maximum number of tokens"
                }
            },
            ContextTooLongError,
        ),
        (500, {"error": {"message": "prompt is too long"}}, OverloadedError),
        (400, {"error": {"message": "temperature exceeds its maximum"}}, InvalidRequestError),
        (429, {"error": {"code": 429, "status": "RESOURCE_EXHAUSTED"}}, RateLimitError),
        (200, {"error": {"type": "overloaded_error"}}, OverloadedError),
        (200, {"error": {"type": "invalid_request_error"}}, InvalidRequestError),
        (418, b"teapot", BadReplyError),
        (529, b"", OverloadedError),
    ],
)
def test_statuses_and_words_together_name_the_error(
    status: int, body: object, expected: type[ServiceError]
) -> None:
    assert type(fault(status, body)) is expected


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ({"error": {"message": "plain"}}, "plain"),
        ({"error": "just a text"}, "just a text"),
        ({"detail": {"error": "inside"}}, "inside"),
        ({"detail": [{"msg": "one"}, {"msg": "two"}]}, "one; two"),
        ({"readableMessage": "Error: blocked", "message": "x"}, "Error: blocked"),
        (b"Too Many Requests\n", "Too Many Requests"),
        (b"<html><body>gateway</body></html>", "the service gave no reason"),
        ({}, "the service gave no reason"),
    ],
)
def test_the_reason_is_what_a_person_can_read(body: object, reason: str) -> None:
    assert fault(500, body).reason == reason


def test_a_long_reason_is_cut() -> None:
    assert len(fault(500, {"message": "x" * 5000}).reason) == errors.MAX_REASON_LENGTH


@pytest.mark.parametrize(
    ("body", "headers", "seconds"),
    [
        ({}, {"retry_after": "3"}, 3.0),
        ({}, {"retry_after_ms": "250", "retry_after": "9"}, 0.25),
        ({}, {"retry_after": "Sun, 15 Nov 2026 12:00:30 GMT"}, 30.0),
        ({}, {"retry_after": "soon"}, None),
        ({}, {"retry_after": "-5"}, None),
        ({}, {"retry_after": "inf"}, None),
        ({"error": {"details": [{"retryDelay": "48s"}]}}, {}, 48.0),
        ({"error": {"retry_after_seconds": 12}}, {}, 12.0),
        ({}, {}, None),
    ],
)
def test_the_wait_is_read_from_headers_and_bodies(
    body: object, headers: dict[str, str], seconds: float | None
) -> None:
    assert fault(429, body, **headers).retry_after_seconds == seconds


def test_request_id_and_rate_limits_are_kept() -> None:
    error = fault(429, {}, x_request_id="r-1", x_ratelimit_remaining_requests="0", server="x")

    assert error.request_id == "r-1"
    assert error.rate_limits == {"x-ratelimit-remaining-requests": "0"}
    assert "[request r-1]" in str(error)


@pytest.mark.parametrize(
    "body",
    [b"", b"[]", b'{"a": 1}', b'{"error": null}', b'{"error": {}}', b'{"error": 0}', b'{"error'],
)
def test_a_reply_without_an_error_has_none_inside(body: bytes) -> None:
    assert errors.fault_inside("service", headers={}, body=body, now=NOW) is None


def test_an_error_says_who_failed_why_and_what_to_do() -> None:
    text = str(fault(401, {"error": {"message": "Invalid key."}}))

    assert text == (
        "service (HTTP 401): Invalid key; check the key with `groundwire keys test service`"
    )
