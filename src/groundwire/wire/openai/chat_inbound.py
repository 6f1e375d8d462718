"""Requests in Chat Completions, as a gateway reads them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from groundwire.model import AssistantMessage, ToolCall, ToolResultMessage, UserMessage
from groundwire.wire.inbound import (
    ClientTool,
    InboundError,
    InboundRequest,
    Said,
    ToolChoice,
    ToolUse,
    body_of,
    count_in,
    flag_in,
    joined,
    list_in,
    number_in,
    object_in,
    objects_in,
    reminder,
    text_in,
    texts_in,
)
from groundwire.wire.openai.inbound_content import hosted_search, read_content, thinking_of

if TYPE_CHECKING:
    from groundwire.model import Json

AS_JSON = "Answer with one JSON object and nothing else."
TOOL_USES = {"auto": ToolUse.AUTO, "none": ToolUse.NONE, "required": ToolUse.REQUIRED}


def read_chat_request(value: Json) -> InboundRequest:
    """Return what a body asks.

    Raises:
        InboundError: It cannot be carried out as it is.
    """
    body = body_of(value)
    messages = list_in(body, "messages")
    if not messages:
        raise InboundError("messages must hold at least one message", param="messages")
    _refuse(body)
    system: list[str] = []
    said: list[Said] = []
    for number, message in enumerate(messages):
        where = f"messages[{number}]"
        if not isinstance(message, dict):
            raise InboundError(f"{where} must be an object", param=where)
        _read_message(message, where, system, said)
    form = object_in(body, "response_format")
    if form.get("type") == "json_object":
        system.append(AS_JSON)
    shape = object_in(form, "json_schema")
    search = object_in(body, "web_search_options")
    return InboundRequest(
        model=text_in(body, "model"),
        said=joined(said),
        system="\n\n".join(part for part in system if part),
        tools=tuple(_tools(objects_in(body, "tools"))),
        tool_choice=_tool_choice(body.get("tool_choice")),
        hosted=hosted_search(search) if body.get("web_search_options") is not None else None,
        streams=flag_in(body, "stream"),
        max_tokens=count_in(body, "max_completion_tokens", "max_tokens"),
        temperature=number_in(body, "temperature"),
        stop=texts_in(body, "stop"),
        thinking=thinking_of(body.get("reasoning_effort")),
        wants_thinking=True,
        reply_schema=shape.get("schema"),
        reply_is_strict=flag_in(shape, "strict"),
        includes_usage=flag_in(object_in(body, "stream_options"), "include_usage"),
    )


def _refuse(body: Mapping[str, Json]) -> None:
    if body.get("n") not in (None, 1):
        raise InboundError("one answer at a time: leave n out", param="n")
    if body.get("audio") is not None or "audio" in list_in(body, "modalities"):
        raise InboundError("answers are text: leave audio out", param="audio")


def _read_message(
    message: Mapping[str, Json], where: str, system: list[str], said: list[Said]
) -> None:
    text, files = read_content(message.get("content"), where)
    match message.get("role"):
        case "system" | "developer" if not said:
            system.append(text)
        case "system" | "developer":
            said.append(reminder(text))
        case "user":
            said.append(UserMessage(content=text, attachments=files))
        case "assistant":
            calls = tuple(_calls(objects_in(message, "tool_calls")))
            if text or calls:
                said.append(AssistantMessage(content=text, tool_calls=calls))
        case "tool":
            id_ = text_in(message, "tool_call_id")
            said.append(ToolResultMessage(tool_call_id=id_, content=text))
        case role:
            raise InboundError(f"{where}.role cannot be {role!r}", param=where)


def _calls(calls: list[Mapping[str, Json]]) -> Iterable[ToolCall]:
    for call in calls:
        function = object_in(call, "function")
        yield ToolCall(
            id=text_in(call, "id"),
            name=text_in(function, "name"),
            arguments=text_in(function, "arguments") or "{}",
        )


def _tools(tools: list[Mapping[str, Json]]) -> Iterable[ClientTool]:
    for tool in tools:
        function = object_in(tool, "function")
        if function:
            yield ClientTool(
                name=text_in(function, "name"),
                description=text_in(function, "description"),
                parameters=function.get("parameters"),
            )


def _tool_choice(value: Json) -> ToolChoice:
    if isinstance(value, dict):
        name = text_in(object_in(value, "function"), "name")
        return ToolChoice(use=ToolUse.NAMED, name=name) if name else ToolChoice()
    return ToolChoice(use=TOOL_USES.get(str(value), ToolUse.AUTO))
