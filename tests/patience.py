"""Waiting for what must come: as long as it takes, and not a moment longer.

What another process does is only seen by asking it. Between two questions it gets the processor
for itself: without that pause, asking took most of what the work itself needed. Neither figure is a
measure of speed: `PATIENCE` ends a test that would never end.
"""

from __future__ import annotations

import asyncio
import socket
import subprocess
import threading
import time
from collections.abc import Awaitable, Callable
from typing import Protocol, TypeVar

T = TypeVar("T")


class Started(Protocol):
    """A server that says when it has started."""

    started: bool


PATIENCE = 120
PAUSE = 0.01


def wait_until(ask: Callable[[], T]) -> T:
    """Ask until the answer is a yes, and return it."""
    patience_ends = time.monotonic() + PATIENCE
    while not (found := ask()):
        assert time.monotonic() < patience_ends, "it never came"
        time.sleep(PAUSE)
    return found


async def wait_until_async(ask: Callable[[], Awaitable[T]]) -> T:
    """Ask until the answer is a yes, and return it; others go on meanwhile."""
    patience_ends = time.monotonic() + PATIENCE
    while not (found := await ask()):
        assert time.monotonic() < patience_ends, "it never came"
        await asyncio.sleep(PAUSE)
    return found


def wait_until_listening(port: int, process: subprocess.Popen[bytes]) -> None:
    """Wait until a program that was started takes connections on a port of loopback."""

    def is_listening() -> bool:
        assert process.poll() is None, f"{process.args!r} ended"
        with socket.socket() as connection:
            connection.settimeout(PATIENCE)
            return connection.connect_ex(("127.0.0.1", port)) == 0

    wait_until(is_listening)


def wait_until_started(server: Started, thread: threading.Thread) -> None:
    """Wait until a server that runs in a thread takes connections."""

    def is_started() -> bool:
        assert thread.is_alive(), "the server did not start"
        return server.started

    wait_until(is_started)
