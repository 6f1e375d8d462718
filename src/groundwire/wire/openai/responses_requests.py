"""Requests in OpenAI's Responses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groundwire import catalog
from groundwire.catalog import Thinking
from groundwire.model import AssistantMessage, ToolResultMessage, UserMessage
from groundwire.wire.contract import ANY_TOOL, OWN_SEARCH
from groundwire.wire.openai.requests import (
    SEARCH_CONTEXT_SIZE,
    chosen,
    data_url,
    file_name,
    filter_domains,
    is_image,
    reasoning_effort,
    reply_form,
    text_inside,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groundwire.model import Attachment, Json, Message, ToolDefinition
    from groundwire.wire.contract import Question

TOOL_TYPE = "web_search"
INCLUDE_SOURCES = "web_search_call.action.sources"
INCLUDE_REASONING = "reasoning.encrypted_content"


def responses_body(question: Question, options: Json, *, provider: str) -> dict[str, Json]:
    """Return a body that asks for a stream of which the service keeps nothing."""
    body: dict[str, Json] = {"model": question.model, "stream": True, "store": False}
    if question.system_prompt:
        body["instructions"] = question.system_prompt
    body["input"] = _input(question.messages, provider)
    if question.tools:
        body["tools"] = function_tools(question.tools)
    if question.tool_choice and (question.tools or question.web_search):
        body["tool_choice"] = _tool_choice(question.tool_choice, options)
    if question.reply_schema is not None:
        body["text"] = {"format": {"type": "json_schema", **reply_form(question)}}
    if question.temperature is not None:
        body["temperature"] = question.temperature
    if question.max_tokens is not None:
        body["max_output_tokens"] = question.max_tokens
    body |= chosen(options, ("reasoning", "prompt_cache_key"))
    if effort := reasoning_effort(question):
        body["reasoning"] = {**body.get("reasoning", {}), "effort": effort}
    return body


def add_web_search(body: dict[str, Json], question: Question, options: Json) -> None:
    """Add OpenAI's own search to a body, and what of its findings to include."""
    include = [INCLUDE_REASONING] if has_reasoning(question.model, options) else []
    if question.web_search:
        body["tools"] = [*body.get("tools", ()), web_search_tool(question, options)]
        include.append(INCLUDE_SOURCES)
    if include:
        body["include"] = include


def has_reasoning(model: str, options: Json) -> bool:
    """Tell whether a model's reasoning can be asked for, to be sent back on the next turn.

    Models that do not reason refuse a request for it.
    """
    told = options.get("encrypted_reasoning")
    return catalog.traits_of(model).thinking is Thinking.ADAPTIVE if told is None else bool(told)


def web_search_tool(question: Question, options: Json) -> Json:
    """Return the search tool; only the preview of old has no filters."""
    kind = options.get("tool_type", TOOL_TYPE)
    tool: dict[str, Json] = {
        "type": kind,
        "search_context_size": options.get("search_context_size", SEARCH_CONTEXT_SIZE),
    }
    if (location := options.get("user_location")) is not None:
        tool["user_location"] = {"type": "approximate", **location}
    if kind.startswith("web_search_preview"):
        return tool
    lists = {
        "allowed_domains": filter_domains(question.allowed_domains),
        "blocked_domains": filter_domains(question.blocked_domains),
    }
    if filters := {name: domains for name, domains in lists.items() if domains}:
        tool["filters"] = filters
    return tool | chosen(options, ("external_web_access",))


def function_tools(tools: Sequence[ToolDefinition]) -> list[Json]:
    """Return tools as functions, flat."""
    return [
        {
            "type": "function",
            "name": tool.name,
            "description": tool.description,
            "parameters": tool.parameters,
            # Without this word the service rewrites schemas and makes every field required.
            "strict": False,
        }
        for tool in tools
    ]


def _tool_choice(wish: str, options: Json) -> Json:
    if wish == ANY_TOOL:
        return "required"
    if wish == OWN_SEARCH:
        return {"type": options.get("tool_type", TOOL_TYPE)}
    return {"type": "function", "name": wish}


def _input(messages: Sequence[Message], provider: str) -> list[Json]:
    answered = {
        message.tool_call_id for message in messages if isinstance(message, ToolResultMessage)
    }
    items: list[Json] = []
    for message in messages:
        match message:
            case UserMessage():
                items.append({"type": "message", "role": "user", "content": _parts(message)})
            case AssistantMessage():
                items += _replayed(message, provider, answered) or _plain(message)
            case ToolResultMessage():
                items.append(
                    {
                        "type": "function_call_output",
                        "call_id": message.tool_call_id,
                        "output": message.content,
                    }
                )
    return items


def _replayed(message: AssistantMessage, provider: str, answered: set[str]) -> list[Json]:
    """Return the provider's own items of a turn; none if a call among them has no result.

    The service refuses reasoning without what followed it and calls without their output, so
    the items go back all together or not at all.
    """
    if message.raw_provider != provider or not isinstance(message.raw_blocks, list):
        return []
    calls = {item["call_id"] for item in message.raw_blocks if item.get("type") == "function_call"}
    return message.raw_blocks if calls <= answered else []


def _plain(message: AssistantMessage) -> list[Json]:
    items: list[Json] = []
    if message.content:
        content = [{"type": "output_text", "text": message.content}]
        items.append({"type": "message", "role": "assistant", "content": content})
    items += [
        {
            "type": "function_call",
            "call_id": call.id,
            "name": call.name,
            "arguments": call.arguments or "{}",
        }
        for call in message.tool_calls
    ]
    return items


def _parts(message: UserMessage) -> list[Json]:
    parts = [{"type": "input_text", "text": message.content}] if message.content else []
    return [*parts, *map(_part, message.attachments)]


def _part(attachment: Attachment) -> Json:
    if is_image(attachment):
        return {"type": "input_image", "image_url": data_url(attachment)}
    if (text := text_inside(attachment)) is not None:
        return {"type": "input_text", "text": text}
    name = file_name(attachment)
    return {"type": "input_file", "filename": name, "file_data": data_url(attachment)}
