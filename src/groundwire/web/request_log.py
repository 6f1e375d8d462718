"""Request ids, the access log, and a reply to every request that fails unexpectedly."""

from __future__ import annotations

import asyncio
import logging
import re
import time
from functools import cache
from secrets import token_hex
from typing import TYPE_CHECKING

from groundwire.service.logs import ACCESS, REQUEST_ID
from groundwire.web.error_responses import stopping_response, unexpected_response
from groundwire.web.routes import ROUTERS

if TYPE_CHECKING:
    from collections.abc import Awaitable

    from starlette.types import ASGIApp, Message, Receive, Scope, Send

_ID = re.compile(r"[0-9a-f]{32}|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
UNSAID = "…"
_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


class RequestLog:
    """An app around the app. The id is in the header `X-Request-Id` and in every line of the log.

    Nothing that was sent is written but the method, an id of ours and words that our own routes
    are made of: a token that somebody put into an address is not in the log.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, whatever happens in it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        began = time.perf_counter()
        request_id = token_hex(8)
        token = REQUEST_ID.set(request_id)
        status = 0

        # Not a coroutine of its own: it is called for each piece of a stream.
        def send_with_id(message: Message) -> Awaitable[None]:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                header = (b"x-request-id", request_id.encode())
                message = {**message, "headers": [*message.get("headers", ()), header]}
            return send(message)

        try:
            await self._app(scope, receive, send_with_id)
        except asyncio.CancelledError:
            # Only a server that ends does this, to what takes too long. It is no failure, and what
            # has begun is cut off.
            if not status:
                await stopping_response()(scope, receive, send_with_id)
        except Exception as error:
            response = unexpected_response(error)
            if status:
                raise  # It is too late for another reply: the server cuts the connection.
            await response(scope, receive, send_with_id)
        finally:
            _write(scope, status, time.perf_counter() - began)
            _count(scope, status)
            REQUEST_ID.reset(token)


def _write(scope: Scope, status: int, seconds: float) -> None:
    if not ACCESS.isEnabledFor(logging.INFO):
        return
    client = scope.get("client")
    fields = {
        "method": scope["method"] if scope["method"].isalpha() else UNSAID,
        "path": shown_path(scope["path"]),
        "status": status,
        "duration_ms": round(seconds * 1000, 1),
        "client": client[0] if client else "",
    }
    line = "%(client)s %(method)s %(path)s %(status)s %(duration_ms)s ms"
    ACCESS.info(line, fields, extra={"fields": fields})


def _count(scope: Scope, status: int) -> None:
    site = getattr(getattr(scope.get("app"), "state", None), "site", None)
    metrics = getattr(site, "metrics", None)
    if metrics is None:
        return
    route = getattr(scope.get("route"), "path", "")
    if not route:
        # A part of another surface, or nothing of ours: never what somebody sent.
        route = "/v1" if scope["path"].startswith("/v1/") else "other"
    method = scope["method"] if scope["method"] in _METHODS else "other"
    metrics.request_ended(method, route, status)


def shown_path(path: str) -> str:
    """Return a path with everything left out that is neither an id nor a word of our routes."""
    known = _words()
    parts = path.split("/")
    return "/".join(each if each in known or _ID.fullmatch(each) else UNSAID for each in parts)


@cache
def _words() -> frozenset[str]:
    paths = [getattr(route, "path", "") for router in ROUTERS for route in router.routes]
    parts = {part for path in [*paths, "/api/openapi.json"] for part in path.split("/")}
    return frozenset(part for part in parts if "{" not in part)
