"""Events and messages as JSON: the one form that pages, programs and the command line read."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING

import orjson

from groundwire import citations
from groundwire.chat.events import (
    ApprovalRequested,
    ChatEvent,
    CitationChecked,
    TextShown,
    ThinkingShown,
    ToolUpdate,
    TurnEnded,
)
from groundwire.checks import to_json as check_to_json
from groundwire.conversation import ChatMessage, ToolRun
from groundwire.wire.text import whole

if TYPE_CHECKING:
    from groundwire.model import Json

# What is only for providers, what is large, and what is told in another form.
_HIDDEN = frozenset(
    {
        *("rounds", "raw_provider", "plain_text", "marked", "suggestions", "state"),
        *("attachments", "tool_runs"),
    }
)
_MESSAGE = tuple(each.name for each in fields(ChatMessage) if each.name not in _HIDDEN)
_RUN = tuple(each.name for each in fields(ToolRun) if each.name != "output")


def encode(event: ChatEvent) -> bytes:
    """Return what an event says as JSON; its type is `event.type`."""
    # Nearly all events are text: these are put together by hand.
    if type(event) is TextShown or type(event) is ThinkingShown:
        try:
            return b'{"text":%b}' % orjson.dumps(event.text)
        except TypeError:  # Half a pair of surrogates, which UTF-8 cannot hold.
            return b'{"text":%b}' % orjson.dumps(whole(event.text))
    return orjson.dumps(event_fields(event))


def event_fields(event: ChatEvent) -> dict[str, Json]:
    """Return what an event says, by name, for an encoder that writes our nouns as objects."""
    match event:
        case ToolUpdate():
            return {"run": _run_fields(event.run)}
        case ApprovalRequested():
            return {
                "message_id": event.message_id,
                "runs": [_run_fields(run) for run in event.runs],
            }
        case TurnEnded():
            checks = [check_to_json(each) for each in event.checks]
            return {"message": message_fields(event.message), "checks": checks}
        case CitationChecked():
            return {"message_id": event.message_id, "citation": check_to_json(event.citation)}
        case _:
            return {each.name: getattr(event, each.name) for each in fields(event)}


def message_fields(message: ChatMessage) -> dict[str, Json]:
    """Return a message without what is only for providers, and without its files' bytes."""
    marked = message.marked
    return {
        **{name: getattr(message, name) for name in _MESSAGE},
        "reason": message.state.reason if message.state else "",
        "attachments": [
            {"type": each.type, "mime_type": each.mime_type, "file_name": each.file_name}
            for each in message.attachments
        ],
        "answer": marked and {**citations.to_json(marked), "suggestions": message.suggestions},
        "tool_runs": [_run_fields(run) for run in message.tool_runs],
    }


def _run_fields(run: ToolRun) -> dict[str, Json]:
    """Return a tool's run without the text that the model was given."""
    return {name: getattr(run, name) for name in _RUN}
