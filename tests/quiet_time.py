"""Time that passes only while nothing happens: a limit ends a silence, never a busy machine.

For tests whose every end is in one loop. What was sent over loopback is there for the other end at
once, so when nobody has anything to read or to do, all wait for a clock, and it goes on to the next
time that someone asked for. What threads and other processes do is not seen.
"""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Callable, Coroutine
from functools import wraps
from typing import Any, ParamSpec

P = ParamSpec("P")

# How long something may be on its way from one socket of this process to another.
_ON_ITS_WAY_SECONDS = 0.05


class _Selector(selectors.DefaultSelector):
    """Waits for files as any does, and for time not at all."""

    passed = 1000.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if timeout is None or timeout <= 0:
            return super().select(timeout)
        found = super().select(_ON_ITS_WAY_SECONDS)
        if not found:
            self.passed += timeout
        return found


class QuietTimeLoop(asyncio.SelectorEventLoop):
    """A loop with such a time."""

    def __init__(self) -> None:
        self._quiet = _Selector()
        super().__init__(self._quiet)

    def time(self) -> float:
        """Return a time that goes on while nothing happens."""
        return self._quiet.passed


def in_quiet_time(test: Callable[P, Coroutine[Any, Any, None]]) -> Callable[P, None]:
    """Run a test in a loop whose time passes only while nothing happens."""

    @wraps(test)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        with asyncio.Runner(loop_factory=QuietTimeLoop) as runner:
            runner.run(test(*args, **kwargs))

    return run
