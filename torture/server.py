"""One server process: started, looked into, ended in order or killed."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from torture.report import expect

START_SECONDS = 60.0
END_SECONDS = 20.0
_LISTEN = "0A"


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """How a server shall run; `options` are those of `groundwire.web.Options`.

    `logs_all` has every library write all that it can, which is where keys would show.
    `pages_port` is where the name `pages.test` leads, 0 for nowhere. `send_buffer_bytes` are
    what the system takes for a reader in advance, 0 for what it likes. `variables` are for this
    server alone, besides those of its stage.
    """

    database: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)
    logs_all: bool = True
    pages_port: int = 0
    send_buffer_bytes: int = 0
    variables: Mapping[str, str] = field(default_factory=dict)


async def until(is_so: Callable[[], bool], seconds: float, every: float = 0.05) -> bool:
    """Wait for a condition, and tell whether it came."""
    loop = asyncio.get_running_loop()
    end = loop.time() + seconds
    while not is_so():
        if loop.time() > end:
            return False
        await asyncio.sleep(every)
    return True


class Served:
    """A server in a process of its own, in a folder of its own."""

    def __init__(self, folder: Path, environment: Mapping[str, str], wish: Wish) -> None:
        self.folder = folder
        self.url = ""
        self._environment = {**environment, **wish.variables}
        self._wish = wish
        self._window = folder / "window.json"
        self._log = folder / "server.log"
        self._process: asyncio.subprocess.Process | None = None

    @property
    def pid(self) -> int:
        """Return the id of the process."""
        expect(self._process is not None, "the server was never started")
        assert self._process is not None
        return self._process.pid

    @property
    def is_running(self) -> bool:
        """Return whether it was started and has not ended."""
        return self._process is not None and self._process.returncode is None

    async def start(self) -> None:
        """Start it and wait until it says where it is.

        Raises:
            BrokenPromiseError: It ended instead.
        """
        words = json.dumps({**_plain(self._wish), "window": str(self._window)})
        with self._log.open("ab") as log:
            self._process = await asyncio.create_subprocess_exec(
                sys.executable,
                "-m",
                "torture.served",
                words,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=log,
                env=self._environment,
                # Ctrl-C is for us alone: we end it ourselves.
                start_new_session=True,
            )
        assert self._process.stdout is not None
        async with asyncio.timeout(START_SECONDS):
            line = await self._process.stdout.readline()
        if not line:
            code = await self._process.wait()
            expect(line, f"the server ended with {code}: {self.log()[-500:].decode()}")
        self.url = json.loads(line)["url"]

    def log(self) -> bytes:
        """Return all that it wrote."""
        return self._log.read_bytes() if self._log.exists() else b""

    async def ended(self) -> int:
        """Wait for its end by itself, and return its code."""
        assert self._process is not None
        async with asyncio.timeout(END_SECONDS):
            return await self._process.wait()

    async def terminate(self) -> int:
        """End it in order."""
        self.send(signal.SIGTERM)
        return await self.ended()

    def send(self, number: signal.Signals) -> None:
        """Send it a signal."""
        os.kill(self.pid, number)

    async def kill(self) -> None:
        """End it at once, whatever it does."""
        if self._process is not None and self._process.returncode is None:
            self._process.kill()
            await self._process.wait()

    async def tasks(self) -> Counter[str]:
        """Return the names of its tasks."""
        self._window.unlink(missing_ok=True)
        self.send(signal.SIGUSR1)
        expect(await until(self._window.exists, 10, 0.01), "the server does not answer a signal")
        return Counter(json.loads(self._window.read_text()))

    def connections(self, others: Sequence[int] = ()) -> int:
        """Return how many TCP connections it has open, but for those to some ports."""
        sockets = _open_files(self.pid)
        tables = [Path(f"/proc/{self.pid}/net/{name}") for name in ("tcp", "tcp6")]
        rows = [row.split() for table in tables for row in table.read_text().splitlines()[1:]]
        return sum(
            f"socket:[{row[9]}]" in sockets
            and row[3] != _LISTEN
            and int(row[2].rpartition(":")[2], 16) not in others
            for row in rows
        )

    def children(self) -> list[int]:
        """Return the processes that it started."""
        path = Path(f"/proc/{self.pid}/task/{self.pid}/children")
        return [int(each) for each in path.read_text().split()]

    def megabytes(self, *, peak: bool = False) -> float:
        """Return how much memory it has, or had at most."""
        status = Path(f"/proc/{self.pid}/status").read_text()
        return int(status.partition("VmHWM:" if peak else "VmRSS:")[2].split()[0]) / 1024


def _plain(wish: Wish) -> dict[str, Any]:
    return {
        "database": wish.database,
        "options": dict(wish.options),
        "logs_all": wish.logs_all,
        "pages_port": wish.pages_port,
        "send_buffer_bytes": wish.send_buffer_bytes,
    }


def _open_files(pid: int) -> set[str]:
    found = set()
    for each in Path(f"/proc/{pid}/fd").iterdir():
        with suppress(FileNotFoundError):  # It was closed while we looked.
            found.add(str(each.readlink()))
    return found


def is_alive(pid: int) -> bool:
    """Tell whether a process is there."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True
