"""Events and messages as JSON: the one form that pages, programs and the command line read."""

from __future__ import annotations

from typing import TYPE_CHECKING

import orjson

from groundwire import citations
from groundwire.chat.events import (
    ApprovalRequested,
    ChatEvent,
    SourceNumbered,
    TextShown,
    ThinkingShown,
    ToolUpdate,
    TurnEnded,
)

if TYPE_CHECKING:
    from groundwire.conversation import ChatMessage, ToolRun
    from groundwire.model import Json

_OURS_ALONE = (
    *("rounds", "raw_provider", "plain_text", "attachments", "tool_runs"),
    *("marked", "suggestions", "state"),
)


def encode(event: ChatEvent) -> Json:
    """Return what an event says, ready for JSON; its type is `event.type`."""
    match event:
        case TextShown(text) | ThinkingShown(text):
            return {"text": text}
        case ToolUpdate():
            return {"run": encode_run(event.run)}
        case SourceNumbered():
            return {"source": _plain(event.source)}
        case ApprovalRequested():
            return {
                "message_id": event.message_id,
                "runs": [encode_run(run) for run in event.runs],
            }
        case TurnEnded():
            return {"message": encode_message(event.message)}
        case _:
            return _plain(event)


def encode_message(message: ChatMessage) -> dict[str, Json]:
    """Return a message without what is only for providers, and without its files' bytes."""
    whole = _plain(message)
    shown = {key: value for key, value in whole.items() if key not in _OURS_ALONE}
    marked = message.marked
    return {
        **shown,
        "reason": message.state.reason if message.state else "",
        "attachments": [
            {"type": each.type, "mime_type": each.mime_type, "file_name": each.file_name}
            for each in message.attachments
        ],
        "answer": marked and {**citations.to_json(marked), "suggestions": message.suggestions},
        "tool_runs": [encode_run(run) for run in message.tool_runs],
    }


def encode_run(run: ToolRun) -> dict[str, Json]:
    """Return a tool's run without the text that the model was given."""
    return {key: value for key, value in _plain(run).items() if key != "output"}


def _plain(value: object) -> dict[str, Json]:
    """Return a noun as JSON has it: times, enums and tuples included."""
    plain: dict[str, Json] = orjson.loads(orjson.dumps(value))
    return plain
