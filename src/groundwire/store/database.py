"""One database and the connections to it: short transactions, failures in our own words."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any, TypeVar

from sqlalchemy import URL, Connection, event
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine

from groundwire.store.connections import Line, Pool, is_saving
from groundwire.store.faults import shown, store_error

T = TypeVar("T")
Work = Callable[[AsyncConnection], Awaitable[T]]

# A number that is too large is the driver's to refuse, before any database sees it.
_FAILURES: tuple[type[Exception], ...] = (SQLAlchemyError, OSError, sqlite3.Error, OverflowError)
_BUSY_SECONDS = 5.0
_READERS = 4


class Database:
    """Reads and writes in transactions, on SQLite through one writing connection.

    One writer is what SQLite has anyway, and two of them in a process meet a fault in its log
    (before 3.51.3) that loses data. A write that has begun is finished even if its caller is
    cancelled, so that no half of it is waiting for a rollback. Whoever wants a connection stands
    in a line; on PostgreSQL one connection is for saves alone, so that a crowd of requests costs
    nobody an answer.
    """

    def __init__(self, url: URL, pool: Pool | None = None) -> None:
        self.url = url
        self.is_sqlite = url.get_backend_name() == "sqlite"
        pool = pool or Pool()
        if self.is_sqlite:
            self._writer = _sqlite_engine(url, writes=True)
            self._reader = _sqlite_engine(url, writes=False)
            self._failures = _FAILURES
            self._reading = Line(_READERS, pool.wait_seconds)
            self._writing = self._saving = Line(1, pool.wait_seconds)
        else:
            self._writer = self._reader = _postgresql_engine(url, pool)
            self._failures = (*_FAILURES, *_asyncpg_failures())
            self._reading = self._writing = Line(pool.size - 1, pool.wait_seconds)
            self._saving = Line(1, pool.wait_seconds)
        self._writes: set[asyncio.Task[Any]] = set()

    def __repr__(self) -> str:
        return f"Database({shown(self.url)})"

    async def write(self, work: Work[T]) -> T:
        """Run work in a transaction of its own and commit it.

        Raises:
            StoreBusyError: Others want connections too, and it would take too long.
            StoreError: It could not be done, and nothing of it was.
        """
        task = asyncio.create_task(self._write(work))
        self._writes.add(task)
        task.add_done_callback(self._writes.discard)
        return await asyncio.shield(task)

    @asynccontextmanager
    async def read(self) -> AsyncIterator[AsyncConnection]:
        """Give a connection that sees one state of the database.

        Raises:
            StoreBusyError: Others want connections too, and it would take too long.
            StoreError: The database did not answer.
        """
        has_precedence = is_saving() and not self.is_sqlite
        line = self._saving if has_precedence else self._reading
        try:
            async with line.place(), self._reader.connect() as connection:
                yield connection
        except self._failures as error:
            raise store_error(error, self.url) from error

    async def close(self) -> None:
        """Finish the writes that have begun, and close every connection."""
        if self._writes:
            await asyncio.wait(self._writes)
        await self._reader.dispose()
        await self._writer.dispose()

    async def _write(self, work: Work[T]) -> T:
        line = self._saving if is_saving() else self._writing
        try:
            async with line.place(), self._writer.begin() as connection:
                return await work(connection)
        except self._failures as error:
            raise store_error(error, self.url) from error


def _asyncpg_failures() -> tuple[type[Exception], ...]:
    # What happens before there is a connection comes to us as the driver says it.
    from asyncpg import (  # type: ignore[import-untyped]  # noqa: PLC0415 - no types; rare
        InterfaceError,
        PostgresError,
    )

    return (PostgresError, InterfaceError)


def _postgresql_engine(url: URL, pool: Pool) -> AsyncEngine:
    return create_async_engine(
        url,
        pool_size=pool.size,
        max_overflow=0,
        # A place in line is a connection, but for one that a cancelled request gives back late.
        pool_timeout=pool.wait_seconds,
        pool_pre_ping=True,
        hide_parameters=True,
        # Days are counted in UTC.
        connect_args={"server_settings": {"timezone": "UTC"}, "timeout": pool.wait_seconds},
    )


def _sqlite_engine(url: URL, *, writes: bool) -> AsyncEngine:
    engine = create_async_engine(
        url.set(query={}),
        pool_size=1 if writes else _READERS,
        max_overflow=0,
        hide_parameters=True,
        # We say ourselves when a transaction begins.
        connect_args={"isolation_level": None, "timeout": _BUSY_SECONDS},
    )
    pragmas = ["foreign_keys = ON", f"synchronous = {url.query['synchronous']}"]
    pragmas.append("journal_mode = WAL" if writes else "query_only = ON")

    def prepare(connection: DBAPIConnection, _: object) -> None:
        cursor = connection.cursor()
        try:
            for pragma in pragmas:
                cursor.execute(f"PRAGMA {pragma}")
            # SQLite's own knows the letters of ASCII only.
            connection.create_function("lower", 1, _lower, deterministic=True)
        except sqlite3.Error:
            connection.close()  # nobody else knows of it yet
            raise
        cursor.close()

    def begin(connection: Connection) -> None:
        # A write that begins as a read cannot wait for another writer.
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")

    event.listen(engine.sync_engine, "connect", prepare)
    event.listen(engine.sync_engine, "begin", begin)
    return engine


def _lower(text: object) -> object:
    return text.lower() if isinstance(text, str) else text
