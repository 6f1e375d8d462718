"""Where the database is: a path or a URL, and what we make of it."""

from __future__ import annotations

from pathlib import Path

from sqlalchemy import URL, make_url
from sqlalchemy.exc import ArgumentError

from groundwire.errors import StoreError
from groundwire.system.files import home

FILE_NAME = "groundwire.sqlite3"
_SQLITE = ("sqlite", "sqlite+aiosqlite")
_POSTGRESQL = ("postgres", "postgresql", "postgresql+asyncpg")
_SYNCHRONOUS = ("NORMAL", "FULL")


def address(url: str | Path) -> URL:
    """Return the whole URL of a database; "" is a file of SQLite among our own.

    Raises:
        StoreError: It is neither a path nor a URL of SQLite or PostgreSQL.
    """
    if isinstance(url, Path) or "://" not in url:
        return _file(str(url) or str(home() / FILE_NAME))
    try:
        parsed = make_url(url)
    except (ArgumentError, ValueError):
        # What it says may hold a password.
        raise StoreError(f"the URL of the database cannot be read: {_FORMS}") from None
    if parsed.drivername in _POSTGRESQL:
        return _postgresql(parsed)
    if parsed.drivername not in _SQLITE:
        raise StoreError(f"a database of {parsed.drivername!r} cannot be used: {_FORMS}")
    return _sqlite(parsed)


_FORMS = "write a path, sqlite:///path or postgresql://user@host/name"


def _file(path: str) -> URL:
    return _sqlite(URL.create("sqlite", database=path))


def _sqlite(parsed: URL) -> URL:
    if parsed.database in (None, "", ":memory:"):
        raise StoreError("a database in memory keeps nothing: name a file")
    synchronous = str(parsed.query.get("synchronous", "NORMAL")).upper()
    if synchronous not in _SYNCHRONOUS or set(parsed.query) - {"synchronous"}:
        raise StoreError("a URL of SQLite takes only ?synchronous=normal or ?synchronous=full")
    return parsed.set(drivername="sqlite+aiosqlite", query={"synchronous": synchronous})


def _postgresql(parsed: URL) -> URL:
    query = dict(parsed.query)
    # The word of libpq, which every provider of databases prints in its URLs.
    if "sslmode" in query:
        query["ssl"] = query.pop("sslmode")
    return parsed.set(drivername="postgresql+asyncpg", query=query)
