"""What one event of a stream costs, each on its own, however busy the machine is.

    python -m bench.gateway_steps [--rounds 5] [--json]

The provider is played in this process. It sends an event and waits until the serving process sleeps
again before it sends the next, so that every event wakes the server up once: on a busy machine
several would otherwise be read together, by some servers more than by others. The figure is the
server's time on a CPU between the 40th event and the 20th last, in nanoseconds as the kernel counts
them, for each event; the least of some rounds that take turns.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import sys
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import aiohttp

from bench.gateway_requests import BODIES, server_of
from bench.gateway_servers import KEY, has_proxy, litellm_proxy
from bench.model_streams import stream
from bench.relay import process

ROUNDS = 5
FIRST, LAST = 40, -20
_POLL_SECONDS = 0.0005


@dataclass(slots=True)
class SteppedModel:
    """A provider that sends an event when the server it serves has dealt with the one before."""

    pid: int = 0
    events: tuple[bytes, ...] = ()
    marks: list[int] = field(default_factory=list)

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer one request."""
        head = (await reader.readuntil(b"\r\n\r\n")).lower()
        size = head.partition(b"content-length:")[2].partition(b"\r\n")[0]
        await reader.readexactly(int(size or 0))
        writer.write(
            b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
            b"Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n"
        )
        self.marks.clear()
        for number, event in enumerate(self.events):
            if number in (FIRST, len(self.events) + LAST):
                self.marks.append(cpu_nanoseconds(self.pid))
            writer.write(b"%x\r\n%b\r\n" % (len(event), event))
            await writer.drain()
            await settled(self.pid)
        writer.write(b"0\r\n\r\n")
        await writer.drain()
        writer.close()


def tell(progress: str) -> None:
    """Say how far it is, so that nobody takes a long run for one that hangs."""
    print(f"bench.gateway: {progress}", file=sys.stderr, flush=True)


def cpu_nanoseconds(pid: int) -> int:
    """Return how long all threads of a process have been on a CPU."""
    tasks = Path(f"/proc/{pid}/task").iterdir()
    return sum(int((task / "schedstat").read_text().split()[0]) for task in tasks)


async def settled(pid: int) -> None:
    """Wait until a process waits."""
    while True:
        await asyncio.sleep(_POLL_SECONDS)
        if _state(pid) == "S":
            return


def _state(pid: int) -> str:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]


async def cost(url: str, path: str, body: dict[str, Any], model: SteppedModel) -> float:
    """Return the microseconds that an event cost."""
    headers = {"Authorization": f"Bearer {KEY}"}
    async with (
        aiohttp.ClientSession(headers=headers) as client,
        client.post(url + path, json=body) as reply,
    ):
        text = await reply.text()
        assert reply.status == 200, text
    first, last = model.marks
    return (last - first) / (len(model.events) + LAST - FIRST) / 1_000


def steps(rounds: int = ROUNDS) -> dict[str, float]:
    """Return the microseconds that an event costs each kind of server."""
    return asyncio.run(_steps(rounds))


async def _steps(rounds: int) -> dict[str, float]:
    model = SteppedModel(events=stream("anthropic", "stepped").events)
    listening = await asyncio.start_server(model.handle, "127.0.0.1", 0)
    base = f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}"
    least: dict[str, float] = {}
    with ExitStack() as running:
        servers = _servers(running, base)
        kinds = [kind for kind in BODIES if server_of(kind) in servers]
        for number in range(rounds + 1):
            tell(f"an event at a time, round {number} of {rounds}" if number else "starting")
            for kind in kinds:
                path, body = BODIES[kind]
                pid, said = servers[server_of(kind)]
                model.pid = pid
                found = await cost(said["url"], path, body, model)
                if number:  # Imports and caches are not what is measured.
                    least[kind] = min(found, least.get(kind, found))
    listening.close()
    return least


def _servers(running: ExitStack, base: str) -> dict[str, tuple[int, dict[str, Any]]]:
    found = {"bare": running.enter_context(process("bench.relay", "--serve", "bare", base))}
    for checks in ("all", "off"):
        ours = process("bench.gateway_servers", base, checks)
        found[f"ours-{checks}"] = running.enter_context(ours)
    if has_proxy():
        found["litellm"] = running.enter_context(litellm_proxy(base))
    return found


def show(costs: dict[str, float]) -> None:
    """Print the figures for a person."""
    print(f"CPU per event, each on its own, load average {os.getloadavg()[0]:.1f}")
    for kind, each in costs.items():
        print(f"    {kind:22}{each:8.1f} µs  {each / costs['bare']:6.2f} ×")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--json", action="store_true", help="print JSON for programs")
    options = parser.parse_args()
    costs = steps(options.rounds)
    print(json.dumps(costs)) if options.json else show(costs)


if __name__ == "__main__":
    main()
