"""One reply over HTTP: its status when something is known, keep-alives, and its end in any case."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import aclosing, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import orjson

from groundwire.checks import CheckState
from groundwire.errors import GroundwireError
from groundwire.gateway.refusals import RefusedTurnError, refusal_of
from groundwire.gateway.reply_checks import counted
from groundwire.redaction import redact
from groundwire.wire.outbound import Compared, Ended, Refusal, Remark, Text

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Mapping

    from starlette.types import Receive, Send

    from groundwire.gateway.dialects import Dialect
    from groundwire.wire.outbound import OutboundEvent, SentCitation, Writer

_LOG = logging.getLogger(__name__)
_RATE_LIMIT_SECONDS = 10
CITATIONS_HEADER = "x-groundwire-citations"
CHECKS_HEADER = "x-groundwire-checks"
STREAM_HEADERS = {
    "content-type": "text/event-stream; charset=utf-8",
    "cache-control": "no-cache, no-transform",
    # nginx would otherwise wait until there is a whole buffer to pass on.
    "x-accel-buffering": "no",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """How long a status waits for the model, and after how much silence a stream says hello."""

    status_seconds: float = 5.0
    keep_alive_seconds: float = 8.0


class Outgoing:
    """What is sent of one reply. Every reply has its request's id in two headers."""

    def __init__(
        self, send: Send, dialect: Dialect, request_id: str, *, direct: Send | None = None
    ) -> None:
        self.has_begun = False
        self._send = send
        self._direct = direct or send
        self._dialect = dialect
        self._id = request_id

    async def json(
        self, status: int, body: object, headers: Mapping[str, str] | None = None
    ) -> None:
        """Send a whole reply."""
        data = orjson.dumps(body)
        told = {"content-type": "application/json", "content-length": str(len(data))}
        await self._begin(status, {**told, **(headers or {})})
        await self._send({"type": "http.response.body", "body": data, "more_body": False})

    async def refuse(self, refusal: Refusal) -> None:
        """Send a failure as the dialect has it."""
        status = self._dialect.status(refusal)
        headers = {"x-should-retry": "true" if refusal.can_retry else "false"}
        wait = refusal.retry_after_seconds
        if wait is None and status == 429:
            wait = _RATE_LIMIT_SECONDS
        if wait is not None:
            headers["retry-after"] = str(max(1, round(wait)))
        await self.json(status, self._dialect.error(refusal, self._id), headers)

    async def begin_stream(self) -> None:
        """Send what comes before the first event."""
        await self._begin(200, STREAM_HEADERS)

    async def piece(self, data: bytes, *, is_last: bool = False) -> None:
        """Send events."""
        # Every piece would otherwise wake up and pass through all layers around the app.
        send = self._send if is_last else self._direct
        await send({"type": "http.response.body", "body": data, "more_body": not is_last})

    async def _begin(self, status: int, headers: Mapping[str, str]) -> None:
        self.has_begun = True
        given = {**headers, "request-id": self._id}
        raw = [(name.encode(), value.encode()) for name, value in given.items()]
        await self._send({"type": "http.response.start", "status": status, "headers": raw})


@dataclass(slots=True, kw_only=True)
class TurnReply:
    """The reply to one turn; `remember` and `keep` are called before its end is sent."""

    events: AsyncGenerator[Sequence[OutboundEvent], None]
    writer: Writer
    outgoing: Outgoing
    pace: Pace
    streams: bool
    remember: Callable[[], None]
    keep: Callable[[], Awaitable[None]] | None = None
    has_checks: bool = False
    _citations: list[SentCitation] = field(default_factory=list)
    _states: dict[tuple[int, int], str] = field(default_factory=dict)
    _unsent: bytes | None = None
    _last_sent: float = 0.0
    _turn: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def run(self, receive: Receive) -> None:
        """Send all of it; a client that leaves ends everything at once."""
        work = asyncio.create_task(self._answer())
        leaving = asyncio.create_task(_left(receive))
        try:
            await asyncio.wait([work, leaving], return_when=asyncio.FIRST_COMPLETED)
            if work.done():
                work.result()
        finally:
            for task in (work, leaving):
                task.cancel()
            await asyncio.gather(work, leaving, return_exceptions=True)

    async def _answer(self) -> None:
        pulse = asyncio.create_task(self._keep_alive()) if self.streams else None
        try:
            async with aclosing(self.events) as events:
                async for told in events:
                    await self._take(told)
        except RefusedTurnError as error:
            await self._fail(error.refusal)
        except GroundwireError as error:
            await self._fail(refusal_of(error))
        except Exception as error:  # noqa: BLE001 - a surface answers whatever happens
            _LOG.error("a turn of the gateway failed: %s", redact(repr(error)), exc_info=error)
            message = "the server failed at this: its log says why"
            await self._fail(Refusal(status=500, code="internal", message=message))
        finally:
            if pulse is not None:
                pulse.cancel()
                with suppress(asyncio.CancelledError):
                    await pulse

    async def _take(self, told: Sequence[OutboundEvent]) -> None:
        self._prepare()
        data = self.writer.write(told)
        is_last = bool(told) and isinstance(told[-1], Ended)
        if is_last:
            self.remember()
            if self.keep is not None:
                await self.keep()
        if not self.streams:
            self._count(told)
            if is_last:
                await self.outgoing.json(200, self.writer.body(), self._counts())
        elif self.outgoing.has_begun or _is_news(told):
            await self._send(data, is_last=is_last)
        else:
            self._unsent = (self._unsent or b"") + data

    def _count(self, told: Sequence[OutboundEvent]) -> None:
        for event in told:
            match event:
                case Text(citations=citations):
                    self._citations += citations
                case Compared(key=key, check=check):
                    self._states[key] = check["state"]

    def _counts(self) -> dict[str, str]:
        """Return what a reply that is not streamed says of its citations in headers."""
        counts = {CITATIONS_HEADER: str(len(self._citations))}
        if self.has_checks:
            keys = [one.key for one in self._citations]
            states = [self._states[key] for key in keys if key in self._states]
            # What stands for no words is never compared, and nobody need wait for it.
            states += [CheckState.NOT_COMPARED.value] * keys.count(None)
            counts[CHECKS_HEADER] = counted(states, len(keys))
        return counts

    def _prepare(self) -> None:
        """Have the first event made before anything happens that it would already show."""
        if self._unsent is None and self.streams:
            self._unsent = self.writer.start()

    async def _send(self, data: bytes, *, is_last: bool = False) -> None:
        async with self._turn:
            if not self.outgoing.has_begun:
                await self.outgoing.begin_stream()
                data = (self._unsent or b"") + data
            if data or is_last:
                self._last_sent = time.monotonic()
                await self.outgoing.piece(data, is_last=is_last)

    async def _fail(self, refusal: Refusal) -> None:
        async with self._turn:
            if not self.outgoing.has_begun:
                await self.outgoing.refuse(refusal)
                return
        await self._send(self.writer.fail(refusal), is_last=True)

    async def _keep_alive(self) -> None:
        """Begin the stream when the model takes long, and break every silence in it."""
        await asyncio.sleep(self.pace.status_seconds)
        self._prepare()
        if not self.outgoing.has_begun:
            await self._send(b"")
        while True:
            silent = time.monotonic() - self._last_sent
            wait = self.pace.keep_alive_seconds - silent
            if wait > 0:
                await asyncio.sleep(wait)
            elif not self._turn.locked():
                await self._send(self.writer.keep_alive())
            else:
                await asyncio.sleep(self.pace.keep_alive_seconds)


def _is_news(told: Sequence[OutboundEvent]) -> bool:
    """Tell whether something is known of the answer: remarks come before a model was asked."""
    return any(not isinstance(event, Remark) for event in told)


async def _left(receive: Receive) -> None:
    """Return when the client is gone."""
    while (await receive())["type"] != "http.disconnect":
        pass
