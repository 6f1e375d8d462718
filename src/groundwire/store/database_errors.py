"""What a database's complaint means, in our own errors and without what was being written."""

from __future__ import annotations

import sqlite3

from sqlalchemy import URL, exc
from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from groundwire.errors import (
    ConflictError,
    DiskFullError,
    NotFoundError,
    StoreBusyError,
    StoreError,
    StoreUnavailableError,
)
from groundwire.redaction import Secret, redact

_MAX_REASON = 300

# SQLite's primary result codes, and PostgreSQL's classes of SQLSTATE or whole ones.
_SQLITE: dict[int, type[StoreError]] = {
    sqlite3.SQLITE_FULL: DiskFullError,
    sqlite3.SQLITE_BUSY: StoreUnavailableError,
    sqlite3.SQLITE_LOCKED: StoreUnavailableError,
    sqlite3.SQLITE_IOERR: StoreUnavailableError,
    sqlite3.SQLITE_CANTOPEN: StoreUnavailableError,
    sqlite3.SQLITE_READONLY: StoreUnavailableError,
    sqlite3.SQLITE_CONSTRAINT_FOREIGNKEY: NotFoundError,
    sqlite3.SQLITE_CONSTRAINT: ConflictError,
}
_POSTGRESQL: dict[str, type[StoreError]] = {
    "53100": DiskFullError,
    "53": StoreUnavailableError,
    "08": StoreUnavailableError,
    "28": StoreUnavailableError,
    "3D": StoreUnavailableError,
    "57": StoreUnavailableError,
    "58": StoreUnavailableError,
    "40": StoreUnavailableError,
    "23503": NotFoundError,
    "23": ConflictError,
}
# Not serializable, a deadlock, a lock that was not had in time.
_IN_THE_WAY = frozenset({"40001", "40P01", "55P03"})
_ADVICE: dict[type[StoreError], str] = {
    DiskFullError: "there is no room left to write: free some, and it goes on",
    StoreUnavailableError: "the database does not answer",
    ConflictError: "it conflicts with what is kept",
    NotFoundError: "it refers to something that is not kept",
    StoreError: "the database refused",
}


def store_error(error: BaseException, url: URL) -> StoreError:
    """Return our error for a failure of the database at a URL.

    The message does not name the host: users of a server see it. The host is in `address`.
    """
    if isinstance(error, exc.TimeoutError):
        return StoreBusyError("no connection to the database became free in time")
    if is_in_the_way(error):
        return StoreBusyError("others hold what this would change")
    cause = _cause(error)
    if _sqlite_code(cause) in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
        return damaged(url, _first_line(cause))
    kind = _kind(error, cause)
    reason = redact(_first_line(cause), [Secret(url.password)] if url.password else [])
    if kind is StoreUnavailableError and url.get_backend_name() != "sqlite":
        # The library's words name the host and the port.
        said, place = _ADVICE[kind], f"{shown(url)}: {reason}"
    else:
        said, place = f"{_ADVICE[kind]}: {reason}", shown(url)
    failure = kind(said)
    failure.address = place
    return failure


def is_in_the_way(error: BaseException) -> bool:
    """Tell whether PostgreSQL ended a transaction for another one: run again, it may succeed."""
    return getattr(_cause(error), "sqlstate", None) in _IN_THE_WAY


def _cause(error: BaseException) -> BaseException:
    return error.orig if isinstance(error, DBAPIError) and error.orig else error


def damaged(url: URL, reason: str) -> StoreError:
    """Return the error for a file that cannot be trusted."""
    failure = StoreError(
        f"the database is damaged and was left as it is ({reason}): restore a backup, or move it "
        "away to begin anew"
    )
    failure.address = shown(url)
    return failure


def shown(url: URL) -> str:
    """Return a database's address without user and password."""
    if url.get_backend_name() == "sqlite":
        return f"SQLite at {url.database}"
    return f"PostgreSQL at {url.host or 'localhost'}:{url.port or 5432}/{url.database or ''}"


def _kind(error: BaseException, cause: BaseException) -> type[StoreError]:
    if code := getattr(cause, "sqlite_errorcode", None):
        return _SQLITE.get(code) or _SQLITE.get(code & 0xFF, StoreError)
    state: str | None = getattr(cause, "sqlstate", None)
    if state:
        return _POSTGRESQL.get(state) or _POSTGRESQL.get(state[:2], StoreError)
    is_refusal = isinstance(error, OverflowError) or (
        isinstance(error, SQLAlchemyError)
        and not (isinstance(error, DBAPIError) and error.connection_invalidated)
    )
    # What is left is no connection, or one that broke.
    return StoreError if is_refusal else StoreUnavailableError


def _sqlite_code(cause: BaseException) -> int:
    code: int = getattr(cause, "sqlite_errorcode", 0)
    return code & 0xFF


def _first_line(cause: BaseException) -> str:
    words = str(cause).strip() or type(cause).__name__
    return words.splitlines()[0][:_MAX_REASON]
