"""A status is held until something is known of the answer, and no longer than it may be."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence

import pytest
from starlette.types import Message

from groundwire.gateway.dialects import CHAT, MESSAGES, RESPONSES, Dialect
from groundwire.gateway.refusals import RefusedTurnError, busy
from groundwire.gateway.reply import Outgoing, Pace, TurnReply
from groundwire.wire.inbound import InboundRequest
from groundwire.wire.outbound import OutboundEvent

DIALECTS = {"messages": MESSAGES, "chat": CHAT, "responses": RESPONSES}
# What a client must have seen before a failure in the middle, and how it is told then.
STARTED = {
    "messages": (b"event: message_start\n", b'event: error\ndata: {"type":"error"'),
    "chat": (b'"object":"chat.completion.chunk"', b'data: {"error":{'),
    "responses": (b"event: response.created\n", b"event: response.failed\n"),
}


class _Sent:
    """What went to a client, and a way to wait for it."""

    def __init__(self) -> None:
        self.status: int | None = None
        self.body = b""
        self._news = asyncio.Condition()

    async def __call__(self, message: Message) -> None:
        async with self._news:
            if message["type"] == "http.response.start":
                self.status = message["status"]
            else:
                self.body += message["body"]
            self._news.notify_all()

    async def until(self, words: bytes) -> None:
        async with self._news:
            await self._news.wait_for(lambda: words in self.body)


async def _stays() -> Message:
    await asyncio.Event().wait()
    raise AssertionError


async def _refused(accepted: asyncio.Event) -> AsyncGenerator[Sequence[OutboundEvent], None]:
    """Play an upstream that thinks, and then does not answer."""
    await accepted.wait()
    raise RefusedTurnError(busy("Too much.", 7))
    yield ()


def _reply(
    dialect: Dialect, sent: _Sent, accepted: asyncio.Event, status_seconds: float
) -> TurnReply:
    return TurnReply(
        events=_refused(accepted),
        writer=dialect.writer(InboundRequest(model="m", said=()), "m"),
        outgoing=Outgoing(sent, dialect, "req_1"),
        pace=Pace(status_seconds=status_seconds, keep_alive_seconds=3600),
        streams=True,
        remember=lambda: None,
    )


@pytest.mark.parametrize("name", DIALECTS)
async def test_what_is_known_in_time_is_the_status(name: str) -> None:
    sent, accepted = _Sent(), asyncio.Event()
    running = asyncio.create_task(
        _reply(DIALECTS[name], sent, accepted, status_seconds=3600).run(_stays)
    )
    await asyncio.sleep(0)
    before = sent.status

    accepted.set()
    await running

    assert before is None
    assert sent.status == (529 if name == "messages" else 503)
    assert sent.body.startswith(b"{")


@pytest.mark.parametrize("name", DIALECTS)
async def test_what_is_known_later_is_told_in_the_stream(name: str) -> None:
    started, failed = STARTED[name]
    sent, accepted = _Sent(), asyncio.Event()
    running = asyncio.create_task(
        _reply(DIALECTS[name], sent, accepted, status_seconds=0).run(_stays)
    )
    await sent.until(started)

    accepted.set()
    await running

    assert sent.status == 200
    assert failed in sent.body
    if name == "chat":
        assert sent.body.endswith(b"data: [DONE]\n\n")
