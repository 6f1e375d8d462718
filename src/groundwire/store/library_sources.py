"""The sources of workspaces' libraries; one server at a time reads each of them."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from datetime import timedelta

from sqlalchemy import ColumnElement, and_, case, literal, or_, select, update

from groundwire.conversation import now
from groundwire.errors import ConflictError
from groundwire.store import tables
from groundwire.store.database import Database
from groundwire.store.library_tables import library_sources
from groundwire.store.repository import Repository
from groundwire.store.source_records import LibrarySource, SourceKind, SourceState

_SOURCES = library_sources.c


class LibrarySources(Repository[LibrarySource]):
    """Keeps sources. Whoever has claimed one holds it as long as its store is open."""

    table = library_sources
    kind = LibrarySource
    what = "source"

    def __init__(self, database: Database, owner: str) -> None:
        super().__init__(database)
        self._owner = owner

    async def create(self, source: LibrarySource) -> LibrarySource:
        """Keep a new source.

        Raises:
            ConflictError: The workspace has it already.
            NotFoundError: There is no such workspace.
        """
        if await self.at(source.workspace_id, source.kind, source.location):
            raise ConflictError(f"the library has {source.location or 'uploads'} already")
        return await self._insert(source)

    async def list(self, workspace_id: str) -> tuple[LibrarySource, ...]:
        """Return the sources of a workspace, oldest first."""
        return await self._select(_SOURCES.workspace_id == workspace_id, order=_SOURCES.created_at)

    async def at(self, workspace_id: str, kind: SourceKind, location: str) -> LibrarySource | None:
        """Return the source of a workspace that is there, None without one."""
        return await self._first(
            _SOURCES.workspace_id == workspace_id,
            _SOURCES.kind == kind,
            _SOURCES.location == location,
        )

    async def want(self, key: str) -> None:
        """Have a source read as soon as somebody can, also where it is being read."""
        statement = update(self.table).where(_SOURCES.id == key)
        waiting = statement.where(_SOURCES.state != SourceState.WORKING)
        # Who is at it looks again when it is done: what came meanwhile may have been missed.
        if not await self._execute(waiting.values(state=SourceState.WAITING, error="")):
            await self._execute(statement.values(due_at=now()))

    async def schedule(self, key: str, refresh_hours: int) -> None:
        """Have a source read every so many hours; 0 is never."""
        due = now() + timedelta(hours=refresh_hours) if refresh_hours else None
        values = {"refresh_hours": refresh_hours, "due_at": due}
        await self._execute(update(self.table).where(_SOURCES.id == key).values(values))

    async def claim(self, busy: Collection[str] = ()) -> LibrarySource | None:
        """Take the source that has waited longest, or whose reader is gone; None if none waits.

        `busy` are those that this process reads already.
        """
        held = select(tables.owners.c.id).where(tables.owners.c.id != self._owner)
        is_left = and_(
            _SOURCES.state == SourceState.WORKING,
            or_(_SOURCES.owner.is_(None), _SOURCES.owner.not_in(held)),
            _SOURCES.id.not_in(busy),
        )
        is_due = and_(_SOURCES.state != SourceState.WORKING, _SOURCES.due_at <= now())
        wanted: ColumnElement[bool] = or_(_SOURCES.state == SourceState.WAITING, is_due, is_left)
        # What a person just added first: databases do not agree where to put what is never due.
        order = _SOURCES.due_at.nulls_first()
        for source in await self._select(wanted, order=order, limit=10):
            # Asked again where it is taken: another server may have been faster.
            taken = update(self.table).where(_SOURCES.id == source.id, wanted)
            values = {"state": SourceState.WORKING, "owner": self._owner, "done": 0, "total": 0}
            due = now() + timedelta(hours=source.refresh_hours) if source.refresh_hours else None
            if await self._execute(taken.values(**values, due_at=due)):
                return replace(source, state=SourceState.WORKING, due_at=due, done=0, total=0)
        return None

    async def progress(self, key: str, done: int, total: int) -> bool:
        """Note how far reading is; tell whether the source is still wanted."""
        mine = and_(_SOURCES.id == key, _SOURCES.owner == self._owner)
        values = {"done": done, "total": total}
        return bool(await self._execute(update(self.table).where(mine).values(values)))

    async def finish(self, source: LibrarySource) -> bool:
        """Keep what reading a source came to; tell whether the source is still there.

        One that was wanted while it was read waits again, and does not seem to be ready.
        """
        kind = _SOURCES.state.type
        waiting, ended = literal(SourceState.WAITING, kind), literal(source.state, kind)
        values = {
            "address": source.address,
            "state": case((_SOURCES.due_at <= now(), waiting), else_=ended),
            "owner": None,
            "done": source.done,
            "total": source.total,
            "counts": source.counts,
            "failures": source.failures,
            "error": source.error,
            "finished_at": now(),
        }
        here = update(self.table).where(_SOURCES.id == source.id)
        return bool(await self._execute(here.values(values)))
