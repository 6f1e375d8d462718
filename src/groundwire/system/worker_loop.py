"""The loop of a worker process: one request in, one reply out, until its input ends.

A message is its length in four bytes and then that many bytes of JSON. A request names the `size`
of a body, whose bytes follow it.
"""

from __future__ import annotations

import contextlib
import json
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
        # Half of a surrogate pair cannot be sent, and cannot be read either.
        message = json.dumps(answer(request, requests.read(request["size"]))).encode()
        replies.write(len(message).to_bytes(4) + message)
        replies.flush()


def _limit_memory(max_bytes: int) -> None:
    """Have the system refuse this process more memory than that, where it can."""
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource  # noqa: PLC0415 - Windows has no such module

        resource.setrlimit(resource.RLIMIT_AS, (max_bytes, max_bytes))
