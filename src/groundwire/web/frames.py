"""Events of a turn as the bytes of an event stream, made once for all who read them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import orjson

from groundwire import chat
from groundwire.chat.events import TextShown, ThinkingShown, TurnEnded, UsageReported
from groundwire.web.shapes import message_json, usage_json
from groundwire.wire.text import whole

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groundwire.chat import ChatEvent
    from groundwire.conversation import ChatMessage

KEEP_ALIVE = b": still here\n\n"


def frame(number: int, kind: str, data: object) -> bytes:
    """Return one event."""
    return b"id: %d\nevent: %b\ndata: %b\n\n" % (number, kind.encode(), orjson.dumps(data))


def frames(events: Sequence[ChatEvent], first: int) -> bytes:
    """Return events that came together, numbered from `first` on."""
    pieces = []
    for number, event in enumerate(events, first):
        # Nearly all events are text: these are put together by hand.
        if type(event) is TextShown:
            text = _string(event.text)
            pieces.append(b'id: %d\nevent: text\ndata: {"text":%b}\n\n' % (number, text))
        elif type(event) is ThinkingShown:
            text = _string(event.text)
            pieces.append(b'id: %d\nevent: thinking\ndata: {"text":%b}\n\n' % (number, text))
        elif isinstance(event, TurnEnded):
            pieces.append(done_frame(number, event.message))
        elif isinstance(event, UsageReported):
            pieces.append(frame(number, event.type, usage_json(event)))
        else:
            pieces.append(frame(number, event.type, chat.encode(event)))
    return b"".join(pieces)


def _string(text: str) -> bytes:
    try:
        return orjson.dumps(text)
    except TypeError:  # Half a pair of surrogates, which UTF-8 cannot hold.
        return orjson.dumps(whole(text))


def done_frame(number: int, message: ChatMessage) -> bytes:
    """Return the last event of a turn."""
    return frame(number, "done", {"message": message_json(message)})


def after(batch: bytes, number: int) -> bytes:
    """Return the events of a batch whose number is higher."""
    events = batch.removesuffix(b"\n\n").split(b"\n\n")
    kept = [event for event in events if int(event[4 : event.index(b"\n")]) > number]
    return b"".join(event + b"\n\n" for event in kept)
