"""What a turn costs with and without keeping it: 200 at once over a sandbox of another process.

    python -m bench.turns [--turns 200] [--database URL …] [--quick] [--json]

CPU is this process's own, for each turn; memory is the most that the process had.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import multiprocessing
import resource
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from pathlib import Path

import groundwire
from groundwire import Keys, Settings
from groundwire.chat.events import TurnEnded
from groundwire.conversation import Status
from groundwire.sandbox import SandboxServer
from groundwire.service.program import Groundwire

QUESTION = "Tell me about sea otters at length"
ROUNDS = 3


def main() -> None:
    """Print a row for each way of keeping."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--turns", type=int, default=200)
    parser.add_argument("--database", action="append", default=[], metavar="URL")
    parser.add_argument("--quick", action="store_true", help="one round")
    parser.add_argument("--json", action="store_true", help="print JSON for programs")
    given = parser.parse_args()
    with _sandbox() as url, tempfile.TemporaryDirectory() as folder:
        databases = [str(Path(folder) / "turns.sqlite3"), *given.database]
        ways = {"not kept": None, **{_kind(each): each for each in databases}}
        least = dict.fromkeys(ways, float("inf"))
        # The ways take turns, so that a slow minute of the machine is everybody's.
        for _ in range(1 if given.quick else ROUNDS):
            for name, database in ways.items():
                cpu = asyncio.run(_run(url, database, given.turns))
                least[name] = min(least[name], cpu / given.turns)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    if given.json:
        print(json.dumps({"turns": given.turns, "peak_megabytes": peak, "cpu_seconds": least}))
        return
    print(f"{given.turns} turns at once, least of some rounds, peak {peak:.0f} MB")
    for name, cpu in least.items():
        print(f"{name:<12} {cpu * 1000:7.2f} ms a turn   {cpu / least['not kept']:.2f} ×")


async def _run(url: str, database: str | None, turns: int) -> float:
    settings = Settings.model_validate({"providers": {"anthropic": {"base_url": url}}})
    keys = Keys(environment={"ANTHROPIC_API_KEY": "any-key"})
    opened = groundwire.open(
        settings=settings, keys=keys, database=database, keep=database is not None
    )
    async with opened as program:
        await _ask(program)
        before = time.process_time()
        await asyncio.gather(*(_ask(program) for _ in range(turns)))
        return time.process_time() - before


async def _ask(program: Groundwire) -> None:
    async for event in program.stream(QUESTION, provider="anthropic"):
        if isinstance(event, TurnEnded) and event.message.status is not Status.COMPLETE:
            raise SystemExit(f"a turn failed: {event.message.error}")


def _kind(database: str) -> str:
    return database.partition(":")[0] if "://" in database else "sqlite"


@contextmanager
def _sandbox() -> Iterator[str]:
    """Run the sandbox in a process of its own, so that its work is not counted."""
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=_serve, args=(theirs,))
    process.start()
    try:
        yield ours.recv()
    finally:
        ours.send("end")
        process.join()


def _serve(told: Connection) -> None:
    with SandboxServer() as server:
        told.send(server.base_url("anthropic"))
        told.recv()


if __name__ == "__main__":
    main()
