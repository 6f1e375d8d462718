"""Messages with their attachments, tool runs and rounds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import ColumnElement, Connection, bindparam, select, update
from sqlalchemy import insert as insert_into

from groundwire.conversation import ChatMessage, Status, now
from groundwire.errors import ConflictError
from groundwire.model import Attachment
from groundwire.store import tables
from groundwire.store.batch_writer import BatchWriter, part_rows
from groundwire.store.database import Database
from groundwire.store.message_parts import parts_query, read_parts
from groundwire.store.repository import missing
from groundwire.store.rows import (
    ATTACHMENTS,
    PARTS,
    TOOL_RUNS,
    MessagePart,
    message_of,
    message_row,
)

_MESSAGES = tables.messages
# Made once: to make a statement, and to find what it was compiled to, costs more than a row.
_INSERT = insert_into(_MESSAGES)
_IN_SESSION = _MESSAGES.c.session_id == bindparam("session")
_IS_SENT = _IN_SESSION & (_MESSAGES.c.client_id == bindparam("client"))
_SENT = select(_MESSAGES.c.id).where(_IS_SENT)
_COUNT = (
    update(tables.sessions)
    .where(tables.sessions.c.id == bindparam("key"))
    .values(
        last_sequence=tables.sessions.c.last_sequence + bindparam("more"),
        updated_at=bindparam("moment"),
    )
    .returning(tables.sessions.c.last_sequence)
)


class _Query:
    """Messages of a condition, in order, with some of their parts; a light one shows them."""

    def __init__(
        self,
        condition: ColumnElement[bool],
        parts: tuple[MessagePart, ...] = PARTS,
        *,
        is_light: bool = False,
    ) -> None:
        ids = select(_MESSAGES.c.id).where(condition)
        self.messages = select(_MESSAGES).where(condition).order_by(_MESSAGES.c.sequence)
        self.parts = parts_query(parts, ids, is_light=is_light)
        self.fields = tuple(part.field for part in parts)
        self.is_light = is_light


_GET = _Query(_MESSAGES.c.id == bindparam("key"))
_BY_CLIENT_ID = _Query(_IS_SENT)
_HISTORY = _Query(_IN_SESSION)
_SHOWN = _Query(_IN_SESSION, (TOOL_RUNS, ATTACHMENTS), is_light=True)


class Messages:
    """Keeps messages in the order in which they were added to their session."""

    def __init__(self, database: Database, owner: str) -> None:
        self._database = database
        self._owner = owner
        self._writer = BatchWriter(database, owner)

    async def add(self, message: ChatMessage) -> ChatMessage:
        """Keep a new message, and return it; its session becomes the newest.

        When the session has a message with this `client_id`, that one is returned as it is kept.

        Raises:
            NotFoundError: There is no such session.
            ConflictError: A message has this id.
        """
        earlier = await self._database.write(lambda connection: self._add(connection, message))
        return message if earlier is None else await self.get(earlier)

    async def begin(self, question: ChatMessage | None, answer: ChatMessage) -> None:
        """Keep what begins a turn, both or neither; without a question, the answer alone.

        Raises:
            NotFoundError: There is no such session.
            ConflictError: The question, or this wish for another answer, was sent before.
        """
        both = [answer] if question is None else [question, answer]

        def work(connection: Connection) -> None:
            last = self._count(connection, answer.session_id, len(both))
            first = last - len(both) + 1
            rows = [
                {**message_row(each, self._owner), "sequence": number}
                for number, each in enumerate(both, first)
            ]
            # A second message with this client_id in its session is refused by the database.
            connection.execute(_INSERT, rows)
            _insert_parts(connection, both)

        try:
            await self._database.write(work)
        except ConflictError:
            earlier = await self._sent_before(question or answer)
            if not earlier:
                raise
            raise ConflictError(f"this message was sent before, as {earlier!r}") from None
        self._writer.began(answer)

    async def save(self, message: ChatMessage) -> None:
        """Replace what is kept of a message; doing it twice is doing it once.

        Raises:
            NotFoundError: It is not kept, or not any more.
            StoreError: It could not be saved; what was kept is as it was.
        """
        await self._writer.save(message)

    async def claim(self, key: str, decisions: Mapping[str, bool]) -> bool:
        """Claim an answer that awaits an approval, and keep what was decided of its calls.

        False if another request did.
        """
        waiting = (_MESSAGES.c.id == key) & (_MESSAGES.c.status == Status.AWAITING_APPROVAL)
        values = {"status": Status.STREAMING, "owner": self._owner, "updated_at": now()}

        def work(connection: Connection) -> bool:
            done = connection.execute(update(_MESSAGES).where(waiting).values(values))
            if done.rowcount:
                _decide(connection, key, decisions)
            return bool(done.rowcount)

        return await self._database.write(work)

    async def get(self, key: str) -> ChatMessage:
        """Return a message with all of its parts.

        Raises:
            NotFoundError: There is none.
        """
        found = await self._first(_GET, key=key)
        if found is None:
            raise missing("message", key)
        return found

    async def by_client_id(self, session_id: str, client_id: str) -> ChatMessage | None:
        """Return the message that its sender gave this id, None if there is none."""
        return await self._first(_BY_CLIENT_ID, session=session_id, client=client_id)

    async def history(self, session_id: str) -> tuple[ChatMessage, ...]:
        """Return the messages of a session in order, whole."""
        return await self._read(_HISTORY, session=session_id)

    async def shown(self, session_id: str) -> tuple[ChatMessage, ...]:
        """Return the messages of a session in order, as a page shows them.

        Without rounds, without the data of attachments and the outputs of tools, and of an answer
        that has its markers without what its turn would go on with.
        """
        return await self._read(_SHOWN, session=session_id)

    async def attachment(self, key: str, position: int) -> Attachment:
        """Return one attachment of a message with its data, the first being 0.

        Raises:
            NotFoundError: There is none.
        """
        table = tables.attachments
        place = (table.c.message_id == key) & (table.c.position == position)
        async with self._database.read() as connection:
            row = (await connection.execute(select(table).where(place))).mappings().first()
        if row is None:
            raise missing("attachment", f"{position} of {key}")
        attachment: Attachment = ATTACHMENTS.noun(row)
        return attachment

    async def finish(self) -> None:
        """Wait until everything is saved that was asked for."""
        await self._writer.finish()

    async def _sent_before(self, message: ChatMessage) -> str | None:
        values = {"session": message.session_id, "client": message.client_id}
        async with self._database.read() as connection:
            found: str | None = (await connection.execute(_SENT, values)).scalar()
        return found

    def _count(self, connection: Connection, session_id: str, more: int) -> int:
        """Count messages that are about to be added, and return the number of the last one.

        It holds the session, so that two senders of one client_id come one after the other.
        """
        values = {"key": session_id, "more": more, "moment": now()}
        last: int | None = connection.execute(_COUNT, values).scalar()
        if last is None:
            raise missing("session", session_id)
        return last

    def _add(self, connection: Connection, message: ChatMessage) -> str | None:
        sequence = self._count(connection, message.session_id, 1)
        if message.client_id is not None:
            values = {"session": message.session_id, "client": message.client_id}
            if earlier := connection.execute(_SENT, values).scalar():
                return str(earlier)
        row = {**message_row(message, self._owner), "sequence": sequence}
        connection.execute(_INSERT, row)
        _insert_parts(connection, [message])
        return None

    async def _first(self, query: _Query, **values: str) -> ChatMessage | None:
        return next(iter(await self._read(query, **values)), None)

    async def _read(self, query: _Query, **values: str) -> tuple[ChatMessage, ...]:
        async with self._database.read() as connection:
            rows = (await connection.execute(query.messages, values)).mappings().all()
            found = await read_parts(connection, query.parts, values) if rows else {}
        return tuple(
            message_of(row, _of(query, found.get(row["id"], {})), is_light=query.is_light)
            for row in rows
        )


def _of(query: _Query, found: Mapping[str, Sequence[Any]]) -> dict[str, tuple[Any, ...]]:
    return {field: tuple(found.get(field, ())) for field in query.fields}


def _decide(connection: Connection, key: str, decisions: Mapping[str, bool]) -> None:
    calls = tables.tool_calls
    waiting = (calls.c.message_id == key) & (calls.c.status == "waiting")
    for call, is_approved in decisions.items():
        status = "running" if is_approved else "declined"
        connection.execute(
            update(calls).where(waiting & (calls.c.id == call)).values(status=status)
        )


def _insert_parts(connection: Connection, messages: Sequence[ChatMessage]) -> None:
    for part in PARTS:
        rows = [
            row for each in messages for row in part_rows(part, each.id, getattr(each, part.field))
        ]
        if rows:
            connection.execute(insert_into(part.table), rows)
