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
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from mcp_types import InitializeRequestParams
    from starlette.requests import Request
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

MAX_SESSIONS = 1000
IDLE_SECONDS = 1800.0
"""How long a session may be idle, the protocol's and ours."""
MAX_HANDSHAKES = 100
"""Most sessions of the protocol at once: each holds a task and its streams, some 70 kB."""
COOKIE = "groundwire-session"
_SESSION_ID = b"mcp-session-id"
_NEW_ID = "groundwire.new_session"
_OURS = re.compile(rf"(?:^|;\s*){COOKIE}=([0-9a-f]{{32}})(?:;|$)")

T = TypeVar("T")


class McpSessions(Generic[T]):
    """What each session has; those idle for too long are forgotten, and of too many the idlest.

    A client whose session was forgotten begins a new one: it has to search again, and nothing is
    opened that should not be.
    """

    def __init__(
        self,
        make: Callable[[], T],
        *,
        most: int = MAX_SESSIONS,
        idle_seconds: float = IDLE_SECONDS,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._make = make
        self._most = most
        self._idle_seconds = idle_seconds
        self._clock = clock
        self._sessions: OrderedDict[Hashable, tuple[T, float]] = OrderedDict()

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
        self._forget()
        return self._put(key, self._sessions[key][0] if key in self._sessions else self._make())

    def _put(self, key: Hashable, value: T) -> T:
        self._sessions[key] = (value, self._clock())
        self._sessions.move_to_end(key)
        while len(self._sessions) > self._most:
            self._sessions.popitem(last=False)
        return value

    def _forget(self) -> None:
        """Forget those idle for too long; standard input has one client, which may think."""
        oldest = self._clock() - self._idle_seconds
        while self._sessions:
            key, (_, used_at) = next(iter(self._sessions.items()))
            if key == "" or used_at > oldest:
                return
            del self._sessions[key]


class Handshakes:
    """An app whose protocol sessions are bounded: of too many, the idlest is ended.

    The SDK keeps every handshake's session until it is idle for long, and then refuses new ones:
    whoever shakes hands a thousand times would take the memory, or the place of everybody else.
    A session is ended as its client would do it, with DELETE.
    """

    def __init__(self, app: ASGIApp, *, most: int = MAX_HANDSHAKES) -> None:
        self._app = app
        self._most = most
        # How many requests of each are being served, the one that was idle longest first.
        self._open: OrderedDict[bytes, int] = OrderedDict()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        session = dict(scope["headers"]).get(_SESSION_ID, b"")

        async def watched(message: Message) -> None:
            if message["type"] == "http.response.start" and message["status"] < 300:
                given = dict(message.get("headers", ())).get(_SESSION_ID)
                # Before its client hears of it, who may use it at once.
                if given and not session:
                    self._open[given] = 0
            await send(message)

        with self._used(session):
            await self._app(scope, receive, watched)
        if scope["method"] == "DELETE":
            self._open.pop(session, None)
        if not session:
            await self._end_idlest(scope)

    @contextmanager
    def _used(self, session: bytes) -> Iterator[None]:
        """Count a session as busy while a request of it is served."""
        self._count(session, 1)
        try:
            yield
        finally:
            self._count(session, -1)

    def _count(self, session: bytes, more: int) -> None:
        if session in self._open:
            self._open[session] += more
            self._open.move_to_end(session)

    async def _end_idlest(self, scope: Scope) -> None:
        idle = [session for session, requests in self._open.items() if not requests]
        for session in idle[: max(0, len(self._open) - self._most)]:
            del self._open[session]
            host = [pair for pair in scope["headers"] if pair[0] == b"host"]
            ending = {**scope, "method": "DELETE", "headers": [*host, (_SESSION_ID, session)]}
            await self._app(ending, _nothing, _unheard)


async def _nothing() -> Message:
    return {"type": "http.request", "body": b"", "more_body": False}


async def _unheard(message: Message) -> None:
    """Take an answer that nobody waits for."""


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
