"""What it costs to read an event stream: our client and parser, raw sockets, and httpx2.

    python -m bench.streams [--quick] [--json]

A server in another process sends events of the size and shape of a chat completion, each in an
HTTP chunk of its own: 2,000 as fast as they go, and 20 streams of one event every 20 ms. Every
reader gets the same bytes and ends with the data of every event as text. The figure is CPU time
of the reading process per event, the least of several rounds; the floor is the least work that
gives the same result: one asyncio protocol that removes the chunks and splits at blank lines.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager

import httpx2

from bench.chunks import unchunked
from groundwire.client import Client
from groundwire.wire.contract import Access, Endpoint, HttpRequest, Provider

EVENTS = 2000
FAST_STREAMS = 5
PACED_STREAMS = 20
PACED_EVENTS = 400
PACE_SECONDS = 0.02

ROUNDS = {"fast": 15, "paced": 2}
QUICK_ROUNDS = {"fast": 3}

Read = Callable[[str], Awaitable[int]]


def event(number: int) -> bytes:
    """Return one event as a provider sends it."""
    choice = {"index": 0, "delta": {"content": f" word{number}"}, "finish_reason": None}
    chunk = {
        "id": "chatcmpl-1",
        "object": "chat.completion.chunk",
        "created": 1794787200,
        "model": "m",
        "choices": [choice],
    }
    return b"data: " + json.dumps(chunk).encode() + b"\n\n"


async def serve() -> None:
    """Send streams for ever; the first line of output is the port."""
    chunks = [b"%x\r\n%b\r\n" % (len(event(n)), event(n)) for n in range(EVENTS)]
    head = (
        b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
    )

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                request = await reader.readuntil(b"\r\n\r\n")
                writer.write(head)
                if b" /paced " in request:
                    for chunk in chunks[:PACED_EVENTS]:
                        writer.write(chunk)
                        await asyncio.sleep(PACE_SECONDS)
                else:
                    writer.write(b"".join(chunks))
                writer.write(b"0\r\n\r\n")
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    server = await asyncio.start_server(handle, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


class Floor(asyncio.Protocol):
    """Reads a chunked event stream with no regard for anything that could go wrong."""

    def __init__(self, path: str, done: asyncio.Future[int]) -> None:
        self._path = path
        self._done = done
        self._head_is_over = False
        self._left = b""
        self._text = ""
        self._count = 0
        self._transport: asyncio.BaseTransport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport
        assert isinstance(transport, asyncio.Transport)
        transport.write(f"GET {self._path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())

    def data_received(self, data: bytes) -> None:
        data = self._left + data
        if not self._head_is_over:
            data = data.partition(b"\r\n\r\n")[2]
            self._head_is_over = True
        body, self._left, is_over = unchunked(data)
        *blocks, self._text = (self._text + body.decode()).split("\n\n")
        self._count += len([block[6:] for block in blocks])
        if is_over and self._transport is not None:
            self._transport.close()
            self._done.set_result(self._count)


@asynccontextmanager
async def floor(base: str) -> AsyncIterator[Read]:
    loop = asyncio.get_running_loop()
    port = int(base.rpartition(":")[2])

    async def read(path: str) -> int:
        done: asyncio.Future[int] = loop.create_future()
        await loop.create_connection(lambda: Floor(path, done), "127.0.0.1", port)
        return await done

    yield read


class Bench(Provider):
    """The local server."""

    title = "Bench"
    base_url = ""


@asynccontextmanager
async def ours(base: str) -> AsyncIterator[Read]:
    endpoint = Endpoint(name="bench", provider=Bench(), access=Access(base_url=base))
    async with Client() as client:

        async def read(path: str) -> int:
            count = 0
            request = HttpRequest(method="GET", url=base + path)
            async with client.stream(endpoint, request) as events:
                while batch := await events.read_events():
                    for data in batch:
                        count += bool(data)
            return count

        yield read


@asynccontextmanager
async def with_httpx2(base: str) -> AsyncIterator[Read]:
    async with httpx2.AsyncClient() as client:

        async def read(path: str) -> int:
            count = 0
            async with client.sse(base + path) as events:
                async for event in events:
                    count += bool(event.data)
            return count

        yield read


PEERS: dict[str, Callable[[str], AbstractAsyncContextManager[Read]]] = {
    "raw sockets (the floor)": floor,
    "groundwire client + sse": ours,
    "httpx2 client.sse()": with_httpx2,
}


async def read_all(peer: str, base: str, mode: str) -> float:
    """Read the streams of one mode and return microseconds of CPU time per event."""
    async with PEERS[peer](base) as read:
        await read("/fast")  # Imports and caches are not what is measured.
        started = time.process_time()
        if mode == "fast":
            counts = [await read("/fast") for _ in range(FAST_STREAMS)]
        else:
            counts = await asyncio.gather(*[read("/paced") for _ in range(PACED_STREAMS)])
        used = time.process_time() - started
    expected = EVENTS if mode == "fast" else PACED_EVENTS
    assert set(counts) == {expected}, f"{peer} saw {counts} instead of {expected} events"
    return used / sum(counts) * 1e6


def run(base: str, rounds_of: dict[str, int]) -> dict[str, dict[str, float]]:
    """Return the least cost per event of every peer, in rounds that take turns."""
    figures: dict[str, dict[str, float]] = {}
    for mode, rounds in rounds_of.items():
        costs = figures[mode] = dict.fromkeys(PEERS, float("inf"))
        for _ in range(rounds):
            for peer in PEERS:
                costs[peer] = min(costs[peer], asyncio.run(read_all(peer, base, mode)))
    return figures


def show(figures: dict[str, dict[str, float]]) -> None:
    for mode, costs in figures.items():
        floor = next(iter(costs.values()))
        print(f"{mode}: CPU per event")
        for name, cost in costs.items():
            print(f"  {name:26} {cost:8.2f} µs  {cost / floor:6.2f} × the floor")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", action="store_true", help="print JSON for programs")
    parser.add_argument("--quick", action="store_true", help="only fast streams, three rounds")
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        asyncio.run(serve())
        return
    command = [sys.executable, "-m", "bench.streams", "--serve"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        base = f"http://127.0.0.1:{server.stdout.readline().strip()}"
        figures = run(base, QUICK_ROUNDS if options.quick else ROUNDS)
        server.terminate()
    print(json.dumps(figures)) if options.json else show(figures)


if __name__ == "__main__":
    main()
