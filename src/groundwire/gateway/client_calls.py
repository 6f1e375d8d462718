"""Calls of the client's own tools: under ids of ours, told live or when ours have been run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from groundwire.events import ToolCallDelta, ToolCallEnd, ToolCallStart
from groundwire.wire.outbound import OutboundEvent, new_id

if TYPE_CHECKING:
    from groundwire.model import ToolCall


class ClientCalls:
    """The calls of one reply to a client. Some models count their ids anew in every reply.

    With `is_live` a call is told while the model writes it: no tool of ours can come after it.
    """

    def __init__(self, *, prefix: str, is_live: bool) -> None:
        self._prefix = prefix
        self.is_live = is_live
        self._ids: dict[str, str] = {}
        self._waiting: list[OutboundEvent] = []

    def take(self, event: ToolCallStart | ToolCallDelta | ToolCallEnd) -> Sequence[OutboundEvent]:
        """Return what a piece of a call is to the client, nothing where calls wait."""
        if not self.is_live:
            return ()
        match event:
            case ToolCallStart(id_, name):
                self._ids[id_] = new_id(self._prefix)
                return [ToolCallStart(self._ids[id_], name)]
            case ToolCallDelta(id_, piece):
                return [ToolCallDelta(self._ids[id_], piece)]
            case ToolCallEnd(id_):
                return [ToolCallEnd(self._ids[id_])]

    def hand_over(self, calls: Sequence[ToolCall]) -> Mapping[str, str]:
        """Take the calls that end a reply; return the model's ids by those that the client gets."""
        if self.is_live:
            return {ours: upstream for upstream, ours in self._ids.items()}
        found: dict[str, str] = {}
        for call in calls:
            id_ = new_id(self._prefix)
            found[id_] = call.id
            self._waiting += [
                ToolCallStart(id_, call.name),
                ToolCallDelta(id_, call.arguments),
                ToolCallEnd(id_),
            ]
        return found

    def told(self) -> Sequence[OutboundEvent]:
        """Return the calls that have waited."""
        waiting, self._waiting = self._waiting, []
        return waiting
