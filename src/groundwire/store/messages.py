"""Messages with their attachments, tool runs and rounds."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from sqlalchemy import ColumnElement, Select, literal, select, update
from sqlalchemy import insert as insert_into
from sqlalchemy.ext.asyncio import AsyncConnection

from groundwire.conversation import ChatMessage, Status, now
from groundwire.errors import ConflictError
from groundwire.model import Attachment
from groundwire.store import tables
from groundwire.store.batch_writer import BatchWriter, part_rows, write_part
from groundwire.store.columns import TextColumn
from groundwire.store.database import Database
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
# Large, and not needed to show a message.
_LARGE = {"base64_data", "output"}


class Messages:
    """Keeps messages in the order in which they were added to their session."""

    def __init__(self, database: Database, owner: str) -> None:
        self._database = database
        self._owner = owner
        self._saver = BatchWriter(database, owner)

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
            ConflictError: The question was sent before.
        """

        async def work(connection: AsyncConnection) -> None:
            earlier = question and await self._add(connection, question)
            if earlier:
                raise ConflictError(f"this message was sent before, as {earlier!r}")
            await self._add(connection, answer)

        await self._database.write(work)

    async def save(self, message: ChatMessage) -> None:
        """Replace what is kept of a message; doing it twice is doing it once.

        Raises:
            NotFoundError: It is not kept, or not any more.
            StoreError: It could not be saved; what was kept is as it was.
        """
        await self._saver.save(message)

    async def claim(self, key: str) -> bool:
        """Claim an answer that awaits an approval; False if another request did."""
        waiting = (_MESSAGES.c.id == key) & (_MESSAGES.c.status == Status.AWAITING_APPROVAL)
        values = {"status": Status.STREAMING, "owner": self._owner, "updated_at": now()}

        async def work(connection: AsyncConnection) -> bool:
            done = await connection.execute(update(_MESSAGES).where(waiting).values(values))
            return bool(done.rowcount)

        return await self._database.write(work)

    async def get(self, key: str) -> ChatMessage:
        """Return a message with all of its parts.

        Raises:
            NotFoundError: There is none.
        """
        found = await self._read(_MESSAGES.c.id == key)
        if not found:
            raise missing("message", key)
        return found[0]

    async def by_client_id(self, session_id: str, client_id: str) -> ChatMessage | None:
        """Return the message that its sender gave this id, None if there is none."""
        found = await self._read(
            (_MESSAGES.c.session_id == session_id) & (_MESSAGES.c.client_id == client_id)
        )
        return found[0] if found else None

    async def history(self, session_id: str) -> tuple[ChatMessage, ...]:
        """Return the messages of a session in order, whole."""
        return await self._read(_MESSAGES.c.session_id == session_id)

    async def shown(self, session_id: str) -> tuple[ChatMessage, ...]:
        """Return the messages of a session in order, as a page shows them.

        Without rounds, without the data of attachments and the outputs of tools, and of an answer
        that has its markers without what its turn would go on with.
        """
        return await self._read(
            _MESSAGES.c.session_id == session_id, parts=(TOOL_RUNS, ATTACHMENTS), is_light=True
        )

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
        await self._saver.finish()

    async def _add(self, connection: AsyncConnection, message: ChatMessage) -> str | None:
        sessions = tables.sessions
        # Holds the session, so that two senders of one client_id come one after the other.
        counted = (
            update(sessions)
            .where(sessions.c.id == message.session_id)
            .values(last_sequence=sessions.c.last_sequence + 1, updated_at=now())
            .returning(sessions.c.last_sequence)
        )
        sequence = (await connection.execute(counted)).scalar()
        if sequence is None:
            raise missing("session", message.session_id)
        if message.client_id is not None:
            same = select(_MESSAGES.c.id).where(
                _MESSAGES.c.session_id == message.session_id,
                _MESSAGES.c.client_id == message.client_id,
            )
            if earlier := (await connection.execute(same)).scalar():
                return str(earlier)
        row = {**message_row(message, self._owner), "sequence": sequence}
        await connection.execute(insert_into(_MESSAGES), row)
        for part in PARTS:
            rows = part_rows(part, message.id, getattr(message, part.field))
            await write_part(connection, part.table, rows)
        return None

    async def _read(
        self,
        condition: ColumnElement[bool],
        *,
        parts: tuple[MessagePart, ...] = PARTS,
        is_light: bool = False,
    ) -> tuple[ChatMessage, ...]:
        ids = select(_MESSAGES.c.id).where(condition)
        query = select(_MESSAGES).where(condition).order_by(_MESSAGES.c.sequence)
        async with self._database.read() as connection:
            rows = (await connection.execute(query)).mappings().all()
            found = {
                part.field: await _parts(connection, part, ids, is_light=is_light) for part in parts
            }
        return tuple(
            message_of(
                row,
                {name: tuple(of[row["id"]]) for name, of in found.items()},
                is_light=is_light,
            )
            for row in rows
        )


async def _parts(
    connection: AsyncConnection, part: MessagePart, ids: Select[Any], *, is_light: bool
) -> Mapping[str, list[Any]]:
    table = part.table
    columns = [
        literal("", TextColumn).label(column.name) if is_light and column.name in _LARGE else column
        for column in table.columns
    ]
    query = select(*columns).where(table.c.message_id.in_(ids)).order_by(table.c.position)
    found: defaultdict[str, list[Any]] = defaultdict(list)
    for row in (await connection.execute(query)).mappings():
        found[row["message_id"]].append(part.noun(row))
    return found
