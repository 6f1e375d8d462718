"""Databases that a migration refuses, and tables that others hold while it wants them."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import TypeVar

import pytest
from sqlalchemy import text

from groundwire.errors import StoreBusyError, StoreError
from groundwire.store.database import Connect, Database, Work
from groundwire.store.database_url import address
from groundwire.store.migration import REVISIONS, migrate, revision_of

T = TypeVar("T")


async def test_who_is_refused_is_told_what_is_there_and_what_is_known(
    tmp_path: Path,
) -> None:
    database = Database(address(tmp_path / "s.sqlite3"))
    await database.execute(text("CREATE TABLE sessions (x INTEGER)"))
    await database.execute(text("CREATE TABLE agents (x INTEGER)"))
    await database.execute(text("CREATE TABLE otters (x INTEGER)"))
    with pytest.raises(StoreError) as of_another:
        await migrate(database)
    for name in ("sessions", "agents"):
        await database.execute(text(f"DROP TABLE {name}"))
    # A table that is none of ours is in nobody's way.
    await migrate(database)
    await database.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    with pytest.raises(StoreError) as newer:
        await migrate(database)
    await database.close()

    assert str(of_another.value) == (
        f"SQLite at {tmp_path}/s.sqlite3 has tables of something else (agents, sessions): "
        "name a database of its own"
    )
    assert str(newer.value) == (
        f"SQLite at {tmp_path}/s.sqlite3 was made by a newer Groundwire (revision '9999', this one "
        f"knows {REVISIONS[-1]!r}): upgrade this one or name another database"
    )


class _Held(Database):
    """A database whose tables others hold, but for the last few attempts to write."""

    held = 0

    async def write(self, work: Work[T], connect: Connect | None = None) -> T:
        self.held -= 1
        if self.held >= 0:
            raise StoreBusyError("others hold what this would change", 1)
        return await super().write(work, connect)


@pytest.mark.parametrize(
    ("held", "pauses", "is_done"), [(0, 0, True), (1, 1, True), (19, 19, True), (20, 19, False)]
)
async def test_a_migration_is_tried_twenty_times_half_a_second_apart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, held: int, pauses: int, is_done: bool
) -> None:
    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    monkeypatch.setattr("groundwire.store.migration.asyncio.sleep", sleep)
    monkeypatch.setattr(_Held, "held", held)
    database = _Held(address(tmp_path / "s.sqlite3"))
    with nullcontext() if is_done else pytest.raises(StoreBusyError):
        await migrate(database)
    async with database.read() as connection:
        revision = await connection.run_sync(revision_of)
    await database.close()

    assert slept == [0.5] * pauses
    assert revision == (REVISIONS[-1] if is_done else None)
