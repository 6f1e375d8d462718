"""What a failure of a database is called, by the code that it has and by its kind."""

from __future__ import annotations

import sqlite3

import pytest
from sqlalchemy import exc, make_url

from groundwire.errors import (
    ConflictError,
    DiskFullError,
    NotFoundError,
    StoreBusyError,
    StoreError,
    StoreUnavailableError,
)
from groundwire.store.database_errors import is_in_the_way, shown, store_error

FILE = make_url("sqlite+aiosqlite:////data/store.sqlite3")
SERVER = make_url("postgresql+asyncpg://ada:hunter-22@db.example:5433/x")


class _StateError(Exception):
    """Fails as PostgreSQL's driver does."""

    def __init__(self, sqlstate: str) -> None:
        super().__init__("it says so on db.example:5433\nand more")
        self.sqlstate = sqlstate


def _sqlite_error(code: int) -> sqlite3.Error:
    error = sqlite3.OperationalError("so it is\nand more")
    error.sqlite_errorcode = code
    return error


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        (sqlite3.SQLITE_FULL, DiskFullError),
        (sqlite3.SQLITE_BUSY, StoreUnavailableError),
        (sqlite3.SQLITE_BUSY_SNAPSHOT, StoreUnavailableError),
        (sqlite3.SQLITE_LOCKED, StoreUnavailableError),
        (sqlite3.SQLITE_IOERR_WRITE, StoreUnavailableError),
        (sqlite3.SQLITE_CANTOPEN, StoreUnavailableError),
        (sqlite3.SQLITE_READONLY_DBMOVED, StoreUnavailableError),
        (sqlite3.SQLITE_CONSTRAINT_FOREIGNKEY, NotFoundError),
        (sqlite3.SQLITE_CONSTRAINT_UNIQUE, ConflictError),
        (sqlite3.SQLITE_CONSTRAINT_NOTNULL, ConflictError),
        (sqlite3.SQLITE_TOOBIG, StoreError),
    ],
)
def test_a_failure_of_sqlite_is_named_by_its_code(code: int, kind: type[StoreError]) -> None:
    failure = store_error(_sqlite_error(code), FILE)

    assert type(failure) is kind
    assert str(failure).endswith(": so it is")
    assert failure.address == "SQLite at /data/store.sqlite3"


@pytest.mark.parametrize(
    "code", [sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_CORRUPT_INDEX, sqlite3.SQLITE_NOTADB]
)
def test_a_file_that_cannot_be_trusted_is_called_damaged(code: int) -> None:
    failure = store_error(_sqlite_error(code), FILE)

    assert str(failure).startswith("the database is damaged and was left as it is (so it is)")
    assert failure.address == "SQLite at /data/store.sqlite3"


@pytest.mark.parametrize(
    ("state", "kind"),
    [
        ("53100", DiskFullError),
        ("53300", StoreUnavailableError),
        ("08006", StoreUnavailableError),
        ("28P01", StoreUnavailableError),
        ("3D000", StoreUnavailableError),
        ("57P01", StoreUnavailableError),
        ("58030", StoreUnavailableError),
        ("40003", StoreUnavailableError),
        ("40001", StoreBusyError),
        ("40P01", StoreBusyError),
        ("55P03", StoreBusyError),
        ("23503", NotFoundError),
        ("23505", ConflictError),
        ("42P01", StoreError),
    ],
)
def test_a_failure_of_postgresql_is_named_by_its_state(state: str, kind: type[StoreError]) -> None:
    failure = store_error(_StateError(state), SERVER)

    assert type(failure) is kind
    assert is_in_the_way(_StateError(state)) == (kind is StoreBusyError)


def test_only_what_cannot_be_reached_hides_where_it_is() -> None:
    gone, refused = (store_error(_StateError(state), SERVER) for state in ("08006", "23505"))

    assert str(gone) == "the database does not answer"
    assert gone.address == "PostgreSQL at db.example:5433/x: it says so on db.example:5433"
    assert str(refused) == "it conflicts with what is kept: it says so on db.example:5433"
    assert refused.address == "PostgreSQL at db.example:5433/x"


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (OverflowError("too large"), StoreError),
        (exc.ArgumentError("no such column"), StoreError),
        (exc.DBAPIError("SELECT 1", None, Exception("odd")), StoreError),
        (
            exc.DBAPIError("SELECT 1", None, Exception("odd"), connection_invalidated=True),
            StoreUnavailableError,
        ),
        (exc.DBAPIError("INSERT", None, _StateError("23505")), ConflictError),
        (exc.DBAPIError("INSERT", None, _sqlite_error(sqlite3.SQLITE_FULL)), DiskFullError),
        (ConnectionRefusedError("no"), StoreUnavailableError),
        (exc.TimeoutError("the pool is empty"), StoreBusyError),
    ],
)
def test_a_failure_without_a_code_is_named_by_its_kind(
    error: Exception, kind: type[StoreError]
) -> None:
    assert type(store_error(error, FILE)) is kind


def test_a_reason_is_one_short_line_without_the_password() -> None:
    long = store_error(OverflowError("x" * 1_000), FILE)
    silent = store_error(OverflowError(" \n"), FILE)
    telling = store_error(OverflowError("for ada:hunter-22 there"), SERVER)

    assert str(long) == f"the database refused: {'x' * 300}"
    assert str(silent) == "the database refused: OverflowError"
    assert "hunter-22" not in str(telling)


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("postgresql+asyncpg:///x", "PostgreSQL at localhost:5432/x"),
        ("postgresql+asyncpg://db.example", "PostgreSQL at db.example:5432/"),
        ("postgresql+asyncpg://u:p@db.example:1/x", "PostgreSQL at db.example:1/x"),
        ("sqlite+aiosqlite:///a.sqlite3", "SQLite at a.sqlite3"),
    ],
)
def test_an_address_is_shown_without_who_uses_it(url: str, words: str) -> None:
    assert shown(make_url(url)) == words
