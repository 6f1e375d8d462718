"""What a process that is gone was making is interrupted, and nothing else."""

from __future__ import annotations

import asyncio
import sys
from dataclasses import replace

from sqlalchemy import insert, update

from groundwire.conversation import ChatMessage, Session, Status
from groundwire.store import Store, tables
from tests.store.examples import READ, SEARCH, answer, beginning

# Another program on this machine that begins an answer and says so.
OTHER = """
import asyncio, sys
from groundwire.store import Store
from tests.store.examples import SEARCH, beginning
from dataclasses import replace

async def main(url, session_id):
    store = await Store.open(url)
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


async def test_an_answer_of_a_killed_process_is_interrupted_at_the_next_start(
    store: Store, session: Session, url: str
) -> None:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", OTHER, url, session.id, stdout=asyncio.subprocess.PIPE
    )
    assert process.stdout is not None
    begun = (await process.stdout.readline()).decode().strip()

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
