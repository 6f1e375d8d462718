"""Who gets a connection to the database, who waits for one, and who is refused at once."""

from __future__ import annotations

import asyncio
import gc
import weakref
from contextlib import AsyncExitStack
from contextvars import copy_context
from pathlib import Path

import pytest
from sqlalchemy import Connection, text
from sqlalchemy.exc import DBAPIError

from groundwire.conversation import Agent, Session, Workspace
from groundwire.errors import ConflictError, StoreBusyError, StoreError
from groundwire.store import PERSONAL, Pool, Store
from groundwire.store.database import Database, Line, patience, saving
from groundwire.store.database_url import address
from tests.patience import PATIENCE
from tests.postgresql import PostgreSql
from tests.store.examples import answer

LONG = 3_600.0


class _Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


async def test_whoever_comes_first_is_served_first() -> None:
    line = Line(1, LONG)
    served: list[int] = []

    async def use(number: int) -> None:
        async with line.place():
            served.append(number)

    async with AsyncExitStack() as stack:
        await stack.enter_async_context(line.place())
        waiting = [asyncio.create_task(use(number)) for number in range(5)]
        await asyncio.sleep(0)
    await asyncio.gather(*waiting)

    assert served == [0, 1, 2, 3, 4]


async def test_what_began_earlier_is_finished_first() -> None:
    line = Line(1, LONG)
    served: list[str] = []
    late_waits = asyncio.Event()

    async def use(name: str) -> None:
        async with line.place():
            served.append(name)

    async def use_later(name: str) -> None:
        await late_waits.wait()
        await use(name)

    async with AsyncExitStack() as stack:
        await stack.enter_async_context(line.place())
        with patience():
            early = asyncio.create_task(use_later("early"))
        late = asyncio.create_task(use("late"))
        await asyncio.sleep(0)
        late_waits.set()
        for _ in range(3):
            await asyncio.sleep(0)
    await asyncio.gather(early, late)

    assert served == ["early", "late"]


async def test_whoever_leaves_the_line_takes_no_connection_along() -> None:
    line = Line(1, LONG)

    async with line.place():
        gone = [asyncio.create_task(line.place().__aenter__()) for _ in range(3)]
        await asyncio.sleep(0)
        gone[0].cancel()
    gone[1].cancel()  # It has just been given the connection.
    await asyncio.wait(gone[:2])
    await gone[2]

    assert line.expected_wait_seconds() >= 0


async def test_nobody_stands_in_a_line_that_does_not_move() -> None:
    clock = _Clock()
    line = Line(1, 2.0, clock=clock)

    async with line.place():
        clock.now += 2.5
        with pytest.raises(StoreBusyError, match="try again in 3 s") as refused:
            await line.place().__aenter__()

    assert refused.value.retry_after_seconds == 3
    assert line.expected_wait_seconds() == 0


async def test_nobody_stands_in_a_line_that_is_too_long() -> None:
    clock = _Clock()
    line = Line(1, 1.5, clock=clock)
    for _ in range(50):  # Each transaction takes a second.
        async with line.place():
            clock.now += 1.0

    async with AsyncExitStack() as stack:
        await stack.enter_async_context(line.place())
        first = asyncio.create_task(stack.enter_async_context(line.place()))
        await asyncio.sleep(0)
        with pytest.raises(StoreBusyError, match="1 in use, 1 waiting"):
            await line.place().__aenter__()
        first.cancel()
        await asyncio.wait([first])


async def test_whoever_waited_in_vain_is_refused_and_the_line_goes_on() -> None:
    line = Line(1, 0.01)

    async with line.place():
        with pytest.raises(StoreBusyError) as refused:
            await line.place().__aenter__()
    assert refused.value.retry_after_seconds >= 1

    async with line.place():
        pass


async def test_all_work_of_a_request_waits_no_longer_than_its_patience() -> None:
    line = Line(1, LONG)

    async with line.place():
        with patience(0.01):
            with pytest.raises(StoreBusyError):
                await line.place().__aenter__()
            # Nothing is left of it: the next is refused without waiting at all.
            waiting = line.place().__aenter__()
            with pytest.raises(StoreBusyError):
                waiting.send(None)


async def test_an_answer_is_saved_while_everything_else_waits(
    postgresql: PostgreSql, cleared: str
) -> None:
    pool = Pool(size=2, wait_seconds=PATIENCE)
    url = postgresql.url(cleared)
    async with Store.open(url, pool=pool) as store, asyncio.TaskGroup() as group:
        # Only the line is short: to connect may take as long as it takes.
        store._database._reading._wait_seconds = 0.05
        session = await _session(store)
        kept = await store.messages.add(answer(session))
        with postgresql.locked(cleared, "users"):
            held = group.create_task(store.users.count())
            while True:  # Until the one connection for everything but saves is taken.
                try:
                    await store.workspaces.list()
                except StoreBusyError:
                    break

            await store.messages.save(kept)
            assert await store.interrupted() == ()
            with saving():
                assert await store.messages.get(kept.id) == kept
            with pytest.raises(StoreBusyError):
                await store.workspaces.create(Workspace(name="Team"))
        assert await held == 0


async def _session(store: Store) -> str:
    agent = await store.agents.create(Agent(workspace_id=PERSONAL, name="Finder"))
    return (await store.sessions.create(Session(workspace_id=PERSONAL, agent_id=agent.id))).id


async def test_the_order_of_a_line_stays_when_somebody_leaves_it() -> None:
    line = Line(1, LONG)
    served: list[int] = []
    contexts = []
    for _ in range(13):  # One request after the other begins.
        with patience():
            contexts.append(copy_context())

    async def use(number: int) -> None:
        async with line.place():
            served.append(number)

    async with line.place():
        waiting = []
        for number in (1, 2, 10, 3, 4, 11, 12):
            waiting.append(asyncio.create_task(use(number), context=contexts[number]))
            await asyncio.sleep(0)
        waiting[0].cancel()
        await asyncio.wait(waiting[:1])
    await asyncio.gather(*waiting[1:])

    assert served == [2, 3, 4, 10, 11, 12]


async def test_who_waited_once_may_wait_again_while_there_is_patience() -> None:
    line = Line(1, LONG)

    with patience(LONG):
        for _ in range(3):
            mine = line.place()
            async with line.place():
                waiting = asyncio.create_task(mine.__aenter__())
                await asyncio.sleep(0)
                assert line.waiting == 1
            await waiting
            await mine.__aexit__(None, None, None)

    assert line.free == 1


async def test_a_database_is_closed_when_the_writes_that_began_are_done(tmp_path: Path) -> None:
    database = Database(address(tmp_path / "store.sqlite3"))
    done: list[str] = []

    async def close() -> None:
        await database.close()
        done.append("closed")

    async with database._writing.place():
        writing = asyncio.create_task(database.write(lambda _: done.append("written")))
        await asyncio.sleep(0)
        writing.cancel()
        closing = asyncio.create_task(close())
        for _ in range(10):
            await asyncio.sleep(0)
    await closing

    assert done == ["written", "closed"]


class _Result:
    """What a write came to; unlike None it can be looked after."""


async def test_nothing_of_a_write_that_is_done_is_kept(tmp_path: Path) -> None:
    database = Database(address(tmp_path / "store.sqlite3"))

    result = weakref.ref(await database.write(lambda _: _Result()))
    await asyncio.sleep(0)
    gc.collect()

    assert result() is None
    await database.close()


@pytest.mark.parametrize(
    ("url", "pool", "count"),
    [
        ("sqlite:///x.sqlite3", None, 4 + 1),
        ("sqlite:///x.sqlite3", Pool(size=9), 4 + 1),
        ("postgresql://db.example/x", None, 20),
        ("postgresql://db.example/x", Pool(size=9), 9),
    ],
)
async def test_a_database_has_so_many_connections(url: str, pool: Pool | None, count: int) -> None:
    database = Database(address(url), pool)

    assert database.connections() == {"used": 0, "free": count, "waited_for": 0}
    assert (Pool().size, Pool().wait_seconds) == (20, 15.0)


async def test_a_store_counts_the_connections_of_its_database(store: Store) -> None:
    counted = store.connections()

    assert counted == store._database.connections()
    assert counted["free"] > counted["waited_for"] == 0


async def test_connections_that_are_used_and_waited_for_are_counted(tmp_path: Path) -> None:
    database = Database(address(tmp_path / "store.sqlite3"))

    async with database.read(), database._writing.place():
        writing = asyncio.create_task(database.write(lambda _: None))
        for _ in range(3):
            await asyncio.sleep(0)
        assert database.connections() == {"used": 2, "free": 3, "waited_for": 1}
    await writing
    await database.close()


async def test_letters_of_every_script_are_made_small_in_a_file(tmp_path: Path) -> None:
    database = Database(address(tmp_path / "store.sqlite3"))

    async with database.read() as connection:
        row = (await connection.execute(text("SELECT lower('ÄΣ'), lower(7), lower(NULL)"))).one()
    await database.close()

    assert tuple(row) == ("äς", 7, None)


class _StateError(Exception):
    """Fails as PostgreSQL's driver does."""

    def __init__(self, sqlstate: str) -> None:
        super().__init__("so it is")
        self.sqlstate = sqlstate


@pytest.mark.parametrize(
    ("states", "attempts", "ends"),
    [
        ([], 1, "done"),
        (["40001"], 2, "done"),
        (["40P01"], 2, "done"),
        (["40001", "55P03"], 2, "StoreBusyError"),
        (["40001", "23505"], 2, "ConflictError"),
        (["23505"], 1, "ConflictError"),
        (["08006"], 1, "StoreUnavailableError"),
    ],
)
async def test_only_what_another_was_let_through_for_is_done_again_and_once(
    tmp_path: Path, states: list[str], attempts: int, ends: str
) -> None:
    database = Database(address(tmp_path / "store.sqlite3"))
    done = 0

    def work(_: Connection) -> str:
        nonlocal done
        done += 1
        if done <= len(states):
            raise DBAPIError("UPDATE", None, _StateError(states[done - 1]))
        return "done"

    try:
        ended = await database.write(work)
    except StoreError as error:
        ended = type(error).__name__
    await database.close()

    assert (ended, done) == (ends, attempts)
    assert database.connections() == {"used": 0, "free": 5, "waited_for": 0}


async def test_what_a_write_fails_with_by_itself_is_not_the_databases(tmp_path: Path) -> None:
    database = Database(address(tmp_path / "store.sqlite3"))

    def work(_: Connection) -> None:
        raise ConflictError("so it is")

    with pytest.raises(ConflictError, match=r"^so it is$"):
        await database.write(work)
    await database.close()


async def test_a_save_reads_a_file_while_another_one_writes(tmp_path: Path) -> None:
    database = Database(address(tmp_path / "store.sqlite3"))

    async with database._writing.place():
        with saving():
            async with database.read() as connection:
                used = database.connections()
                found = (await connection.execute(text("SELECT 7"))).scalar()
    await database.close()

    assert (found, used) == (7, {"used": 2, "free": 3, "waited_for": 0})


def _files(folder: Path) -> set[str]:
    return {each.name for each in folder.iterdir()}


async def test_of_a_closed_database_the_file_alone_is_left(tmp_path: Path) -> None:
    database = Database(address(tmp_path / "store.sqlite3"))
    await database.execute(text("CREATE TABLE otters (name TEXT)"))
    async with database.read() as connection:
        await connection.execute(text("SELECT name FROM otters"))
    while_open = _files(tmp_path)

    await database.close()

    # The log goes with the last connection to the file.
    assert while_open == {"store.sqlite3", "store.sqlite3-wal", "store.sqlite3-shm"}
    assert _files(tmp_path) == {"store.sqlite3"}
