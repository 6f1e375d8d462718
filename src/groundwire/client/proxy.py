"""A browser's only way to the web: a proxy that checks every address before it connects.

A browser looks names up and follows scripts, frames and redirects by itself, where no check of a
first URL reaches. Through this proxy it asks for each connection, and gets those to public hosts.
"""

from __future__ import annotations

import asyncio
import base64
import hmac
import secrets
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from groundwire import guard
from groundwire.client.heads import MAX_HEAD_BYTES, BadHeadError, Head, read_head
from groundwire.errors import BlockedError, NetworkError
from groundwire.guard import DomainPolicy
from groundwire.model import Secret

if TYPE_CHECKING:
    from asyncio import StreamReader, StreamWriter
    from types import TracebackType
    from typing import Self

    from groundwire.client.connecting import Way
    from groundwire.settings import NetworkSettings

USER = "groundwire"
MAX_CONNECTIONS = 64
MAX_REFUSALS = 100
_CHUNK_BYTES = 1 << 16
# What a stranger or a browser does to a connection, and is no fault of the proxy.
_ENDINGS = (BadHeadError, EOFError, NetworkError, OSError, asyncio.LimitOverrunError)


class GuardingProxy:
    """Serves one page in a browser; a context manager that listens on loopback while it is open.

    Hosts that the policy blocks are refused whatever they are asked for. Which hosts are allowed
    is for whoever drives the browser: inside TLS, a document looks like any other traffic here.
    `refusals` has why each place, a host with its port, was refused. `is_full` means that no more
    bytes were let through.
    """

    def __init__(self, limits: NetworkSettings, way: Way, policy: DomainPolicy) -> None:
        self.url = ""
        self.password = Secret(secrets.token_urlsafe(24))
        self.refusals: dict[str, BlockedError] = {}
        self.is_full = False
        self._way = way
        self._ports = frozenset(limits.page_ports)
        self._policy = DomainPolicy(allowed=("*",), blocked=policy.blocked)
        self._room = limits.max_reply_bytes
        self._visits: set[asyncio.Task[None]] = set()
        self._server: asyncio.Server | None = None

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(
            self._accept, "127.0.0.1", 0, limit=MAX_HEAD_BYTES
        )
        self.url = f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
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
        hosts = "a host" if len(self.refusals) == 1 else f"{len(self.refusals)} hosts"
        return (f"the page also asked for {hosts} that we refused, so that a part may be missing",)

    def _accept(self, reader: StreamReader, writer: StreamWriter) -> None:
        visit = asyncio.create_task(self._serve(reader, writer))
        self._visits.add(visit)
        visit.add_done_callback(self._visits.discard)

    async def _serve(self, reader: StreamReader, writer: StreamWriter) -> None:
        try:
            await self._answer(await read_head(reader), reader, writer)
        except _ENDINGS:
            pass
        finally:
            writer.close()

    async def _answer(self, request: Head, reader: StreamReader, writer: StreamWriter) -> None:
        if not self._admits(request):
            challenge = ("Proxy-Authenticate", f'Basic realm="{USER}"')
            return await _say(writer, "407 Proxy Authentication Required", challenge)
        if len(self._visits) > MAX_CONNECTIONS:
            return await _say(writer, "503 Too Many Connections")
        method, target, _ = request.words
        is_tunnel = method == "CONNECT"
        asked = f"https://{target}" if is_tunnel else target
        try:
            url = guard.parse(asked, ports=self._ports)
            self._policy.check(url)
            there, thither = await self._way.connect(url)
        except BlockedError as error:
            self._remember(asked, error)
            return await _say(writer, "403 Forbidden")
        except NetworkError:
            return await _say(writer, "502 Bad Gateway")
        try:
            if is_tunnel:
                writer.write(b"HTTP/1.1 200 Connected\r\n\r\n")
                await self._join((reader, writer), (there, thither))
            else:
                thither.write(request.for_origin(url).encode())
                await self._exchange(request.body_bytes, (reader, writer), (there, thither))
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

    async def _join(
        self, here: tuple[StreamReader, StreamWriter], there: tuple[StreamReader, StreamWriter]
    ) -> None:
        """Let both sides talk until one of them is done."""
        talking = [
            asyncio.create_task(self._pump(here[0], there[1])),
            asyncio.create_task(self._pump(there[0], here[1])),
        ]
        try:
            await asyncio.wait(talking, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in talking:
                task.cancel()
            await asyncio.gather(*talking, return_exceptions=True)

    async def _exchange(
        self,
        body_bytes: int,
        here: tuple[StreamReader, StreamWriter],
        there: tuple[StreamReader, StreamWriter],
    ) -> None:
        """Hand on one request's body and its reply; what follows may be for another host."""
        while body_bytes and (chunk := await here[0].read(min(body_bytes, _CHUNK_BYTES))):
            body_bytes -= len(chunk)
            there[1].write(chunk)
            await there[1].drain()
        reply = await read_head(there[0])
        while reply.words[1].startswith("1"):
            reply = await read_head(there[0])
        here[1].write(reply.as_last().encode())
        await self._pump(there[0], here[1])

    async def _pump(self, source: StreamReader, sink: StreamWriter) -> None:
        while chunk := await source.read(_CHUNK_BYTES):
            self._room -= len(chunk)
            self.is_full = self.is_full or self._room < 0
            if self.is_full:
                return
            sink.write(chunk)
            await sink.drain()


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
