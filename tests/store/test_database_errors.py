"""A full disk, a database that is gone, a damaged file: clear errors, nothing lost."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
import stat
import threading
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import text

from groundwire.conversation import Agent, Session, Status
from groundwire.errors import DiskFullError, StoreError, StoreUnavailableError
from groundwire.store import PERSONAL, Store
from groundwire.store.database_errors import shown
from groundwire.store.database_url import address
from tests.postgresql import PostgreSql
from tests.store.examples import answer, question

PASSWORD = "correct-horse-battery"


@pytest.fixture
async def file_store(tmp_path: Path) -> AsyncIterator[Store]:
    async with Store.open(tmp_path / "store.sqlite3") as store:
        yield store


@pytest.fixture
def server_url(postgresql: PostgreSql) -> Iterator[str]:
    yield postgresql.create("stopped")
    postgresql.drop("stopped")


async def _session(store: Store) -> Session:
    agent = await store.agents.create(Agent(workspace_id=PERSONAL, name="x"))
    return await store.sessions.create(Session(workspace_id=PERSONAL, agent_id=agent.id))


async def _limit_pages(store: Store, count: int) -> None:
    await store._database.write(
        lambda connection: connection.execute(text(f"PRAGMA max_page_count = {count}"))
    )


async def test_a_full_disk_loses_nothing_and_writing_goes_on_when_there_is_room(
    file_store: Store,
) -> None:
    session = await _session(file_store)
    before = await file_store.messages.add(answer(session.id))
    large = replace(question(session.id, "x" * 1_000_000))
    growing = replace(before, content="y" * 1_000_000)
    await _limit_pages(file_store, 1)

    with pytest.raises(DiskFullError, match="no room left"):
        await file_store.messages.add(large)
    with pytest.raises(DiskFullError):
        await file_store.messages.save(growing)
    kept = await file_store.messages.history(session.id)
    health = await file_store.check()
    await _limit_pages(file_store, 1_000_000)
    await file_store.messages.add(large)
    await file_store.messages.save(growing)

    assert kept == (before,)
    assert health.problems == ()
    assert await file_store.messages.history(session.id) == (growing, large)


async def test_a_database_that_stops_is_an_error_until_it_is_back(
    postgresql: PostgreSql, server_url: str
) -> None:
    async with Store.open(server_url) as store:
        session = await _session(store)
        before = await store.messages.add(answer(session.id))
        changed = replace(before, content="new")

        with postgresql.stopped():
            for attempt in (
                store.messages.get(before.id),
                store.messages.save(changed),
                store.messages.add(question(session.id)),
                store.interrupted(),
            ):
                with pytest.raises(StoreUnavailableError, match="does not answer"):
                    await attempt

        assert await store.messages.history(session.id) == (before,)
        await store.messages.save(changed)
        assert await store.messages.get(before.id) == changed


async def test_who_asks_whether_a_database_is_there_waits_for_its_answer(
    postgresql: PostgreSql, server_url: str
) -> None:
    async with Store.open(server_url) as store:
        await store.ping()
        with postgresql.frozen(), pytest.raises(TimeoutError):
            await asyncio.wait_for(store.ping(), 0.05)
        await store.ping()


async def test_closing_a_store_whose_database_is_gone_is_no_error(
    postgresql: PostgreSql, server_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    store = await Store.open(server_url)

    with postgresql.stopped(), caplog.at_level(logging.WARNING):
        await store.close()

    assert "the lease was not given up" in caplog.text


@pytest.mark.parametrize("place", [0, 4096])
async def test_a_damaged_file_is_refused_and_left_as_it_is(tmp_path: Path, place: int) -> None:
    path = tmp_path / "store.sqlite3"
    async with Store.open(path) as store:
        await store.messages.add(question((await _session(store)).id, "x" * 100_000))
    content = bytearray(path.read_bytes())
    content[place : place + 3000] = b"\xff" * 3000
    path.write_bytes(content)

    with pytest.raises(StoreError, match="restore a backup") as refused:
        await Store.open(path)

    assert path.read_bytes() == content
    assert str(path) not in str(refused.value)
    assert refused.value.address == f"SQLite at {path}"


async def test_a_file_that_is_no_database_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "letter.txt"
    path.write_text("Dear otter, " * 1000)

    with pytest.raises(StoreError) as refused:
        await Store.open(path)

    assert "letter.txt" in refused.value.with_address()
    assert path.read_text() == "Dear otter, " * 1000


async def test_a_file_where_nobody_may_write_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    with pytest.raises(StoreUnavailableError, match=r"file/store\.sqlite3 cannot be opened"):
        await Store.open(tmp_path / "file" / "store.sqlite3")


async def test_a_write_waits_for_another_process_that_writes(
    file_store: Store, tmp_path: Path
) -> None:
    session = await _session(file_store)
    other = sqlite3.connect(
        tmp_path / "store.sqlite3", isolation_level=None, check_same_thread=False
    )
    other.execute("BEGIN IMMEDIATE")
    release = threading.Timer(0.2, lambda: other.execute("COMMIT"))
    release.start()

    message = await file_store.messages.add(question(session.id))

    assert await file_store.messages.history(session.id) == (message,)
    release.join()
    other.close()


async def test_a_file_is_readable_by_its_owner_only(tmp_path: Path) -> None:
    path = tmp_path / "new" / "store.sqlite3"

    async with Store.open(path):
        files = sorted(path.parent.iterdir())
        modes = {stat.S_IMODE(each.stat().st_mode) for each in files}

    assert path in files
    assert modes == {0o600}


async def test_the_doctor_hears_how_a_file_is_written(file_store: Store, tmp_path: Path) -> None:
    health = await file_store.check()

    assert health.address == f"SQLite at {tmp_path}/store.sqlite3"
    assert health.version == f"SQLite {sqlite3.sqlite_version}"
    assert (health.journal_mode, health.synchronous) == ("wal", "normal")
    assert health.problems == ()
    assert bool(health.notes) == (sqlite3.sqlite_version_info < (3, 51, 3))


async def test_the_doctor_hears_of_dangling_references(file_store: Store, tmp_path: Path) -> None:
    # This connection does not look at references.
    other = sqlite3.connect(tmp_path / "store.sqlite3")
    names = "(user_id, workspace_id, role)"
    other.execute(f"INSERT INTO memberships {names} VALUES ('nobody', 'personal', 'admin')")
    other.commit()
    other.close()

    assert (await file_store.check()).problems == (
        "a row of memberships refers to a missing one of users",
    )


async def test_full_durability_is_chosen_in_the_url(tmp_path: Path) -> None:
    async with Store.open(f"sqlite:///{tmp_path}/s.sqlite3?synchronous=full") as store:
        assert (await store.check()).synchronous == "full"


async def test_readers_cannot_write(file_store: Store) -> None:
    with pytest.raises(StoreUnavailableError, match="readonly"):
        async with file_store._database.read() as connection:
            await connection.execute(text("DELETE FROM workspaces"))


async def test_a_password_is_in_no_error_log_or_repr(
    postgresql: PostgreSql, caplog: pytest.LogCaptureFixture
) -> None:
    url = f"postgresql://ada:{PASSWORD}@127.0.0.1:{postgresql.port}/nothing"

    with caplog.at_level(logging.DEBUG), pytest.raises(StoreUnavailableError) as refused:
        await Store.open(url)

    chain: BaseException | None = refused.value
    seen = caplog.text
    while chain is not None:
        seen += str(chain) + repr(chain) + repr(chain.args)
        chain = chain.__cause__ or chain.__context__
    assert PASSWORD not in seen
    assert str(refused.value) == "the database does not answer"
    assert f"PostgreSQL at 127.0.0.1:{postgresql.port}/nothing" in refused.value.with_address()


async def test_what_was_to_be_written_is_in_no_error(file_store: Store) -> None:
    session = await _session(file_store)
    message = await file_store.messages.add(question(session.id, "my private words"))

    with pytest.raises(StoreError) as refused:
        await file_store.messages.add(message)

    assert refused.value.__cause__ is not None
    assert "private words" not in str(refused.value) + str(refused.value.__cause__)


@pytest.mark.parametrize(
    ("url", "complaint"),
    [
        ("mysql://a:pass-word-1@b/c", "a database of 'mysql' cannot be used"),
        ("postgresql://a:pass-word-1@b:port/c", "cannot be read"),
        ("sqlite://", "in memory"),
        ("sqlite:///:memory:", "in memory"),
        (":memory:", "in memory"),
        ("sqlite:///x?mode=ro", "takes only"),
        ("sqlite:///x?synchronous=off", "takes only"),
    ],
)
async def test_an_address_that_cannot_be_used_is_refused_with_what_to_write(
    url: str, complaint: str
) -> None:
    with pytest.raises(StoreError, match=complaint) as refused:
        await Store.open(url)

    assert "pass-word-1" not in str(refused.value)
    assert refused.value.__cause__ is None


@pytest.mark.parametrize(
    ("written", "whole", "words"),
    [
        (
            "postgres://u:p@db.example/x?sslmode=require",
            "postgresql+asyncpg://u:p@db.example/x?ssl=require",
            "PostgreSQL at db.example:5432/x",
        ),
        (
            "postgresql+asyncpg://u@db.example:5433/x",
            "postgresql+asyncpg://u@db.example:5433/x",
            "PostgreSQL at db.example:5433/x",
        ),
        (
            "/data/a b.sqlite3",
            "sqlite+aiosqlite:////data/a b.sqlite3?synchronous=NORMAL",
            "SQLite at /data/a b.sqlite3",
        ),
        (
            "sqlite+aiosqlite:///data.sqlite3",
            "sqlite+aiosqlite:///data.sqlite3?synchronous=NORMAL",
            "SQLite at data.sqlite3",
        ),
    ],
)
def test_addresses_are_made_whole(written: str, whole: str, words: str) -> None:
    made = address(written)

    assert made.render_as_string(hide_password=False) == whole
    assert shown(made) == words


def test_the_usual_place_is_among_our_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GROUNDWIRE_HOME", str(tmp_path))

    assert address("").database == str(tmp_path / "groundwire.sqlite3")


async def test_a_cancelled_answer_is_kept_as_such(file_store: Store) -> None:
    session = await _session(file_store)
    cancelled = replace(answer(session.id), status=Status.CANCELLED)

    await file_store.messages.add(cancelled)

    assert await file_store.messages.get(cancelled.id) == cancelled


async def test_an_sqlite_that_is_too_old_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "store.sqlite3"
    monkeypatch.setattr(sqlite3, "sqlite_version_info", (3, 34, 9))
    with pytest.raises(StoreError, match=r"must be 3\.35 or newer"):
        await Store.open(path)

    monkeypatch.setattr(sqlite3, "sqlite_version_info", (3, 35, 0))
    async with Store.open(path) as store:
        assert len(await store.workspaces.list()) == 1


async def test_what_was_to_be_written_is_in_no_error_of_either_database(
    store: Store, session: Session
) -> None:
    message = await store.messages.add(question(session.id, "my private words"))

    with pytest.raises(StoreError) as refused:
        await store.messages.add(message)

    chain: BaseException | None = refused.value
    while chain is not None:
        assert "private words" not in str(chain)
        chain = chain.__cause__ or chain.__context__
