"""What failed replies of the OpenAI family mean where status and words do not say it."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from groundwire.errors import AuthError, WebSearchUnsupportedError
from groundwire.redaction import redact
from groundwire.wire.errors import fault_inside, message_of, read_fault, request_id_of
from groundwire.wire.openai.replies import spelled_out
from groundwire.wire.text import parsed

if TYPE_CHECKING:
    from groundwire.errors import ServiceError
    from groundwire.model import Json
    from groundwire.wire.contract import HttpReply

_OPENINGS = ("response.created", "response.in_progress")


def error_in(reply: HttpReply) -> Json:
    """Return the error object of a failed reply, {} if there is none."""
    if reply.status < 400:
        return {}
    body = parsed(reply.body)
    error = body.get("error", body) if isinstance(body, dict) else {}
    return error if isinstance(error, dict) else {"message": message_of(error)}


def openai_error(reply: HttpReply) -> ServiceError | None:
    """Return what only OpenAI's words say.

    It calls a missing key an invalid request, and search on the wrong model one too. A stream of
    Responses may begin well and fail before it says anything.
    """
    if reply.status < 400:
        return _failed_at_once(reply)
    error = error_in(reply)
    param, message = error.get("param"), message_of(error)
    if param == "web_search_options" or (param == "tools" and "'web_search" in message):
        return _made(WebSearchUnsupportedError, reply, message)
    if reply.status == 401:
        return _made(AuthError, reply, message)
    return None


def is_opening(data: str) -> bool:
    """Tell whether an event of Responses only repeats the question."""
    event = parsed(data)
    return isinstance(event, dict) and event.get("type") in _OPENINGS


def _failed_at_once(reply: HttpReply) -> ServiceError | None:
    match event := parsed(reply.body):
        case {"type": "response.failed", "response": {"error": {} as error}}:
            pass
        case {"type": "error", "message": str()}:
            error = event
        case _:
            return None
    body = json.dumps({"error": error}).encode()
    now = datetime.now(UTC)
    return fault_inside(reply.service, headers=reply.headers, body=body, now=now)


def openrouter_error(reply: HttpReply) -> ServiceError | None:
    """Return an error with what the upstream said, which OpenRouter keeps apart."""
    if reply.status < 400:
        return _failed_at_once(reply)
    error = error_in(reply)
    told = spelled_out(error)
    if told is error:
        return None
    return read_fault(
        reply.service,
        status=reply.status,
        headers=reply.headers,
        body=json.dumps({"error": told}).encode(),
        now=datetime.now(UTC),
    )


def codex_error(reply: HttpReply) -> ServiceError | None:
    """Return the error for an expired session, which only OpenCode can renew."""
    if reply.status < 400:
        return _failed_at_once(reply)
    if reply.status not in (401, 403):
        return None
    reason = message_of(error_in(reply)) or "the session is not accepted"
    return _made(AuthError, reply, f"{reason.rstrip('.')}; run OpenCode once to sign in again")


def _made(kind: type[ServiceError], reply: HttpReply, reason: str) -> ServiceError:
    return kind(
        reply.service,
        redact(reason) or "the service gave no reason",
        status=reply.status,
        request_id=request_id_of(reply.headers),
    )
