"""Who is who among the clients of the MCP server, so that each has its own conversation.

how a client speaks                what tells it apart
standard input and output          nothing needs to: the process is its own
HTTP with a handshake              the session id that the protocol gives it
HTTP since 2026-07-28              a cookie, because the protocol has no sessions any more
the same, and it keeps no cookie   its address, name and version, so two alike are one
"""

from __future__ import annotations

import re
import secrets
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from mcp_types import InitializeRequestParams
    from starlette.requests import Request
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

MAX_SESSIONS = 1000
COOKIE = "groundwire-session"
_SESSION_ID = b"mcp-session-id"
_NEW_ID = "groundwire.new_session"
_OURS = re.compile(rf"(?:^|;\s*){COOKIE}=([0-9a-f]{{32}})(?:;|$)")

T = TypeVar("T")


class Sessions(Generic[T]):
    """What each session has; of too many, those that were idle longest are forgotten.

    A client whose session was forgotten begins a new one: it has to search again, and nothing is
    opened that should not be.
    """

    def __init__(self, make: Callable[[], T], *, most: int = MAX_SESSIONS) -> None:
        self._make = make
        self._most = most
        self._sessions: OrderedDict[Hashable, T] = OrderedDict()

    def of(self, request: Request | None, client: InitializeRequestParams | None) -> T:
        """Return what the session of a request has; None is standard input."""
        if request is None:
            return self._at("")
        key = request.headers.get(_SESSION_ID.decode()) or _cookie_of(request.scope)
        if key is not None:
            return self._at(key)
        address = request.client.host if request.client else ""
        info = client.client_info if client else None
        found = self._at((address, info and info.name, info and info.version))
        # If it keeps the cookie that it gets now, it goes on with what it has.
        if new_id := request.scope.get(_NEW_ID):
            self._put(new_id, found)
        return found

    def _at(self, key: Hashable) -> T:
        return self._put(key, self._sessions[key] if key in self._sessions else self._make())

    def _put(self, key: Hashable, value: T) -> T:
        self._sessions[key] = value
        self._sessions.move_to_end(key)
        while len(self._sessions) > self._most:
            self._sessions.popitem(last=False)
        return value


def told_apart(app: ASGIApp, path: str) -> ASGIApp:
    """Return an app that gives a cookie to clients to whom the protocol gives no session."""

    async def wrapped(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or _has_session(scope):
            await app(scope, receive, send)
            return
        new_id = secrets.token_hex(16)
        cookie = f"{COOKIE}={new_id}; Path={path}; HttpOnly; SameSite=Strict".encode()

        async def send_with_cookie(message: Message) -> None:
            if message["type"] == "http.response.start" and message["status"] < 300:
                headers = [*message.get("headers", ())]
                # The handshake's own session needs no second name.
                if _SESSION_ID not in dict(headers):
                    headers.append((b"set-cookie", cookie))
                message = {**message, "headers": headers}
            await send(message)

        await app({**scope, _NEW_ID: new_id}, receive, send_with_cookie)

    return wrapped


def _has_session(scope: Scope) -> bool:
    return _SESSION_ID in dict(scope["headers"]) or _cookie_of(scope) is not None


def _cookie_of(scope: Scope) -> str | None:
    """Return the id that a client was given, None if it brings none."""
    cookies = dict(scope["headers"]).get(b"cookie", b"").decode("latin-1")
    found = _OURS.search(cookies)
    return found[1] if found else None
