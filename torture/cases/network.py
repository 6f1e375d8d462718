"""What networks do: refuse, swallow, fall silent, cut, and let through what is no text."""

from __future__ import annotations

import asyncio
import json
import socket
import struct
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from itertools import product
from urllib.parse import urlsplit

import aiohttp
from tests.loopback import Script, raw, serve

from groundwire.model import Json
from torture.cases.provider import failed_with
from torture.client import CANARY, SCRIPTS, Asker, Told
from torture.registry import case
from torture.report import expect
from torture.stage import AT_ONCE, MODELS, Stage

_HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
_AT_ONCE = struct.pack("ii", 1, 0)


async def recorded(stage: Stage, asker: Asker, name: str) -> tuple[bytes, str]:
    """Return the bytes of a provider's whole reply, and the text that we make of it."""
    told = await asker.ask(SCRIPTS, provider_id=name, model=MODELS[name])
    # Pages that it cites may have been read since.
    base = urlsplit(stage.providers.url(name)).path
    entry = [each for each in stage.providers.server.requests if each.path.startswith(base)][-1]
    kept = {k: v for k, v in entry.headers.items() if v != "****" and k != "content-length"}
    keys = {"x-api-key": CANARY, "x-goog-api-key": CANARY, "authorization": f"Bearer {CANARY}"}
    url = stage.providers.server.root + entry.path
    async with aiohttp.ClientSession() as client:
        body, headers = json.dumps(entry.body), {**kept, **keys}
        async with client.post(url, params=entry.query, headers=headers, data=body) as reply:
            expect(reply.status == 200, f"the sandbox answers {reply.status}")
            return await reply.read(), told.text


def _after(whole: bytes, part: float) -> int:
    """Return the place behind such a part of the events; something is before it and behind it."""
    gap = b"\r\n\r\n" if b"\r\n\r\n" in whole else b"\n\n"
    events = whole.removesuffix(gap).split(gap)
    count = min(max(1, round(len(events) * part)), len(events) - 1)
    return sum(len(event) + len(gap) for event in events[:count])


def ended(whole: bytes) -> Script:
    """The connection ends in the middle of a chunked body."""
    part = whole[: _after(whole, 0.6)]
    return raw(_HEAD + b"Transfer-Encoding: chunked\r\n\r\n%x\r\n%b\r\n" % (len(part), part))


def reset(whole: bytes) -> Script:
    """The connection is reset."""

    async def script(writer: asyncio.StreamWriter) -> None:
        part = whole[: _after(whole, 0.6)]
        writer.write(_HEAD + b"Transfer-Encoding: chunked\r\n\r\n%x\r\n%b\r\n" % (len(part), part))
        await writer.drain()
        await asyncio.sleep(0.2)
        made = writer.get_extra_info("socket")
        made.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _AT_ONCE)
        writer.transport.abort()

    return script


def too_short(whole: bytes) -> Script:
    """Fewer bytes come than were said."""
    part = whole[: _after(whole, 0.6)]
    return raw(_HEAD + b"Content-Length: %d\r\n\r\n%b" % (len(whole), part))


def unsaid(whole: bytes) -> Script:
    """The end of the connection is the end of the body, and comes too early."""
    return raw(_HEAD + b"Connection: close\r\n\r\n" + whole[: _after(whole, 0.6)])


def no_text(whole: bytes) -> Script:
    """A whole reply, among whose events are bytes that are no UTF-8 and events of no meaning."""
    place = _after(whole, 0)
    odd = b'event: glow\ndata: {"type": "glow", "x": "\xff\xfe\xc3"}\n\n: hm\n\n'
    odd += b"data: \xed\xa0\x80\n\n"
    return raw(_HEAD + b"Connection: close\r\n\r\n" + whole[:place] + odd + whole[place:])


async def _each_way(
    stage: Stage, scripts: Mapping[str, Callable[[bytes], Script]], check: Json
) -> None:
    """Have every provider reply in each of these ways."""
    turns = asyncio.Semaphore(AT_ONCE)
    async with stage.serve() as (_, asker):
        replies = {name: await recorded(stage, asker, name) for name in MODELS}

        async def one(name: str, kind: str) -> None:
            whole, text = replies[name]
            with stage.tally.fault(f"{name} {kind}"):
                async with turns, serve(scripts[kind](whole)) as seen:
                    provider = await asker.add_provider(name, seen.url)
                    told = await asker.ask(SCRIPTS, provider_id=provider, model=MODELS[name])
                    expect(len(seen.requests) == 1, f"{len(seen.requests)} calls")
                check(told, text)

        await asyncio.gather(*(one(*each) for each in product(MODELS, scripts)))


@case("cuts", "FIN, RST, short length, clean end without the end marker: kept, never complete")
async def cuts(stage: Stage) -> None:
    def check(told: Told, text: str) -> None:
        failed_with(told, "truncated")
        expect(told.text and text.startswith(told.text), f"kept is {told.text!r}")

    scripts = {"FIN": ended, "RST": reset, "short length": too_short, "no length": unsaid}
    await _each_way(stage, scripts, check)


@case("no-text", "bytes that are no UTF-8, comments and unknown events do not end an answer")
async def not_text(stage: Stage) -> None:
    def check(told: Told, text: str) -> None:
        expect(told.message["status"] == "complete", f"it is {told.message['error']!r}")
        expect(told.text == text, f"the answer is another one: {told.text!r}")

    await _each_way(stage, {"no UTF-8": no_text}, check)


@asynccontextmanager
async def _swallowing() -> AsyncIterator[int]:
    """Give a port that answers nothing, not even that it listens: its queue is full."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen(0)
        address = listener.getsockname()
        waiting = []
        for _ in range(4):
            made = socket.socket()
            made.setblocking(False)
            with suppress(BlockingIOError):
                made.connect(address)
            waiting.append(made)
        try:
            yield address[1]
        finally:
            for made in waiting:
                made.close()


def _closed_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


@case("unreachable", "refused, swallowed, unknown host: an error after 3 tries, in bounded time")
async def unreachable(stage: Stage) -> None:
    settings: Json = {"network__connect_timeout_seconds": 1}
    async with stage.serve(**settings) as (_, asker), _swallowing() as swallowing:
        places = {
            f"http://127.0.0.1:{_closed_port()}": "connect",
            f"http://127.0.0.1:{swallowing}": "timeout",
            "http://nowhere.invalid": "connect",
        }

        async def one(name: str, place: str) -> None:
            with stage.tally.fault(f"{name} at {place}"):
                provider = await asker.add_provider(name, place)
                told = await asker.ask(SCRIPTS, provider_id=provider, model=MODELS[name])
                # Codex takes no other host but its own, so that a session goes nowhere else.
                is_refused = name == "codex" and "invalid" in place
                failed_with(told, "config" if is_refused else places[place])

        await asyncio.gather(*(one(*each) for each in product(MODELS, places)))


@case("silence", "no head, no text, comments alone: ended by a limit, upstream closed")
async def silence(stage: Stage) -> None:
    async def comments(writer: asyncio.StreamWriter) -> None:
        writer.write(_HEAD + b"Connection: close\r\n\r\n")
        while True:
            writer.write(b": still here\n\n")
            await writer.drain()
            await asyncio.sleep(0.1)

    settings: Json = {
        "network__idle_timeout_seconds": 1,
        "network__reply_timeout_seconds": 2,
        "network__total_timeout_seconds": 4,
    }
    async with stage.serve(**settings) as (_, asker):

        async def late(name: str) -> None:
            with stage.tally.fault(f"{name} no head"):
                fault = f"silence;late;id={name}"
                provider = await asker.add_provider(name, stage.providers.url(name, fault))
                told = await asker.ask(SCRIPTS, provider_id=provider, model=MODELS[name])
                failed_with(told, "timeout")
                endings = {each.ended for each in stage.providers.calls(fault)}
                expect(endings == {"closed by the client"}, f"upstream is {endings}")

        async def commenting(name: str) -> None:
            with stage.tally.fault(f"{name} comments alone"):
                async with serve(comments) as seen:
                    provider = await asker.add_provider(name, seen.url)
                    told = await asker.ask(SCRIPTS, provider_id=provider, model=MODELS[name])
                    failed_with(told, "timeout")
                    async with asyncio.timeout(1):
                        await seen.left.wait()

        await asyncio.gather(*map(late, MODELS), *map(commenting, MODELS))
