"""Tool runs, rounds and attachments of many messages, read from their three tables in one query."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import (
    Column,
    ColumnElement,
    CompoundSelect,
    Select,
    Table,
    cast,
    literal,
    null,
    select,
    union_all,
)
from sqlalchemy.ext.asyncio import AsyncConnection

from groundwire.store.columns import TextColumn
from groundwire.store.rows import PARTS, MessagePart

# Large, and not needed to show a message.
_LARGE = {"base64_data", "output"}
_PART = "part"
_KEYS = ("message_id", "position")

_Found = Mapping[str, Mapping[str, list[Any]]]


def parts_query(
    parts: Sequence[MessagePart], ids: Select[Any], *, is_light: bool
) -> CompoundSelect[Any]:
    """Return the query for the parts of messages in their order.

    Light ones come without what is large and not shown.
    """
    columns = _columns(parts)
    queries = [_query(part, columns, is_light=is_light, ids=ids) for part in parts]
    return union_all(*queries).order_by(_PART, "message_id", "position")


async def read_parts(
    connection: AsyncConnection, query: CompoundSelect[Any], values: Mapping[str, Any]
) -> _Found:
    """Return what such a query finds, by message and field."""
    found: defaultdict[str, defaultdict[str, list[Any]]] = defaultdict(lambda: defaultdict(list))
    for row in (await connection.execute(query, values)).mappings():
        part, labels = _LABELS[row[_PART]]
        noun = part.noun({name: row[label] for name, label in labels.items()})
        found[row["message_id"]][part.field].append(noun)
    return found


def _columns(parts: Sequence[MessagePart]) -> dict[str, Column[Any]]:
    """Return the columns of all parts, those of each table under names of their own."""
    return {
        _name(part, column.name): column
        for part in parts
        for column in part.table.columns
        if column.name not in _KEYS
    }


def _name(part: MessagePart, column: str) -> str:
    return column if column in _KEYS else f"{part.table.name}_{column}"


_LABELS = {
    part.field: (part, {each.name: _name(part, each.name) for each in part.table.columns})
    for part in PARTS
}


def _query(
    part: MessagePart, columns: Mapping[str, Column[Any]], *, is_light: bool, ids: Select[Any]
) -> Select[Any]:
    table = part.table
    keys = [table.c[name] for name in _KEYS]
    others = [
        _value(column, table, is_light=is_light).label(name) for name, column in columns.items()
    ]
    chosen = select(literal(part.field).label(_PART), *keys, *others)
    return chosen.where(table.c.message_id.in_(ids))


def _value(column: Column[Any], table: Table, *, is_light: bool) -> ColumnElement[Any]:
    """Return a column of a table, NULL in the place of one of another table."""
    if column.table is not table:
        return cast(null(), column.type)
    return literal("", TextColumn) if is_light and column.name in _LARGE else column
