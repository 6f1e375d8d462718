"""The end of a turn's time: one timer for the turn, where one for each event would cost more."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

T = TypeVar("T")


class Deadline:
    """Ends the waiting of a turn, and of nothing else, when its time is over."""

    def __init__(self, seconds: float | None) -> None:
        self._is_over = False
        self._has_cancelled = False
        self._waiting: asyncio.Task[object] | None = None
        loop = asyncio.get_running_loop()
        self._timer = None if seconds is None else loop.call_later(seconds, self._end)

    async def next(self, stream: AsyncGenerator[T, None]) -> T | None:
        """Return what comes next, None at the end and when the time is over."""
        if self._is_over:
            return None
        task = asyncio.current_task()
        if task is None:
            raise RuntimeError("a turn runs in a task")
        cancelled_before = task.cancelling()
        self._waiting = task
        try:
            return await anext(stream)
        except StopAsyncIteration:
            return None
        except asyncio.CancelledError:
            # As `asyncio.timeout` does: what somebody else cancelled stays cancelled.
            if self._has_cancelled and task.uncancel() <= cancelled_before:
                return None
            raise
        finally:
            self._waiting = None

    def close(self) -> None:
        """Forget the time."""
        if self._timer is not None:
            self._timer.cancel()

    def _end(self) -> None:
        self._is_over = True
        if self._waiting is not None:
            self._has_cancelled = True
            self._waiting.cancel()
