"""A PostgreSQL that others use while it is migrated or written to: who gives way to whom."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Iterator

import asyncpg  # type: ignore[import-untyped] # it has no types
import pytest
from sqlalchemy import Connection, event, text

from groundwire.errors import StoreBusyError
from groundwire.model import Json
from groundwire.store.database import Database
from groundwire.store.database_url import address
from groundwire.store.migration import REVISIONS, migrate
from tests.patience import PATIENCE, wait_until_async
from tests.postgresql import PostgreSql

IS_WAITING = """
SELECT 1 FROM pg_stat_activity
WHERE datname = current_database() AND wait_event_type = 'Lock'
"""
FIRST_WAITS = f"""{IS_WAITING}
  AND clock_timestamp() - query_start > interval '1200 milliseconds'
"""


@pytest.fixture
def url(postgresql: PostgreSql) -> Iterator[str]:
    yield postgresql.create("in_use")
    postgresql.drop("in_use")


@pytest.fixture
async def database(url: str) -> AsyncIterator[Database]:
    database = Database(address(url))
    yield database
    await database.close()


@pytest.fixture
async def other(url: str) -> AsyncIterator[Json]:
    """Give a connection of a server that goes on, and that never gives way by itself."""
    connection = await asyncpg.connect(url)
    await connection.execute("SET deadlock_timeout = '10min'")
    yield connection
    await connection.close()


async def test_a_transaction_that_a_migration_waits_for_and_that_waits_for_it_goes_first(
    database: Database, url: str, other: Json, caplog: pytest.LogCaptureFixture
) -> None:
    await migrate(database, "0007")
    caplog.set_level(logging.INFO)
    watching = await asyncpg.connect(url)
    turn = other.transaction()
    await turn.start()
    await other.execute("UPDATE sessions SET title = 'x'")

    migrating = asyncio.create_task(migrate(database))
    # By then PostgreSQL has looked for a deadlock, and found none yet.
    await wait_until_async(lambda: watching.fetchval(FIRST_WAITS))
    async with asyncio.timeout(PATIENCE):
        await other.execute("UPDATE messages SET content = 'x'")
        await turn.commit()
        await migrating

    revision = await watching.fetchval("SELECT version_num FROM alembic_version")
    await watching.close()
    assert revision == REVISIONS[-1]
    told = [each.message for each in caplog.records if each.name == "groundwire.store.migration"]
    assert told == [f"the database was brought from revision 0007 to {REVISIONS[-1]}"]


async def test_a_transaction_that_was_ended_to_let_another_through_is_run_again(
    database: Database, other: Json
) -> None:
    await migrate(database)
    turn, held = other.transaction(), asyncio.Event()
    await turn.start()
    await other.execute("LOCK TABLE users")
    attempts: list[int] = []

    def work(connection: Connection) -> str:
        attempts.append(1)
        connection.execute(text("UPDATE workspaces SET name = 'x'"))
        held.set()
        while len(attempts) == 1 and not connection.execute(text(IS_WAITING)).scalar():
            pass  # Until the other one waits for us.
        return str(connection.execute(text("SELECT count(*) FROM users")).scalar())

    async def be_in_the_way() -> None:
        await held.wait()
        await other.execute("LOCK TABLE workspaces")
        await turn.commit()

    async with asyncio.timeout(PATIENCE), asyncio.TaskGroup() as group:
        group.create_task(be_in_the_way())
        counted = await database.write(work)

    assert (counted, len(attempts)) == ("0", 2)


async def test_a_migration_gives_up_where_others_never_let_it_through(
    database: Database, other: Json, monkeypatch: pytest.MonkeyPatch
) -> None:
    await migrate(database, "0007")
    for name, value in (("_HOLD_SECONDS", 0.01), ("_PAUSE_SECONDS", 0.0), ("_ATTEMPTS", 2)):
        monkeypatch.setattr(f"groundwire.store.migration.{name}", value)

    async with other.transaction():
        await other.execute("UPDATE sessions SET title = 'x'")
        with pytest.raises(StoreBusyError, match="others hold what this would change"):
            await migrate(database)

    assert await other.fetchval("SELECT version_num FROM alembic_version") == "0007"


async def test_all_tables_are_held_at_once_and_never_waited_for_longer_than_two_seconds(
    database: Database,
) -> None:
    await migrate(database, "0007")
    said: list[str] = []

    def note(*arguments: object) -> None:
        said.append(str(arguments[2]))

    event.listen(database._writer.sync_engine, "before_cursor_execute", note)
    await migrate(database)

    (number,) = [place for place, each in enumerate(said) if each.startswith("LOCK TABLE")]
    before, lock, after = said[number - 1 : number + 2]
    assert (before, after) == ("SET LOCAL lock_timeout = '2s'", "SET LOCAL lock_timeout = 0")
    assert lock.startswith("LOCK TABLE agents, messages, models, ")
    assert lock.endswith(" IN ACCESS EXCLUSIVE MODE")


async def test_servers_of_every_version_migrate_one_after_the_other(
    database: Database, other: Json
) -> None:
    # The number stands in released versions too: six letters of the name.
    await other.execute("SELECT pg_advisory_lock($1)", int.from_bytes(b"ground"))
    migrating = asyncio.create_task(migrate(database))

    async def is_waiting() -> bool:
        return migrating.done() or bool(await other.fetchval(IS_WAITING))

    await wait_until_async(is_waiting)
    revisions = await other.fetchval("SELECT to_regclass('alembic_version')")

    await other.execute("SELECT pg_advisory_unlock_all()")
    await migrating

    assert revisions is None
    assert await other.fetchval("SELECT version_num FROM alembic_version") == REVISIONS[-1]
