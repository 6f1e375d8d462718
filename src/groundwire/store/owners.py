"""Which process is making an answer, and whether that process is still there."""

from __future__ import annotations

import math
import os
import socket
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from sqlalchemy import (
    ColumnElement,
    Connection,
    Double,
    delete,
    insert,
    select,
    text,
    type_coerce,
    update,
)

from groundwire.conversation import Status, now
from groundwire.store import tables
from groundwire.store.database import CONNECTED_AS, Database

_SQLITE_SECONDS = "(julianday('now') - 2440587.5) * 86400.0"
_POSTGRESQL_SECONDS = "extract(epoch FROM clock_timestamp())::double precision"
_CONNECTED = text(
    f"""SELECT id, {_POSTGRESQL_SECONDS} AS seen,
    extract(epoch FROM pg_postmaster_start_time())::double precision AS started,
    EXISTS (SELECT FROM pg_stat_activity WHERE application_name = '{CONNECTED_AS}' || owners.id)
    AS is_connected FROM owners"""  # noqa: S608 - words of our own
)
_ENDED = "the program ended before the tool did"

# A process may have several stores open, each of them an owner.
_HERE: set[str] = set()


class Owners:
    """This process among those that share the database.

    A process holds a lease by the database's clock and renews it. What a process without one was
    making is interrupted; should that process be alive after all, its next save sets it right.
    A process of this machine that does not exist any more needs no waiting for, nor does one that
    PostgreSQL had connections of and has none any more: those of a process that is killed are
    closed by its machine, those of one that is only slow or stopped for a while are not.
    """

    def __init__(self, database: Database, *, lease_seconds: float, renew_seconds: float) -> None:
        self.id = database.id
        self.lease_seconds = lease_seconds
        self._renew_seconds = renew_seconds
        self._database = database
        self._last_look = _Look()
        seconds = _SQLITE_SECONDS if database.is_sqlite else _POSTGRESQL_SECONDS
        self._now: ColumnElement[float] = type_coerce(text(seconds), Double)

    async def renew(self) -> tuple[str, ...]:
        """Hold the lease, interrupt the answers of those that hold none, and return their ids.

        Raises:
            StoreError: The database did not answer.
        """
        _HERE.add(self.id)
        look, interrupted = await self._database.write(self._renew)
        self._last_look = look
        return interrupted

    async def leave(self) -> None:
        """Give the lease up; what this process was making is interrupted.

        Raises:
            StoreError: The database did not answer.
        """
        _HERE.discard(self.id)

        def work(connection: Connection) -> None:
            connection.execute(delete(tables.owners).where(tables.owners.c.id == self.id))
            _interrupt(connection)

        await self._database.write(work)

    def _renew(self, connection: Connection) -> tuple[_Look, tuple[str, ...]]:
        owners = tables.owners
        lease = {"expires_at": self._now + self.lease_seconds}
        held = update(owners).where(owners.c.id == self.id).values(lease)
        if not connection.execute(held).rowcount:
            place = {"id": self.id, "machine": _machine(), "process": os.getpid()}
            connection.execute(insert(owners).values(**place, **lease))
        connection.execute(delete(owners).where(owners.c.expires_at <= self._now))
        neighbours = select(owners.c.id, owners.c.process).where(
            owners.c.machine == _machine(), owners.c.id != self.id
        )
        rows = connection.execute(neighbours)
        gone = [row.id for row in rows if _is_gone(row.id, row.process)]
        look = self._last_look if self._database.is_sqlite else self._last_look.next(connection)
        gone += look.gone(self._renew_seconds)
        if gone:
            connection.execute(delete(owners).where(owners.c.id.in_(gone)))
        return look, _interrupt(connection)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Look:
    """Which processes PostgreSQL has connections of, and since when it has none of others.

    Only one that was connected can be missed: another version may call its connections otherwise.
    After a start of PostgreSQL, `started`, nobody was. Both times are NaN before the first look.
    """

    started: float = math.nan
    seen: float = math.nan
    missed_since: Mapping[str, float] = field(default_factory=dict)

    def next(self, connection: Connection) -> _Look:
        """Look again, and remember of this look what the next one has to know."""
        rows = connection.execute(_CONNECTED).all()
        first, *_ = rows  # This process is one of them.
        started, now = first.started, first.seen
        before = self.missed_since if started == self.started else {}
        since = {
            row.id: math.inf if row.is_connected else min(before[row.id], now)
            for row in rows
            if row.is_connected or row.id in before
        }
        return _Look(started=started, seen=now, missed_since=since)

    def gone(self, seconds: float) -> list[str]:
        """Return those that had no connection for so long, in which they would have made one."""
        return [id_ for id_, since in self.missed_since.items() if self.seen - since >= seconds]


def _interrupt(connection: Connection) -> tuple[str, ...]:
    messages, calls = tables.messages, tables.tool_calls
    orphaned = messages.c.owner.is_not(None) & messages.c.owner.not_in(select(tables.owners.c.id))
    ended = (
        update(messages)
        .where(orphaned)
        .values(status=Status.INTERRUPTED, owner=None, updated_at=now())
        .returning(messages.c.id)
    )
    ids = tuple(connection.execute(ended).scalars())
    if ids:
        running = calls.c.message_id.in_(ids) & (calls.c.status == "running")
        connection.execute(update(calls).where(running).values(status="failed", error=_ENDED))
    return ids


def _machine() -> str:
    """Return a name for where process ids mean the same processes."""
    namespace = Path("/proc/self/ns/pid")
    return f"{socket.gethostname()} {namespace.readlink() if namespace.is_symlink() else ''}"


def _is_gone(owner: str, process: int) -> bool:
    # A container begins again with the same number.
    if process == os.getpid():
        return owner not in _HERE
    # Elsewhere the question would itself be a signal; there the lease alone tells.
    if os.name != "posix":
        return False
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return True
    except PermissionError:
        pass  # It is there, and somebody else's.
    return False
