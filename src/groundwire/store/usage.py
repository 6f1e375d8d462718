"""What answers used and cost, by day, provider and model."""

from __future__ import annotations

from datetime import UTC, date, datetime, time
from typing import Any

from sqlalchemy import ColumnElement, Integer, Label, Subquery, func, select, type_coerce

from groundwire.conversation import MessageKind, SearchMode, UsageLine
from groundwire.store import tables
from groundwire.store.database import Database
from groundwire.store.rows import Row
from groundwire.store.scope import ALL, Scope

_MESSAGES = tables.messages.c
_CALLS = tables.tool_calls.c
_SUMMED = ("input_tokens", "output_tokens", "searches", "pages_read")


class UsageReports:
    """Adds up what is kept of answers, whatever became of them: a cancelled one cost as well."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def report(
        self, *, since: date, until: date, workspace_id: str | Scope
    ) -> tuple[UsageLine, ...]:
        """Return a line for each day (in UTC), provider and model, both days included.

        `workspace_id` is whose answers are counted; ALL means every workspace's.
        """
        ours = _our_own()
        day = func.date(_MESSAGES.created_at)
        model = (_MESSAGES.provider, _MESSAGES.model)
        query = (
            select(
                day.label("day"),
                *model,
                func.count().label("answers"),
                *(_total(_MESSAGES[name], name) for name in _SUMMED),
                _total(ours.c.searches, "client_searches"),
                func.sum(_MESSAGES.cost_usd).label("cost_usd"),
                func.max(type_coerce(_MESSAGES.cost_is_partial, Integer)).label("is_partial"),
            )
            .outerjoin_from(tables.messages, ours, ours.c.message_id == _MESSAGES.id)
            .where(*_between(since, until, workspace_id))
            .group_by(day, *model)
            .order_by(day, *model)
        )
        async with self._database.read() as connection:
            rows = (await connection.execute(query)).mappings().all()
        return tuple(map(_line, rows))


def _our_own() -> Subquery:
    """Return the searches that we ran ourselves, by message."""
    return (
        select(
            _CALLS.message_id,
            func.count(func.nullif(_CALLS.query, "")).label("searches"),
        )
        .where(_CALLS.mode == SearchMode.CLIENT)
        .group_by(_CALLS.message_id)
        .subquery()
    )


def _total(column: ColumnElement[Any], name: str) -> Label[Any]:
    return func.coalesce(func.sum(column), 0).label(name)


def _between(since: date, until: date, workspace_id: str | Scope) -> list[ColumnElement[bool]]:
    begin, end = datetime.combine(since, time.min, UTC), datetime.combine(until, time.max, UTC)
    conditions: list[ColumnElement[bool]] = [
        _MESSAGES.kind == MessageKind.AI_RESPONSE,
        _MESSAGES.created_at.between(begin, end),
    ]
    if workspace_id is not ALL:
        inside = select(tables.sessions.c.id).where(tables.sessions.c.workspace_id == workspace_id)
        conditions.append(_MESSAGES.session_id.in_(inside))
    return conditions


def _line(row: Row) -> UsageLine:
    # SQLite says the day in words; PostgreSQL adds whole numbers up to decimal ones.
    numbers = {name: int(row[name]) for name in (*_SUMMED, "client_searches")}
    return UsageLine(
        day=date.fromisoformat(str(row["day"])),
        provider=row["provider"],
        model=row["model"],
        answers=row["answers"],
        **numbers,
        cost_usd=row["cost_usd"],
        cost_is_partial=bool(row["is_partial"]),
    )
