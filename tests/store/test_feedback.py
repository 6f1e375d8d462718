"""What people say of answers is kept with the message, and goes with it."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from groundwire.conversation import Feedback, Session
from groundwire.errors import NotFoundError
from groundwire.store import Store
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
