"""What people say of answers is kept with the message, and goes with it."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from groundwire.conversation import Agent, Feedback, Session
from groundwire.errors import NotFoundError
from groundwire.store import PERSONAL, Store
from tests.store.examples import beginning

WHEN = datetime(2026, 11, 17, 8, 30, tzinfo=UTC)


async def test_feedback_is_kept_replaced_and_taken_back(store: Store, session: Session) -> None:
    message = await store.messages.add(beginning(session.id))
    first = Feedback(message_id=message.id, rating="up", updated_at=WHEN)
    second = Feedback(message_id=message.id, rating="down", note="No dates.", updated_at=WHEN)

    await store.feedback.save(first)
    assert await store.feedback.of_session(session.id) == {message.id: first}
    await store.feedback.save(second)
    assert await store.feedback.of_session(session.id) == {message.id: second}
    await store.feedback.save(Feedback(message_id=message.id))
    assert await store.feedback.of_session(session.id) == {}


async def test_feedback_goes_with_its_session(store: Store, session: Session) -> None:
    message = await store.messages.add(beginning(session.id))
    await store.feedback.save(Feedback(message_id=message.id, rating="up"))

    await store.sessions.delete(session.id)

    assert await store.feedback.of_session(session.id) == {}


async def test_feedback_on_what_is_not_kept_is_refused(store: Store, session: Session) -> None:
    del session

    with pytest.raises(NotFoundError):
        await store.feedback.save(Feedback(message_id="nobody", rating="up"))


@pytest.mark.parametrize(
    ("rating", "note", "is_kept"),
    [("up", "", True), ("", "No dates.", True), ("down", "No dates.", True), ("", "", False)],
)
async def test_a_thumb_or_a_note_is_enough(
    store: Store, agent: Agent, session: Session, rating: str, note: str, is_kept: bool
) -> None:
    mine, other = [await store.messages.add(beginning(session.id)) for _ in range(2)]
    elsewhere = await store.sessions.create(Session(workspace_id=PERSONAL, agent_id=agent.id))
    theirs = await store.messages.add(beginning(elsewhere.id))
    first = [
        Feedback(message_id=each.id, rating="up", updated_at=WHEN) for each in (mine, other, theirs)
    ]
    for each in first:
        await store.feedback.save(each)

    given = Feedback(message_id=mine.id, rating=rating, note=note, updated_at=WHEN)
    await store.feedback.save(given)

    kept = {mine.id: given} if is_kept else {}
    assert await store.feedback.of_session(session.id) == {**kept, other.id: first[1]}
    assert await store.feedback.of_session(elsewhere.id) == {theirs.id: first[2]}
