"""A server in a process of its own that tells how long it kept its loop busy and how it grew.

    python -m tests.web.measured FOLDER [BASE_URL of a provider]

Prints its address. For each line of input it prints a line: the most CPU seconds of the process
between two ticks of its loop, and the most bytes of memory, both since the line before. CPU and
not time, so that a busy machine changes nothing: a loop that is not held up ticks every few
milliseconds of CPU, whatever other threads do.
"""

from __future__ import annotations

import asyncio
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx2
import uvloop

from groundwire import Settings
from groundwire.service.program import Groundwire
from groundwire.web import create_app
from groundwire.web.server import server_of
from tests.patience import PATIENCE

TICK_SECONDS = 0.002
STATUS = Path("/proc/self/status")


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """What the server paid since it was asked before."""

    loop_seconds: float
    bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """The process from outside."""

    url: str
    process: subprocess.Popen[str]

    def cost(self) -> Cost:
        """Return the cost since the last call."""
        assert self.process.stdin
        assert self.process.stdout
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        seconds, size = self.process.stdout.readline().split()
        return Cost(loop_seconds=float(seconds), bytes=int(size))


@contextmanager
def measured(folder: Path, provider_url: str = "") -> Iterator[Measured]:
    """Start the server."""
    command = [sys.executable, "-m", "tests.web.measured", str(folder), provider_url]
    environment = {**os.environ, "GROUNDWIRE_HOME": str(folder), "ANTHROPIC_API_KEY": "any-key"}
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
    ) as process:
        assert process.stdout
        try:
            server = Measured(url=process.stdout.readline().strip(), process=process)
            httpx2.get(f"{server.url}/api/health", timeout=PATIENCE)
            yield server
        finally:
            process.terminate()


class _Clock:
    """Ticks in the loop, and remembers the most CPU between two ticks."""

    def __init__(self) -> None:
        self.most = 0.0
        self._last = time.process_time()

    def tick(self) -> None:
        self._look()
        asyncio.get_running_loop().call_later(TICK_SECONDS, self.tick)

    def _look(self) -> None:
        now = time.process_time()
        self.most, self._last = max(self.most, now - self._last), now

    def told(self) -> str:
        """Return the line, and begin anew."""
        self._look()
        [peak] = [line for line in STATUS.read_text().splitlines() if line.startswith("VmHWM")]
        line = f"{self.most} {int(peak.split()[1]) * 1024}"
        self.most = 0.0
        Path("/proc/self/clear_refs").write_text("5")  # The peak is counted from here.
        return line


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


async def _serve(folder: Path, provider_url: str) -> None:
    tables = {"providers": {"anthropic": {"base_url": provider_url}}} if provider_url else {}
    settings = Settings.model_validate(tables)
    program = Groundwire(settings=settings, database=str(folder / "measured.sqlite3"))
    server = server_of(create_app(program, opens=True))
    listener = socket.create_server(("127.0.0.1", 0))
    _say(f"http://127.0.0.1:{listener.getsockname()[1]}")
    loop, clock = asyncio.get_running_loop(), _Clock()
    loop.call_soon(clock.tick)
    loop.add_reader(0, lambda: _say(clock.told()) if sys.stdin.readline() else None)
    await server.serve(sockets=[listener])


if __name__ == "__main__":
    uvloop.run(_serve(Path(sys.argv[1]), sys.argv[2]))
