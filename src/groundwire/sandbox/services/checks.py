"""Checks of a request's fields; each service says in its own words what is wrong."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime

from groundwire.sandbox.json import Json


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """What a field may hold; `least` and `most` bound a number, or the length of a text or list."""

    kind: type | tuple[type, ...] = str
    choices: frozenset[str] = frozenset()
    least: int | None = None
    most: int | None = None
    is_required: bool = False

    def problem(self, value: Json) -> str:
        """Return what is wrong with a value, "" if nothing is."""
        is_flag = isinstance(value, bool)
        if not isinstance(value, self.kind) or (is_flag and self.kind is int):
            return f"Input should be a valid {_name(self.kind)}"
        if self.choices and isinstance(value, str) and value not in self.choices:
            return f"Input should be {' or '.join(map(repr, sorted(self.choices)))}"
        size = _size(value)
        if self.least is not None and size < self.least:
            return f"Input should be greater than or equal to {self.least}"
        if self.most is not None and size > self.most:
            return f"Input should be less than or equal to {self.most}"
        return ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """The first field that is wrong, and why."""

    field: str
    reason: str
    value: Json = None
    is_missing: bool = False


FLAG = Field(kind=bool)
TEXT = Field()
TEXTS = Field(kind=list)


def first_problem(body: Mapping[str, Json], fields: Mapping[str, Field]) -> Problem | None:
    """Return the first problem of a body; None counts as absent."""
    for name, field in fields.items():
        value = body.get(name)
        if value is None:
            if field.is_required:
                return Problem(field=name, reason="Field required", is_missing=True)
            continue
        if reason := field.problem(value):
            return Problem(field=name, reason=reason, value=value)
    return None


def numbers_of(query: Mapping[str, str], names: frozenset[str]) -> dict[str, Json]:
    """Return query parameters with those that should be whole numbers as numbers."""
    return {
        name: int(value) if name in names and value.lstrip("-").isdecimal() else value
        for name, value in query.items()
    }


def day(text: str, form: str = "%Y-%m-%d") -> date | None:
    """Return a date that is written in a certain form, None if it is not."""
    try:
        return datetime.strptime(text, form).date()  # noqa: DTZ007 - a day has no zone
    except ValueError:
        return None


def _size(value: Json) -> int:
    return int(value) if isinstance(value, int) else len(value)


def _name(kind: type | tuple[type, ...]) -> str:
    names = {str: "string", int: "integer", list: "list", bool: "boolean", dict: "object"}
    kinds = kind if isinstance(kind, tuple) else (kind,)
    return " or ".join(names[item] for item in kinds)
