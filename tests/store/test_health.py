"""What a database says of itself, and which versions of SQLite are warned of."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from pathlib import Path

import pytest

from groundwire.errors import StoreError
from groundwire.store import Store
from groundwire.store.database import Database
from groundwire.store.database_url import address
from groundwire.store.health import DatabaseHealth, health, loses_data_of_two_writers
from groundwire.store.migration import REVISIONS
from tests.patience import PATIENCE
from tests.postgresql import PostgreSql
from tests.prepared import prepare


def _prepared(folder: Path) -> Path:
    prepare(folder / "s.sqlite3")
    return folder / "s.sqlite3"


async def test_a_server_says_its_version_and_revision(postgresql: PostgreSql, cleared: str) -> None:
    async with Store.open(postgresql.url(cleared)) as store:
        found = await store.check()

        assert (store.kind, repr(store)) == ("postgresql", f"Store({found.address})")
    assert found.version.startswith("PostgreSQL 1")
    assert found == DatabaseHealth(
        address=f"PostgreSQL at 127.0.0.1:{postgresql.port}/{cleared}",
        version=found.version,
        revision=REVISIONS[-1],
    )


async def test_a_file_says_its_version_and_revision(tmp_path: Path) -> None:
    async with Store.open(_prepared(tmp_path)) as store:
        found = await store.check()

        assert (store.kind, repr(store)) == ("sqlite", f"Store({found.address})")
    assert (found.revision, found.problems) == (REVISIONS[-1], ())


async def test_a_file_that_nobody_made_tables_in_has_no_revision(tmp_path: Path) -> None:
    database = Database(address(tmp_path / "s.sqlite3"))

    found = await health(database)
    await database.close()

    assert found.revision == "none"
    assert repr(database) == f"Database(SQLite at {tmp_path}/s.sqlite3)"


@pytest.mark.parametrize(
    ("version", "loses"),
    [
        ((2, 9, 9), False),
        ((3, 6, 23), False),
        ((3, 7, 0), True),
        ((3, 50, 4), True),
        ((3, 51, 2), True),
        ((3, 51, 3), False),
        ((3, 52, 0), False),
        ((4, 0, 0), False),
    ],
)
async def test_who_has_an_sqlite_that_loses_data_of_two_writers_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, version: tuple[int, ...], loses: bool
) -> None:
    database = Database(address(tmp_path / "s.sqlite3"))
    monkeypatch.setattr(sqlite3, "sqlite_version_info", version)

    notes = (await health(database)).notes
    await database.close()

    assert loses_data_of_two_writers() == loses
    assert ["can lose data when two processes write" in note for note in notes] == [True] * loses


async def test_of_many_dangling_references_ten_are_told(tmp_path: Path) -> None:
    async with Store.open(_prepared(tmp_path)) as store:
        # This connection does not look at references.
        other = sqlite3.connect(tmp_path / "s.sqlite3")
        rows = [(f"nobody {number}", "personal", "admin") for number in range(12)]
        names = "(user_id, workspace_id, role)"
        other.executemany(f"INSERT INTO memberships {names} VALUES (?, ?, ?)", rows)
        other.commit()
        other.close()

        problems = (await store.check()).problems

    assert problems == ("a row of memberships refers to a missing one of users",) * 10


async def test_what_could_not_be_opened_leaves_no_connection_behind(tmp_path: Path) -> None:
    path = tmp_path / "letter.txt"
    path.write_text("Dear otter, " * 1000)
    before = set(threading.enumerate())

    with pytest.raises(StoreError):
        await Store.open(path)

    # Each connection to a file has a thread of its own; those of asyncio stay for the next work.
    workers = [each for each in threading.enumerate() if each not in before]
    for each in workers:
        if not each.name.startswith("asyncio"):
            await asyncio.to_thread(each.join, PATIENCE)
            assert not each.is_alive()


async def test_a_large_file_is_left_to_the_doctor(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = _prepared(tmp_path)
    size = path.stat().st_size
    with path.open("r+b") as file:  # The last page, which nothing reads at the start.
        file.seek(size - 4096)
        file.write(b"\xff" * 4096)
    for limit in (256_000_000, size + 1, size):
        monkeypatch.setattr("groundwire.store.health._CHECKED_AT_START", limit)
        with pytest.raises(StoreError, match="damaged"):
            await Store.open(path)

    monkeypatch.setattr("groundwire.store.health._CHECKED_AT_START", size - 1)
    async with Store.open(path) as store:
        with pytest.raises(StoreError, match="damaged"):
            await store.check()


async def test_of_what_is_wrong_with_a_file_the_start_tells_the_first_and_the_doctor_all(
    tmp_path: Path,
) -> None:
    path = _prepared(tmp_path)
    other = sqlite3.connect(path)
    other.execute("CREATE TABLE otters (name TEXT, age INTEGER, home TEXT REFERENCES rivers)")
    other.execute("CREATE TABLE rivers (name TEXT PRIMARY KEY)")
    other.execute("INSERT INTO otters VALUES (NULL, NULL, 'Nile')")
    other.commit()
    # As if the file had been written over: both are NULL where nothing may be.
    other.execute("PRAGMA writable_schema = ON")
    other.execute("UPDATE sqlite_schema SET sql = replace(sql, ', age', ' NOT NULL, age')")
    other.execute("UPDATE sqlite_schema SET sql = replace(sql, ', home', ' NOT NULL, home')")
    other.commit()
    other.close()

    with pytest.raises(StoreError) as refused:
        await Store.open(path)
    database = Database(address(path))
    found = await health(database)
    await database.close()

    assert str(refused.value).startswith(
        "the database is damaged and was left as it is (NULL value in otters.name): "
    )
    assert found.problems == (
        "NULL value in otters.name",
        "NULL value in otters.age",
        "a row of otters refers to a missing one of rivers",
    )
