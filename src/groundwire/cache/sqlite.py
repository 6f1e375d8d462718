"""A cache in a file, for programs that end and begin again."""

from __future__ import annotations

import asyncio
import logging
import os
import sqlite3
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from groundwire.cache.memory import CacheEntry
from groundwire.system.files import private_folder

T = TypeVar("T")

_LOG = logging.getLogger(__name__)
_BUSY_MILLISECONDS = 2_000
_SCHEMA = """
CREATE TABLE IF NOT EXISTS answers (
    key TEXT PRIMARY KEY,
    value BLOB NOT NULL,
    size INTEGER NOT NULL,
    kept_at REAL NOT NULL,
    use INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS answers_by_use ON answers (use, size);
"""
_PUT = """
INSERT OR REPLACE INTO answers (key, value, size, kept_at, use)
VALUES (?, ?, ?, ?, (SELECT coalesce(max(use), 0) + 1 FROM answers))
"""
_TOUCH = "UPDATE answers SET use = (SELECT max(use) + 1 FROM answers) WHERE key = ?"
# All that is behind the first answers that fit, the one used last being first.
_TRIM = """
DELETE FROM answers WHERE key IN (
    SELECT key FROM (
        SELECT
            key,
            row_number() OVER (ORDER BY use DESC) AS place,
            sum(size) OVER (ORDER BY use DESC) AS bytes_so_far
        FROM answers
    ) WHERE place > ? OR bytes_so_far > ?
)
"""


class SqliteCache:
    """Keeps answers in a file; what goes wrong with it is logged once and is never an error.

    There is one connection, used by one thread at a time. Ages come from the wall clock, since
    no other survives the process; an answer from the future counts as none.
    """

    def __init__(
        self,
        path: Path,
        *,
        max_entries: int,
        max_bytes: int,
        now: Callable[[], float] = time.time,
    ) -> None:
        self._path = path
        self._max_entries = max_entries
        self._max_bytes = max_bytes
        self._now = now
        self._lock = threading.Lock()
        self._connection: sqlite3.Connection | None = None
        self._has_failed = False

    async def get(self, key: str) -> CacheEntry | None:
        """Return what is kept under a key and count that as a use."""
        return await asyncio.to_thread(self._safely, lambda database: self._get(database, key))

    async def put(self, key: str, value: bytes) -> None:
        """Keep a value; one that is larger than all may be is left out."""
        if len(value) <= self._max_bytes:
            await asyncio.to_thread(self._safely, lambda database: self._put(database, key, value))

    async def close(self) -> None:
        """Close the file."""
        await asyncio.to_thread(self._close)

    def _get(self, database: sqlite3.Connection, key: str) -> CacheEntry | None:
        found = database.execute(
            "SELECT value, kept_at FROM answers WHERE key = ?", (key,)
        ).fetchone()
        if found is None or (age := self._now() - found[1]) < 0:
            return None
        database.execute(_TOUCH, (key,))
        return CacheEntry(value=found[0], age_seconds=age)

    def _put(self, database: sqlite3.Connection, key: str, value: bytes) -> None:
        with database:
            database.execute("BEGIN IMMEDIATE")
            database.execute(_PUT, (key, value, len(value), self._now()))
            database.execute(_TRIM, (self._max_entries, self._max_bytes))

    def _safely(self, work: Callable[[sqlite3.Connection], T | None]) -> T | None:
        with self._lock:
            try:
                return work(self._open())
            except (sqlite3.Error, OSError) as error:
                if not self._has_failed:
                    _LOG.warning("the cache in %s does not work: %s", self._path, error)
                self._has_failed = True
                return None

    def _open(self) -> sqlite3.Connection:
        if self._connection is None:
            private_folder(self._path.parent)
            # What was searched and read is nobody else's business.
            os.close(os.open(self._path, os.O_CREAT | os.O_RDWR, 0o600))
            connection = sqlite3.connect(self._path, isolation_level=None, check_same_thread=False)
            try:
                connection.execute(f"PRAGMA busy_timeout = {_BUSY_MILLISECONDS}")
                connection.execute("PRAGMA journal_mode = WAL")
                connection.execute("PRAGMA synchronous = NORMAL")
                connection.executescript(_SCHEMA)
            except sqlite3.Error:
                connection.close()
                raise
            self._connection = connection
        return self._connection

    def _close(self) -> None:
        with self._lock:
            if self._connection is not None:
                self._connection.close()
                self._connection = None
