"""A conversation as Gemini's Interactions API wants it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groundwire.model import AssistantMessage, ToolResultMessage, UserMessage
from groundwire.wire.gemini.contents import PROVIDER, object_of, result_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groundwire.model import Attachment, Json, Message, ToolDefinition


def steps_of(messages: Sequence[Message]) -> list[Json]:
    """Return the conversation as steps; steps that the service made itself go back unchanged."""
    steps: list[Json] = []
    names: dict[str, str] = {}
    for message in messages:
        match message:
            case UserMessage():
                steps.append({"type": "user_input", "content": _user_content(message)})
            case AssistantMessage():
                names.update({call.id: call.name for call in message.tool_calls})
                steps += _model_steps(message)
            case ToolResultMessage():
                name = names.get(message.tool_call_id, "")
                steps.append(_result_step(message, name))
    return steps


def functions_of(tools: Sequence[ToolDefinition]) -> list[Json]:
    """Return functions as the Interactions API spells them."""
    return [
        {
            "type": "function",
            "name": tool.name,
            "description": tool.description,
            "parameters": tool.parameters,
        }
        for tool in tools
    ]


def _user_content(message: UserMessage) -> list[Json]:
    files = [_file(attachment) for attachment in message.attachments]
    return [*files, _text(message.content)] if message.content else files


def _result_step(message: ToolResultMessage, name: str) -> Json:
    return {
        "type": "function_result",
        "call_id": message.tool_call_id,
        "name": name,
        "result": result_of(message),
    }


def _model_steps(message: AssistantMessage) -> list[Json]:
    raw = message.raw_blocks
    if message.raw_provider == PROVIDER and isinstance(raw, dict):
        return list(raw["steps"])
    steps: list[Json] = []
    if message.content:
        steps.append({"type": "model_output", "content": [_text(message.content)]})
    for call in message.tool_calls:
        step = {"type": "function_call", "id": call.id, "name": call.name}
        steps.append({**step, "arguments": object_of(call.arguments, "input")})
    return steps


def _text(text: str) -> Json:
    return {"type": "text", "text": text}


def _file(attachment: Attachment) -> Json:
    kind = attachment.mime_type.partition("/")[0]
    return {
        "type": kind if kind in {"image", "audio", "video"} else "document",
        "mime_type": attachment.mime_type,
        "data": attachment.base64_data,
    }
