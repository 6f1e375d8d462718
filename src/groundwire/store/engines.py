"""Connections of SQLAlchemy to SQLite and PostgreSQL: how they are opened, kept and replaced."""

from __future__ import annotations

import math
import select
import sqlite3
import time
from dataclasses import dataclass
from typing import Any

from sqlalchemy import URL, Connection, event
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.exc import DisconnectionError
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine
from sqlalchemy.pool import ConnectionPoolEntry

READERS = 4
"""How many connections read from a file of SQLite."""

ALONE = "groundwire_alone"
"""An option of SQLite's writer: the next statement is all there is."""

_BUSY_SECONDS = 5.0
_SINCE = "groundwire_waits_since"
_ASKED_AFTER_SECONDS = 30.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Pool:
    """How many connections a process has to PostgreSQL, and how long a request waits for one.

    SQLite has its own numbers of connections, and the same wait.
    """

    size: int = 20
    wait_seconds: float = 15.0


def postgresql_engine(url: URL, pool: Pool, name: str) -> AsyncEngine:
    """Return the connections to a PostgreSQL, opened when they are wanted, and known by a name."""
    engine = create_async_engine(
        url,
        pool_size=pool.size,
        max_overflow=0,
        # A place in line is a connection, but for one that a cancelled request gives back late.
        pool_timeout=pool.wait_seconds,
        hide_parameters=True,
        # Days are counted in UTC.
        connect_args={
            "server_settings": {"timezone": "UTC", "application_name": name},
            "timeout": pool.wait_seconds,
        },
        skip_autocommit_rollback=True,
    )
    _replace_lost(engine)
    return engine


def _replace_lost(engine: AsyncEngine) -> None:
    """Have connections that the server closed replaced when they are wanted, mostly unasked.

    Of one that waits in the pool nothing can be read but its end. Only where something can, or
    where it waited so long that what lies between may have forgotten it, the server is asked.
    """

    def given_back(_: DBAPIConnection, record: ConnectionPoolEntry) -> None:
        record.info[_SINCE] = time.monotonic()

    def taken(connection: DBAPIConnection, record: ConnectionPoolEntry, _: object) -> None:
        driver: Any = connection
        # One that is new has not waited at all.
        waited = time.monotonic() - record.info.get(_SINCE, math.inf)
        if _is_trusted(driver.driver_connection, waited):
            return
        try:
            engine.dialect.do_ping(connection)
        except engine.dialect.loaded_dbapi.Error:
            raise DisconnectionError from None

    event.listen(engine.sync_engine, "checkin", given_back)
    event.listen(engine.sync_engine, "checkout", taken)


def _is_trusted(driver: Any, waited_seconds: float) -> bool:  # noqa: ANN401 - asyncpg has no types
    return waited_seconds <= _ASKED_AFTER_SECONDS and not _has_news(driver)


def _has_news(driver: Any) -> bool:  # noqa: ANN401 - asyncpg has no types
    """Tell whether an idle connection was closed, or has something to say; costs one system call.

    The driver itself notices only once the loop has had time to read.
    """
    if driver.is_closed():
        return True
    place = driver._transport.get_extra_info("socket")  # noqa: SLF001 - asyncpg shows it nowhere
    if place is None or not hasattr(select, "poll"):
        return True
    waiting = select.poll()
    waiting.register(place.fileno(), select.POLLIN)
    return bool(waiting.poll(0))


def sqlite_engine(url: URL, *, writes: bool) -> AsyncEngine:
    """Return the one connection that writes to a file, or those that read from it."""
    engine = create_async_engine(
        url.set(query={}),
        pool_size=1 if writes else READERS,
        max_overflow=0,
        hide_parameters=True,
        # We say ourselves when a transaction begins.
        connect_args={"isolation_level": None, "timeout": _BUSY_SECONDS},
        # Of reading there is nothing to take back.
        **({} if writes else {"isolation_level": "AUTOCOMMIT", "skip_autocommit_rollback": True}),
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
            connection.close()  # not in the pool yet
            raise
        cursor.close()

    def begin(connection: Connection) -> None:
        if not connection.get_execution_options().get(ALONE):
            # A write that begins as a read cannot wait for another writer.
            connection.exec_driver_sql("BEGIN IMMEDIATE")

    event.listen(engine.sync_engine, "connect", prepare)
    if writes:
        event.listen(engine.sync_engine, "begin", begin)
    return engine


def _lower(text: object) -> object:
    return text.lower() if isinstance(text, str) else text
