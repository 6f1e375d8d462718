"""What readers do: leave, stop, come back, ask twice, read slowly."""

from __future__ import annotations

import asyncio
import json
import random
import socket
from collections.abc import AsyncIterator
from contextlib import suppress
from urllib.parse import urlsplit

from torture.client import LONG, Asker, Event, Told
from torture.registry import case
from torture.report import expect
from torture.server import Served, Wish, until
from torture.stage import Stage

PACE_SECONDS = 0.004
READERS = 12
SLOW_CHARACTERS = 20_000


async def _some(told: Told, events: AsyncIterator[Event], count: int) -> None:
    """Read so many events."""
    async for _ in events:
        if len(told.events) >= count:
            return


async def _over(asker: Asker, told: Told) -> None:
    """Wait until a turn has ended."""
    await asker.resume(told.started["message_id"], 0)


@case("reader-leaves", "a closed tab detaches: the turn goes on to its end and is kept whole")
async def reader_leaves(stage: Stage) -> None:
    with stage.paced(PACE_SECONDS):
        async with stage.serve() as (_, asker):

            async def leave(number: int) -> None:
                with stage.tally.fault(f"a reader leaves after {number} events"):
                    async with asker.asking(LONG, search="off") as (told, events):
                        await _some(told, events, number)
                    await _over(asker, told)
                    kept = await asker.get(f"/api/sessions/{told.started['session_id']}")
                    status = kept["messages"][1]["status"]
                    expect(status == "complete", f"the answer is {status}")

            await asyncio.gather(*(leave(1 + 3 * number) for number in range(READERS)))


@case("stop", "a stopped turn closes its provider within 1 s, is cancelled, keeps its text")
async def stop(stage: Stage) -> None:
    async with stage.serve() as (_, asker):

        async def one(number: int) -> None:
            fault = f"silence;after={2 + number};id=stop{number}"
            provider = await asker.add_provider(
                "anthropic", stage.providers.url("anthropic", fault)
            )
            with stage.tally.fault(f"stop after {2 + number} pieces"):
                async with asker.asking(LONG, provider_id=provider, search="off") as (told, events):
                    async for event in events:
                        if event.type == "text" and len(told.events) > 2:
                            break
                    expect(await asker.stop(told) == 204, "it could not be stopped")
                    [entry] = stage.providers.calls(fault)
                    closed = await until(lambda: entry.ended == "closed by the client", 1, 0.01)
                    expect(closed, f"upstream is {entry.ended}")
                    async for _ in events:
                        pass
                expect(told.message["status"] == "cancelled", f"it is {told.message['status']}")
                expect(told.text and told.message["content"].startswith(told.text), "text is gone")

        await asyncio.gather(*map(one, range(READERS)))


@case("reconnect", "Last-Event-ID goes on where a stream was cut: each event exactly once")
async def reconnect(stage: Stage) -> None:
    generator = random.Random(1)
    with stage.paced(PACE_SECONDS):
        async with stage.serve() as (_, asker):

            async def one(number: int) -> None:
                cuts = sorted(generator.sample(range(1, 90), 4))
                with stage.tally.fault(f"cut after events {cuts}"):
                    async with asker.asking(LONG, search="off") as (told, events):
                        await _some(told, events, cuts[0])
                    seen = [*told.events]
                    message_id = told.started["message_id"]
                    by_header = number % 2 == 0
                    for cut in cuts[1:]:
                        most = cut - len(seen)
                        seen += await asker.resume(
                            message_id, len(seen), most=most, by_header=by_header
                        )
                    seen += await asker.resume(message_id, len(seen), by_header=by_header)
                    told.events = seen  # The last look around compares it with what is kept.
                    whole = await asker.resume(message_id, 0)
                    expect(seen == whole, "the parts are not the whole")
                    expect(seen[-1].type == "done", f"it ended with {seen[-1].type}")

            await asyncio.gather(*map(one, range(READERS)))


@case("same-message", "the same client_id again, at once or later, is the same turn: one call")
async def same_message(stage: Stage) -> None:
    with stage.paced(PACE_SECONDS):
        async with stage.serve() as (_, asker):

            async def one(number: int) -> None:
                question = f"Tell me of number {number} at length"
                body = {"client_id": f"click-{number}", "search": "off"}
                with stage.tally.fault(f"message {number} four times"):
                    told = await asyncio.gather(*(asker.ask(question, **body) for _ in range(3)))
                    told += [await asker.ask(question, **body)]
                    expect(len({each.started["message_id"] for each in told}) == 1, "two turns")
                    expect(all(each.events == told[0].events for each in told), "they differ")
                    calls = [
                        each
                        for each in stage.providers.server.requests
                        if question in json.dumps(each.body)
                    ]
                    expect(len(calls) == 1, f"{len(calls)} calls")

            await asyncio.gather(*map(one, range(READERS)))


@case("slow-reader", "one who takes nothing holds up nobody, costs < 1 MB, and is cut off")
async def slow_reader(stage: Stage) -> None:
    wish = Wish(
        options={"stalled_seconds": 2.0, "keep_alive_seconds": 1.0},
        logs_all=False,
        send_buffer_bytes=16_384,
    )
    stage.providers.gone()
    stage.providers.back(pace_seconds=0.0005)
    async with stage.serve(wish) as (server, asker):
        with stage.tally.fault(f"{READERS} readers who take nothing"):
            alone = await _growth(stage, server, asker, 0)
            among = await _growth(stage, server, asker, READERS)
            more = round(among - alone, 1)
            stage.tally.figures[f"MB more with {READERS} slow readers"] = more
            expect(more < READERS, f"the server grew by {more} MB more")


async def _growth(stage: Stage, server: Served, asker: Asker, readers: int) -> float:
    """Read an endless answer among some who do not; return how much the server grew."""
    fault = f"endless;after=1;id={readers}"
    provider = await asker.add_provider("anthropic", stage.providers.url("anthropic", fault))
    before, most = server.megabytes(), 0.0
    async with asker.asking(LONG, provider_id=provider) as (told, events):
        await _some(told, events, 3)
        slow = [_take_nothing(asker, told) for _ in range(readers)]
        async for _ in events:
            most = max(most, server.megabytes())
            if len(told.text) > SLOW_CHARACTERS * stage.scale.times:
                break
        cut = await until(lambda: server.connections() <= 2, 10)
        expect(cut, f"{server.connections()} connections are there: nobody was cut off")
        expect(await asker.stop(told) == 204, "it could not be stopped")
        async for _ in events:
            pass
    for each in slow:
        each.close()
    return most - before


def _take_nothing(asker: Asker, told: Told) -> socket.socket:
    parts = urlsplit(asker.url)
    made = socket.socket()
    made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    made.connect((parts.hostname or "", parts.port or 0))
    path = f"/api/messages/{told.started['message_id']}/events?after=0"
    with suppress(BlockingIOError):
        made.sendall(f"GET {path} HTTP/1.1\r\nHost: {parts.netloc}\r\n\r\n".encode())
    return made
