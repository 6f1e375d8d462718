"""The client with streams: events, cuts, silence, cancellation and what is left behind."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import weakref
import zlib
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from aiohttp.client_proto import ResponseHandler

from groundwire.client import Client, EventStream
from groundwire.client.read_batching import ReadBatching
from groundwire.client.streams import _resume_only_if_paused
from groundwire.config.settings import NetworkSettings
from groundwire.errors import (
    BadReplyError,
    EventTooLargeError,
    GroundwireError,
    OverloadedError,
    TimedOutError,
    TooLargeError,
    TruncatedError,
)
from groundwire.wire.contract import HttpRequest
from groundwire.wire.sse import IncompleteEvent
from tests.client.echo import Echo, endpoint
from tests.loopback import Loopback, Script, raw, reply, serve, stream
from tests.patience import PATIENCE
from tests.quiet_time import in_quiet_time


async def read(
    server: Loopback, into: list[str] | None = None, **limits: object
) -> tuple[list[str], EventStream]:
    events = [] if into is None else into
    request = HttpRequest(method="POST", url=f"{server.url}/v1", body=b"{}")
    async with (
        Client(NetworkSettings.model_validate(limits), pause=_no_pause) as client,
        client.stream(endpoint(server), request) as received,
    ):
        async for event in received:
            events.append(event)
        return events, received


async def test_events_come_in_the_order_they_were_sent() -> None:
    async with serve(stream(b"data: a\n\n", b"data: b\n", b"\nevent: e\ndata: c\n\n")) as server:
        events, received = await read(server)

    assert events == ["a", "b", "c"]
    assert received.incomplete is None


async def test_an_event_is_handed_out_before_the_next_one_is_sent() -> None:
    async with serve(stream(b"data: first\n\n", hang=True)) as server:
        request = HttpRequest(method="GET", url=server.url)
        async with Client() as client, client.stream(endpoint(server), request) as received:
            first = await anext(aiter(received))

    assert first == "first"


async def test_leaving_a_stream_closes_its_connection_at_once() -> None:
    async with serve(stream(b"data: first\n\n", hang=True)) as server:
        request = HttpRequest(method="GET", url=server.url)
        async with Client() as client:
            async with client.stream(endpoint(server), request) as received:
                await anext(aiter(received))

            await asyncio.wait_for(server.left.wait(), PATIENCE)


async def test_cancelling_a_reader_closes_its_connection_at_once() -> None:
    events: list[str] = []
    async with serve(stream(b"data: first\n\n", hang=True)) as server:
        task = asyncio.create_task(read(server, events))
        await server.asked.wait()
        task.cancel()

        with pytest.raises(asyncio.CancelledError):
            await task
        await asyncio.wait_for(server.left.wait(), PATIENCE)


async def test_a_stream_that_is_more_than_fits_a_buffer_goes_on_when_it_is_read() -> None:
    pieces = [b"data: %d %b\n\n" % (number, b"x" * 50_000) for number in range(40)]
    async with asyncio.timeout(PATIENCE), serve(stream(*pieces)) as server:
        events, _ = await read(server)

    assert [event.partition(" ")[0] for event in events] == [str(number) for number in range(40)]


async def test_a_connection_that_has_had_many_streams_still_goes_on_after_a_pause() -> None:
    """Every stream changes its connection, which is used again: the changes must not pile up."""
    protocol = ResponseHandler(asyncio.get_running_loop())
    response: Any = SimpleNamespace(connection=SimpleNamespace(protocol=protocol))
    for _ in range(2_000):
        _resume_only_if_paused(response)
    protocol._reading_paused = True

    protocol.resume_reading()

    assert not protocol._reading_paused


async def test_what_is_left_at_the_end_is_marked_as_incomplete() -> None:
    async with serve(stream(b'data: a\n\ndata: {"cut')) as server:
        events, received = await read(server)

    assert events == ["a"]
    assert received.incomplete == IncompleteEvent("message", '{"cut')


@pytest.mark.parametrize(
    ("script", "error"),
    [
        (stream(b"data: a\n\n", is_whole=False), TruncatedError),
        (stream(b"data: a\n\n", b"data: " + b"x" * 2000), EventTooLargeError),
        (stream(b"data: a\n\n" + b"data: " + b"x" * 2000 + b"\n\n"), EventTooLargeError),
        (stream(b"data: a\n\n", hang=True), TimedOutError),
        (stream(b"data: a\n\n" + b": alive\n\n" * 1000, hang=True), TooLargeError),
        (stream(b"data: a\n\n", *[b": alive\n\n"] * 1000), TooLargeError),
    ],
    ids=["cut", "growing event", "whole event", "silence", "large", "endless"],
)
@in_quiet_time
async def test_what_came_before_a_failure_is_kept(
    script: Script, error: type[GroundwireError]
) -> None:
    events: list[str] = []
    async with serve(script) as server:
        with pytest.raises(error):
            await read(
                server, events, max_event_bytes=1000, idle_timeout_seconds=5, max_reply_bytes=5000
            )

        assert len(server.requests) == 1
    assert events == ["a"]


async def test_what_arrives_with_the_cut_while_nobody_reads_is_not_lost() -> None:
    is_open = asyncio.Event()

    async def cut(writer: asyncio.StreamWriter) -> None:
        await stream(b"data: a\n\n", is_whole=False)(writer)
        await is_open.wait()
        writer.write(b"9\r\ndata: b\n\n\r\n")

    async with serve(cut) as server:
        request = HttpRequest(method="GET", url=server.url)
        async with Client() as client, client.stream(endpoint(server), request) as received:
            connection = received._response.connection
            assert connection is not None
            assert connection.protocol is not None
            closed = connection.protocol.closed
            is_open.set()
            assert closed is not None
            await closed

            events = [*await received.read_events(), *await received.read_events()]
            with pytest.raises(TruncatedError):
                await received.read_events()

    assert events == ["a", "b"]


@in_quiet_time
async def test_a_stream_that_never_ends_is_stopped_at_the_total_limit() -> None:
    async def drip(writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n")
        while True:
            writer.write(b": alive\n\n")
            await writer.drain()
            await asyncio.sleep(1)

    async with serve(drip) as server:
        with pytest.raises(TimedOutError) as caught:
            await read(server, total_timeout_seconds=5)

    assert caught.value.phase == "total"


async def test_a_failure_before_the_stream_begins_is_retried() -> None:
    async with serve(reply(b"", status="529 Full"), stream(b"data: a\n\n")) as server:
        events, _ = await read(server)

    assert events == ["a"]
    assert len(server.requests) == 2


async def test_an_error_in_place_of_a_stream_is_an_error() -> None:
    body = b'{"error": {"type": "overloaded_error", "message": "later"}}'
    async with serve(reply(body)) as server:
        with pytest.raises(OverloadedError, match="later"):
            await read(server)


async def test_an_error_as_first_event_is_retried_because_nothing_was_shown() -> None:
    error = stream(
        b'event: error\ndata: {"type": "error", "error": {"type": "overloaded_error"}}\n\n'
    )
    async with serve(error, stream(b"data: a\n\n")) as server:
        events, _ = await read(server)

    assert events == ["a"]
    assert len(server.requests) == 2


async def test_an_error_after_the_first_event_is_an_event_like_any_other() -> None:
    late = b'data: {"error": {"type": "overloaded_error"}}\n\n'
    async with serve(stream(b"data: a\n\n", late)) as server:
        events, _ = await read(server)

    assert events == ["a", late.decode()[6:-2]]
    assert len(server.requests) == 1


async def test_a_reply_in_one_piece_in_place_of_a_stream_is_kept() -> None:
    async with serve(reply(b'{"answer": 1}')) as server:
        events, received = await read(server)

    assert events == []
    assert received.whole is not None
    assert received.whole.json() == {"answer": 1}


async def test_a_stream_that_is_compressed_all_the_same_is_unpacked_piece_by_piece() -> None:
    packer = zlib.compressobj(wbits=zlib.MAX_WBITS | 16)
    pieces = [
        packer.compress(text) + packer.flush(zlib.Z_SYNC_FLUSH)
        for text in (b"data: a\n\n", b"data: b\n\n")
    ]
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Encoding: gzip\r\n\r\n"
    async with serve(raw(head + b"".join(pieces))) as server:
        events, _ = await read(server)

    assert events == ["a", "b"]
    assert server.requests[0].headers["accept-encoding"] == "identity"


@in_quiet_time
async def test_a_provider_may_have_a_patience_and_a_size_of_its_own() -> None:
    class Patient(Echo):
        max_event_bytes = 5000

    async with serve(stream(b"data: " + b"x" * 2000 + b"\n\n", hang=True)) as server:
        patient = replace(endpoint(server), provider=Patient(), idle_timeout_seconds=5)
        request = HttpRequest(method="GET", url=server.url)
        network = NetworkSettings(max_event_bytes=1000)
        async with Client(network) as client, client.stream(patient, request) as received:
            iterator = aiter(received)
            first = await anext(iterator)
            with pytest.raises(TimedOutError):
                await anext(iterator)

    assert len(first) == 2000


async def test_a_page_in_place_of_a_stream_is_an_error() -> None:
    async with serve(reply(b"<html>", content_type="text/html")) as server:
        with pytest.raises(BadReplyError, match="expected an event stream, got text/html"):
            await read(server)


async def test_a_stream_without_a_content_type_is_read_all_the_same() -> None:
    head = b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n"
    async with serve(raw(head + b"data: a\n\n")) as server:
        events, _ = await read(server)

    assert events == ["a"]


async def test_nothing_is_left_behind_by_broken_streams() -> None:
    before = asyncio.all_tasks()
    async with (
        serve(stream(b"data: a\n\n", is_whole=False)) as server,
        asyncio.TaskGroup() as group,
    ):
        for _ in range(20):
            group.create_task(_fails(server))

    assert asyncio.all_tasks() == before
    assert server.open_connections == 0


async def _fails(server: Loopback) -> None:
    with contextlib.suppress(TruncatedError):
        await read(server)


async def _no_pause(_seconds: float) -> None:
    pass


@in_quiet_time
async def test_a_stream_that_falls_silent_is_stopped_although_it_could_go_on_for_long() -> None:
    began = asyncio.get_running_loop().time()
    async with serve(stream(b"data: a\n\n", hang=True)) as server:
        with pytest.raises(TimedOutError, match="echo sent nothing within 5 s") as caught:
            await read(server, idle_timeout_seconds=5, total_timeout_seconds=600)

    assert caught.value.phase == "idle"
    assert asyncio.get_running_loop().time() - began < 10


@in_quiet_time
async def test_a_stream_that_is_slow_but_never_silent_is_read_to_its_end() -> None:
    async def slow(writer: asyncio.StreamWriter) -> None:
        await stream(b"data: 0\n\n", is_whole=False)(writer)
        for number in range(1, 6):
            await asyncio.sleep(4)
            writer.write(b"9\r\ndata: %d\n\n\r\n" % number)
        writer.write(b"0\r\n\r\n")

    async with serve(slow) as server:
        events, _ = await read(server, idle_timeout_seconds=5)

    assert events == [*"012345"]


@pytest.mark.parametrize(
    ("spare", "is_whole", "expected"),
    [(0, True, None), (-1, True, TooLargeError), (0, False, TruncatedError)],
    ids=["just fits", "a byte too many", "just fits and is cut"],
)
async def test_a_stream_may_be_as_long_as_the_limit_says(
    spare: int, *, is_whole: bool, expected: type[GroundwireError] | None
) -> None:
    body = b"data: a\n\ndata: b\n\n" + b": filled up to a thousand bytes and more\n" * 30
    events: list[str] = []
    with pytest.raises(expected) if expected else contextlib.nullcontext():
        async with serve(stream(body, is_whole=is_whole)) as server:
            await read(server, events, max_reply_bytes=len(body) + spare)

    assert events == ["a", "b"]


async def test_a_stream_without_an_event_has_none() -> None:
    async with serve(stream(b": nothing\n\n")) as server:
        events, received = await read(server)

    assert (events, received.whole) == ([], None)


async def test_a_failure_as_first_event_leaves_no_open_stream() -> None:
    batching = ReadBatching()
    async with serve(stream(b'data: {"error": {"message": "no"}}\n\n')) as server:
        request = HttpRequest(method="GET", url=server.url)
        async with Client(NetworkSettings(retries=0), batching=batching) as client:
            with pytest.raises(GroundwireError):
                await client.stream(endpoint(server), request).__aenter__()

    assert not batching.streams


async def test_a_stream_that_was_left_is_let_go_of() -> None:
    async with serve(stream(b"data: a\n\n", hang=True)) as server:
        request = HttpRequest(method="GET", url=server.url)
        async with Client() as client:
            async with client.stream(endpoint(server), request) as received:
                kept = weakref.ref(received)
            del received
            gc.collect()

            assert kept() is None
