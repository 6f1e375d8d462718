"""Function calls of Gemini, whole or streamed in pieces of their arguments."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from itertools import count, pairwise
from time import time
from typing import TYPE_CHECKING, Any

from groundwire.events import ToolCallDelta, ToolCallEnd, ToolCallStart
from groundwire.wire.gemini.groundings import field as field_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from groundwire.events import StreamEvent
    from groundwire.model import Json

CALL_FIELDS = ("functionCall", "function_call")
MAX_DEPTH = 64

# One step of a JSON path: .name, [3], ['name'] or ["name"].
_SEGMENT = re.compile(
    r"""\.([^.\[\]]+) | \[(\d+)\] | \['((?:[^'\\]|\\.)*)'\] | \["((?:[^"\\]|\\.)*)"\]""",
    re.VERBOSE,
)
_ESCAPED = re.compile(r"\\(.)")


def now_in_milliseconds() -> int:
    """Return the time of day as the ids of tool calls spell it."""
    return int(time() * 1000)


class _List(dict[int, Any]):
    """A list whose entries arrive in any order."""


class PartialArguments:
    """Arguments that arrive as values with a JSON path each; text of one path is joined."""

    def __init__(self) -> None:
        self._root: dict[str | int, Any] = {}

    def add(self, piece: Json) -> None:
        """Put a piece in its place.

        Raises:
            ValueError: Its path is no path, or leads through a value.
        """
        steps = _steps(field_of(piece, "jsonPath"))
        holder: Any = self._root
        for step, following in pairwise(steps):
            is_list = isinstance(following, int)
            holder = holder.setdefault(step, _List() if is_list else {})
            if not isinstance(holder, dict) or isinstance(holder, _List) != is_list:
                raise ValueError("a path through a value of another kind")
        leaf = holder.setdefault(steps[-1], [])
        if isinstance(leaf, dict):
            raise ValueError("a value in the place of others")  # noqa: TRY004 - the wire is wrong
        leaf += _values(piece)

    def whole(self) -> Json:
        """Return the arguments as one object."""
        return _built(self._root)


def _steps(path: Json) -> list[str | int]:
    if not isinstance(path, str) or not path.startswith("$"):
        raise ValueError("a JSON path begins with $")
    steps: list[str | int] = []
    at = 1
    while at < len(path) and len(steps) < MAX_DEPTH:
        found = _SEGMENT.match(path, at)
        if found is None:
            break
        name, number, *quoted = found.groups()
        text = next((_ESCAPED.sub(r"\1", each) for each in quoted if each is not None), name)
        steps.append(int(number) if number is not None else text or "")
        at = found.end()
    if at < len(path) or not steps or isinstance(steps[0], int):
        raise ValueError("not a path into an object")
    return steps


def _values(piece: Json) -> list[Json]:
    """Return the value of a piece, none for one that only announces its path."""
    for name in ("stringValue", "boolValue"):
        value = field_of(piece, name)
        if isinstance(value, str | bool):
            return [value]
    number = field_of(piece, "numberValue")
    if isinstance(number, int | float):
        # The wire has only doubles: 5.0 is a whole number.
        return [int(number) if isinstance(number, float) and number.is_integer() else number]
    return [None] if "nullValue" in piece or "null_value" in piece else []


def _built(node: Json) -> Json:
    if isinstance(node, _List):
        return [_built(node[index]) for index in sorted(node)]
    if isinstance(node, dict):
        return {name: _built(value) for name, value in node.items()}
    is_text = all(isinstance(value, str) for value in node)
    return "".join(node) if is_text else node[-1]


@dataclass(slots=True, kw_only=True)
class _Call:
    """A call whose arguments are arriving; `part` is what will be sent back on the next turn."""

    id: str
    name: str
    part: Json
    arguments: PartialArguments = field(default_factory=PartialArguments)


class FunctionCalls:
    """The calls of one reply."""

    def __init__(self, now: Callable[[], int], numbers: Iterator[int] | None) -> None:
        self._now = now
        self._numbers = count(1) if numbers is None else numbers
        self._open: list[_Call] = []

    def take(self, part: Json) -> tuple[list[StreamEvent], Json]:
        """Return what a part with a call means, and the part to keep: None for a piece.

        Raises:
            KeyError: It is a piece of no call.
        """
        told = field_of(part, "functionCall")
        going_on = self._going_on(told)
        if going_on is None and not told:
            return [], None  # The end of a call that has ended.
        pieces = field_of(told, "partialArgs") or ()
        is_last = not field_of(told, "willContinue")
        if going_on is None and is_last and not pieces:
            return self._whole(told), part
        events: list[StreamEvent] = []
        kept: Json = None
        if going_on is None:
            events, going_on = self._begin(told)
            kept = going_on.part
        going_on.part.update({key: value for key, value in part.items() if key not in CALL_FIELDS})
        for piece in pieces:
            going_on.arguments.add(piece)
        return events + (self._end(going_on, told.get("args")) if is_last else []), kept

    def end_all(self) -> list[StreamEvent]:
        """End the calls that the reply left open."""
        return [event for call in [*self._open] for event in self._end(call, None)]

    def _going_on(self, told: Json) -> _Call | None:
        """Return the open call that a piece continues, by its id or its name, else the last."""
        call_id, name = told.get("id"), told.get("name")
        fitting = [
            call
            for call in self._open
            if (call.id == call_id if call_id else name in (None, call.name))
        ]
        return fitting[-1] if fitting else None

    def _whole(self, told: Json) -> list[StreamEvent]:
        name = told["name"]
        arguments = json.dumps(told.get("args") or {}, ensure_ascii=False)
        call_id = told.get("id") or self._new_id(name)
        return [
            ToolCallStart(call_id, name),
            ToolCallDelta(call_id, arguments),
            ToolCallEnd(call_id),
        ]

    def _new_id(self, name: str) -> str:
        # Gemini 2 sends no id, and two calls of one tool in one chunk share their millisecond.
        return f"call_{name}_{self._now()}_{next(self._numbers)}"

    def _begin(self, told: Json) -> tuple[list[StreamEvent], _Call]:
        name = told["name"]
        sent = {key: told[key] for key in ("id", "name") if key in told}
        call = _Call(
            id=told.get("id") or self._new_id(name), name=name, part={"functionCall": sent}
        )
        self._open.append(call)
        return [ToolCallStart(call.id, name)], call

    def _end(self, call: _Call, whole: Json) -> list[StreamEvent]:
        self._open.remove(call)
        arguments = whole or call.arguments.whole()
        call.part["functionCall"]["args"] = arguments
        return [
            ToolCallDelta(call.id, json.dumps(arguments, ensure_ascii=False)),
            ToolCallEnd(call.id),
        ]
