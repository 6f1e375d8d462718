"""Tool calls that arrive in pieces: each starts once and ends once."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from groundwire.events import ToolCallDelta, ToolCallEnd, ToolCallStart

if TYPE_CHECKING:
    from groundwire.events import StreamEvent
    from groundwire.model import Json


class ToolCalls:
    """The calls of one reply; `key` is what the wire's later pieces call them by."""

    def __init__(self) -> None:
        self._id_of: dict[int | str, str] = {}
        self._pieces: dict[str, list[str]] = {}
        self._open: list[str] = []

    def current(self, key: int | str) -> str | None:
        """Return the id of the call that this key stands for now."""
        return self._id_of.get(key)

    def start(self, key: int | str, call_id: Json, name: Json) -> list[StreamEvent]:
        """Begin a call, unless it has begun.

        Raises:
            TypeError: The wire's id or name is no text.
        """
        if not isinstance(call_id, str) or not isinstance(name, str):
            raise TypeError("a tool call needs an id and a name")
        self._id_of[key] = call_id
        if call_id in self._pieces:
            return []
        self._pieces[call_id] = []
        self._open.append(call_id)
        return [ToolCallStart(call_id, name)]

    def add(self, key: int | str, arguments: Json) -> list[StreamEvent]:
        """Add a piece of arguments.

        Raises:
            KeyError: No call has this key.
        """
        call_id = self._id_of[key]
        if arguments in (None, "") or call_id not in self._open:
            return []
        text = arguments if isinstance(arguments, str) else json.dumps(arguments)
        self._pieces[call_id].append(text)
        return [ToolCallDelta(call_id, text)]

    def add_rest(self, key: int | str, arguments: Json) -> list[StreamEvent]:
        """Add what whole arguments have beyond the pieces that have come."""
        told = "".join(self._pieces[self._id_of[key]])
        if not told:
            return self.add(key, arguments)
        is_longer = isinstance(arguments, str) and arguments.startswith(told)
        return self.add(key, arguments[len(told) :] if is_longer else None)

    def complete(self, key: int | str, arguments: Json) -> list[StreamEvent]:
        """End a call whose whole arguments are known, telling what of them has not come."""
        call_id = self._id_of[key]
        events = self.add_rest(key, arguments)
        if call_id in self._open:
            self._open.remove(call_id)
            events.append(ToolCallEnd(call_id))
        return events

    def end_all(self) -> list[StreamEvent]:
        """End every open call."""
        events: list[StreamEvent] = [ToolCallEnd(call_id) for call_id in self._open]
        self._open.clear()
        return events
