"""Save growing answers in batches: many turns share one transaction."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from sqlalchemy import Connection, bindparam, delete, select, update

from groundwire.conversation import ChatMessage, Status
from groundwire.errors import DiskFullError, StoreError, StoreUnavailableError
from groundwire.store import tables
from groundwire.store.database import Database, saving
from groundwire.store.repository import missing, upsert
from groundwire.store.rows import FIXED, PARTS, MessagePart, message_row

_Outcome = Mapping[str, StoreError]
_MESSAGE_ID = tables.messages.c.id
# Made once: to make a statement, and to find what it was compiled to, costs more than a row.
_UPDATE = update(tables.messages).where(tables.messages.c.id == bindparam("key"))


# How long answers in the making gather for one transaction. Each costs some trips to another
# thread, which is more than a row does.
GATHER_SECONDS = 0.1


@dataclass(slots=True, eq=False)
class _Batch:
    """The newest state of each message that waits, and the transaction that will save them.

    It is `urgent` once it has an answer that is finished, whose turn waits for it.
    """

    messages: dict[str, ChatMessage] = field(default_factory=dict)
    urgent: asyncio.Event = field(default_factory=asyncio.Event)


class BatchWriter:
    """Replaces messages by their newest state.

    While one transaction runs, and for a moment after, those that want to save gather for the
    next one, so two hundred turns that save four times a second need few transactions. An answer
    that has ended does not wait for that moment. Of a message in the making only those parts are
    written that changed since this process last did.
    """

    def __init__(self, database: Database, owner: str) -> None:
        self._database = database
        self._owner = owner
        self._writing = asyncio.Lock()
        self._next: tuple[_Batch, asyncio.Task[_Outcome]] | None = None
        self._tasks: set[asyncio.Task[_Outcome]] = set()
        self._saved: dict[str, ChatMessage] = {}

    def began(self, message: ChatMessage) -> None:
        """Note how a message that will be saved stands in the database now."""
        if message.status is Status.STREAMING:
            self._saved[message.id] = message

    async def save(self, message: ChatMessage) -> None:
        """Replace what is kept of a message; saving it twice is saving it once.

        Raises:
            NotFoundError: It is not kept, or not any more.
            StoreError: It could not be saved; what was kept is as it was.
        """
        if self._next is None:
            batch = _Batch()
            task = asyncio.create_task(self._run(batch))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
            self._next = batch, task
        batch, task = self._next
        batch.messages[message.id] = message
        if message.status is not Status.STREAMING:
            batch.urgent.set()
        outcome = await asyncio.shield(task)
        if message.id in outcome:
            raise outcome[message.id]

    async def finish(self) -> None:
        """Wait until everything is saved that was asked for."""
        if self._next is not None:
            self._next[0].urgent.set()
        if self._tasks:
            await asyncio.wait(self._tasks)

    async def _run(self, batch: _Batch) -> _Outcome:
        async with self._writing:
            with suppress(TimeoutError):
                await asyncio.wait_for(batch.urgent.wait(), GATHER_SECONDS)
            self._next = None
            return await self._save(list(batch.messages.values()))

    async def _save(self, messages: list[ChatMessage]) -> _Outcome:
        try:
            with saving():
                gone = await self._database.write(partial(self._write, messages))
        except (DiskFullError, StoreUnavailableError) as error:
            return {message.id: error for message in messages}
        except StoreError as error:
            # One of them is at fault, and the others shall not pay for it.
            if len(messages) == 1:
                return {messages[0].id: error}
            return {
                key: fault for one in messages for key, fault in (await self._save([one])).items()
            }
        for message in messages:
            if message.status == Status.STREAMING and message.id not in gone:
                self._saved[message.id] = message
            else:
                self._saved.pop(message.id, None)
        return {key: missing("message", key) for key in gone}

    def _write(self, messages: list[ChatMessage], connection: Connection) -> frozenset[str]:
        rows = [{"key": each.id, **message_row(each, self._owner)} for each in messages]
        for row in rows:
            for name in FIXED:
                del row[name]
        done = connection.execute(_UPDATE, rows)
        gone: frozenset[str] = frozenset()
        # PostgreSQL's driver does not count the rows of several.
        if done.rowcount != len(messages):
            ids = [message.id for message in messages]
            kept = connection.execute(select(_MESSAGE_ID).where(_MESSAGE_ID.in_(ids)))
            gone = frozenset(ids) - frozenset(kept.scalars())
            messages = [message for message in messages if message.id not in gone]
        for part in PARTS:
            self._write_part(connection, part, messages)
        return gone

    def _write_part(
        self, connection: Connection, part: MessagePart, messages: list[ChatMessage]
    ) -> None:
        rows: list[dict[str, Any]] = []
        surplus: list[dict[str, Any]] = []
        for message in messages:
            now = getattr(message, part.field)
            saved = self._saved.get(message.id)
            before = None if saved is None else getattr(saved, part.field)
            if now is before:
                continue
            rows += part_rows(part, message.id, now, before or ())
            if before is None or len(before) > len(now):
                surplus.append({"key": message.id, "count": len(now)})
        if rows:
            connection.execute(upsert(connection.dialect.name, part.table), rows)
        if surplus:
            columns = part.table.c
            beyond = (columns.message_id == bindparam("key")) & (
                columns.position >= bindparam("count")
            )
            connection.execute(delete(part.table).where(beyond), surplus)


def part_rows(
    part: MessagePart, key: str, now: Iterable[Any], before: tuple[Any, ...] = ()
) -> list[dict[str, Any]]:
    """Return the rows of a message's parts that are not as they were before."""
    return [
        {"message_id": key, "position": position, **part.row(each)}
        for position, each in enumerate(now)
        if position >= len(before) or each is not before[position]
    ]
