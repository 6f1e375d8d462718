"""One database and the connections to it: short transactions, failures in our own words.

How many use it at once is bounded: the others wait in line. A request that would not get a
connection soon is refused at once, so that its caller reads "try again in 2 s" instead of
waiting half a minute for nothing.
"""

from __future__ import annotations

import asyncio
import math
import sqlite3
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import AbstractContextManager, asynccontextmanager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from heapq import heapify, heappop, heappush
from itertools import count
from typing import Any, TypeVar

from sqlalchemy import URL, Connection, CursorResult, Executable
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncConnection
from sqlalchemy.util import greenlet_spawn

from groundwire.conversation import new_id
from groundwire.errors import StoreBusyError
from groundwire.store.database_errors import is_in_the_way, shown, store_error
from groundwire.store.engines import ALONE, READERS, Pool, postgresql_engine, sqlite_engine

T = TypeVar("T")
Work = Callable[[Connection], T]
Connect = Callable[[], AbstractContextManager[Connection]]

CONNECTED_AS = "groundwire "
"""What the connections of a database are called in PostgreSQL, before its id."""

SAVE_WAIT_SECONDS = 30.0
"""How long saving an answer may wait for a connection: long, because it must not be lost."""

_WEIGHT = 0.1  # of the newest transaction in the mean of all
# A number that is too large is the driver's to refuse, before any database sees it.
_FAILURES: tuple[type[Exception], ...] = (SQLAlchemyError, OSError, sqlite3.Error, OverflowError)


class Database:
    """Reads and writes in transactions, on SQLite through one writing connection.

    One writer is what SQLite has anyway, and two of them in a process meet a fault in its log
    (before 3.51.3) that loses data. A write that has begun is finished even if its caller is
    cancelled, so that no half of it is waiting for a rollback. Whoever wants a connection stands
    in a line; on PostgreSQL one connection is for saves alone, so that a crowd of requests costs
    nobody an answer.
    """

    def __init__(self, url: URL, pool: Pool | None = None) -> None:
        self.id = new_id()
        self.url = url
        self.is_sqlite = url.get_backend_name() == "sqlite"
        pool = pool or Pool()
        if self.is_sqlite:
            self._writer = sqlite_engine(url, writes=True)
            self._single = self._writer.execution_options(**{ALONE: True})
            self._reader = sqlite_engine(url, writes=False)
            self._failures = _FAILURES
            self._reading = Line(READERS, pool.wait_seconds)
            self._writing = self._saving = Line(1, pool.wait_seconds)
        else:
            self._writer = postgresql_engine(url, pool, f"{CONNECTED_AS}{self.id}")
            self._single = self._writer.execution_options(isolation_level="AUTOCOMMIT")
            self._reader = self._single
            self._failures = (*_FAILURES, *_asyncpg_failures())
            self._reading = self._writing = Line(pool.size - 1, pool.wait_seconds)
            self._saving = Line(1, pool.wait_seconds)
        self._writes: set[asyncio.Task[Any]] = set()

    def __repr__(self) -> str:
        return f"Database({shown(self.url)})"

    async def write(self, work: Work[T], connect: Connect | None = None) -> T:
        """Run work in a transaction of its own and commit it.

        It awaits nothing: SQLAlchemy waits for it, once for all statements, which costs less.

        Raises:
            StoreBusyError: Others want connections too, and it would take too long.
            StoreError: It could not be done, and nothing of it was.
        """
        task = asyncio.create_task(self._write(work, connect or self._writer.sync_engine.begin))
        self._writes.add(task)
        task.add_done_callback(self._writes.discard)
        return await asyncio.shield(task)

    async def execute(
        self, statement: Executable, values: Mapping[str, Any] | None = None
    ) -> CursorResult[Any]:
        """Run one statement that writes, which is a transaction by itself: nothing begins or ends.

        Raises:
            StoreBusyError: Others want connections too, and it would take too long.
            StoreError: It could not be done, and nothing of it was.
        """
        connect = self._single.sync_engine.connect
        return await self.write(lambda each: each.execute(statement, values), connect)

    @asynccontextmanager
    async def read(self) -> AsyncIterator[AsyncConnection]:
        """Give a connection without a transaction: each statement sees what is there by then.

        Raises:
            StoreBusyError: Others want connections too, and it would take too long.
            StoreError: The database did not answer.
        """
        has_precedence = _IS_SAVE.get() and not self.is_sqlite
        line = self._saving if has_precedence else self._reading
        try:
            async with line.place(), self._reader.connect() as connection:
                yield connection
        except self._failures as error:
            raise store_error(error, self.url) from error

    def connections(self) -> dict[str, int]:
        """Return how many connections are used and free, and how many requests wait for one."""
        lines = {id(line): line for line in (self._reading, self._writing, self._saving)}.values()
        return {
            "used": sum(line.used for line in lines),
            "free": sum(line.free for line in lines),
            "waited_for": sum(line.waiting for line in lines),
        }

    async def close(self) -> None:
        """Finish the writes that have begun, and close every connection."""
        if self._writes:
            await asyncio.wait(self._writes)
        await self._reader.dispose()
        await self._writer.dispose()

    async def _write(self, work: Work[T], connect: Connect) -> T:
        line = self._saving if _IS_SAVE.get() else self._writing
        try:
            async with line.place():
                try:
                    return await greenlet_spawn(_connected, connect, work)
                except self._failures as error:
                    if not is_in_the_way(error):
                        raise
                # Another transaction was let through, and nothing of this one was done.
                return await greenlet_spawn(_connected, connect, work)
        except self._failures as error:
            raise store_error(error, self.url) from error


def _connected(connect: Connect, work: Work[T]) -> T:
    with connect() as connection:
        return work(connection)


def _asyncpg_failures() -> tuple[type[Exception], ...]:
    # What happens before there is a connection comes to us as the driver says it.
    from asyncpg import (  # type: ignore[import-untyped]  # noqa: PLC0415 - no types; rare
        InterfaceError,
        PostgresError,
    )

    return (PostgresError, InterfaceError)


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


class Line:
    """A number of connections and a queue for them, ordered by when a request began."""

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

    @property
    def free(self) -> int:
        """Return how many connections nobody uses."""
        return self._free

    @property
    def used(self) -> int:
        """Return how many connections are in use."""
        return self._size - self._free

    @property
    def waiting(self) -> int:
        """Return how many requests wait for a connection."""
        return len(self._waiting)

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
        allowed = SAVE_WAIT_SECONDS if _IS_SAVE.get() else min(self._wait_seconds, mine.seconds)
        expected = self.expected_wait_seconds(mine.since)
        if expected > allowed and not _IS_SAVE.get():
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
        # At least a second, and never more than half a minute.
        retry_after = math.ceil(min(30.0, max(1.0, expected)))
        waiting = f"{len(self._waiting)} waiting"
        return StoreBusyError(
            f"connections to the database: {self._size} in use, {waiting}", retry_after
        )


@dataclass(order=True, slots=True)
class _Waiter:
    """A waiter for a connection, ordered by when its request began."""

    since: float
    number: int
    turn: asyncio.Future[None] = field(
        default_factory=lambda: asyncio.get_running_loop().create_future(), compare=False
    )
