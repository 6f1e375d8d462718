"""The other processes of the same server: each has a socket, by which the others find its turns.

A request comes to any of them. What it is about, a turn, runs in one: that one is asked.
"""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import TYPE_CHECKING

from groundwire.web.stream_responses import LiveTurnResponse, StreamResponse, left

if TYPE_CHECKING:
    from starlette.types import Message, Receive, Scope, Send

    from groundwire.web.live_turns import LiveTurns
    from groundwire.web.options import Options

_YES, _NO = b"yes\n", b"no\n"
_PIECE = 65_536


class SiblingProcesses:
    """This process among those that serve from one folder; alone where there is none."""

    def __init__(self, live_turns: LiveTurns, options: Options) -> None:
        self._live_turns = live_turns
        self._options = options
        self._folder = Path(options.folder) if options.folder else None
        self._server: asyncio.Server | None = None

    async def open(self) -> None:
        """Begin to answer the others."""
        if self._folder is not None:
            self._server = await asyncio.start_unix_server(self._answer, self._own)

    async def close(self) -> None:
        """Answer no more."""
        if self._server is not None:
            self._server.close()
            await asyncio.to_thread(self._own.unlink, missing_ok=True)

    async def stop(self, message_id: str) -> bool:
        """Stop a turn that another process runs; return whether one did."""
        for path in self._others():
            found = await _ask(path, f"stop {message_id}\n")
            if found is not None:
                found[1].close()
                return True
        return False

    async def events(self, message_id: str, after: int) -> RelayResponse | None:
        """Return the events of a turn that one of the others runs, None if none does."""
        for path in self._others():
            if found := await _ask(path, f"events {message_id} {after}\n"):
                return RelayResponse(*found)
        return None

    @property
    def _own(self) -> Path:
        assert self._folder is not None  # noqa: S101 - only asked where there is one
        return self._folder / f"{os.getpid()}.sock"

    def _others(self) -> list[Path]:
        if self._folder is None:
            return []
        return [path for path in sorted(self._folder.glob("*.sock")) if path != self._own]

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            word, message_id, *more = (await reader.readline()).decode().split()
            run = self._live_turns.of_message(message_id)
            writer.write(_NO if run is None else b"")
            if run is not None and word == "stop":
                await self._live_turns.stop(run)
                writer.write(_YES)
            elif run is not None:
                writer.write(_YES)
                response = LiveTurnResponse(run, self._options, int(more[0]))
                await response({}, _receive(reader), _send(writer))
            await writer.drain()
        except (OSError, ValueError):
            pass  # The other one is gone, or speaks another tongue: it asks anew.
        finally:
            writer.close()


class RelayResponse(StreamResponse):
    """The events of a turn that another process runs, as it sends them."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        super().__init__()
        self._reader = reader
        self._writer = writer

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002 - the library's
        """Send all that comes."""
        leaving = asyncio.create_task(left(receive))
        # Whoever leaves here leaves there.
        leaving.add_done_callback(lambda _: self._writer.close())
        try:
            await self.begin(send)
            while piece := await self._reader.read(_PIECE):
                await send({"type": "http.response.body", "body": piece, "more_body": True})
            await send({"type": "http.response.body", "body": b"", "more_body": False})
        finally:
            leaving.cancel()
            self._writer.close()


async def _ask(path: Path, words: str) -> tuple[asyncio.StreamReader, asyncio.StreamWriter] | None:
    """Return a connection to one of the others if it has what is asked for."""
    try:
        reader, writer = await asyncio.open_unix_connection(path)
        writer.write(words.encode())
        if await reader.readline() == _YES:
            return reader, writer
        writer.close()
    except OSError:
        pass  # It has ended, and what it ran with it.
    return None


def _receive(reader: asyncio.StreamReader) -> Receive:
    async def receive() -> Message:
        await reader.read()
        return {"type": "http.disconnect"}

    return receive


def _send(writer: asyncio.StreamWriter) -> Send:
    async def send(message: Message) -> None:
        if body := message.get("body"):
            writer.write(body)
            await writer.drain()

    return send
