"""The settings as a person reads about them, made from the models."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from types import UnionType
from typing import Annotated, Literal, Union, get_args, get_origin

from groundwire.config.settings.schema import Location, Settings, is_table, variable_of
from groundwire.config.settings.table import Table
from groundwire.version import VERSION

_PLAIN: dict[object, str] = {
    bool: "true or false",
    str: "text",
    int: "whole number",
    float: "number",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingDescription:
    """One setting as a person reads about it; NAME in a name stands for a provider's name."""

    name: str
    variable: str
    type: str
    default: str
    description: str


def describe() -> list[SettingDescription]:
    """Return every setting, in the order of the documentation."""
    return list(_described(Settings, ()))


def _described(table: type[Table], path: Location) -> Iterator[SettingDescription]:
    for name, field in table.model_fields.items():
        here, kind = (*path, name), field.annotation
        inner = get_args(kind)[1] if get_origin(kind) is dict else None
        if is_table(kind):
            yield from _described(kind, here)
        elif is_table(inner):
            yield from _described(inner, (*here, "NAME"))
        else:
            yield SettingDescription(
                name=".".join(here),
                variable=variable_of(here),
                type=_words(kind) + _limits(field.metadata),
                default=_shown(field.default),
                description=field.description or "",
            )


def _words(kind: object) -> str:
    """Return a type in plain words."""
    origin, inner = get_origin(kind), get_args(kind)
    if origin is Annotated:
        return _words(inner[0]) + _limits(inner[1:])
    if origin in (Union, UnionType):
        return " or ".join(_words(one) for one in inner if one is not type(None))
    if origin is list:
        one, comma, limits = _words(inner[0]).partition(",")
        return f"list of {one}s{comma}{limits}"
    if origin is Literal:
        return " or ".join(inner)
    return _PLAIN.get(kind, "table")


def _limits(marks: Iterable[object]) -> str:
    """Return the limits that the library keeps beside a type, in words."""
    flat = [part for mark in marks for part in getattr(mark, "metadata", (mark,))]
    signs = {"ge": "at least", "gt": "more than", "le": "at most"}
    return "".join(
        f", {words} {getattr(mark, sign):,}"
        for mark in flat
        for sign, words in signs.items()
        if hasattr(mark, sign)
    )


def _shown(default: object) -> str:
    # The version is left out, so that the documentation does not change with it.
    text = json.dumps(default).replace(VERSION, "VERSION")
    return "nothing" if default is None else f"`{text}`"
