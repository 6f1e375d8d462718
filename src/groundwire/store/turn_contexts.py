"""What a turn rests on, in one query: agent, workspace, session and all providers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from sqlalchemy import Table, bindparam, select, true

from groundwire.conversation import Agent, ProviderRecord, Session, Workspace
from groundwire.store import tables
from groundwire.store.database import Database
from groundwire.store.repository import missing
from groundwire.store.rows import Row, noun_of

T = TypeVar("T")

_TABLES = (tables.agents, tables.workspaces, tables.sessions, tables.providers)


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnContext:
    """An agent, its workspace, and who could answer; `session` is None if none was named."""

    agent: Agent
    workspace: Workspace
    providers: tuple[ProviderRecord, ...]
    session: Session | None = None


class TurnContexts:
    """Reads what a turn rests on."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def get(self, agent_id: str, session_id: str) -> TurnContext:
        """Return an agent with its workspace, all providers oldest first, and a session.

        A session of "" is none.

        Raises:
            NotFoundError: There is no such agent or session.
        """
        async with self._database.read() as connection:
            values = {"agent": agent_id, "session": session_id}
            rows = (await connection.execute(_QUERY, values)).mappings().all()
        if not rows:
            raise missing("agent", agent_id)
        session = _noun(Session, tables.sessions, rows[0])
        if session_id and session is None:
            raise missing("session", session_id)
        return TurnContext(
            agent=noun_of(Agent, _columns(tables.agents, rows[0])),
            workspace=noun_of(Workspace, _columns(tables.workspaces, rows[0])),
            providers=tuple(
                each for row in rows if (each := _noun(ProviderRecord, tables.providers, row))
            ),
            session=session,
        )


def _name(table: Table, column: str) -> str:
    return f"{table.name}_{column}"


def _columns(table: Table, row: Row) -> dict[str, Any]:
    return {column.name: row[_name(table, column.name)] for column in table.columns}


def _noun(kind: Callable[..., T], table: Table, row: Row) -> T | None:
    """Return the noun of a row's part, None where there is none."""
    columns = _columns(table, row)
    return None if columns["id"] is None else noun_of(kind, columns)


_QUERY = (
    select(*(each.label(_name(table, each.name)) for table in _TABLES for each in table.columns))
    .select_from(
        tables.agents.join(
            tables.workspaces, tables.agents.c.workspace_id == tables.workspaces.c.id
        )
        .outerjoin(tables.sessions, tables.sessions.c.id == bindparam("session"))
        .outerjoin(tables.providers, true())
    )
    .where(tables.agents.c.id == bindparam("agent"))
    .order_by(tables.providers.c.created_at, tables.providers.c.id)
)
