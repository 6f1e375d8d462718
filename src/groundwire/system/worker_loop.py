"""The loop of a worker process: one request in, one reply out, until its input ends.

A message is its length in four bytes and then that many bytes of JSON. A request names the `size`
of a body, whose bytes follow it, and may name the `cpu_seconds` that answering it may take: a
process that needs more is ended by the system, also in the middle of native code.
"""

from __future__ import annotations

import contextlib
import json
import signal
import sys
from collections.abc import Callable
from typing import Any, TypeAlias

Json: TypeAlias = Any

READY = b"ready\n"


def answer_requests(answer: Callable[[Json, bytes], Json]) -> None:
    """Answer requests from standard input; the first argument is the memory limit in bytes."""
    _limit_memory(int(sys.argv[1]))
    requests, replies = sys.stdin.buffer, sys.stdout.buffer
    replies.write(READY)
    replies.flush()
    while header := requests.read(4):
        request = json.loads(requests.read(int.from_bytes(header)))
        body = requests.read(request["size"])
        _limit_cpu(request.get("cpu_seconds", 0.0))
        # Half of a surrogate pair cannot be sent, and cannot be read either.
        message = json.dumps(answer(request, body)).encode()
        _limit_cpu(0.0)
        replies.write(len(message).to_bytes(4) + message)
        replies.flush()


def _limit_cpu(seconds: float) -> None:
    """Have the system end this process after so much CPU time from now, where it can; 0 is never.

    A machine that is busy with other things stops nobody: only time spent here counts.
    """
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_PROF, seconds)


def _limit_memory(max_bytes: int) -> None:
    """Have the system refuse this process more memory than that, where it can."""
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource  # noqa: PLC0415 - Windows has no such module

        resource.setrlimit(resource.RLIMIT_AS, (max_bytes, max_bytes))
