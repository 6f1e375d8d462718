"""A proxy in front of the server that cuts connections when a test says so."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Self


class Cutter:
    """Hands on what both sides send; `cut` ends every connection in the middle."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._writers: set[asyncio.StreamWriter] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self.requests: list[str] = []

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._connect, "127.0.0.1", 0)
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.close()
        self.cut()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    @property
    def url(self) -> str:
        """Return where the proxy listens."""
        return f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"

    @property
    def _netloc(self) -> bytes:
        return self.url.removeprefix("http://").encode()

    def cut(self) -> None:
        """End every connection without a word."""
        for writer in self._writers:
            writer.transport.abort()

    async def _connect(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        upstream = await asyncio.open_connection("127.0.0.1", self._port)
        self._writers |= {writer, upstream[1]}
        with suppress(OSError):
            await asyncio.gather(
                self._relay(reader, upstream[1], is_asking=True), self._relay(upstream[0], writer)
            )
        for each in (writer, upstream[1]):
            each.transport.abort()
            self._writers.discard(each)
        self._tasks.discard(task)

    async def _relay(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, *, is_asking: bool = False
    ) -> None:
        while data := await reader.read(65_536):
            if is_asking:
                self.requests.append(data.split(b" HTTP/")[0].decode("latin-1"))
                # Asked for by another port than its own, the server would want a login.
                data = data.replace(self._netloc, f"127.0.0.1:{self._port}".encode())
            writer.write(data)
            await writer.drain()
        writer.close()
