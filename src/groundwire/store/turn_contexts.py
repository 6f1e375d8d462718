"""What a turn rests on: in one query agent, workspace, session and all providers; its messages."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from sqlalchemy import Table, bindparam, select, true

from groundwire.conversation import (
    Agent,
    ChatMessage,
    MessageKind,
    ProviderRecord,
    Session,
    Workspace,
)
from groundwire.errors import NotFoundError
from groundwire.store import tables
from groundwire.store.database import Database
from groundwire.store.repository import missing
from groundwire.store.rows import Row, noun_of

T = TypeVar("T")

_TABLES = (tables.agents, tables.workspaces, tables.sessions, tables.providers)


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnContext:
    """An agent, its workspace, and who could answer; `session` is None if none was named.

    `messages` are those of the session, whole, where somebody has read them.
    """

    agent: Agent
    workspace: Workspace
    providers: tuple[ProviderRecord, ...] = ()
    session: Session | None = None
    messages: tuple[ChatMessage, ...] = ()

    def branch(self, parent: str | None) -> tuple[ChatMessage, ...]:
        """Return the messages that lead to one of them, oldest first; edits and retries branch.

        A parent of "" is the newest message, None is none.

        Raises:
            NotFoundError: There is no such message in the session.
        """
        by_id = {message.id: message for message in self.messages}
        if parent and parent not in by_id:
            raise NotFoundError(f"there is no message {parent!r} in this session")
        at = self.messages[-1].id if parent == "" and self.messages else parent
        found: list[ChatMessage] = []
        # Each once, should one lead back to itself.
        while (message := by_id.pop(at or "", None)) is not None:
            found.append(message)
            at = message.parent_id
        return tuple(reversed(found))


def answer_sent_as(messages: Sequence[ChatMessage], client_id: str) -> ChatMessage | None:
    """Return the answer that a sender's request with this id began, None without one.

    A retry's answer has its id; another answer is the first to the message that has it.
    """
    sent = next((each for each in messages if each.client_id == client_id), None)
    if sent is None or sent.kind is MessageKind.AI_RESPONSE:
        return sent
    return next(
        (
            each
            for each in messages
            if each.parent_id == sent.id and each.kind is MessageKind.AI_RESPONSE
        ),
        None,
    )


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
        first, *_ = rows  # They differ in the provider alone.
        session = _noun(Session, tables.sessions, first)
        if session_id and session is None:
            raise missing("session", session_id)
        return TurnContext(
            agent=noun_of(Agent, _columns(tables.agents, first)),
            workspace=noun_of(Workspace, _columns(tables.workspaces, first)),
            providers=tuple(
                each for row in rows if (each := _noun(ProviderRecord, tables.providers, row))
            ),
            session=session,
        )


def _columns(table: Table, row: Row) -> dict[str, Any]:
    return {name: row[label] for name, label in _LABELS[table.name].items()}


def _noun(kind: Callable[..., T], table: Table, row: Row) -> T | None:
    """Return the noun of a row's part, None where there is none."""
    columns = _columns(table, row)
    return None if columns["id"] is None else noun_of(kind, columns)


# Four tables have an `id`: in a row, each column has its table's name before its own.
_LABELS = {
    table.name: {column.name: f"{table.name}_{column.name}" for column in table.columns}
    for table in _TABLES
}
_QUERY = (
    select(
        *(each.label(_LABELS[table.name][each.name]) for table in _TABLES for each in table.columns)
    )
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
