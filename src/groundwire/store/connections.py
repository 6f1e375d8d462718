"""How many use a database at once: the others wait in line, and nobody waits in vain.

A request that would not get a connection soon is refused at once, so that its caller hears
"try again in 2 s" instead of nothing for half a minute.
"""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from heapq import heapify, heappop, heappush
from itertools import count

from groundwire.errors import StoreBusyError

SAVE_WAIT_SECONDS = 30.0
"""How long the save of an answer may wait: nobody waits for it, and it must not be lost."""

_WEIGHT = 0.1  # of the newest transaction in the mean of all


@dataclass(frozen=True, slots=True, kw_only=True)
class Pool:
    """How many connections a process has to PostgreSQL, and how long a request waits for one.

    SQLite has its own numbers of connections, and the same wait.
    """

    size: int = 20
    wait_seconds: float = 15.0


@dataclass(slots=True)
class _Patience:
    """What is left of the seconds that all work of one request may wait, and when it came."""

    seconds: float
    since: float


_PATIENCE: ContextVar[_Patience | None] = ContextVar("patience", default=None)
_IS_SAVE: ContextVar[bool] = ContextVar("is_save", default=False)


@contextmanager
def patience(seconds: float = math.inf) -> Iterator[None]:
    """Have all work in here wait for connections no longer than this in sum.

    What began earlier comes first, so that of too many some are served and not all of them half.
    """
    outer = _PATIENCE.get()
    since = time.monotonic() if outer is None else outer.since
    token = _PATIENCE.set(_Patience(seconds, since))
    try:
        yield
    finally:
        _PATIENCE.reset(token)


@contextmanager
def saving() -> Iterator[None]:
    """Give what is in here precedence: it saves an answer, or keeps this process known."""
    token = _IS_SAVE.set(True)
    try:
        yield
    finally:
        _IS_SAVE.reset(token)


def is_saving() -> bool:
    """Tell whether the work at hand has precedence."""
    return _IS_SAVE.get()


class Line:
    """A number of connections, and those who wait for one: whose request came first is first."""

    def __init__(
        self, size: int, wait_seconds: float, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._size = self._free = size
        self._wait_seconds = wait_seconds
        self._clock = clock
        self._waiting: list[_Waiter] = []
        self._numbers = count()
        self._mean_seconds = 0.0
        self._moved_at = clock()

    def expected_wait_seconds(self, since: float = math.inf) -> float:
        """Return how long a request of that time would wait, as far as the past can tell.

        Where nobody gave a connection back for a while, it is at least that while.
        """
        if self._free:
            return 0.0
        ahead = sum(each.since <= since for each in self._waiting)
        by_count = (ahead + 1) * self._mean_seconds / self._size
        return max(by_count, self._clock() - self._moved_at)

    @asynccontextmanager
    async def place(self) -> AsyncIterator[None]:
        """Wait for a connection and hold it.

        Raises:
            StoreBusyError: It would take, or took, longer than there is patience for.
        """
        if self._free:
            self._free -= 1
        else:
            await self._wait()
        began = self._clock()
        if not self._free:
            self._moved_at = began
        try:
            yield
        finally:
            self._moved_at = self._clock()
            self._mean_seconds += _WEIGHT * (self._moved_at - began - self._mean_seconds)
            self._give_back()

    async def _wait(self) -> None:
        mine = _PATIENCE.get() or _Patience(math.inf, self._clock())
        allowed = SAVE_WAIT_SECONDS if is_saving() else min(self._wait_seconds, mine.seconds)
        expected = self.expected_wait_seconds(mine.since)
        if expected > allowed and not is_saving():
            raise self._busy(expected)
        began = self._clock()
        waiter = _Waiter(mine.since, next(self._numbers))
        heappush(self._waiting, waiter)
        try:
            async with asyncio.timeout(allowed):
                await waiter.turn
        except BaseException as error:
            self._leave(waiter)
            if isinstance(error, TimeoutError):
                raise self._busy(self.expected_wait_seconds()) from None
            raise
        finally:
            mine.seconds = max(0.0, mine.seconds - (self._clock() - began))

    def _leave(self, waiter: _Waiter) -> None:
        if waiter in self._waiting:
            self._waiting.remove(waiter)
            heapify(self._waiting)
        elif not waiter.turn.cancelled():
            self._give_back()  # It was given one in the same moment.

    def _give_back(self) -> None:
        while self._waiting:
            turn = heappop(self._waiting).turn
            if not turn.done():  # One that is done is about to leave.
                turn.set_result(None)
                return
        self._free += 1

    def _busy(self, expected: float) -> StoreBusyError:
        # Sooner than it takes now is worth a try, later than in half a minute is nobody's wish.
        retry_after = math.ceil(min(30.0, max(1.0, expected)))
        waiting = f"{len(self._waiting)} waiting"
        return StoreBusyError(
            f"connections to the database: {self._size} in use, {waiting}", retry_after
        )


@dataclass(order=True, slots=True)
class _Waiter:
    """Somebody who wants a connection, and when the request came that it is for."""

    since: float
    number: int
    turn: asyncio.Future[None] = field(
        default_factory=lambda: asyncio.get_running_loop().create_future(), compare=False
    )
