"""Which connections are trusted as they come out of the pool, and what is said to which of them."""

from __future__ import annotations

import select
import socket
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import event, text
from sqlalchemy.dialects import postgresql, sqlite

from groundwire.store import engines, tables
from groundwire.store.database import Database
from groundwire.store.database_url import address
from groundwire.store.engines import _has_news, _is_trusted
from groundwire.store.repository import upsert
from groundwire.store.snapshots import _insert_new
from tests.postgresql import PostgreSql

SELECT = text("SELECT 1")


class _Driver:
    """Shows of a connection what asyncpg shows of one; the socket is a real one."""

    def __init__(self, place: socket.socket | None, *, is_closed: bool = False) -> None:
        self._transport = self
        self._place = place
        self._is_closed = is_closed

    def is_closed(self) -> bool:
        return self._is_closed

    def get_extra_info(self, name: str) -> socket.socket | None:
        return self._place if name == "socket" else None


@pytest.fixture
def ends() -> Iterator[tuple[socket.socket, socket.socket]]:
    """Both ends of a connection: ours, and the server's."""
    ours, servers = socket.socketpair()
    with ours, servers:
        yield ours, servers


@pytest.fixture
async def database(tmp_path: Path) -> AsyncIterator[Database]:
    database = Database(address(tmp_path / "store.sqlite3"))
    yield database
    await database.close()


def test_a_connection_that_is_silent_has_no_news(
    ends: tuple[socket.socket, socket.socket],
) -> None:
    assert _has_news(_Driver(ends[0])) is False


def test_a_connection_that_says_something_or_is_closed_has_news(
    ends: tuple[socket.socket, socket.socket],
) -> None:
    ours, servers = ends

    assert _has_news(_Driver(ours, is_closed=True)) is True
    servers.send(b"Z")
    assert _has_news(_Driver(ours)) is True
    ours.recv(1)
    assert _has_news(_Driver(ours)) is False
    servers.close()
    assert _has_news(_Driver(ours)) is True


def test_a_connection_whose_socket_nobody_shows_may_have_news() -> None:
    assert _has_news(_Driver(None)) is True


def test_where_nothing_can_be_polled_every_connection_may_have_news(
    ends: tuple[socket.socket, socket.socket], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(select, "poll")

    assert _has_news(_Driver(ends[0])) is True


@pytest.mark.parametrize(
    ("waited_seconds", "says", "is_trusted"),
    [
        (float("-inf"), b"", True),
        (0.0, b"", True),
        (30.0, b"", True),
        (30.1, b"", False),
        (0.0, b"Z", False),
        (31.0, b"Z", False),
    ],
)
def test_a_connection_is_trusted_for_half_a_minute_of_silence(
    ends: tuple[socket.socket, socket.socket], waited_seconds: float, says: bytes, is_trusted: bool
) -> None:
    ours, servers = ends
    servers.sendall(says)

    assert _is_trusted(_Driver(ours), waited_seconds) is is_trusted


async def test_a_server_is_asked_only_where_a_connection_waited_for_long(
    postgresql: PostgreSql, cleared: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    database = Database(address(postgresql.url(cleared)))
    dialect = database._writer.dialect
    ping, asked = dialect.do_ping, 0

    def note(connection: Any) -> bool:
        nonlocal asked
        asked += 1
        return ping(connection)

    async def use() -> int:
        async with database.read() as connection:
            await connection.execute(SELECT)
        return asked

    monkeypatch.setattr(dialect, "do_ping", note)
    trusted = [await use() for _ in range(3)]
    # As if any time at all was long.
    monkeypatch.setattr(engines, "_ASKED_AFTER_SECONDS", -1.0)
    suspected = [await use() for _ in range(2)]
    await database.close()

    assert (trusted, suspected) == ([0, 0, 0], [1, 2])


async def test_a_statement_alone_is_all_that_is_said(database: Database) -> None:
    said: list[str] = []

    def note(*arguments: object) -> None:
        said.append(str(arguments[2]))

    event.listen(database._writer.sync_engine, "before_cursor_execute", note)
    await database.execute(SELECT)
    alone = said.copy()
    said.clear()
    await database.write(lambda connection: connection.execute(SELECT))

    assert (alone, said) == (["SELECT 1"], ["BEGIN IMMEDIATE", "SELECT 1"])


async def test_both_kinds_of_connections_to_a_file_wait_five_seconds_for_another_process(
    database: Database,
) -> None:
    wait = text("PRAGMA busy_timeout")

    written = await database.write(lambda connection: connection.execute(wait).scalar())
    async with database.read() as connection:
        read = (await connection.execute(wait)).scalar()

    assert (written, read) == (5_000, 5_000)


def test_a_statement_that_replaces_rows_is_of_the_dialect_of_its_database() -> None:
    for make in (upsert, _insert_new):
        for dialect, kind in (("sqlite", sqlite.Insert), ("postgresql", postgresql.Insert)):
            assert type(make(dialect, tables.feedback)) is kind
