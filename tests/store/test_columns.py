"""How values stand in a column, and what is read from one that somebody else wrote."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from sqlalchemy.dialects import sqlite
from sqlalchemy.types import TypeDecorator

from groundwire.conversation import Role
from groundwire.conversation.quota import Quota
from groundwire.store.columns import (
    EnumColumn,
    FlagColumn,
    JsonColumn,
    QuotaColumn,
    TextColumn,
    TextListColumn,
    TimeColumn,
    read_json,
    write_json,
)
from tests.store.examples import FOUND

DIALECT = sqlite.dialect()
NOON = datetime(2026, 11, 18, 12, tzinfo=UTC)


def _kept(column: TypeDecorator[Any], value: object) -> object:
    return column.process_bind_param(value, DIALECT)


def _read(column: TypeDecorator[Any], value: object) -> object:
    return column.process_result_value(value, DIALECT)


@pytest.mark.parametrize(
    ("column", "value", "held"),
    [
        (TextColumn(), "otter", "otter"),
        (FlagColumn(), True, 1),
        (FlagColumn(), False, 0),
        (TextListColumn(), ("a", "b"), '["a","b"]'),
        (TextListColumn(), (), "[]"),
        (EnumColumn(Role), Role.ADMIN, "admin"),
        (JsonColumn(), {"a": [1, None]}, '{"a":[1,null]}'),
        (QuotaColumn(), Quota(answers=0, cost_usd=0.5), '{"answers":0,"cost_usd":0.5}'),
        (QuotaColumn(), Quota(), "{}"),
        (TimeColumn(), NOON, NOON),
    ],
)
def test_a_value_is_kept_and_comes_back(
    column: TypeDecorator[Any], value: object, held: object
) -> None:
    assert _kept(column, value) == held
    assert _read(column, held) == value
    assert type(_read(column, held)) is type(value)
    assert (_kept(column, None), _read(column, None)) == (None, None)


def test_a_time_is_kept_in_utc_and_read_as_such() -> None:
    there = timezone(timedelta(hours=2))

    kept = _kept(TimeColumn(), NOON.astimezone(there))

    assert isinstance(kept, datetime)
    assert kept.tzinfo is UTC
    assert _read(TimeColumn(), NOON.replace(tzinfo=None)) == NOON


@pytest.mark.parametrize(
    ("column", "held", "value"),
    [
        (TextListColumn(), '{"a": 1}', ()),
        (TextListColumn(), "[", ()),
        (TextListColumn(), "[1, 2]", ("1", "2")),
        (JsonColumn(), "[", None),
        (QuotaColumn(), "[]", Quota()),
        (QuotaColumn(), "x", Quota()),
        (QuotaColumn(), '{"answers": 3, "tokens": "many", "other": 1}', Quota(answers=3)),
    ],
)
def test_what_is_malformed_is_read_as_nothing(
    column: TypeDecorator[Any], held: str, value: object
) -> None:
    assert _read(column, held) == value


def test_what_no_database_holds_is_replaced() -> None:
    assert _kept(TextColumn(), "a\x00\ud83d") == "a\ufffd\ufffd"
    assert write_json(["half \ud83d"]) == '["half \ufffd"]'
    assert write_json({"found": FOUND, "half": "\ud83d"}).startswith('{"found": {"url": ')


@pytest.mark.parametrize(
    ("text", "value"), [(None, None), ("", None), ("null", None), ("0", 0), ('{"a":1}', {"a": 1})]
)
def test_json_that_is_none_is_read_as_none(text: str | None, value: object) -> None:
    assert read_json(text) == value
