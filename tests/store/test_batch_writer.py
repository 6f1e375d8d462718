"""Many turns that save at once share transactions, and none of them pays for another."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import pytest
from sqlalchemy import Connection, event, text

from groundwire.conversation import Agent, ChatMessage, Session, Status
from groundwire.errors import DiskFullError, NotFoundError, StoreError
from groundwire.model import Usage
from groundwire.store import PERSONAL, Store
from groundwire.store.batch_writer import GATHER_SECONDS
from tests.patience import PATIENCE
from tests.store.examples import FIRST_ROUND, READ, SEARCH, beginning


@contextmanager
def _statements(store: Store) -> Iterator[list[str]]:
    """Collect what is sent to the database, in the first words of each."""
    seen: list[str] = []

    def note(*arguments: object) -> None:
        statement = str(arguments[2])
        seen.append(" ".join(statement.split()[:3]))

    def commit(_: Connection) -> None:
        seen.append("COMMIT")

    engine = store._database._writer.sync_engine
    event.listen(engine, "before_cursor_execute", note)
    event.listen(engine, "commit", commit)
    yield seen
    event.remove(engine, "before_cursor_execute", note)
    event.remove(engine, "commit", commit)


async def _begin(store: Store, session: Session, count: int) -> list[ChatMessage]:
    return [await store.messages.add(beginning(session.id)) for _ in range(count)]


async def test_turns_that_save_at_once_share_a_transaction(store: Store, session: Session) -> None:
    begun = await _begin(store, session, 50)
    grown = [replace(message, content=f"text of {message.id}") for message in begun]

    with _statements(store) as statements:
        await asyncio.gather(*map(store.messages.save, grown))

    assert statements.count("COMMIT") == 1
    assert await store.messages.history(session.id) == tuple(grown)


async def test_an_answer_that_has_ended_does_not_wait_for_others(
    store: Store, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    (begun,) = await _begin(store, session, 1)
    ended = replace(begun, content="All.", status=Status.COMPLETE)
    monkeypatch.setattr("groundwire.store.batch_writer.GATHER_SECONDS", 3_600)

    async with asyncio.timeout(PATIENCE):
        await store.messages.save(ended)

    assert await store.messages.get(begun.id) == ended


async def test_the_newest_of_several_states_is_the_one_that_is_kept(
    store: Store, session: Session
) -> None:
    (begun,) = await _begin(store, session, 1)
    states = [replace(begun, content="x" * length) for length in range(1, 9)]

    await asyncio.gather(*map(store.messages.save, states))

    assert await store.messages.get(begun.id) == states[-1]


async def test_parts_that_did_not_change_are_not_written_again(
    store: Store, session: Session
) -> None:
    (begun,) = await _begin(store, session, 1)
    searched = replace(begun, tool_runs=(SEARCH,), rounds=(FIRST_ROUND,))
    await store.messages.save(searched)

    with _statements(store) as statements:
        await store.messages.save(replace(searched, content="more"))

    assert [each for each in statements if "tool_calls" in each or "rounds" in each] == []
    assert (await store.messages.get(begun.id)).tool_runs == (SEARCH,)


async def test_a_turn_whose_session_was_deleted_does_not_stop_the_others(
    store: Store, session: Session
) -> None:
    other = await store.sessions.create(replace(session, id="other"))
    (gone,) = await _begin(store, other, 1)
    (stays,) = await _begin(store, session, 1)
    await store.sessions.delete(other.id)

    outcomes = await asyncio.gather(
        *(
            store.messages.save(replace(message, content="new", tool_runs=(SEARCH,)))
            for message in (gone, stays)
        ),
        return_exceptions=True,
    )

    assert isinstance(outcomes[0], NotFoundError)
    assert outcomes[1] is None
    assert (await store.messages.get(stays.id)).content == "new"


async def test_a_state_that_no_database_takes_does_not_stop_the_others(
    store: Store, session: Session
) -> None:
    bad, good = await _begin(store, session, 2)

    outcomes = await asyncio.gather(
        store.messages.save(replace(bad, usage=Usage(input_tokens=2**70))),
        store.messages.save(replace(good, content="new")),
        return_exceptions=True,
    )

    assert isinstance(outcomes[0], StoreError)
    assert outcomes[1] is None
    assert await store.messages.get(bad.id) == bad
    assert (await store.messages.get(good.id)).content == "new"


async def test_a_save_is_done_although_nobody_waits_for_it_any_more(
    store: Store, session: Session
) -> None:
    (begun,) = await _begin(store, session, 1)
    saving = asyncio.create_task(store.messages.save(replace(begun, content="last words")))
    await asyncio.sleep(0)

    saving.cancel()
    await store.messages.finish()

    assert (await store.messages.get(begun.id)).content == "last words"


async def test_what_was_to_be_saved_is_saved_before_the_store_closes(url: str) -> None:
    async with Store.open(url) as store:
        agent = await store.agents.create(Agent(workspace_id=PERSONAL, name="x"))
        session = await store.sessions.create(
            Session(workspace_id=agent.workspace_id, agent_id=agent.id)
        )
        (begun,) = await _begin(store, session, 1)
        done = replace(begun, content="last words", status=Status.COMPLETE)
        saving = asyncio.create_task(store.messages.save(done))
        await asyncio.sleep(0)

    await saving
    async with Store.open(url) as store:
        assert await store.messages.get(begun.id) == done


async def test_parts_that_a_turn_began_with_are_not_written_again(
    store: Store, session: Session
) -> None:
    begun = replace(beginning(session.id), tool_runs=(SEARCH,), rounds=(FIRST_ROUND,))
    await store.messages.begin(None, begun)

    with _statements(store) as statements:
        await store.messages.save(replace(begun, content="more"))

    assert [each for each in statements if "tool_calls" in each or "rounds" in each] == []


async def test_all_is_saved_at_once_when_that_is_waited_for(
    store: Store, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    (begun,) = await _begin(store, session, 1)
    monkeypatch.setattr("groundwire.store.batch_writer.GATHER_SECONDS", 3_600)
    saving = asyncio.create_task(store.messages.save(replace(begun, content="half")))
    await asyncio.sleep(0)

    async with asyncio.timeout(PATIENCE):
        await store.messages.finish()
        await saving

    assert (await store.messages.get(begun.id)).content == "half"


async def test_nothing_is_remembered_of_answers_that_have_ended_or_are_gone(
    store: Store, session: Session
) -> None:
    other = await store.sessions.create(replace(session, id="other"))
    begun = [beginning(session.id), beginning(session.id), beginning(other.id)]
    for each in begun:
        await store.messages.begin(None, each)
    await store.messages.begin(None, replace(beginning(session.id), status=Status.COMPLETE))
    await store.sessions.delete(other.id)

    states = [
        replace(begun[0], content="half"),
        replace(begun[1], status=Status.COMPLETE),
        replace(begun[2], content="half"),
    ]
    await asyncio.gather(*map(store.messages.save, states), return_exceptions=True)

    writer = store.messages._writer
    assert (writer._saved, writer._tasks) == ({begun[0].id: states[0]}, set())


@pytest.mark.parametrize("url", ["sqlite"], indirect=True)
async def test_all_who_save_hear_that_the_disk_is_full(store: Store, session: Session) -> None:
    begun = await _begin(store, session, 3)
    full = text("PRAGMA max_page_count = 1")
    await store._database.write(lambda connection: connection.execute(full))

    with _statements(store) as statements:
        outcomes = await asyncio.gather(
            *(store.messages.save(replace(each, content="y" * 1_000_000)) for each in begun),
            return_exceptions=True,
        )

    assert [type(each) for each in outcomes] == [DiskFullError] * 3
    # Not one after the other: each would fail as well.
    assert len([each for each in statements if each.startswith("UPDATE messages")]) == 1


@pytest.mark.parametrize("url", ["sqlite"], indirect=True)
async def test_a_store_that_closes_does_not_wait_for_more_to_save(
    store: Store, session: Session, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("groundwire.store.batch_writer.GATHER_SECONDS", 3_600)
    async with Store.open(url) as other:
        (begun,) = await _begin(other, session, 1)
        saving = asyncio.create_task(other.messages.save(replace(begun, content="half")))
        await asyncio.sleep(0)

    kept = await store.messages.get(begun.id)
    saving.cancel()
    assert (kept.content, kept.status) == ("half", Status.INTERRUPTED)


async def test_what_is_saved_a_moment_later_is_in_the_same_transaction(
    store: Store, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("groundwire.store.batch_writer.GATHER_SECONDS", 3_600)
    first, second = await _begin(store, session, 2)

    with _statements(store) as statements:
        saving = [asyncio.create_task(store.messages.save(replace(first, content="first")))]
        for _ in range(50):  # More than enough to write, were nobody waited for.
            await asyncio.sleep(0)
        saving.append(asyncio.create_task(store.messages.save(replace(second, content="second"))))
        await asyncio.sleep(0)
        await store.messages.finish()
        await asyncio.gather(*saving)

    assert statements.count("COMMIT") == 1
    assert [each.content for each in await store.messages.history(session.id)] == [
        "first",
        "second",
    ]


def test_answers_gather_for_less_than_half_the_time_between_two_saves_of_one() -> None:
    assert 0 < GATHER_SECONDS < 0.25 / 2


@pytest.mark.parametrize("url", ["sqlite"], indirect=True)
async def test_of_an_answer_that_grows_only_what_is_new_of_it_is_written(
    store: Store, session: Session
) -> None:
    (begun,) = await _begin(store, session, 1)
    one = replace(begun, tool_runs=(SEARCH,))
    await store.messages.save(one)
    written: list[str] = []

    def note(*arguments: Any) -> None:
        if "tool_calls" in arguments[2]:
            written.append(str(arguments[3]))

    event.listen(store._database._writer.sync_engine, "before_cursor_execute", note)
    await store.messages.save(replace(one, tool_runs=(SEARCH, READ)))

    assert [("call-1" in each, "call-2" in each) for each in written] == [(False, True)]
    assert (await store.messages.get(begun.id)).tool_runs == (SEARCH, READ)
