"""Waiting for what must come: as long as it takes, and not a moment longer.

What another process does is only seen by asking it. Between two questions it gets the processor
for itself: without that pause, asking took most of what the work itself needed. Neither figure is a
measure of speed: `PATIENCE` ends a test that would never end.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import TypeVar

T = TypeVar("T")

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
