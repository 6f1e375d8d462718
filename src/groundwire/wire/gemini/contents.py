"""A conversation as Gemini's generateContent wants it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groundwire.model import AssistantMessage, ToolResultMessage, UserMessage
from groundwire.wire.text import parsed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groundwire.model import Json, Message, ToolDefinition

PROVIDER = "gemini"

# Gemini 3 answers 400 to a function call without a signature. This is Google's own word for
# calls that another model made, or that were kept without their raw parts.
FOREIGN_SIGNATURE = "skip_thought_signature_validator"


def contents_of(messages: Sequence[Message], *, needs_signatures: bool) -> list[Json]:
    """Return the conversation with the roles user and model taking turns."""
    builder = _Contents(needs_signatures=needs_signatures)
    for message in messages:
        match message:
            case UserMessage():
                builder.add("user", _user_parts(message))
            case AssistantMessage():
                builder.add("model", builder.model_parts(message))
            case ToolResultMessage():
                builder.add("user", [builder.result_part(message)])
    return builder.contents


class _Contents:
    """The contents so far, and the calls in them that results may answer."""

    def __init__(self, *, needs_signatures: bool) -> None:
        self.contents: list[Json] = []
        self._needs_signatures = needs_signatures
        self._names: dict[str, str] = {}
        self._sent_ids: set[str] = set()

    def add(self, role: str, parts: list[Json]) -> None:
        if not parts:
            return
        if self.contents and self.contents[-1]["role"] == role:
            self.contents[-1]["parts"].extend(parts)
        else:
            self.contents.append({"role": role, "parts": parts})

    def model_parts(self, message: AssistantMessage) -> list[Json]:
        self._names.update({call.id: call.name for call in message.tool_calls})
        if message.raw_provider == PROVIDER and isinstance(message.raw_blocks, list):
            calls = [part["functionCall"] for part in message.raw_blocks if "functionCall" in part]
            self._sent_ids.update(call["id"] for call in calls if "id" in call)
            return list(message.raw_blocks)
        self._sent_ids.update(call.id for call in message.tool_calls)
        parts: list[Json] = [{"text": message.content}] if message.content else []
        for number, call in enumerate(message.tool_calls):
            arguments = object_of(call.arguments, "input")
            part: Json = {"functionCall": {"id": call.id, "name": call.name, "args": arguments}}
            # The first of parallel calls carries the signature for all of them.
            if self._needs_signatures and number == 0:
                part["thoughtSignature"] = FOREIGN_SIGNATURE
            parts.append(part)
        return parts

    def result_part(self, message: ToolResultMessage) -> Json:
        name = self._names.get(message.tool_call_id)
        if name is None:
            # Gemini refuses a response to a call that it cannot see.
            return {"text": message.content}
        response = result_of(message)
        # A call that came without an id was sent back without one; so is its result.
        if message.tool_call_id not in self._sent_ids:
            return {"functionResponse": {"name": name, "response": response}}
        answer = {"id": message.tool_call_id, "name": name, "response": response}
        return {"functionResponse": answer}


def _user_parts(message: UserMessage) -> list[Json]:
    files: list[Json] = [
        {"inlineData": {"mimeType": file.mime_type, "data": file.base64_data}}
        for file in message.attachments
    ]
    return [*files, {"text": message.content}] if message.content else files


def result_of(message: ToolResultMessage) -> Json:
    """Return a tool's result as an object, which Gemini insists on."""
    if message.is_error:
        return {"error": message.content}
    return object_of(message.content, "output")


def object_of(text: str, name: str) -> Json:
    """Return a JSON text as an object; any other value is put under a name."""
    value = parsed(text or "{}")
    return value if isinstance(value, dict) else {name: text}


def declarations_of(tools: Sequence[ToolDefinition]) -> list[Json]:
    """Return functions with their parameters as plain JSON Schema.

    `parameters` takes only a part of OpenAPI 3.0 and refuses `additionalProperties`, `$ref` and
    more; `parametersJsonSchema`, beside it, takes JSON Schema as tools have it. Only the name of
    the schema's own dialect is left out: it tells the model nothing.
    """
    declarations: list[Json] = []
    for tool in tools:
        declaration: Json = {"name": tool.name, "description": tool.description}
        if tool.parameters:
            schema = {key: value for key, value in tool.parameters.items() if key != "$schema"}
            declaration["parametersJsonSchema"] = schema
        declarations.append(declaration)
    return declarations
