"""A loopback HTTP server whose every byte a test decides."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

Script = Callable[[asyncio.StreamWriter], Coroutine[Any, Any, None]]


@dataclass
class Received:
    """One request as it came."""

    line: str
    headers: dict[str, str]
    body: bytes


@dataclass
class Loopback:
    """What the server was asked, and when its clients left."""

    port: int = 0
    requests: list[Received] = field(default_factory=list)
    asked: asyncio.Event = field(default_factory=asyncio.Event)
    left: asyncio.Event = field(default_factory=asyncio.Event)
    open_connections: int = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"


def reply(
    body: bytes = b"{}",
    *,
    status: str = "200 OK",
    headers: dict[str, str] | None = None,
    content_type: str = "application/json",
) -> Script:
    """A whole, well-formed reply."""
    lines = {
        "Content-Type": content_type,
        "Content-Length": str(len(body)),
        "Connection": "close",
        **(headers or {}),
    }
    head = f"HTTP/1.1 {status}\r\n" + "".join(f"{k}: {v}\r\n" for k, v in lines.items()) + "\r\n"
    return raw(head.encode() + body)


def raw(data: bytes) -> Script:
    """These bytes, and then the end of the connection."""

    async def script(writer: asyncio.StreamWriter) -> None:
        writer.write(data)
        await writer.drain()

    return script


def stream(*pieces: bytes, hang: bool = False, is_whole: bool = True) -> Script:
    """An event stream, a chunk for each piece; then its end, silence, or a cut."""

    async def script(writer: asyncio.StreamWriter) -> None:
        writer.write(
            b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
            b"Transfer-Encoding: chunked\r\n\r\n"
        )
        for piece in pieces:
            writer.write(b"%x\r\n%b\r\n" % (len(piece), piece))
            await writer.drain()
        if hang:
            await asyncio.Event().wait()
        if is_whole:
            writer.write(b"0\r\n\r\n")
            await writer.drain()

    return script


@asynccontextmanager
async def serve(
    *scripts: Script, host: str = "127.0.0.1", tls: ssl.SSLContext | None = None
) -> AsyncIterator[Loopback]:
    """Answer the n-th request with the n-th script, and then with the last one again."""
    seen = Loopback()

    conversations: set[asyncio.Task[None]] = set()

    def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        seen.open_connections += 1
        task = asyncio.create_task(_converse(reader, writer, seen, scripts))
        conversations.add(task)
        task.add_done_callback(conversations.discard)

    server = await asyncio.start_server(accept, host, 0, ssl=tls)
    seen.port = server.sockets[0].getsockname()[1]
    try:
        yield seen
    finally:
        server.close()
        for task in [*conversations]:
            task.cancel()
        await asyncio.gather(*conversations, return_exceptions=True)


async def _converse(
    reader: asyncio.StreamReader,
    writer: asyncio.StreamWriter,
    seen: Loopback,
    scripts: tuple[Script, ...],
) -> None:
    answering: asyncio.Task[None] | None = None
    try:
        seen.requests.append(await _receive(reader))
        seen.asked.set()
        script = scripts[min(len(seen.requests), len(scripts)) - 1]
        answering = asyncio.create_task(script(writer))
        leaving = asyncio.create_task(reader.read())
        await asyncio.wait([answering, leaving], return_when=asyncio.FIRST_COMPLETED)
        if leaving.done():
            seen.left.set()
        leaving.cancel()
    except (asyncio.IncompleteReadError, ConnectionError):
        pass
    finally:
        if answering is not None:
            answering.cancel()
        seen.open_connections -= 1
        writer.close()


async def _receive(reader: asyncio.StreamReader) -> Received:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    line, *rest = head.strip().split("\r\n")
    headers = {
        name.lower(): value.strip() for name, _, value in (text.partition(":") for text in rest)
    }
    body = await reader.readexactly(int(headers.get("content-length", 0)))
    return Received(line, headers, body)
