"""What a reading process measures of itself. It runs in every environment: no packages.

    python -m bench.peer_NAME PROVIDER URL MODE[,MODE…] SECONDS

Prints JSON: the CPU seconds of one stream when fast and of all when paced, and memory in bytes.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import re
import sys
import time
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

PACED_STREAMS = 20
FEW_STREAMS = 5  # So few that our client reads each whenever something comes.
MANY_STREAMS = 200
MIN_ROUNDS = 2
QUESTION = "What do the pages say?"


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a reader has in the end; `citations` is None where it does not show them."""

    events: int
    text: str
    citations: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What to measure; `seconds` is how long to go on with fast streams."""

    modes: str
    seconds: float


Read: TypeAlias = Callable[[], Awaitable[Answer]]
Reader: TypeAlias = Callable[[str], AbstractAsyncContextManager[Read]]
"""Opens a client for one base URL, which ends with the provider's name."""


def main(readers: dict[str, Reader]) -> None:
    """Measure one provider in the modes that the command line names."""
    provider, url, modes, seconds = sys.argv[1:]
    wanted = Wanted(modes=modes, seconds=float(seconds))
    print(json.dumps(asyncio.run(_measure(readers[provider], provider, url, wanted))))


async def _measure(reader: Reader, provider: str, url: str, wanted: Wanted) -> dict[str, Any]:
    modes = wanted.modes
    async with reader(f"{url}/brief/{provider}") as read:
        await read()  # Imports and caches are not what is measured.
        figures = {"memory": await _memory(read)} if "memory" in modes else {}
    # Before the paced ones: what many streams leave behind in the heap slows down what follows.
    if "fast" in modes:
        async with reader(f"{url}/fast/{provider}") as read:
            figures["fast"] = await _fast(read, wanted.seconds)
    for mode, streams in (("few", FEW_STREAMS), ("paced", PACED_STREAMS)):
        if mode in modes:
            async with reader(f"{url}/paced/{provider}") as read:
                figures[mode] = await _paced(read, streams)
    return figures


async def _fast(read: Read, seconds: float) -> dict[str, Any]:
    """Read one stream after the other and return the least that one of them cost."""
    used: list[float] = []
    until = time.monotonic() + seconds
    while True:
        started = time.process_time()
        answer = await read()
        used.append(time.process_time() - started)
        if time.monotonic() > until and len(used) >= MIN_ROUNDS:
            return _seen([answer]) | {"cpu_seconds": min(used)}


async def _paced(read: Read, streams: int) -> dict[str, Any]:
    started = time.process_time()
    answers = await asyncio.gather(*[read() for _ in range(streams)])
    return _seen(answers) | {"cpu_seconds": (time.process_time() - started) / streams}


async def _memory(read: Read) -> dict[str, Any]:
    """Return the resident memory before any stream and what one and many streams add to it."""
    idle = _memory_of("VmRSS")
    one = await _peak_of(read, 1)
    return {"idle": idle, "one": one, "many": await _peak_of(read, MANY_STREAMS)}


async def _peak_of(read: Read, streams: int) -> int:
    _forget_peak()
    before = _memory_of("VmRSS")
    await asyncio.gather(*[read() for _ in range(streams)])
    return _memory_of("VmHWM") - before


def _forget_peak() -> None:
    Path("/proc/self/clear_refs").write_text("5")


def _memory_of(name: str) -> int:
    found = re.search(rf"{name}:\s+(\d+) kB", Path("/proc/self/status").read_text())
    assert found is not None
    return int(found[1]) * 1024


def _seen(answers: list[Answer]) -> dict[str, Any]:
    """Return what every stream ended with; they must not differ."""
    assert len({answer.text for answer in answers}) == 1, "two streams gave different texts"
    answer = answers[0]
    digest = hashlib.sha256(answer.text.encode()).hexdigest()
    return {"sha256": digest, "events": answer.events, "citations": answer.citations}
