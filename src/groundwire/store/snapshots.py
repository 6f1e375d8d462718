"""Pages as they were read for answers: who read what when, and each content once, packed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache, partial
from hashlib import sha256
from typing import Any

from sqlalchemy import Connection, Insert, Table, delete, func, select
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import AsyncConnection

from groundwire.checks.records import Snapshot
from groundwire.model import Fetched
from groundwire.store import tables
from groundwire.store.database import Database, saving
from groundwire.store.rows import Row
from groundwire.system.compression import pack, unpack

MAX_CONTENT_BYTES = 100_000_000
"""No content is larger; what claims to be is damaged."""

_SNAPSHOTS, _CONTENTS = tables.snapshots, tables.page_contents
_NAMES = ("message_id", "url", "asked_url", "title", "service", "purpose", "is_cut", "read_at")
# So many of the oldest go at a time until the rest is within the limit.
_REMOVED_AT_ONCE = 100
_ASKED_AT_ONCE = 500  # SQLite takes only so many parameters.


@dataclass(frozen=True, slots=True, kw_only=True)
class SnapshotSizes:
    """How much is kept: pages, distinct contents, their bytes, and what these take packed."""

    snapshots: int
    contents: int
    bytes: int
    packed_bytes: int


class Snapshots:
    """Keeps pages as they were read; all of them go with their message.

    A content that no snapshot refers to any more goes with the last that did, by a trigger.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    async def save(self, snapshots: Sequence[Snapshot]) -> None:
        """Keep pages; one that is kept already stays as it is.

        Raises:
            NotFoundError: The message is not kept, or not any more.
        """
        if snapshots:
            with saving():
                await self._database.write(partial(write_snapshots, snapshots=snapshots))

    async def of_message(self, message_id: str) -> tuple[Snapshot, ...]:
        """Return the pages that were read for an answer, by time."""
        order = (_SNAPSHOTS.c.read_at, _SNAPSHOTS.c.id)
        query = select(_SNAPSHOTS).where(_SNAPSHOTS.c.message_id == message_id).order_by(*order)
        async with self._database.read() as connection:
            rows = (await connection.execute(query)).mappings().all()
            wanted = {row[name] for row in rows for name in ("text_hash", "body_hash")}
            contents = await _contents(connection, wanted - {None})
        return tuple(_snapshot(row, contents) for row in rows)

    async def sizes(self) -> SnapshotSizes:
        """Return how much is kept."""
        kept = select(
            func.count(),
            func.coalesce(func.sum(_CONTENTS.c.size), 0),
            func.coalesce(func.sum(_CONTENTS.c.packed_size), 0),
        ).select_from(_CONTENTS)
        async with self._database.read() as connection:
            contents, size, packed = (await connection.execute(kept)).one()
            count = (
                await connection.execute(select(func.count()).select_from(_SNAPSHOTS))
            ).scalar_one()
        return SnapshotSizes(
            snapshots=count, contents=contents, bytes=int(size), packed_bytes=int(packed)
        )

    async def sweep(self, *, before: datetime | None = None, max_bytes: int = 0) -> None:
        """Remove what was read before a time, then the oldest until the rest is within a limit.

        0 is no limit.
        """
        if before is not None:
            old = delete(_SNAPSHOTS).where(_SNAPSHOTS.c.read_at < before)
            await self._database.write(lambda connection: connection.execute(old))
        while max_bytes and (await self.sizes()).packed_bytes > max_bytes:
            oldest = select(_SNAPSHOTS.c.id).order_by(_SNAPSHOTS.c.read_at).limit(_REMOVED_AT_ONCE)
            gone = delete(_SNAPSHOTS).where(_SNAPSHOTS.c.id.in_(oldest))
            done = await self._database.write(lambda connection: connection.execute(gone))  # noqa: B023 - awaited here
            if not done.rowcount:
                return


def write_snapshots(connection: Connection, snapshots: Iterable[Snapshot]) -> None:
    """Insert pages and the contents that are new, within somebody's transaction."""
    contents: dict[str, dict[str, Any]] = {}
    rows: dict[str, dict[str, Any]] = {}
    for each in snapshots:
        rows.setdefault(each.id, _row(each, contents))
    if rows:
        for table, values in ((_CONTENTS, contents), (_SNAPSHOTS, rows)):
            insert = _insert_new(connection.dialect.name, table)
            connection.execute(insert, [*values.values()])


async def texts(connection: AsyncConnection, hashes: Iterable[str]) -> dict[str, str]:
    """Return the kept texts among these, by hash."""
    found = await _contents(connection, set(hashes))
    return {key: _unpacked(row).decode("utf-8", "replace") for key, row in found.items()}


@cache
def _insert_new(dialect: str, table: Table) -> Insert:
    """Return the statement that inserts rows unless they are there."""
    made = (sqlite if dialect == "sqlite" else postgresql).insert(table)
    found: Insert = made.on_conflict_do_nothing()
    return found


def _row(snapshot: Snapshot, contents: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """Return the row of a page, and add what it refers to."""
    text, fetched = snapshot.text.encode("utf-8", "replace"), snapshot.fetched
    text_hash = sha256(text).hexdigest()
    if text_hash not in contents:
        contents[text_hash] = _content_row(text_hash, pack(text), len(text))
    if fetched is not None and fetched.body_hash not in contents:
        contents[fetched.body_hash] = _content_row(fetched.body_hash, fetched.packed, fetched.size)
    return {
        "id": snapshot.id,
        **{name: getattr(snapshot, name) for name in _NAMES},
        "about": dict(snapshot.about) or None,
        "status": fetched.status if fetched else None,
        "headers": dict(fetched.headers) if fetched else None,
        "text_hash": text_hash,
        "body_hash": fetched.body_hash if fetched else None,
    }


def _content_row(key: str, data: bytes, size: int) -> dict[str, Any]:
    return {"hash": key, "data": data, "size": size, "packed_size": len(data)}


def _snapshot(row: Row, contents: dict[str, Row]) -> Snapshot:
    text, body = contents.get(row["text_hash"]), contents.get(row["body_hash"])
    fetched = body and Fetched(
        status=row["status"],
        headers=row["headers"] or {},
        packed=body["data"],
        size=body["size"],
        body_hash=body["hash"],
    )
    return Snapshot(
        **{name: row[name] for name in _NAMES},
        about=row["about"] or {},
        text=_unpacked(text).decode("utf-8", "replace") if text else "",
        text_hash=row["text_hash"],
        fetched=fetched or None,
    )


def _unpacked(row: Row) -> bytes:
    return unpack(row["data"], MAX_CONTENT_BYTES)


async def _contents(connection: AsyncConnection, hashes: Iterable[str]) -> dict[str, Row]:
    found: dict[str, Row] = {}
    wanted = sorted(hashes)
    for start in range(0, len(wanted), _ASKED_AT_ONCE):
        some = wanted[start : start + _ASKED_AT_ONCE]
        query = select(_CONTENTS).where(_CONTENTS.c.hash.in_(some))
        rows = (await connection.execute(query)).mappings()
        found |= {row["hash"]: row for row in rows}
    return found
