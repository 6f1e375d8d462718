"""Every failure as the one JSON shape that the API answers with, or as a page for a person."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import orjson
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel
from starlette.exceptions import HTTPException
from starlette.responses import Response

from groundwire import errors
from groundwire.redaction import redact
from groundwire.service.logs import REQUEST_ID
from groundwire.web.error_page import NO_ROUTE, error_page, wants_page

if TYPE_CHECKING:
    from fastapi import FastAPI
    from starlette.requests import Request


MAX_PLACE_LENGTH = 200
_LOG = logging.getLogger(__name__)

# The first that fits; an error not listed is this side's configuration.
_STATUSES: tuple[tuple[type[errors.GroundwireError], int], ...] = (
    (errors.NotFoundError, 404),
    (errors.ConflictError, 409),
    (errors.ForbiddenError, 403),
    (errors.DiskFullError, 507),
    (errors.StoreError, 503),
    (errors.InvalidDomainsError, 422),
    (errors.RateLimitError, 429),
    (errors.QuotaExceededError, 429),
    (errors.ServiceError, 502),
    (errors.NetworkError, 502),
)
_CODES = {
    400: "invalid",
    401: "login_needed",
    403: "forbidden",
    404: "not_found",
    405: "method_not_allowed",
    408: "too_slow",
    409: "conflict",
    413: "too_large",
    415: "unsupported_media_type",
    421: "wrong_host",
    422: "invalid",
    429: "too_many_requests",
    431: "too_large",
    503: "busy",
    507: "disk_full",
}


class FaultField(BaseModel):
    """One thing that is wrong: `value` is what stood there, where that may be shown."""

    field: str
    value: str
    reason: str


class Fault(BaseModel):
    """What went wrong: `message` names the fix and is fit for showing."""

    code: str
    message: str
    fields: list[FaultField] = []


class FaultReply(BaseModel):
    """The body of every reply that is no success."""

    error: Fault


_MEANINGS = {
    400: "The request cannot be carried out as it was sent.",
    401: "Not signed in, or the token is invalid or expired.",
    403: "Not allowed for this role, or a cross-site request.",
    404: "Nothing with this id is visible to the caller.",
    409: "It conflicts with what is stored.",
    413: "The body is too large.",
    421: "The Host header does not name this server.",
    422: "A value is invalid; `fields` has which and why.",
    429: "Too many requests; `Retry-After` has the seconds to wait.",
    502: "A provider refused the request or cannot be reached.",
    503: "The server is overloaded or its database does not answer; try again.",
    507: "The disk of the server is full.",
}
# By name: of a model, FastAPI builds a validator for each status of each route, 1,300 of them.
_SHAPE = {"$ref": f"#/components/schemas/{FaultReply.__name__}"}
RESPONSES: dict[int | str, dict[str, Any]] = {
    status: {"description": meaning, "content": {"application/json": {"schema": _SHAPE}}}
    for status, meaning in _MEANINGS.items()
}
"""The failures that any route may answer with, for the OpenAPI document."""
NOT_READY: dict[int | str, dict[str, Any]] = {
    503: {"model": FaultReply, "description": _MEANINGS[503]}
}
"""The same with the shape itself, which puts it into the document."""


class WebError(Exception):
    """A refusal that only HTTP knows: no login, a wrong role, a limit of the server."""

    def __init__(
        self, status: int, message: str, *, code: str = "", retry_after_seconds: int | None = None
    ) -> None:
        super().__init__(message)
        self.status = status
        self.code = code or _CODES.get(status, "error")
        self.retry_after_seconds = retry_after_seconds


def fault_response(
    status: int,
    message: str,
    *,
    code: str = "",
    fields: Sequence[Mapping[str, str]] = (),
    headers: Mapping[str, str] | None = None,
) -> Response:
    """Return a failure as the API's JSON."""
    body: object = {
        "error": {
            "code": code or _CODES.get(status, "error"),
            "message": message,
            "fields": list(fields),
        }
    }
    return Response(
        orjson.dumps(body), status, media_type="application/json", headers=dict(headers or {})
    )


def add_handlers(app: FastAPI) -> None:
    """Have every error of ours answered so; `RequestLog` answers all others."""
    app.add_exception_handler(errors.GroundwireError, _ours)
    app.add_exception_handler(WebError, _refusal)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, _of_http)


def status_of(error: errors.GroundwireError) -> int:
    """Return the status that one of our errors is answered with."""
    return next((status for kind, status in _STATUSES if isinstance(error, kind)), 400)


async def _ours(request: Request, error: Exception) -> Response:
    assert isinstance(error, errors.GroundwireError)  # noqa: S101 - registered for these
    fields = []
    if isinstance(error, errors.InvalidDomainsError):
        fields = [
            {"field": "web_allowed_domains", "value": entry, "reason": reason}
            for entry, reason in error.problems
        ]
    if isinstance(error, errors.StoreError) and status_of(error) >= 500:
        # Whoever asks is told what is wrong; where, is for those who run the server.
        _LOG.warning("the store failed: %s", redact(error.with_address()))
    wait = getattr(error, "retry_after_seconds", None)
    if wait is None and isinstance(error, errors.StoreUnavailableError):
        wait = 1
    headers = {} if wait is None else {"Retry-After": str(max(1, round(wait)))}
    status, message = status_of(error), redact(str(error))
    if wants_page(request):
        return error_page(request, status, message, headers)
    return fault_response(status, message, code=error.code, fields=fields, headers=headers)


async def _refusal(request: Request, error: Exception) -> Response:
    assert isinstance(error, WebError)  # noqa: S101 - registered for these
    if wants_page(request):
        return error_page(request, error.status, str(error), _headers(error))
    return _refused(error)


def _refused(error: WebError) -> Response:
    return fault_response(error.status, str(error), code=error.code, headers=_headers(error))


def _headers(error: WebError) -> dict[str, str]:
    headers = {}
    if error.retry_after_seconds is not None:
        headers["Retry-After"] = str(error.retry_after_seconds)
    if error.status == 401:
        headers["WWW-Authenticate"] = "Bearer"
    return headers


async def _invalid(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)  # noqa: S101 - registered for these
    if wants_page(request):  # What a person can get wrong of a page is its address.
        return error_page(request, 404, NO_ROUTE, {})
    # What was sent is not repeated: it may be a password or a key.
    fields = [
        {"field": _place(each["loc"]), "value": "", "reason": _reason(each["msg"])}
        for each in error.errors()[:20]
    ]
    said = "; ".join(f"{each['field']}: {each['reason']}" for each in fields[:3])
    return fault_response(422, f"invalid request: {said}", fields=fields)


async def _of_http(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)  # noqa: S101 - registered for these
    if wants_page(request):
        return error_page(request, error.status_code, str(error.detail), error.headers or {})
    return fault_response(error.status_code, str(error.detail), headers=error.headers)


def unexpected_response(error: Exception) -> Response:
    """Log a failure of ours, and return what the caller hears of it: where to look."""
    _LOG.error("a request failed: %s", redact(repr(error)), exc_info=error)
    message = f"internal error: see the log of the server{logged_as()}"
    return fault_response(500, message, code="internal")


def stopping() -> WebError:
    """Return the refusal of a server that is about to end: another one may answer."""
    return WebError(
        503, "the server is stopping: try again in 2 s", code="stopping", retry_after_seconds=2
    )


def stopping_response() -> Response:
    """Return the same as the reply to a request that was cut short."""
    return _refused(stopping())


def logged_as() -> str:
    """Return under which request the log has what is going wrong, for the end of a message."""
    request_id = REQUEST_ID.get()
    return f", at request {request_id}" if request_id else ""


def _place(location: Sequence[int | str]) -> str:
    where = [str(part) for part in location[1:]] or [str(part) for part in location]
    return ".".join(where)[:MAX_PLACE_LENGTH]


def _reason(message: str) -> str:
    words = message.removeprefix("Value error, ")
    return words[:1].lower() + words[1:]
