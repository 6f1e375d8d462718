"""Many streams of one client, read in batches: the events are the same."""

from __future__ import annotations

import asyncio
from contextlib import AbstractAsyncContextManager, AsyncExitStack

import pytest

from groundwire.client import Client, EventStream
from groundwire.client.read_batching import ReadBatching
from groundwire.errors import OverloadedError
from groundwire.wire.contract import HttpRequest
from tests.client.echo import endpoint
from tests.loopback import Loopback, reply, serve, stream
from tests.patience import PATIENCE
from tests.quiet_time import in_quiet_time


def opened(client: Client, server: Loopback) -> AbstractAsyncContextManager[EventStream]:
    return client.stream(endpoint(server), HttpRequest(method="GET", url=server.url))


async def test_a_stream_that_is_read_in_batches_says_the_same() -> None:
    pieces = [f"data: {number}\n\n".encode() for number in range(50)]
    async with (
        serve(stream(*pieces)) as server,
        Client(batching=ReadBatching(seconds=0.01, many=1)) as client,
        opened(client, server) as received,
    ):
        events = [event async for event in received]

    assert events == [str(number) for number in range(50)]


async def test_what_comes_within_an_interval_is_read_together() -> None:
    is_sent = asyncio.Event()

    async def say(writer: asyncio.StreamWriter) -> None:
        await stream(b"data: first\n\n", b"data: second\n\n", is_whole=False)(writer)
        await is_sent.wait()
        writer.write(b"d\r\ndata: third\n\n\r\n")
        for _ in range(10):  # Whoever reads as it comes reads now.
            await asyncio.sleep(0)
        writer.write(b"e\r\ndata: fourth\n\n\r\n")
        await asyncio.Event().wait()

    async with (
        serve(say) as server,
        Client(batching=ReadBatching(seconds=0.5, many=1)) as client,
        opened(client, server) as received,
    ):
        before = await received.read_events()
        while "second" not in before:
            before += await received.read_events()
        is_sent.set()
        together = await received.read_events()

    assert before == ["first", "second"]
    assert together == ["third", "fourth"]


async def test_a_first_event_and_fast_streams_are_not_delayed() -> None:
    is_read = asyncio.Event()
    large = "x" * 8_184  # With what surrounds it, just as much as a fast stream sends at once.

    async def say(writer: asyncio.StreamWriter) -> None:
        await stream(f"data: {large}\n\n".encode(), is_whole=False)(writer)
        await is_read.wait()
        writer.write(b"e\r\ndata: second\n\n\r\n")
        await asyncio.Event().wait()

    async with (
        asyncio.timeout(PATIENCE),
        serve(say) as server,
        Client(batching=ReadBatching(seconds=3_600, many=1)) as client,
        opened(client, server) as received,
    ):
        first = await received.read_events()
        is_read.set()
        second = await received.read_events()

    assert (first, second) == ([large], ["second"])


async def test_only_open_streams_count_towards_many() -> None:
    batching = ReadBatching(many=2)
    async with (
        serve(stream(b"data: a\n\n", hang=True)) as server,
        Client(batching=batching) as client,
        opened(client, server),
    ):
        with_one = len(batching.streams)
        async with opened(client, server):
            with_two = len(batching.streams)

    assert (with_one, with_two, len(batching.streams)) == (1, 2, 0)


async def test_a_refused_stream_is_not_an_open_one() -> None:
    batching = ReadBatching(many=1)
    refusal = reply(b'{"error": {"message": "busy"}}', status="529 Overloaded")

    async def no_pause(_: float) -> None:
        """Ask again at once."""

    async with serve(refusal) as server, Client(batching=batching, pause=no_pause) as client:
        with pytest.raises(OverloadedError):
            await opened(client, server).__aenter__()

    assert not batching.streams


async def test_a_few_streams_are_read_as_they_come() -> None:
    pieces = [f"data: {number}\n\n".encode() for number in range(5)]
    async with (
        asyncio.timeout(PATIENCE),
        serve(stream(*pieces)) as server,
        Client(batching=ReadBatching(seconds=3_600, many=2)) as client,
        opened(client, server) as received,
    ):
        events = [event async for event in received]

    assert events == [*"01234"]


@in_quiet_time
async def test_ten_streams_are_read_every_twentieth_of_a_second_and_nine_at_once() -> None:
    times: dict[int, float] = {}
    loop = asyncio.get_running_loop()
    say: list[asyncio.StreamWriter] = []

    async def open_one(writer: asyncio.StreamWriter) -> None:
        say.append(writer)
        await stream(b"data: first\n\n", hang=True)(writer)

    async with serve(open_one) as server, Client() as client, AsyncExitStack() as streams:
        for number in range(1, 11):
            received = await streams.enter_async_context(opened(client, server))
            await received.read_events()
            say[-1].write(b"e\r\ndata: second\n\n\r\n")
            if number < 9:
                continue
            await asyncio.sleep(0.03)
            before = loop.time()
            assert await received.read_events() == ["second"]
            times[number] = loop.time() - before

    assert times[9] == 0
    assert 0 < times[10] <= 0.05
    assert loop.time() % 0.05 == pytest.approx(0, abs=1e-6) or loop.time() % 0.05 > 0.0499
