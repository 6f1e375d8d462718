"""Whether a database can be trusted, for the start and for `groundwire doctor`."""

from __future__ import annotations

import asyncio
import sqlite3
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

from groundwire.errors import StoreError
from groundwire.store.database import Database
from groundwire.store.database_errors import damaged, shown
from groundwire.store.migration import revision_of

_OLDEST_SQLITE = (3, 35)  # the first that says which rows a change touched
_CHECKED_AT_START = 256_000_000
# https://sqlite.org/wal.html: two connections that write or checkpoint at once could lose data.
_WAL_RESET_FAULT = ((3, 7), (3, 51, 2))
_SYNCHRONOUS = {1: "normal", 2: "full"}  # what a URL can ask for


@dataclass(frozen=True, slots=True, kw_only=True)
class DatabaseHealth:
    """What a database is, what is wrong with it, and what to know about it.

    `journal_mode` and `synchronous` say how SQLite makes writes safe, "" on PostgreSQL.
    """

    address: str
    version: str
    revision: str
    journal_mode: str = ""
    synchronous: str = ""
    problems: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


async def health(database: Database) -> DatabaseHealth:
    """Look at everything in a database, which takes as long as reading it.

    Raises:
        StoreError: It cannot even be asked.
    """
    async with database.read() as connection:
        revision = await connection.run_sync(revision_of) or "none"
        if not database.is_sqlite:
            version = (await connection.execute(text("SHOW server_version"))).scalar_one()
            return DatabaseHealth(
                address=shown(database.url), version=f"PostgreSQL {version}", revision=revision
            )
        return DatabaseHealth(
            address=shown(database.url),
            version=f"SQLite {sqlite3.sqlite_version}",
            revision=revision,
            journal_mode=str(await _pragma(connection, "journal_mode")),
            synchronous=_SYNCHRONOUS[int(await _pragma(connection, "synchronous"))],
            problems=await _damage(connection, "integrity_check") + await _dangling(connection),
            notes=_notes(),
        )


def loses_data_of_two_writers() -> bool:
    """Tell whether this SQLite has the fault in its log that 3.51.3 mended."""
    first, last = _WAL_RESET_FAULT
    return first <= sqlite3.sqlite_version_info <= last


async def check_at_start(database: Database) -> None:
    """Refuse a damaged file, or a library that is too old, before anything is written.

    A large file is left to the doctor: reading all of it at every start is too much.

    Raises:
        StoreError: Nothing was changed.
    """
    if not database.is_sqlite:
        return
    if sqlite3.sqlite_version_info < _OLDEST_SQLITE:
        raise StoreError(f"SQLite {sqlite3.sqlite_version} is too old: it must be 3.35 or newer")
    if await asyncio.to_thread(_size, database) > _CHECKED_AT_START:
        return
    async with database.read() as connection:
        damage = await _damage(connection, "quick_check")
    if damage:
        raise damaged(database.url, damage[0])


def _size(database: Database) -> int:
    return Path(database.url.database or "").stat().st_size


async def _pragma(connection: AsyncConnection, name: str) -> str | int:
    value: str | int = (await connection.execute(text(f"PRAGMA {name}"))).scalar_one()
    return value


async def _damage(connection: AsyncConnection, check: str) -> tuple[str, ...]:
    found = (await connection.execute(text(f"PRAGMA {check}(10)"))).scalars().all()
    return tuple(str(line) for line in found if line != "ok")


async def _dangling(connection: AsyncConnection) -> tuple[str, ...]:
    rows = (await connection.execute(text("PRAGMA foreign_key_check"))).all()
    return tuple(f"a row of {row[0]} refers to a missing one of {row[2]}" for row in rows[:10])


def _notes() -> tuple[str, ...]:
    if not loses_data_of_two_writers():
        return ()
    note = (
        f"SQLite {sqlite3.sqlite_version} can lose data when two processes write at once (fixed "
        "in 3.51.3): let one process serve, or use PostgreSQL for several"
    )
    return (note,)
