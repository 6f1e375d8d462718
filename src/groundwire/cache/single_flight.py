"""One request for many who ask the same at the same time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

T = TypeVar("T")


@dataclass(slots=True)
class _Flight(Generic[T]):
    task: asyncio.Task[T]
    waiting: int = 0


class SingleFlight(Generic[T]):
    """Requests under way. Who leaves does not end a request for the others; the last one does."""

    def __init__(self) -> None:
        self._flights: dict[str, _Flight[T]] = {}

    async def join(self, key: str, start: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """Return what the request with this key gives, starting it if nobody has."""
        flight = self._flights.get(key)
        if flight is None:
            flight = self._flights[key] = _Flight(asyncio.create_task(start()))
            flight.task.add_done_callback(lambda _: self._land(key, flight))
        flight.waiting += 1
        try:
            return await asyncio.shield(flight.task)
        finally:
            flight.waiting -= 1
            if not flight.waiting and not flight.task.done():
                # At once, so that whoever asks next starts anew and is not cancelled with it.
                self._land(key, flight)
                flight.task.cancel()

    def _land(self, key: str, flight: _Flight[T]) -> None:
        if self._flights.get(key) is flight:
            del self._flights[key]
