"""What a failed reply means: one mapping for every service, in HTTP or inside a stream.

A service that differs says so in its `error_from`; this is what its statuses and words mean
everywhere else.
"""

from __future__ import annotations

import re
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING

from groundwire.errors import (
    AnswerError,
    AuthError,
    BadReplyError,
    ConfigError,
    ConnectError,
    ContextTooLongError,
    EventTooLargeError,
    GroundwireError,
    InvalidRequestError,
    OverloadedError,
    ProviderBugError,
    QuotaError,
    RateLimitError,
    RefusedError,
    SearchFailedError,
    ServiceError,
    SettingsError,
    TimedOutError,
    TooLargeError,
    ToolFailedError,
    TruncatedError,
    WebSearchUnsupportedError,
)
from groundwire.redaction import redact
from groundwire.wire.text import parsed

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from datetime import datetime

    from groundwire.model import Json

MAX_REASON_LENGTH = 300
_MAX_DEPTH = 8  # No service nests its reason deeper, and nesting must be bounded.

_CLASS_OF_STATUS: dict[int, type[ServiceError]] = {
    400: InvalidRequestError,
    401: AuthError,
    402: QuotaError,
    403: AuthError,
    404: InvalidRequestError,
    405: InvalidRequestError,
    408: OverloadedError,
    409: OverloadedError,
    413: InvalidRequestError,
    415: InvalidRequestError,
    422: InvalidRequestError,
    429: RateLimitError,
    451: RefusedError,
}

# The words that services use in `type`, `code`, `status` or `reason`. These win over the status:
# Gemini answers 400 for a bad key, Codex 404 for a used-up limit.
_CLASS_OF_WORD: dict[str, type[ServiceError]] = {
    "api_key_invalid": AuthError,
    "authentication_error": AuthError,
    "invalid_api_key": AuthError,
    "permission_denied": AuthError,
    "permission_error": AuthError,
    "unauthenticated": AuthError,
    "billing_error": QuotaError,
    "enforced_spend_limit_reached": QuotaError,
    "insufficient_quota": QuotaError,
    "usage_limit_reached": QuotaError,
    "usage_not_included": QuotaError,
    "context_length_exceeded": ContextTooLongError,
    "exceed_context_size_error": ContextTooLongError,
    "rate_limit_error": RateLimitError,
    "rate_limit_exceeded": RateLimitError,
    "resource_exhausted": RateLimitError,
    "api_error": OverloadedError,
    "internal": OverloadedError,
    "overloaded_error": OverloadedError,
    "server_error": OverloadedError,
    "timeout_error": OverloadedError,
    "unavailable": OverloadedError,
}
# These say less than any status but 200: OpenAI calls a missing key an invalid request too.
_VAGUE_WORDS = {
    "invalid_argument",
    "invalid_request_error",
    "not_found_error",
    "request_too_large",
}
# Most services have no word of their own for it: they say it to people only.
_TOO_LONG = re.compile(
    r"prompt is too long|(?:maximum|exceeds?) [^.]{0,60}\bcontext (?:length|window|size)"
    r"|token count[^.]{0,40} exceeds the maximum number of tokens",
    re.IGNORECASE,
)


def classify(
    status: int,
    words: tuple[str, ...] = (),
    meanings: Mapping[int, type[ServiceError]] | None = None,
    *,
    reason: str = "",
) -> type[ServiceError]:
    """Return the error that a status and the service's own words for it stand for.

    The first known word wins, so the most specific one comes first. `meanings` are what statuses
    mean to this service, where that is not what they mean to most. `reason` is what it says to
    people, which counts where nothing else tells more than that it refuses.
    """
    kind = _class_of(status, words, meanings)
    is_too_long = kind is InvalidRequestError and _TOO_LONG.search(reason)
    return ContextTooLongError if is_too_long else kind


def _class_of(
    status: int, words: tuple[str, ...], meanings: Mapping[int, type[ServiceError]] | None
) -> type[ServiceError]:
    for word in words:
        if known := _CLASS_OF_WORD.get(word.lower()):
            return known
    if meanings and status in meanings:
        return meanings[status]
    if status >= 500:
        return OverloadedError
    if status in _CLASS_OF_STATUS:
        return _CLASS_OF_STATUS[status]
    is_refused = any(word.lower() in _VAGUE_WORDS for word in words)
    return InvalidRequestError if is_refused else BadReplyError


def words_of(error: Json) -> tuple[str, ...]:
    """Return every word in an error object that may name its kind, the most specific first."""
    if not isinstance(error, dict):
        return ()
    raw_details = error.get("details")
    details = raw_details if isinstance(raw_details, list) else [raw_details]
    objects = [detail for detail in details if isinstance(detail, dict)] + [error]
    names = ("reason", "error_code", "code", "type", "status")
    return tuple(
        value for thing in objects for name in names if isinstance(value := thing.get(name), str)
    )


def message_of(body: Json) -> str:
    """Return what a person should read in an error body, "" if nothing there is for people.

    It is not longer than a message should be, and a key that the service repeats is hidden.
    """
    return redact(_message_in(body))[:MAX_REASON_LENGTH]


def _message_in(body: Json, depth: int = 0) -> str:
    if isinstance(body, str):
        return body
    if depth > _MAX_DEPTH:
        return ""
    if isinstance(body, list):
        return "; ".join(filter(None, (_message_in(each, depth + 1) for each in body)))
    if not isinstance(body, dict):
        return ""
    for name in ("error", "readableMessage", "message", "msg", "detail", "error_description"):
        if found := _message_in(body.get(name), depth + 1):
            return found
    return ""


def retry_after_of(headers: Mapping[str, str], body: Json, now: datetime) -> float | None:
    """Return how many seconds the service asks us to wait, None if it does not say."""
    milliseconds = _number(headers.get("retry-after-ms"))
    if milliseconds is not None:
        return milliseconds / 1000
    after = headers.get("retry-after", "")
    seconds = _number(after)
    if seconds is not None:
        return seconds
    if after:
        try:
            return max(0.0, (parsedate_to_datetime(after) - now).total_seconds())
        except (OverflowError, TypeError, ValueError):
            return None
    error = body.get("error") if isinstance(body, dict) else None
    return retry_after_in(error)


def retry_after_in(error: Json) -> float | None:
    """Return the seconds to wait that an error object itself names, as Google and Tavily do."""
    if not isinstance(error, dict):
        return None
    details = error.get("details")
    for detail in details if isinstance(details, list) else []:
        if isinstance(detail, dict) and isinstance(delay := detail.get("retryDelay"), str):
            return _number(delay.removesuffix("s"))
    return _number(error.get("retry_after_seconds"))


def read_fault(
    service: str,
    *,
    status: int,
    headers: Mapping[str, str],
    body: bytes,
    now: datetime,
    meanings: Mapping[int, type[ServiceError]] | None = None,
    fix: str = "",
) -> ServiceError:
    """Return the error that a failed reply stands for; `meanings` are as in `classify`."""
    told = parsed(body)
    error = told.get("error", told) if isinstance(told, dict) else None
    reason = message_of(told) or _plain_text(body) or "the service gave no reason"
    named = status if status != 200 else _status_in(error)
    kind = classify(named, words_of(error), meanings, reason=reason[:MAX_REASON_LENGTH])
    return kind(
        service,
        redact(reason)[:MAX_REASON_LENGTH],
        status=status,
        request_id=request_id_of(headers),
        retry_after_seconds=retry_after_of(headers, told, now),
        rate_limits=rate_limits_of(headers),
        fix=fix,
    )


def fault_inside(
    service: str, *, headers: Mapping[str, str], body: bytes, now: datetime
) -> ServiceError | None:
    """Return the error inside a reply with status 200, None if it has none."""
    if b'"error"' not in body or not body.lstrip().startswith(b"{"):
        return None
    told = parsed(body)
    error = told.get("error") if isinstance(told, dict) else None
    if not error or not isinstance(error, dict | str):
        return None
    return read_fault(service, status=200, headers=headers, body=body, now=now)


def _status_in(error: Json) -> int:
    """Return the status that an error inside a 200 names for itself, as OpenRouter's do."""
    code = error.get("code") if isinstance(error, dict) else None
    return code if type(code) is int and 400 <= code < 600 else 200


def request_id_of(headers: Mapping[str, str]) -> str:
    """Return the service's own name for a call, "" if it gives none."""
    names = ("request-id", "x-request-id", "x-goog-request-id", "cf-ray")
    return next((headers[name] for name in names if headers.get(name)), "")


def rate_limits_of(headers: Mapping[str, str]) -> dict[str, str]:
    """Return the headers that tell limits, what remains of them and when they reset."""
    return {name: value for name, value in headers.items() if "ratelimit" in name}


def _number(value: Json) -> float | None:
    try:
        number = float(value)
    except (OverflowError, TypeError, ValueError):
        return None
    return number if 0 <= number < float("inf") else None


def _plain_text(body: bytes) -> str:
    text = " ".join(body.decode("utf-8", "replace").split())
    return "" if text.startswith("<") or text in ("{}", "[]", "null") else text


_SERVICE_ERRORS: tuple[type[ServiceError], ...] = (
    AuthError,
    RateLimitError,
    QuotaError,
    OverloadedError,
    InvalidRequestError,
    ContextTooLongError,
    RefusedError,
    WebSearchUnsupportedError,
    ToolFailedError,
    BadReplyError,
    ProviderBugError,
)
_OTHER_ERRORS: tuple[tuple[str, Callable[[str, str], GroundwireError]], ...] = (
    (ConnectError.code, ConnectError),
    (TimedOutError.code, lambda service, _: TimedOutError(service, "total", 0)),
    (TruncatedError.code, TruncatedError),
    (TooLargeError.code, lambda service, _: TooLargeError(service, 0)),
    (EventTooLargeError.code, lambda service, _: EventTooLargeError(service, 0)),
    (SearchFailedError.code, lambda *_: SearchFailedError("", ())),
    (ConfigError.code, lambda _, message: ConfigError(message)),
    (SettingsError.code, lambda _, message: SettingsError(*message.partition(": ")[::2])),
)


def error_from_code(
    code: str, service: str, message: str, retry_after_seconds: float | None = None
) -> GroundwireError:
    """Return the error that an event tells of, with its class, its words and its wait."""
    error: GroundwireError | None = None
    for kind in _SERVICE_ERRORS:
        if kind.code == code:
            error = kind(service, message, retry_after_seconds=retry_after_seconds)
    for known, make in _OTHER_ERRORS:
        if known == code:
            error = make(service, message)
    error = error or AnswerError(message, code)
    error.args = (message,)  # They name the service and what to do already.
    return error
