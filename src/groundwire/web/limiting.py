"""How often somebody may try to sign in."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable

MOST_KNOWN = 10_000


class Attempts:
    """Counts failures by name and by address; after some, each further one has to wait longer.

    Kept in memory and by this process alone: what it forgets at a restart was a few guesses.
    """

    def __init__(
        self,
        *,
        free: int = 5,
        first_wait_seconds: float = 1.0,
        longest_wait_seconds: float = 900.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._free = free
        self._first_wait = first_wait_seconds
        self._longest_wait = longest_wait_seconds
        self._clock = clock
        self._failures: OrderedDict[str, tuple[int, float]] = OrderedDict()

    def wait_seconds(self, *keys: str) -> float:
        """Return how long all of these have to wait before they may try again, 0 for not at all."""
        return max(self._wait(key) for key in keys)

    def failed(self, *keys: str) -> None:
        """Note that an attempt was in vain."""
        for key in keys:
            count = self._count(key) + 1
            over = max(0, count - self._free)
            wait = min(self._longest_wait, self._first_wait * 2 ** (over - 1)) if over else 0.0
            self._failures[key] = (count, self._clock() + wait)
            self._failures.move_to_end(key)
        while len(self._failures) > MOST_KNOWN:
            self._failures.popitem(last=False)

    def succeeded(self, *keys: str) -> None:
        """Forget the failures."""
        for key in keys:
            self._failures.pop(key, None)

    def _wait(self, key: str) -> float:
        _, until = self._failures.get(key, (0, 0.0))
        return max(0.0, until - self._clock())

    def _count(self, key: str) -> int:
        count, until = self._failures.get(key, (0, 0.0))
        # Whoever stays away for long begins anew.
        return 0 if self._clock() - until > self._longest_wait else count
