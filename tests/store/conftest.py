"""Every test of the store runs on both databases."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from itertools import count
from pathlib import Path

import pytest

from groundwire.conversation import Agent, Session
from groundwire.store import PERSONAL, Store
from groundwire.store.tables import METADATA
from tests.postgresql import PostgreSql
from tests.prepared import prepare, prepared_in

DATABASES = ("sqlite", "postgresql")
_CLEARED = "".join(f"DELETE FROM {table};" for table in METADATA.tables)
_names = (f"test_{number}" for number in count())


@pytest.fixture
def cleared(postgresql: PostgreSql) -> Iterator[str]:
    """A database of the server whose rows are gone after the test."""
    name = prepared_in(postgresql)
    yield name
    # Much faster than a database for each test.
    postgresql.run(name, _CLEARED)


@pytest.fixture(params=DATABASES)
def empty_url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """A database that nobody has opened yet."""
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path}/store.sqlite3"
        return
    server = request.getfixturevalue("postgresql")
    name = next(_names)
    yield server.create(name)
    server.drop(name)


@pytest.fixture(params=DATABASES)
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A database as a first start leaves it."""
    if request.param == "sqlite":
        path = tmp_path / "store.sqlite3"
        prepare(path)
        return f"sqlite:///{path}"
    server: PostgreSql = request.getfixturevalue("postgresql")
    return server.url(request.getfixturevalue("cleared"))


@pytest.fixture
async def store(url: str) -> AsyncIterator[Store]:
    async with Store.open(url) as store:
        yield store


@pytest.fixture
async def agent(store: Store) -> Agent:
    return await store.agents.create(Agent(workspace_id=PERSONAL, name="Finder"))


@pytest.fixture
async def session(store: Store, agent: Agent) -> Session:
    return await store.sessions.create(Session(workspace_id=PERSONAL, agent_id=agent.id))
