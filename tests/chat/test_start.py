"""The program starts with any database that migrations can make, and a question can be asked."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from sqlalchemy import text

from groundwire.conversation import Status
from groundwire.sandbox import SandboxServer
from groundwire.store.database import Database
from groundwire.store.database_url import address
from groundwire.store.migration import REVISIONS, migrate
from tests.chat.program import opened

WHEN = "2026-01-02 03:04:05.678901"
TIMES = {"created_at": WHEN, "updated_at": WHEN}
PERSONAL = {"id": "personal", "name": "Personal"}
TEAM = {"id": "team", "name": "Team"}


def _agent(key: str, workspace: str) -> dict[str, str | int]:
    return {
        "id": key,
        "workspace_id": workspace,
        "name": key.title(),
        "description": "",
        "system_prompt": "",
        "is_built_in": 0,
    }


KINDS: dict[str, Mapping[str, list[Mapping[str, str | int]]]] = {
    "nothing": {},
    "no agents": {"workspaces": [PERSONAL]},
    "only foreign workspaces": {"workspaces": [TEAM]},
    "a foreign workspace with an agent": {"workspaces": [TEAM], "agents": [_agent("f", "team")]},
    "personal with an agent of its own": {
        "workspaces": [PERSONAL, TEAM],
        "agents": [_agent("own", "personal")],
    },
    "personal deleted": {
        "workspaces": [PERSONAL, TEAM],
        "agents": [_agent("assistant", "personal"), _agent("setup", "personal")],
    },
}
"""What a database may hold, by what is odd about it."""

# Of the oldest and the newest revision all, of the others a third each, by turns.
CASES = [
    (revision, kind)
    for place, revision in enumerate(REVISIONS)
    for number, kind in enumerate(KINDS)
    if revision in (REVISIONS[0], REVISIONS[-1]) or number % 3 == place % 3
]


@pytest.mark.parametrize(("revision", "kind"), CASES)
async def test_every_database_can_be_started_and_asked(
    sandbox: SandboxServer, tmp_path: Path, revision: str, kind: str
) -> None:
    path = str(tmp_path / "old.sqlite3")
    (tmp_path / "old.sqlite3").touch()
    await _make(path, revision, kind)

    async with opened(sandbox, path) as talk:
        told = await talk.turn("Otters?", search="off")
        agents = await talk.program.agents()
    async with opened(sandbox, path) as talk:
        again = await talk.program.agents()

    assert told.message.status is Status.COMPLETE
    # A second start adds nothing.
    assert len({each.id for each in agents}) == len(agents) == len(again)


async def _make(path: str, revision: str, kind: str) -> None:
    database = Database(address(path))
    await migrate(database, revision)
    for table, rows in KINDS[kind].items():
        for row in rows:
            await _run(database, *_insert(table, {**row, **TIMES}))
    if kind == "personal deleted":
        await _run(database, "DELETE FROM workspaces WHERE id = 'personal'", {})
    await database.close()


def _insert(table: str, row: Mapping[str, str | int]) -> tuple[str, Mapping[str, str | int]]:
    names, values = ", ".join(row), ", ".join(f":{name}" for name in row)
    return f"INSERT INTO {table} ({names}) VALUES ({values})", row


async def _run(database: Database, statement: str, values: Mapping[str, str | int]) -> None:
    await database.write(lambda connection: connection.execute(text(statement), values))
