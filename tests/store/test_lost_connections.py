"""Connections that the server closed are replaced when they are wanted, and nobody asks before."""

from __future__ import annotations

import asyncio

import pytest

from groundwire.conversation import Session
from groundwire.store import PERSONAL, Store
from tests.postgresql import PostgreSql
from tests.store.examples import question

# Waits until they are gone: asking a server to end one returns before it has.
CLOSED = (
    "SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity WHERE pid <> pg_backend_pid()"
)


async def test_a_store_goes_on_after_its_server_was_restarted(postgresql: PostgreSql) -> None:
    async with Store.open(postgresql.create("restarted")) as store:
        await asyncio.gather(*(store.workspaces.list() for _ in range(8)))  # several connections

        with postgresql.stopped():
            pass
        found = await asyncio.gather(*(store.workspaces.get(PERSONAL) for _ in range(8)))

        assert {each.id for each in found} == {PERSONAL}


@pytest.mark.parametrize("url", ["postgresql"], indirect=True)
async def test_a_write_finds_a_new_connection_where_all_were_closed(
    postgresql: PostgreSql, store: Store, session: Session
) -> None:
    await asyncio.gather(*(store.workspaces.list() for _ in range(8)))
    postgresql.run("prepared", CLOSED)

    kept = await store.messages.add(question(session.id))

    assert await store.messages.get(kept.id) == kept
