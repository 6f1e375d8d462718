"""Failures in OpenAI's two dialects, as a gateway writes them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from groundwire.model import Json
    from groundwire.wire.outbound import Refusal

_TYPES = {
    401: "authentication_error",
    403: "permission_error",
    429: "rate_limit_error",
    500: "server_error",
    503: "server_error",
    529: "server_error",
}
# Codex repeats a turn five times for codes that it does not know, and shows `invalid_prompt` as
# it is written; the others it puts into words of its own, without a repeat.
_CODES = {
    "rate_limit": "rate_limit_exceeded",
    "quota": "insufficient_quota",
    "overloaded": "server_is_overloaded",
    "context_length": "context_length_exceeded",
}


def error_object(refusal: Refusal) -> Json:
    """Return what both dialects have under `error`."""
    return {
        "message": refusal.message,
        "type": _TYPES.get(refusal.status, "invalid_request_error"),
        "param": refusal.param or None,
        "code": _CODES.get(refusal.code, refusal.code),
    }


def failure_code(refusal: Refusal) -> str:
    """Return the code under which a response failed in the middle."""
    if refusal.code in _CODES:
        return _CODES[refusal.code]
    return "server_error" if refusal.can_retry else "invalid_prompt"
