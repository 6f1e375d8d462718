"""What people said of answers: a thumb and a note, kept with the message."""

from __future__ import annotations

from collections.abc import Mapping

from sqlalchemy import Connection, delete, select

from groundwire.conversation import Feedback
from groundwire.store import tables
from groundwire.store.database import Database, saving
from groundwire.store.repository import upsert
from groundwire.store.rows import columns_of, noun_of

_FEEDBACK, _MESSAGES = tables.feedback, tables.messages


class Feedbacks:
    """Keeps one feedback for each answer; it goes with the message."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def save(self, feedback: Feedback) -> None:
        """Keep a feedback in place of the one before; an empty one is forgotten.

        Raises:
            NotFoundError: The message is not kept, or not any more.
        """

        def work(connection: Connection) -> None:
            if not feedback.rating and not feedback.note:
                place = _FEEDBACK.c.message_id == feedback.message_id
                connection.execute(delete(_FEEDBACK).where(place))
            else:
                row = columns_of(feedback, _FEEDBACK)
                connection.execute(upsert(connection.dialect.name, _FEEDBACK), row)

        with saving():
            await self._database.write(work)

    async def of_session(self, session_id: str) -> Mapping[str, Feedback]:
        """Return what was said of a session's answers, by message."""
        ids = select(_MESSAGES.c.id).where(_MESSAGES.c.session_id == session_id)
        query = select(_FEEDBACK).where(_FEEDBACK.c.message_id.in_(ids))
        async with self._database.read() as connection:
            rows = (await connection.execute(query)).mappings().all()
        return {row["message_id"]: noun_of(Feedback, row) for row in rows}
