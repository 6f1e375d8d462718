"""Events of a turn as the bytes of an event stream, made once for all who read them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import orjson

from groundwire.chat import encode
from groundwire.chat.events import CitationChecked, TurnEnded, TurnStarted, UsageReported
from groundwire.web.check_json import check_json, checks_json
from groundwire.web.shapes import message_json, usage_json

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groundwire.chat import ChatEvent
    from groundwire.checks import CitationCheck
    from groundwire.conversation import ChatMessage

KEEP_ALIVE = b": still here\n\n"
_FRAME = b"id: %d\nevent: %b\ndata: %b\n\n"


def frames(events: Sequence[ChatEvent], first: int) -> bytes:
    """Return events that came together, numbered from `first` on."""
    pieces = []
    for number, event in enumerate(events, first):
        if type(event) is TurnEnded:
            pieces.append(done_frame(number, event.message, event.checks))
        elif type(event) is CitationChecked:
            citation = check_json(event.message_id, event.citation)
            data = orjson.dumps({"message_id": event.message_id, "citation": citation})
            pieces.append(_FRAME % (number, event.type.encode(), data))
        elif isinstance(event, UsageReported):
            pieces.append(_FRAME % (number, b"usage", orjson.dumps(usage_json(event))))
        else:
            pieces.append(_FRAME % (number, event.type.encode(), encode(event)))
    return b"".join(pieces)


def started_frame(answer: ChatMessage) -> bytes:
    """Return the first event of a turn, as it is known from its answer."""
    started = TurnStarted(
        session_id=answer.session_id,
        question_id=answer.parent_id or "",
        message_id=answer.id,
        provider=answer.provider,
        model=answer.model,
        mode=answer.mode,
    )
    return frames([started], 1)


def done_frame(number: int, message: ChatMessage, checks: Sequence[CitationCheck] = ()) -> bytes:
    """Return the last event of a turn: unlike a program, a page needs to know where markers are."""
    shown = {"message": message_json(message), "checks": checks_json(message, checks)}
    data = orjson.dumps(shown)
    return _FRAME % (number, TurnEnded.type.encode(), data)


def after(batch: bytes, number: int) -> bytes:
    """Return the events of a batch whose number is higher."""
    events = batch.removesuffix(b"\n\n").split(b"\n\n")
    kept = [event for event in events if int(event[4 : event.index(b"\n")]) > number]
    return b"".join(event + b"\n\n" for event in kept)


def end_after(batch: bytes, number: int) -> bytes:
    """Return the last event of a batch, numbered as the one after a number."""
    last = batch.removesuffix(b"\n\n").rpartition(b"\n\n")[2]
    return b"id: %d%b\n\n" % (number + 1, last[last.index(b"\n") :])
