"""Requests in OpenAI's Responses, as a gateway reads them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from groundwire.model import AssistantMessage, ToolCall, ToolResultMessage, UserMessage
from groundwire.wire.inbound import (
    ClientTool,
    HostedTools,
    InboundError,
    InboundRequest,
    ReplayedItem,
    ReplayedSearch,
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
)
from groundwire.wire.openai.chat_inbound import AS_JSON, TOOL_USES
from groundwire.wire.openai.inbound_content import hosted_search, read_content, thinking_of
from groundwire.wire.openai.responses_requests import INCLUDE_SOURCES, TOOL_TYPE

if TYPE_CHECKING:
    from groundwire.model import Json

# What a free text is put into for a model that only knows functions.
_FREE_TEXT: Json = {
    "type": "object",
    "properties": {"input": {"type": "string"}},
    "required": ["input"],
}


def read_responses_request(value: Json) -> InboundRequest:
    """Return what a body asks.

    Raises:
        InboundError: It cannot be carried out as it is.
    """
    body = body_of(value)
    _refuse(body)
    system = [text_in(body, "instructions")]
    said = _said(body.get("input"), system)
    previous = text_in(body, "previous_response_id")
    if not said and not previous:
        raise InboundError("input must say something", param="input")
    tools = objects_in(body, "tools")
    form = object_in(object_in(body, "text"), "format")
    if form.get("type") == "json_object":
        system.append(AS_JSON)
    return InboundRequest(
        model=text_in(body, "model"),
        said=joined(said),
        system="\n\n".join(part for part in system if part),
        tools=tuple(_client_tools(tools)),
        tool_choice=_tool_choice(body.get("tool_choice")),
        hosted=_hosted(tools),
        streams=flag_in(body, "stream"),
        max_tokens=count_in(body, "max_output_tokens"),
        temperature=number_in(body, "temperature"),
        thinking=thinking_of(object_in(body, "reasoning").get("effort")),
        reply_schema=form.get("schema") if form.get("type") == "json_schema" else None,
        reply_is_strict=flag_in(form, "strict"),
        includes_sources=INCLUDE_SOURCES in list_in(body, "include"),
        previous_id=previous,
    )


def _refuse(body: Mapping[str, Json]) -> None:
    """Refuse what only OpenAI's own service could carry out: left out, the answer would be wrong.

    Raises:
        InboundError: There is something of the kind.
    """
    if flag_in(body, "background"):
        raise InboundError("background is not offered: leave it out", param="background")
    for name in ("conversation", "prompt"):
        if body.get(name) is not None:
            raise InboundError(f"{name} is kept at OpenAI: send its words as input", param=name)


def said_in(output: Json) -> list[Said]:
    """Return what the output of a reply says, for a client that goes on from it by its id."""
    return _said(output, [])


def _said(given: Json, system: list[str]) -> list[Said]:
    if given is None:
        return []
    if isinstance(given, str):
        return [UserMessage(content=given)] if given else []
    if not isinstance(given, list):
        raise InboundError("input must be a text or a list of items", param="input")
    said: list[Said] = []
    for number, item in enumerate(given):
        where = f"input[{number}]"
        if not isinstance(item, dict):
            raise InboundError(f"{where} must be an object", param=where)
        said += _item(item, where, system, is_first=not said)
    return said


def _item(
    item: Mapping[str, Json], where: str, system: list[str], *, is_first: bool
) -> Iterable[Said]:
    """Return what an item says; of what only another service could read, nothing."""
    match item.get("type") or "message":
        case "message":
            yield from _message(item, where, system, is_first=is_first)
        case "web_search_call":
            action = object_in(item, "action")
            yield ReplayedSearch(id=text_in(item, "id"), query=text_in(action, "query"))
        case "item_reference":
            yield ReplayedItem(id=text_in(item, "id"))
        case "function_call":
            yield _called(item, text_in(item, "arguments") or "{}")
        case "custom_tool_call":
            yield _called(item, json.dumps({"input": text_in(item, "input")}, ensure_ascii=False))
        case "function_call_output" | "custom_tool_call_output":
            yield from _output(item, where)
        case _:
            pass


def _message(
    item: Mapping[str, Json], where: str, system: list[str], *, is_first: bool
) -> Iterable[Said]:
    text, files = read_content(item.get("content"), where)
    match item.get("role"):
        case "system" | "developer" if is_first:
            system.append(text)
        case "system" | "developer":
            yield reminder(text)
        case "user":
            yield UserMessage(content=text, attachments=files)
        case "assistant":
            if text:
                yield AssistantMessage(content=text)
        case role:
            raise InboundError(f"{where}.role cannot be {role!r}", param=where)


def _called(item: Mapping[str, Json], arguments: str) -> AssistantMessage:
    call = ToolCall(id=text_in(item, "call_id"), name=text_in(item, "name"), arguments=arguments)
    return AssistantMessage(content="", tool_calls=(call,))


def _output(item: Mapping[str, Json], where: str) -> Iterable[Said]:
    text, files = read_content(item.get("output"), where)
    yield ToolResultMessage(tool_call_id=text_in(item, "call_id"), content=text)
    if files:
        yield UserMessage(content="", attachments=files)


def _client_tools(tools: list[Mapping[str, Json]]) -> Iterable[ClientTool]:
    """Return what the client runs; what only another service could run is not offered."""
    for tool in tools:
        name, told = text_in(tool, "name"), text_in(tool, "description")
        if tool.get("type") == "function":
            yield ClientTool(name=name, description=told, parameters=tool.get("parameters"))
        elif tool.get("type") == "custom":
            grammar = object_in(tool, "format").get("definition")
            if isinstance(grammar, str):
                told = f"{told}\n\nThe input follows this grammar:\n{grammar}"
            yield ClientTool(name=name, description=told, parameters=_FREE_TEXT, is_custom=True)


def _hosted(tools: list[Mapping[str, Json]]) -> HostedTools | None:
    for tool in tools:
        if str(tool.get("type")).startswith(TOOL_TYPE):
            return hosted_search(tool)
    return None


def _tool_choice(value: Json) -> ToolChoice:
    if not isinstance(value, dict):
        return ToolChoice(use=TOOL_USES.get(str(value), ToolUse.AUTO))
    kind = str(value.get("type"))
    if kind.startswith(TOOL_TYPE):
        return ToolChoice(use=ToolUse.NAMED, name=TOOL_TYPE)
    name = text_in(value, "name")
    return ToolChoice(use=ToolUse.NAMED, name=name) if name else ToolChoice()
