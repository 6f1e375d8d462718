"""Ends what a process started, wherever it went: a daemon like PostgreSQL leaves its group."""

from __future__ import annotations

import os
import select
import signal
from contextlib import suppress
from pathlib import Path

_GRACE_SECONDS = 10


def started_with(folder: str) -> list[int]:
    """Return the processes that were started with this folder for their temporary files."""
    wanted = f"TMPDIR={folder}".encode()
    found = []
    for path in Path("/proc").glob("[0-9]*/environ"):
        # It ended meanwhile, or is somebody else's.
        with suppress(OSError):
            if wanted in path.read_bytes().split(b"\0"):
                found.append(int(path.parent.name))
    return found


def end_all(folder: str) -> None:
    """End all that were started with this folder for their temporary files."""
    # What is ended may just have started another.
    while found := started_with(folder):
        for process in found:
            _end(process)


def _end(process: int) -> None:
    """Ask first: PostgreSQL, if killed, leaves its shared memory behind."""
    with suppress(ProcessLookupError):
        handle = os.pidfd_open(process)
        try:
            os.kill(process, signal.SIGQUIT)
            is_over, _, _ = select.select([handle], [], [], _GRACE_SECONDS)
            if not is_over:
                os.kill(process, signal.SIGKILL)
                select.select([handle], [], [], _GRACE_SECONDS)
        finally:
            os.close(handle)
