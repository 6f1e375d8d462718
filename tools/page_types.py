"""Writes the page's types.js from the Python shapes: `python -m tools.page_types`.

The page's JavaScript is checked against it (`make check`), and a test compares it with the shapes.
"""

from __future__ import annotations

import types
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from datetime import date, datetime
from enum import Enum
from pathlib import Path
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from pydantic import BaseModel, SecretStr

import groundwire
import groundwire.web.routes  # Whatever a route answers with is defined then.
from groundwire import checks, citations, model
from groundwire.chat.events import (
    ChatEvent,
    CitationChecked,
    TurnEnded,
    UsageReported,
)
from groundwire.conversation import ChatMessage, ToolRun
from groundwire.web import bodies, conversation_shapes, error_responses, shapes

PATH = Path(groundwire.__file__).parent / "web" / "page" / "types.js"

HEAD = """\
/**
 * The JSON that the server sends and takes, made from its Python classes by `make types`: do not
 * edit. Read by the type checker only; no page loads this file.
 *"""

# What is not sent field for field.
SENT_AS: Mapping[type, type] = {
    ChatMessage: shapes.MessageShape,
    ToolRun: shapes.ToolRunShape,
    UsageReported: shapes.UsageEventShape,
    CitationChecked: conversation_shapes.CitationCheckedEventShape,
    TurnEnded: conversation_shapes.DoneEventShape,
}
# What an event holds for Python programs only.
NOT_SENT: Mapping[type, frozenset[str]] = {}
_PLAIN: Mapping[object, str] = {
    str: "string",
    SecretStr: "string",
    datetime: "string",
    date: "string",
    int: "number",
    float: "number",
    bool: "boolean",
    type(None): "null",
    Any: "any",
}
# Imported for the type checker alone where they are used, so they are named here.
_NAMES = {
    **vars(model),
    **vars(citations),
    **vars(checks),
    "ChatMessage": ChatMessage,
    "ToolRun": ToolRun,
}


def page_types() -> str:
    """Return the text of types.js."""
    known: dict[str, str] = {}
    for shape in (*_below(shapes.Shape), error_responses.Fault, *_below(bodies.RequestBody)):
        _describe(shape, _name(shape), known)
    for event in get_args(ChatEvent):
        _describe(SENT_AS.get(event, event), event_name(event), known)
    typedefs = [known[name] for name in sorted(known)]
    return "\n".join([HEAD, *typedefs, _union(), " */", "", "export {};", ""])


def event_name(event: type) -> str:
    """Return the name of an event's data: `MarkerEvent` for the type `marker`."""
    kind: str = event.type  # type: ignore[attr-defined] # every event has one
    return "".join(word.capitalize() for word in kind.split("_")) + "Event"


def sent_fields(noun: type) -> dict[str, Any]:
    """Return the fields of a shape, a body, a noun or an event that are JSON, with their types."""
    hints = get_type_hints(noun, localns=_NAMES)
    if is_dataclass(noun):
        names = [each.name for each in fields(noun)]
    elif issubclass(noun, BaseModel):
        names = list(noun.model_fields)
    else:
        raise TypeError(f"{noun!r} has no fields: only nouns, shapes and bodies are sent")
    left_out = NOT_SENT.get(noun, frozenset())
    return {name: hints[name] for name in names if name not in left_out}


def _below(base: type) -> Iterator[type]:
    each: type
    for each in base.__subclasses__():
        yield each
        yield from _below(each)


def _name(noun: type) -> str:
    return noun.__name__.removesuffix("Shape")


def _describe(noun: type, name: str, known: dict[str, str]) -> None:
    """Add the typedef of a class, and of those that it is made of."""
    if name in known:
        return
    known[name] = ""
    spelled = [
        f"{field}{'?' if _is_optional(noun, field) else ''}: {_spelled(hint, known)}"
        for field, hint in sent_fields(noun).items()
    ]
    known[name] = f" * @typedef {{{{{', '.join(spelled)}}}}} {name}"


def _is_optional(noun: type, field: str) -> bool:
    """Tell whether the page may leave a field out: of a body, never of what the server sends."""
    return issubclass(noun, bodies.RequestBody) and not noun.model_fields[field].is_required()


def _spelled(hint: object, known: dict[str, str]) -> str:
    """Return a Python type as JSDoc has it."""
    if hint in SENT_AS and isinstance(hint, type):
        hint = SENT_AS[hint]
    if hint in _PLAIN:
        return _PLAIN[hint]
    if get_origin(hint):
        return _generic(hint, known)
    if not isinstance(hint, type):
        raise TypeError(f"{hint!r} has no spelling in JSDoc: add it to tools/page_types.py")
    if issubclass(hint, Enum):
        return _either(_quoted(each.value) for each in hint)
    _describe(hint, _name(hint), known)
    return _name(hint)


def _generic(hint: object, known: dict[str, str]) -> str:
    """Return a union, a choice of values or a container as JSDoc has it."""
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Literal:
        return _either(_quoted(each) for each in arguments)
    inner = [_spelled(each, known) for each in arguments if each is not Ellipsis]
    if origin in (Union, types.UnionType):
        return _either(iter(inner))
    if origin is dict:
        return f"Record<string, {inner[1]}>"
    if origin is tuple and Ellipsis not in arguments:
        return f"[{', '.join(inner)}]"
    return f"({inner[0]})[]" if "|" in inner[0] else f"{inner[0]}[]"


def _quoted(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else f"'{value}'"


def _either(spelled: Iterator[str]) -> str:
    return " | ".join(dict.fromkeys(spelled))


def _union() -> str:
    kinds = [
        f"{{type: '{event.type}', id: number, data: {event_name(event)}}}"
        for event in get_args(ChatEvent)
    ]
    joined = "\n *   | ".join(kinds)
    return f" * @typedef {{{joined}}} TurnEvent"


if __name__ == "__main__":
    PATH.write_text(page_types(), encoding="utf-8")
