"""What a process that is gone was making is interrupted, and nothing else."""

from __future__ import annotations

import asyncio
import math
import os
import signal
import sys
from asyncio.subprocess import PIPE
from collections.abc import Awaitable, Callable
from dataclasses import replace

import pytest
from sqlalchemy import event, insert, text, update

from groundwire.conversation import Agent, ChatMessage, Session, Status
from groundwire.store import PERSONAL, Store, tables
from groundwire.store.owners import _is_gone, _Look, _machine
from groundwire.store.store import RENEW_SECONDS
from tests.patience import wait_until_async
from tests.postgresql import PostgreSql
from tests.store.examples import READ, SEARCH, answer, beginning

# Another program on this machine that begins an answer and says so.
OTHER = """
import asyncio, sys
from groundwire.store import Store
from tests.store.examples import SEARCH, beginning
from dataclasses import replace

async def main(url, session_id):
    store = await Store.open(url)
    store._owners.lease_seconds = 3_600
    await store.interrupted()
    begun = await store.messages.add(beginning(session_id))
    await store.messages.save(
        replace(begun, content="half", tool_runs=(replace(SEARCH, status="running"),))
    )
    print(begun.id, flush=True)
    await asyncio.Event().wait()

asyncio.run(main(*sys.argv[1:]))
"""


async def _own(store: Store, message: ChatMessage, owner: str, *, expires_at: float) -> None:
    """Leave a message to a process of another machine."""
    row = {"id": owner, "machine": "elsewhere", "process": 1, "expires_at": expires_at}
    key = tables.messages.c.id == message.id

    await store._database.write(lambda connection: connection.execute(insert(tables.owners), row))
    await store._database.write(
        lambda connection: connection.execute(
            update(tables.messages).where(key).values(owner=owner)
        )
    )


async def _other(url: str, session_id: str) -> tuple[asyncio.subprocess.Process, str]:
    """Start the other program, and return it and the id of its answer."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", OTHER, url, session_id, stdout=asyncio.subprocess.PIPE
    )
    assert process.stdout is not None
    return process, (await process.stdout.readline()).decode().strip()


async def _is_alone(store: Store) -> bool:
    """Tell whether the database has connections of one process only."""
    names = "SELECT count(DISTINCT application_name) FROM pg_stat_activity"
    where = " WHERE application_name LIKE 'groundwire %' AND datname = current_database()"
    async with store._database.read() as connection:
        return bool((await connection.execute(text(names + where))).scalar() == 1)


async def _looked_later(store: Store) -> tuple[str, ...]:
    """Look after others as if the time between two looks had passed since the last one."""
    look = store._owners._last_look
    earlier = {id_: since - RENEW_SECONDS for id_, since in look.missed_since.items()}
    store._owners._last_look = replace(look, missed_since=earlier)
    return await store.interrupted()


async def test_an_answer_of_a_killed_process_is_interrupted_at_the_next_start(
    store: Store, session: Session, url: str
) -> None:
    process, begun = await _other(url, session.id)

    before = await store.interrupted()
    process.kill()
    await process.wait()
    after = await store.interrupted()

    assert (before, after) == ((), (begun,))
    message = await store.messages.get(begun)
    assert (message.status, message.content) == (Status.INTERRUPTED, "half")
    assert [(run.status, run.error) for run in message.tool_runs] == [
        ("failed", "the program ended before the tool did")
    ]


async def test_an_answer_is_left_to_its_process_as_long_as_the_lease_runs(
    store: Store, session: Session
) -> None:
    living, dead = [await store.messages.add(beginning(session.id)) for _ in range(2)]
    await _own(store, living, "living", expires_at=1e12)
    await _own(store, dead, "dead", expires_at=1.0)

    interrupted = await store.interrupted()

    assert interrupted == (dead.id,)
    assert (await store.messages.get(living.id)).status == Status.STREAMING
    assert (await store.messages.get(dead.id)).status == Status.INTERRUPTED


async def test_a_killed_process_of_another_machine_is_missed_before_its_lease_runs_out(
    cleared: str, postgresql: PostgreSql, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("groundwire.store.owners._machine", lambda: "another machine")
    url = postgresql.url(cleared)
    async with Store.open(url) as store:
        agent = await store.agents.create(Agent(workspace_id=PERSONAL, name="Finder"))
        session = await store.sessions.create(Session(workspace_id=PERSONAL, agent_id=agent.id))
        assert store._lease is not None
        store._lease.cancel()  # Nobody looks but this test.
        process, begun = await _other(url, session.id)
        await store.interrupted()
        process.send_signal(signal.SIGSTOP)
        while_stopped = [await _looked_later(store) for _ in range(3)]
        process.kill()
        await process.wait()
        await wait_until_async(lambda: _is_alone(store))
        first, *rest = [await _looked_later(store) for _ in range(2)]
        message = await store.messages.get(begun)

    assert while_stopped == [()] * 3
    # At the first look it may only have lost its connections for a moment.
    assert (first, rest) == ((), [(begun,)])
    assert message.status == Status.INTERRUPTED


async def test_a_process_that_never_connected_by_its_name_is_left_to_its_lease(
    cleared: str, postgresql: PostgreSql
) -> None:
    async with Store.open(postgresql.url(cleared)) as store:
        agent = await store.agents.create(Agent(workspace_id=PERSONAL, name="Finder"))
        session = await store.sessions.create(Session(workspace_id=PERSONAL, agent_id=agent.id))
        begun = await store.messages.add(beginning(session.id))
        await _own(store, begun, "of an older version", expires_at=1e12)

        assert [await _looked_later(store) for _ in range(3)] == [()] * 3


async def test_what_this_process_is_making_is_left_alone(store: Store, session: Session) -> None:
    begun = await store.messages.add(beginning(session.id))

    assert await store.interrupted() == ()
    assert await store.messages.get(begun.id) == begun


async def test_two_stores_of_one_process_leave_each_other_alone(
    store: Store, session: Session, url: str
) -> None:
    begun = await store.messages.add(beginning(session.id))

    async with Store.open(url) as other:
        assert await other.interrupted() == ()
        assert await other.messages.get(begun.id) == begun


async def test_an_answer_that_was_not_finished_is_interrupted_when_its_store_closes(
    store: Store, session: Session, url: str
) -> None:
    async with Store.open(url) as other:
        begun = await other.messages.add(beginning(session.id))

    assert (await store.messages.get(begun.id)).status == Status.INTERRUPTED


async def test_the_next_save_of_a_process_that_was_thought_gone_sets_it_right(
    store: Store, session: Session
) -> None:
    begun = await store.messages.add(beginning(session.id))
    await _own(store, begun, "dead", expires_at=1.0)
    await store.interrupted()

    further = replace(begun, content="still here", tool_runs=(SEARCH, READ))
    await store.messages.save(further)

    assert await store.messages.get(begun.id) == further
    assert await store.interrupted() == ()


async def test_answers_that_are_done_or_wait_belong_to_nobody(
    store: Store, session: Session, url: str
) -> None:
    async with Store.open(url) as other:
        done = await other.messages.add(answer(session.id))
        waiting = await other.messages.add(
            replace(answer(session.id), id="waiting", status=Status.AWAITING_APPROVAL)
        )

    assert await store.interrupted() == ()
    assert await store.messages.history(session.id) == (done, waiting)


async def test_what_a_closed_store_of_this_process_left_is_interrupted(
    store: Store, session: Session, url: str
) -> None:
    async with Store.open(url) as other:
        closed = other._owners.id
    begun = await store.messages.add(beginning(session.id))
    await _own(store, begun, closed, expires_at=1e12)
    # As if it could not give its lease up.
    here = update(tables.owners).where(tables.owners.c.id == closed)
    place = {"machine": _machine(), "process": os.getpid()}
    await store._database.execute(here.values(place))

    assert await store.interrupted() == (begun.id,)


async def test_what_nobody_makes_any_more_is_interrupted_at_a_start(
    store: Store, session: Session, url: str
) -> None:
    assert store._lease is not None
    store._lease.cancel()  # Nobody looks but the one that starts.
    begun = await store.messages.add(beginning(session.id))
    await _own(store, begun, "dead", expires_at=1.0)

    async with Store.open(url) as other:
        assert (await other.messages.get(begun.id)).status == Status.INTERRUPTED


@pytest.mark.parametrize("url", ["sqlite"], indirect=True)
async def test_a_lease_is_renewed_as_long_as_a_store_is_open(
    url: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("groundwire.store.store.RENEW_SECONDS", 0.001)
    async with Store.open(url) as store:

        async def run(statement: str) -> None:
            await store._database.execute(text(statement))

        async def is_held() -> bool:
            async with store._database.read() as connection:
                held = await connection.execute(text("SELECT count(*) FROM owners"))
                return held.scalar() == 1

        await run("DELETE FROM owners")
        await wait_until_async(is_held)
        await run("ALTER TABLE owners RENAME TO hidden")
        await wait_until_async(_said(caplog, "the lease could not be renewed"))
        await run("ALTER TABLE hidden RENAME TO owners")
        await run("DELETE FROM owners")
        await wait_until_async(is_held)

    assert store._lease is not None
    assert store._lease.done()


def _said(caplog: pytest.LogCaptureFixture, words: str) -> Callable[[], Awaitable[bool]]:
    async def is_said() -> bool:
        return words in caplog.text

    return is_said


@pytest.mark.parametrize(
    ("missed_since", "gone"),
    [
        ({}, []),
        ({"a": 98.0}, ["a"]),
        ({"a": 98.5}, []),
        ({"a": 97.5, "b": 98.25, "c": 50.0}, ["a", "c"]),
        ({"a": math.inf, "b": 100.0}, []),
    ],
)
def test_a_process_is_gone_once_it_was_missed_for_as_long_as_it_would_have_taken_to_return(
    missed_since: dict[str, float], gone: list[str]
) -> None:
    assert _Look(started=1.0, seen=100.0, missed_since=missed_since).gone(2.0) == gone


def test_before_the_first_look_nobody_is_missed() -> None:
    first = _Look()

    assert first.gone(0.0) == []
    assert first.missed_since == {}


async def test_whether_a_process_is_there_is_asked_without_disturbing_it() -> None:
    echo = await asyncio.create_subprocess_exec("cat", stdin=PIPE, stdout=PIPE)
    assert echo.stdin is not None
    assert echo.stdout is not None

    is_gone = _is_gone("another", echo.pid)
    echo.stdin.write(b"still here\n")
    await echo.stdin.drain()
    said = await echo.stdout.readline()
    echo.stdin.close()
    ended = await echo.wait()

    assert (is_gone, said, ended) == (False, b"still here\n", 0)
    assert _is_gone("another", echo.pid) is True


def test_of_this_process_only_stores_that_are_open_are_there(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("groundwire.store.owners._HERE", {"open"})

    found = {owner: _is_gone(owner, os.getpid()) for owner in ("open", "closed")}

    assert found == {"open": False, "closed": True}


def test_processes_of_others_are_there(monkeypatch: pytest.MonkeyPatch) -> None:
    def kill(process: int, number: int) -> None:
        raise PermissionError(process, number)

    monkeypatch.setattr(os, "kill", kill)

    assert _is_gone("another", 1) is False


@pytest.mark.parametrize("url", ["sqlite"], indirect=True)
async def test_nothing_is_written_between_two_renewals_of_a_lease(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("groundwire.store.store.RENEW_SECONDS", 3_600)
    async with Store.open(url) as store:
        said: list[str] = []

        def note(*arguments: object) -> None:
            said.append(str(arguments[2]))

        event.listen(store._database._writer.sync_engine, "before_cursor_execute", note)
        for _ in range(20):
            await store.workspaces.list()
        event.remove(store._database._writer.sync_engine, "before_cursor_execute", note)

    assert said == []
