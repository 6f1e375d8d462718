"""One reader of a turn: its events over HTTP, each exactly once, at the reader's own pace."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, Any

from starlette.responses import Response

from groundwire.web.frames import KEEP_ALIVE, after, end_after

if TYPE_CHECKING:
    from collections.abc import Coroutine

    from starlette.types import Receive, Scope, Send

    from groundwire.web.live_turns import LiveTurn
    from groundwire.web.options import Options

DIRECT = "groundwire.send"
"""Where a request has the server's own `send`, without what is put around it."""

MOST_AT_ONCE = 262_144
STREAM_HEADERS = {
    "content-type": "text/event-stream; charset=utf-8",
    "cache-control": "no-store",
    # nginx would otherwise wait until there is a whole buffer to pass on.
    "x-accel-buffering": "no",
}


class StreamResponse(Response):
    """A reply that is sent event by event."""

    media_type = "text/event-stream"

    def __init__(self) -> None:
        super().__init__(status_code=200)
        self.raw_headers = [(k.encode(), v.encode()) for k, v in STREAM_HEADERS.items()]

    async def begin(self, send: Send) -> None:
        """Send what comes before the first event."""
        await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})


class LiveTurnResponse(StreamResponse):
    """The events of a turn after one of them, until it ends or its reader leaves.

    `number` is of the event that the reader has already, 0 for none.
    """

    def __init__(self, run: LiveTurn, options: Options, number: int = 0) -> None:
        super().__init__()
        self._run = run
        self._options = options
        self._after = number
        self._is_left = False
        self._says_hello = False
        self._sending_since: float | None = None
        self._last_sent = time.monotonic()
        self._task: asyncio.Task[None] | None = None
        self._waiting: asyncio.Future[None] | None = None

    def wake(self) -> None:
        """Look again: there is more, or nothing more will come."""
        if self._waiting is not None and not self._waiting.done():
            self._waiting.set_result(None)

    def watch(self, now: float) -> None:
        """Keep a silent connection alive, and cut one that does not take what it is sent."""
        if self._sending_since is not None:
            if now - self._sending_since > self._options.stalled_seconds and self._task:
                self._is_left = True
                self._task.cancel()
        elif now - self._last_sent > self._options.keep_alive_seconds:
            self._says_hello = True
            self.wake()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send all events."""
        await self.begin(send)
        # A task of its own, and past what other layers do with a reply that has begun: each event
        # would otherwise wake up and pass through all of them.
        direct: Send = scope.get(DIRECT, send)
        self._task = asyncio.create_task(self._send_events(direct))
        leaving = asyncio.create_task(self._notice_leaving(receive))
        self._run.readers.add(self)
        try:
            await asyncio.wait([self._task])
            if not self._task.cancelled():
                self._task.result()
        finally:
            self._run.readers.discard(self)
            self._task.cancel()
            leaving.cancel()

    async def _send_events(self, send: Send) -> None:
        run = self._run
        index, rest = run.place(self._after)
        if rest:
            await self._write(send, rest)
        # The copy of a turn of another server may not have yet what the reader has from there.
        is_behind = run.last_number < self._after
        while not self._is_left:
            batch, index = run.read(index, self._after, MOST_AT_ONCE)
            if batch and is_behind:
                batch = after(batch, self._after)
                is_behind = not batch
            if batch:
                await self._write(send, batch)
            elif run.is_over:
                # Its server died with more sent than written: the end comes after what was sent.
                last = end_after(run.batches[-1], self._after) if is_behind and run.batches else b""
                await send({"type": "http.response.body", "body": last, "more_body": False})
                return
            elif self._says_hello:
                self._says_hello = False
                await self._write(send, KEEP_ALIVE)
            else:
                self._waiting = asyncio.get_running_loop().create_future()
                await self._waiting

    async def _write(self, send: Send, body: bytes) -> None:
        self._sending_since = time.monotonic()
        await send({"type": "http.response.body", "body": body, "more_body": True})
        self._last_sent, self._sending_since = self._sending_since, None

    async def _notice_leaving(self, receive: Receive) -> None:
        await left(receive)
        self._is_left = True
        self.wake()


class TurnEndResponse(StreamResponse):
    """The end of a turn that another process runs: nothing is sent but `first`, until it ends."""

    def __init__(self, last: Coroutine[Any, Any, bytes], options: Options, first: bytes) -> None:
        super().__init__()
        self._last = last
        self._options = options
        self._first = first

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002 - the library's
        """Send the last event when it is there."""
        await self.begin(send)
        await send({"type": "http.response.body", "body": self._first, "more_body": True})
        ending = asyncio.create_task(self._last)
        leaving = asyncio.create_task(left(receive))
        try:
            while not (ending.done() or leaving.done()):
                await asyncio.wait(
                    [ending, leaving],
                    timeout=self._options.keep_alive_seconds,
                    return_when=asyncio.FIRST_COMPLETED,
                )
                if not ending.done():
                    await send(
                        {"type": "http.response.body", "body": KEEP_ALIVE, "more_body": True}
                    )
            if ending.done():
                body = ending.result()
                await send({"type": "http.response.body", "body": body, "more_body": False})
        finally:
            ending.cancel()
            leaving.cancel()


async def left(receive: Receive) -> None:
    """Return when the reader is gone."""
    while (await receive())["type"] != "http.disconnect":
        pass
