"""How values of our nouns stand in a column, the same on SQLite and PostgreSQL."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any, TypeAlias, TypeVar

import orjson
from sqlalchemy import DateTime, Dialect, Integer, Text
from sqlalchemy.types import TypeDecorator, TypeEngine

from groundwire.conversation.quota import NAMES, Quota
from groundwire.model import Json
from groundwire.wire.text import whole

T = TypeVar("T")
Held: TypeAlias = Any  # What a driver takes and gives.


def write_json(value: object) -> str:
    """Return a value as JSON text, our nouns in it as objects.

    Half a surrogate pair becomes a replacement character.
    """
    try:
        return orjson.dumps(value).decode()
    except TypeError:
        return storable(json.dumps(value, ensure_ascii=False, default=asdict))


def read_json(text: str | None) -> Json:
    """Return the value of a JSON text, None if it is malformed or NULL."""
    if text is None:
        return None
    try:
        return orjson.loads(text)
    except ValueError:
        return None


def storable(text: str) -> str:
    """Return a text without what PostgreSQL (a NUL) or UTF-8 (half a pair) cannot hold."""
    if "\x00" in text:
        text = text.replace("\x00", "\N{REPLACEMENT CHARACTER}")
    return whole(text)


class _Converted(TypeDecorator[T]):
    """A value that a column holds in another form; None stays None."""

    impl: TypeEngine[Any] | type[TypeEngine[Any]] = Text
    cache_ok = True

    write: Callable[[Any], Held]
    """Returns the form that the column holds."""
    read: Callable[[Held], Any]
    """Returns the value that stands for what the column holds."""

    def process_bind_param(self, value: T | None, dialect: Dialect) -> Held:  # noqa: ARG002 - SQLAlchemy's
        """Convert on the way in."""
        return None if value is None else self.write(value)

    def process_result_value(self, value: Held, dialect: Dialect) -> T | None:  # noqa: ARG002 - SQLAlchemy's
        """Convert on the way out."""
        return None if value is None else self.read(value)


class TextColumn(_Converted[str]):
    """Any text that a person, a model or a page may produce."""

    cache_ok = True
    write = staticmethod(storable)
    read = str


class TimeColumn(_Converted[datetime]):
    """A time with its zone, always UTC; SQLite has no zones and keeps it as text that sorts."""

    impl = DateTime(timezone=True)
    cache_ok = True

    @staticmethod
    def write(value: datetime) -> datetime:
        """Turn to UTC."""
        return value.astimezone(UTC)

    @staticmethod
    def read(value: datetime) -> datetime:
        """Name the zone."""
        return value.replace(tzinfo=UTC)


class FlagColumn(_Converted[bool]):
    """Yes or no as 1 or 0, as the seed's migration has it."""

    impl = Integer
    cache_ok = True
    write = int
    read = bool


class TextListColumn(_Converted[tuple[str, ...]]):
    """A list of texts as JSON; malformed JSON reads as an empty one."""

    cache_ok = True
    write = staticmethod(write_json)

    @staticmethod
    def read(value: str) -> tuple[str, ...]:
        """Read a JSON array."""
        entries = read_json(value)
        return tuple(map(str, entries)) if isinstance(entries, list) else ()


class EnumColumn(_Converted[StrEnum]):
    """One of the names of an enumeration."""

    cache_ok = True

    def __init__(self, kind: type[StrEnum]) -> None:
        super().__init__()
        self.kind = self.read = kind
        self.write = lambda name: kind(name).value


class JsonColumn(_Converted[object]):
    """Any JSON as text; malformed JSON reads as None."""

    cache_ok = True
    write = staticmethod(write_json)
    read = staticmethod(read_json)


class QuotaColumn(_Converted[Quota]):
    """The quotas of a workspace as JSON; what is malformed is as the settings say."""

    cache_ok = True

    @staticmethod
    def write(value: Quota) -> str:
        """Write the limits that are named."""
        return write_json({name: each for name, each in asdict(value).items() if each is not None})

    @staticmethod
    def read(value: str) -> Quota:
        """Read an object of numbers."""
        entries = read_json(value)
        found = entries if isinstance(entries, dict) else {}
        numbers = {name: found[name] for name in NAMES if isinstance(found.get(name), int | float)}
        return Quota(**numbers)
