"""Our nouns as JSON and back, by the types of their fields and by nothing else.

A file may come from anybody: a value of another type, a field that is missing or one that nobody
knows is an error, so that what comes back is exactly what went out.
"""

from __future__ import annotations

import types
from base64 import b64decode, b64encode
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from datetime import datetime
from enum import Enum
from functools import cache
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

from groundwire.catalog import ThinkingChoice
from groundwire.citations import Marked
from groundwire.model import Attachment

T = TypeVar("T")

# Names that the nouns' modules know only while types are checked.
_NAMES = {"Attachment": Attachment, "Marked": Marked, "ThinkingChoice": ThinkingChoice}


def dumped(value: object) -> Any:  # noqa: ANN401 - whatever JSON has
    """Return a noun, or whatever is in one, ready for JSON."""
    if is_dataclass(value) and not isinstance(value, type):
        return {each.name: dumped(getattr(value, each.name)) for each in fields(value)}
    match value:
        case Enum():
            found = value.value
        case datetime():
            found = value.isoformat()
        case bytes():
            found = b64encode(value).decode()
        case Mapping():
            found = {str(key): dumped(each) for key, each in value.items()}
        case tuple() | list():
            found = [dumped(each) for each in value]
        case _:
            found = value
    return found


def loaded(kind: type[T], value: object) -> T:
    """Return the noun that was dumped.

    Raises:
        ValueError: It is none of this kind; the message says where.
    """
    found: T = _read(kind, value, kind.__name__)
    return found


@cache
def _hints(kind: type) -> dict[str, Any]:
    return get_type_hints(kind, localns=_NAMES)


def _read(kind: Any, value: Any, where: str) -> Any:  # noqa: ANN401 - any type, any value
    if kind in (Any, object):
        return value
    if isinstance(kind, type) and is_dataclass(kind):
        return _noun(kind, value, where)
    origin = get_origin(kind)
    if origin in (Union, types.UnionType):
        return _either(get_args(kind), value, where)
    if origin is tuple:
        return _tuple(get_args(kind), value, where)
    if origin is not None and issubclass(origin, Mapping):
        _expect(isinstance(value, dict), where, "an object")
        inner = get_args(kind)[1]
        return {key: _read(inner, each, f"{where}.{key}") for key, each in value.items()}
    return _scalar(kind, value, where)


def _noun(kind: type, value: Any, where: str) -> Any:  # noqa: ANN401 - as above
    _expect(isinstance(value, dict), where, "an object")
    hints = _hints(kind)
    known = [each.name for each in fields(kind)]
    if unknown := value.keys() - set(known):
        raise ValueError(f"{where}: unknown {min(unknown)!r}")
    if missing := set(known) - value.keys():
        raise ValueError(f"{where}: no {min(missing)!r}")
    return kind(**{name: _read(hints[name], value[name], f"{where}.{name}") for name in known})


def _either(kinds: tuple[Any, ...], value: Any, where: str) -> Any:  # noqa: ANN401 - as above
    if value is None and type(None) in kinds:
        return None
    rest = [each for each in kinds if each is not type(None)]
    for each in rest[:-1]:
        try:
            return _read(each, value, where)
        except ValueError:
            continue
    return _read(rest[-1], value, where)


def _tuple(kinds: tuple[Any, ...], value: Any, where: str) -> Any:  # noqa: ANN401 - as above
    _expect(isinstance(value, list), where, "a list")
    if len(kinds) == 2 and kinds[1] is Ellipsis:
        return tuple(_read(kinds[0], each, f"{where}[{i}]") for i, each in enumerate(value))
    _expect(len(value) == len(kinds), where, f"a list of {len(kinds)}")
    pairs = zip(kinds, value, strict=True)
    return tuple(_read(kind, each, f"{where}[{i}]") for i, (kind, each) in enumerate(pairs))


def _scalar(kind: Any, value: Any, where: str) -> Any:  # noqa: ANN401 - as above
    try:
        if kind is datetime:
            moment = datetime.fromisoformat(value)
            _expect(moment.tzinfo is not None, where, "a time with its zone")
            return moment
        if kind is bytes:
            return b64decode(value, validate=True)
        if isinstance(kind, type) and issubclass(kind, Enum):
            return kind(value)
    except (ValueError, TypeError) as error:
        raise ValueError(f"{where}: {error}") from error
    if kind is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    is_right = type(value) is kind
    _expect(is_right, where, getattr(kind, "__name__", str(kind)))
    return value


def _expect(is_so: bool, where: str, what: str) -> None:
    if not is_so:
        raise ValueError(f"{where}: expected {what}")
