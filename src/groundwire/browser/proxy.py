"""A browser's only way to the web: a proxy that checks every address before it connects.

A browser looks names up and follows scripts, frames and redirects by itself, where no check of a
first URL reaches. Through this proxy it asks for each connection, and gets those to public hosts.
"""

from __future__ import annotations

import asyncio
import base64
import hmac
import secrets
from functools import partial
from typing import TYPE_CHECKING, Protocol
from urllib.parse import urlsplit

from groundwire import guard
from groundwire.browser.http_heads import MAX_HEAD_BYTES, BadHeadError, Head, read_head
from groundwire.errors import BlockedError, NetworkError
from groundwire.guard import DomainPolicy
from groundwire.model import Secret
from groundwire.system.closeable import AsyncCloseable
from groundwire.text.plural import plural

if TYPE_CHECKING:
    from asyncio import StreamReader, StreamWriter
    from collections.abc import Awaitable, Callable, Collection
    from typing import Self

    from groundwire.guard import WebUrl

    _Streams = tuple[StreamReader, StreamWriter]

USER = "groundwire"
MAX_CONNECTIONS = 64
"""Most connections that carry something for the browser at once."""
MAX_STRANGERS = 64
"""Most connections that have not said the password yet: more push out the oldest."""
MAX_REFUSALS = 100
_CHUNK_BYTES = 1 << 16
# What a stranger or a browser does to a connection, and is no fault of the proxy.
_ENDINGS = (BadHeadError, EOFError, NetworkError, OSError, asyncio.LimitOverrunError)


class ProxyLimits(Protocol):
    """How much a page in a browser may take; the settings of the network have all of it."""

    @property
    def page_ports(self) -> Collection[int]:
        """Return the ports that may be connected to."""

    @property
    def max_reply_bytes(self) -> int:
        """Return how many bytes a page may have in all."""

    @property
    def connect_timeout_seconds(self) -> float:
        """Return how long the head of a request may take."""

    @property
    def idle_timeout_seconds(self) -> float:
        """Return how long a connection may be silent."""


class GuardingProxy(AsyncCloseable):
    """Serves one page in a browser; a context manager that listens on loopback while it is open.

    Hosts that the policy blocks are refused whatever they are asked for. Which hosts are allowed
    is for whoever drives the browser: inside TLS, a document looks like any other traffic here.
    `connect` opens a connection to a host whose every address was checked.
    `refusals` has why each place, a host with its port, was refused. `is_full` means that no more
    bytes were let through.
    """

    def __init__(
        self,
        limits: ProxyLimits,
        connect: Callable[[WebUrl], Awaitable[_Streams]],
        policy: DomainPolicy,
    ) -> None:
        self.url = ""
        self.password = Secret(secrets.token_urlsafe(24))
        self.refusals: dict[str, BlockedError] = {}
        self.is_full = False
        self._connect = connect
        self._ports = frozenset(limits.page_ports)
        self._policy = DomainPolicy(allowed=("*",), blocked=policy.blocked)
        self._room = limits.max_reply_bytes
        self._head_seconds = limits.connect_timeout_seconds
        self._idle_seconds = limits.idle_timeout_seconds
        self._visits: set[asyncio.Task[None]] = set()
        # Both in order, the one that has been quiet longest first.
        self._strangers: dict[asyncio.Task[None], None] = {}
        self._uses: dict[asyncio.Task[None], None] = {}
        self._server: asyncio.Server | None = None

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(
            self._accept, "127.0.0.1", 0, limit=MAX_HEAD_BYTES
        )
        self.url = f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"
        return self

    async def close(self) -> None:
        """Stop listening and end every connection."""
        if self._server is not None:
            self._server.close()
        for visit in [*self._visits]:
            visit.cancel()
        await asyncio.gather(*self._visits, return_exceptions=True)

    def refusal_of(self, url: str) -> BlockedError | None:
        """Return why the host of a URL was refused, None if it was not."""
        return self.refusals.get(_place(url))

    def notes(self) -> tuple[str, ...]:
        """Return what a page may lack because of us, in words that are none of the page's."""
        if not self.refusals:
            return ()
        hosts = plural(len(self.refusals), "host")
        return (f"the page also asked for {hosts} that we refused, so that a part may be missing",)

    def _accept(self, reader: StreamReader, writer: StreamWriter) -> None:
        visit = asyncio.create_task(self._serve(reader, writer))
        self._visits.add(visit)
        self._strangers[visit] = None
        visit.add_done_callback(self._forget)
        _push_out(self._strangers, MAX_STRANGERS)

    def _forget(self, visit: asyncio.Task[None]) -> None:
        self._visits.discard(visit)
        self._strangers.pop(visit, None)
        self._uses.pop(visit, None)

    async def _serve(self, reader: StreamReader, writer: StreamWriter) -> None:
        try:
            async with asyncio.timeout(self._head_seconds) as clock:
                request = await read_head(reader)
                if not self._admits(request):
                    challenge = ("Proxy-Authenticate", f'Basic realm="{USER}"')
                    return await _say(writer, "407 Proxy Authentication Required", challenge)
                clock.reschedule(None)
                self._use()
                await self._answer(request, reader, writer)
        except (*_ENDINGS, TimeoutError):
            pass
        finally:
            writer.close()

    def _use(self) -> None:
        """Note that this visit is the browser's; of too many, the quietest ends."""
        visit = asyncio.current_task()
        if visit is not None:
            self._strangers.pop(visit, None)
            self._uses[visit] = None
            _push_out(self._uses, MAX_CONNECTIONS)

    async def _answer(self, request: Head, reader: StreamReader, writer: StreamWriter) -> None:
        method, target, _ = request.words
        is_tunnel = method == "CONNECT"
        asked = f"https://{target}" if is_tunnel else target
        body_bytes = 0 if is_tunnel else request.body_bytes
        try:
            url = guard.parse(asked, ports=self._ports)
            self._policy.check(url)
            there, thither = await self._connect(url)
        except BlockedError as error:
            self._remember(asked, error)
            return await _say(writer, "403 Forbidden")
        except NetworkError:
            return await _say(writer, "502 Bad Gateway")
        here, far = (reader, writer), (there, thither)
        try:
            async with asyncio.timeout(self._idle_seconds) as clock:
                heard = partial(self._heard, asyncio.current_task(), clock)
                if is_tunnel:
                    writer.write(b"HTTP/1.1 200 Connected\r\n\r\n")
                    await self._join(here, far, heard)
                else:
                    thither.write(request.for_origin(url).encode())
                    await self._exchange(body_bytes, here, far, heard)
        finally:
            thither.close()

    def _admits(self, request: Head) -> bool:
        """Only the browser of this page knows the password, not all who can reach loopback."""
        pair = f"{USER}:{self.password.reveal()}".encode()
        wanted = f"Basic {base64.b64encode(pair).decode()}"
        given = request.get("proxy-authorization")
        return hmac.compare_digest(given.encode("latin-1"), wanted.encode())

    def _remember(self, asked: str, error: BlockedError) -> None:
        if len(self.refusals) < MAX_REFUSALS:
            self.refusals.setdefault(_place(asked), error)

    async def _join(self, here: _Streams, there: _Streams, heard: Callable[[], None]) -> None:
        """Let both sides talk until one of them is done."""
        talking = [
            asyncio.create_task(self._pump(here[0], there[1], heard)),
            asyncio.create_task(self._pump(there[0], here[1], heard)),
        ]
        try:
            await asyncio.wait(talking, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in talking:
                task.cancel()
            await asyncio.gather(*talking, return_exceptions=True)

    async def _exchange(
        self, body_bytes: int, here: _Streams, there: _Streams, heard: Callable[[], None]
    ) -> None:
        """Hand on one request's body and its reply; what follows may be for another host."""
        while body_bytes and (chunk := await here[0].read(min(body_bytes, _CHUNK_BYTES))):
            heard()
            body_bytes -= len(chunk)
            there[1].write(chunk)
            await there[1].drain()
        reply = await read_head(there[0])
        while reply.words[1].startswith("1"):
            reply = await read_head(there[0])
        here[1].write(reply.as_last().encode())
        await self._pump(there[0], here[1], heard)

    def _heard(self, visit: asyncio.Task[None] | None, clock: asyncio.Timeout) -> None:
        """Note that a connection is not idle."""
        clock.reschedule(asyncio.get_running_loop().time() + self._idle_seconds)
        if visit in self._uses:
            self._uses[visit] = self._uses.pop(visit)

    async def _pump(
        self, source: StreamReader, sink: StreamWriter, heard: Callable[[], None]
    ) -> None:
        while chunk := await source.read(_CHUNK_BYTES):
            heard()
            self._room -= len(chunk)
            self.is_full = self.is_full or self._room < 0
            if self.is_full:
                return
            sink.write(chunk)
            await sink.drain()


def _push_out(visits: dict[asyncio.Task[None], None], most: int) -> None:
    """End the oldest of too many; each is forgotten at once, so that none counts twice."""
    while len(visits) > most:
        oldest = next(iter(visits))
        del visits[oldest]
        oldest.cancel()


async def _say(writer: StreamWriter, status: str, *headers: tuple[str, str]) -> None:
    code, _, reason = status.partition(" ")
    fixed = (("Content-Length", "0"), ("Connection", "close"))
    writer.write(Head(words=("HTTP/1.1", code, reason), headers=(*headers, *fixed)).encode())
    await writer.drain()


def _place(url: str) -> str:
    """Return the host and port of a URL as one text; of what is no URL, all of it."""
    try:
        parts = urlsplit(url)
        port = parts.port or (443 if parts.scheme == "https" else 80)
    except ValueError:
        return url
    return f"{parts.hostname}:{port}"
