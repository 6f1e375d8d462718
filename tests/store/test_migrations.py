"""From nothing and from every earlier revision to today, with every row kept."""

from __future__ import annotations

import asyncio
import json
import logging
from asyncio.subprocess import PIPE
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, inspect, text

from groundwire.conversation import (
    Agent,
    ChatMessage,
    MessageKind,
    ModelRecord,
    ProviderRecord,
    Session,
    Workspace,
)
from groundwire.errors import StoreError
from groundwire.model import Citation, Usage
from groundwire.store import ALL, PERSONAL, Store, migrations
from groundwire.store.database import Database
from groundwire.store.database_url import address
from groundwire.store.migration import REVISIONS, _upgrade, migrate
from groundwire.store.tables import METADATA
from tests.forked import python

WHEN = datetime(2026, 1, 2, 3, 4, 5, 678_901, tzinfo=UTC)
TIMES: dict[str, Any] = {"created_at": WHEN, "updated_at": WHEN}
# Rows as a program of revision 7 wrote them. The second message of "s1" has an earlier id.
ROWS: dict[str, list[dict[str, Any]]] = {
    "workspaces": [{"id": "w1", "name": "Team"}],
    "providers": [
        {
            "id": "p1",
            "name": "Mine",
            "type": "openai",
            "base_url": "",
            "key_name": "",
            "default_model": "m",
        }
    ],
    "agents": [
        {
            "id": "a1",
            "workspace_id": "w1",
            "name": "Finder",
            "description": "finds",
            "system_prompt": "Find.",
            "preferred_provider_id": "p1",
            "preferred_model_id": None,
            "is_built_in": 1,
        }
    ],
    "sessions": [
        {"id": "s1", "workspace_id": "w1", "agent_id": "a1", "title": "Otters"},
        {"id": "s2", "workspace_id": "w1", "agent_id": "a1", "title": "Empty"},
    ],
}
MESSAGES = [
    ("m2", "USER", "Do they?", WHEN, None),
    ("m1", "AI_RESPONSE", "They do.", WHEN.replace(second=6), 12),
    ("m3", "USER", "Thanks!", WHEN.replace(second=7), None),
]


@pytest.fixture
async def database(empty_url: str) -> AsyncIterator[Database]:
    url = address(empty_url)
    database = Database(url)
    yield database
    await database.close()


async def _insert(database: Database, table: str, row: dict[str, Any]) -> None:
    names = ", ".join(row)
    values = ", ".join(f":{name}" for name in row)
    # SQLite keeps times as text, in the form in which SQLAlchemy writes them.
    written = {
        name: value.strftime("%Y-%m-%d %H:%M:%S.%f")
        if database.is_sqlite and isinstance(value, datetime)
        else value
        for name, value in row.items()
    }
    statement = text(f"INSERT INTO {table} ({names}) VALUES ({values})")
    await database.write(lambda connection: connection.execute(statement, written))


async def _fill(database: Database) -> None:
    for table, rows in ROWS.items():
        for row in rows:
            await _insert(database, table, {**row, **TIMES})
    await _insert(
        database,
        "models",
        {"provider_id": "p1", "model": "m", "title": "M", "shutdown_date": "", "fetched_at": WHEN},
    )
    for key, kind, content, at, tokens in MESSAGES:
        row = {"id": key, "session_id": "s1", "kind": kind, "content": content, "thinking": ""}
        row |= {"provider": "openai", "model": "m", "input_tokens": tokens, "output_tokens": None}
        await _insert(database, "messages", {**row, "created_at": at, "updated_at": at})


async def _columns(database: Database, table: str) -> dict[str, dict[str, Any]]:
    def look(connection: Connection) -> dict[str, dict[str, Any]]:
        return {each["name"]: dict(each) for each in inspect(connection).get_columns(table)}

    async with database.read() as connection:
        return await connection.run_sync(look)


async def _all(database: Database, query: str) -> list[tuple[Any, ...]]:
    async with database.read() as connection:
        return [tuple(row) for row in await connection.execute(text(query))]


def _message(key: str, kind: MessageKind, content: str, at: datetime) -> ChatMessage:
    return ChatMessage(
        id=key,
        session_id="s1",
        kind=kind,
        content=content,
        provider="openai",
        model="m",
        usage=Usage(input_tokens=12) if kind is MessageKind.AI_RESPONSE else None,
        cost_is_partial=kind is MessageKind.AI_RESPONSE,
        created_at=at,
        updated_at=at,
    )


def test_the_list_of_revisions_is_that_of_the_files() -> None:
    scripts = ScriptDirectory(str(Path(migrations.__file__).parent))

    assert tuple(reversed([each.revision for each in scripts.walk_revisions()])) == REVISIONS
    assert scripts.get_current_head() == REVISIONS[-1]


async def test_an_empty_database_comes_to_the_newest_revision(empty_url: str) -> None:
    async with Store.open(empty_url) as store:
        assert (await store.check()).revision == REVISIONS[-1]
        assert [each.id for each in await store.workspaces.list()] == [PERSONAL]


async def test_the_migrated_schema_is_that_of_the_tables(database: Database) -> None:
    await migrate(database)

    def compare(connection: Connection) -> list[Any]:
        return list(compare_metadata(MigrationContext.configure(connection), METADATA))

    async with database.read() as connection:
        differences = await connection.run_sync(compare)
    assert differences == []


async def test_defaults_of_the_migrated_schema_are_those_of_the_tables(
    database: Database,
) -> None:
    await migrate(database)

    found = {}
    for table in METADATA.tables:
        for name, column in (await _columns(database, table)).items():
            if column["default"] is not None:
                found[f"{table}.{name}"] = column["default"].split("::")[0].strip("'")
    assert found == {
        f"{table.name}.{column.name}": getattr(column.server_default, "arg", None)
        for table in METADATA.tables.values()
        for column in table.columns
        if column.server_default is not None
    }


async def test_migration_7_to_8_runs_without_errors_and_keeps_every_row(
    database: Database,
) -> None:
    await migrate(database, "0007")
    await _fill(database)
    before = await _all(database, "SELECT id, content FROM messages ORDER BY id")

    await migrate(database, "0008")

    assert await _all(database, "SELECT id, content FROM messages ORDER BY id") == before
    assert await _all(database, "SELECT name, web_search_enabled FROM agents") == [("Finder", 0)]
    assert await _all(database, "SELECT citations FROM messages") == [(None,)] * 3
    switch = (await _columns(database, "agents"))["web_search_enabled"]
    citations = (await _columns(database, "messages"))["citations"]
    assert (str(switch["type"]), switch["nullable"]) == ("INTEGER", False)
    assert (str(citations["type"]), citations["nullable"]) == ("TEXT", True)


async def test_revision_7_has_nothing_of_web_search(database: Database) -> None:
    await migrate(database, "0007")

    assert "web_search_enabled" not in await _columns(database, "agents")
    assert "citations" not in await _columns(database, "messages")
    assert not any(name.startswith("web") for name in await _columns(database, "workspaces"))


@pytest.mark.parametrize("revision", REVISIONS)
async def test_every_earlier_revision_comes_to_the_newest_with_its_rows(
    database: Database, empty_url: str, revision: str
) -> None:
    await migrate(database, "0007")
    await _fill(database)
    await migrate(database, revision)

    async with Store.open(empty_url) as store:
        workspaces = await store.workspaces.list()
        agents = await store.agents.list("w1")
        sessions = [await store.sessions.get(key) for key in ("s1", "s2")]
        history = await store.messages.history("s1")
        providers, models = await store.providers.list(), await store.models.list(ALL)

    assert workspaces == (Workspace(id="w1", name="Team", has_first_library=True, **TIMES),)
    assert providers == (
        ProviderRecord(
            id="p1", name="Mine", type="openai", default_model="m", is_default=True, **TIMES
        ),
    )
    assert models == (ModelRecord(provider_id="p1", model="m", title="M", fetched_at=WHEN),)
    assert agents == (
        Agent(
            id="a1",
            workspace_id="w1",
            name="Finder",
            description="finds",
            system_prompt="Find.",
            preferred_provider_id="p1",
            is_built_in=True,
            **TIMES,
        ),
    )
    assert sessions == [
        Session(id=key, workspace_id="w1", agent_id="a1", title=title, **TIMES)
        for key, title in (("s1", "Otters"), ("s2", "Empty"))
    ]
    assert history == tuple(
        _message(key, MessageKind(kind), content, at) for key, kind, content, at, _ in MESSAGES
    )


async def test_a_migrated_session_goes_on_behind_its_last_message(
    database: Database, empty_url: str
) -> None:
    await migrate(database, "0007")
    await _fill(database)

    async with Store.open(empty_url) as store:
        new = await store.messages.add(_message("m0", MessageKind.USER, "More!", WHEN))

        assert [each.id for each in await store.messages.history("s1")] == ["m2", "m1", "m3", "m0"]
        assert (await store.messages.history("s1"))[-1] == new


async def test_citations_of_revision_8_are_read_today(database: Database, empty_url: str) -> None:
    await migrate(database, "0008")
    await _fill(database)
    seeds = '[{"url": "https://example.org/otter", "title": "Otter", "domain": "example.org"}]'
    statement = text("UPDATE messages SET citations = :citations WHERE id = 'm1'")
    await database.write(lambda connection: connection.execute(statement, {"citations": seeds}))

    async with Store.open(empty_url) as store:
        message = await store.messages.get("m1")

    assert message.citations == (Citation(url="https://example.org/otter", title="Otter"),)


async def test_pages_that_answers_of_revision_12_read_are_counted(
    database: Database, empty_url: str
) -> None:
    await migrate(database, "0007")
    await _fill(database)
    await migrate(database, "0012")
    pages = [{"url": f"https://example.org/{n}", "evidence": "read"} for n in range(3)]
    pages.append({"url": "https://example.org/only-found", "evidence": "found"})
    kept = {"m1": json.dumps({"state": {"pages": pages}}), "m2": "no JSON", "m3": "[1]"}
    statement = text("UPDATE messages SET answer = :answer WHERE id = :id")
    values = [{"answer": answer, "id": key} for key, answer in kept.items()]
    await database.write(lambda connection: connection.execute(statement, values))

    async with Store.open(empty_url) as store:
        history = await store.messages.history("s1")

    assert {each.id: each.pages_read for each in history} == {"m1": 3, "m2": 0, "m3": 0}


async def test_two_that_start_at_once_migrate_once(
    empty_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "groundwire.store.migration")

    stores = await asyncio.gather(*(Store.open(empty_url) for _ in range(3)))

    assert [len(await store.workspaces.list()) for store in stores] == [1, 1, 1]
    told = [each.message for each in caplog.records if each.name == "groundwire.store.migration"]
    assert told == [f"the database was brought from revision none to {REVISIONS[-1]}"]
    for store in stores:
        await store.close()


STARTING = """
import asyncio, sys
from groundwire.store import Store

async def main(url):
    async with Store.open(url) as store:
        print((await store.sessions.get("s1")).title)

asyncio.run(main(sys.argv[1]))
"""


async def test_three_servers_that_start_at_once_migrate_what_is_written_to_meanwhile(
    database: Database, empty_url: str
) -> None:
    await migrate(database, "0007")
    await _fill(database)
    await migrate(database, "0013")
    over, written = asyncio.Event(), 0

    async def write() -> None:
        """Be a server of the earlier version."""
        nonlocal written
        while not over.is_set() or not written:
            row = {"id": f"n{written}", "workspace_id": "w1", "agent_id": "a1", "title": "New"}
            await _insert(database, "sessions", {**row, **TIMES})
            written += 1

    writing = asyncio.create_task(write())
    starting = [
        await asyncio.create_subprocess_exec(
            *python("-c", STARTING, empty_url), stdout=PIPE, stderr=PIPE
        )
        for _ in range(3)
    ]
    ends = [await each.communicate() for each in starting]
    over.set()
    await writing

    assert ends == [(b"Otters\n", b"")] * 3
    assert await _all(database, "SELECT version_num FROM alembic_version") == [(REVISIONS[-1],)]
    counted = await _all(database, "SELECT count(*) FROM sessions WHERE title = 'New'")
    assert counted == [(written,)]


async def test_a_newer_database_is_refused_and_left_alone(
    database: Database, empty_url: str
) -> None:
    await migrate(database)
    newer = text("UPDATE alembic_version SET version_num = '9999'")
    await database.write(lambda connection: connection.execute(newer))

    with pytest.raises(StoreError, match=r"newer Groundwire .revision '9999'"):
        await Store.open(empty_url)

    assert await _all(database, "SELECT version_num FROM alembic_version") == [("9999",)]


async def test_a_database_of_something_else_is_refused_and_left_alone(
    database: Database, empty_url: str
) -> None:
    other = text("CREATE TABLE messages (whose INTEGER)")
    await database.write(lambda connection: connection.execute(other))

    with pytest.raises(StoreError, match=r"tables of something else .messages."):
        await Store.open(empty_url)

    assert list(await _columns(database, "messages")) == ["whose"]


async def test_a_migration_that_fails_leaves_the_database_as_it_was(
    database: Database, empty_url: str
) -> None:
    await migrate(database, "0007")
    await _fill(database)
    # Revision 12 will want to make a table of this name.
    await database.write(lambda connection: connection.execute(text("CREATE TABLE owners (x INT)")))

    with pytest.raises(StoreError):
        await Store.open(empty_url)

    assert await _all(database, "SELECT version_num FROM alembic_version") == [("0007",)]
    assert "citations" not in await _columns(database, "messages")


async def test_a_database_is_never_brought_back_to_an_earlier_revision(
    database: Database, caplog: pytest.LogCaptureFixture
) -> None:
    await migrate(database)
    caplog.set_level(logging.INFO, "groundwire.store.migration")

    for revision in ("0007", REVISIONS[-2], REVISIONS[-1]):
        await database.write(partial(_upgrade, revision=revision, database=database))

    assert await _all(database, "SELECT version_num FROM alembic_version") == [(REVISIONS[-1],)]
    assert [each for each in caplog.records if each.name == "groundwire.store.migration"] == []
