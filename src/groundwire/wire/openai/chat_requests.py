"""Requests in Chat Completions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groundwire.model import AssistantMessage, ToolResultMessage, UserMessage
from groundwire.wire.contract import ANY_TOOL, OWN_SEARCH
from groundwire.wire.openai.requests import (
    SEARCH_CONTEXT_SIZE,
    data_url,
    file_name,
    is_image,
    reply_form,
    text_inside,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groundwire.model import Attachment, Json, Message, ToolCall, ToolDefinition
    from groundwire.wire.contract import Question


def chat_body(question: Question, *, max_tokens_field: str) -> dict[str, Json]:
    """Return a body that asks for a stream; the provider adds its search and its options."""
    body: dict[str, Json] = {
        "model": question.model,
        "stream": True,
        "stream_options": {"include_usage": True},
        "messages": _messages(question),
    }
    if question.tools:
        body["tools"] = function_tools(question.tools)
        if question.tool_choice and question.tool_choice != OWN_SEARCH:
            body["tool_choice"] = _tool_choice(question.tool_choice)
    if question.stop:
        body["stop"] = list(question.stop)
    if question.temperature is not None:
        body["temperature"] = question.temperature
    if question.max_tokens is not None:
        body[max_tokens_field] = question.max_tokens
    if question.reply_schema is not None:
        body["response_format"] = {"type": "json_schema", "json_schema": reply_form(question)}
    return body


def function_tools(tools: Sequence[ToolDefinition]) -> list[Json]:
    """Return tools, each wrapped as a function."""
    return [
        {
            "type": "function",
            "function": {
                "name": tool.name,
                "description": tool.description,
                "parameters": tool.parameters,
            },
        }
        for tool in tools
    ]


def _tool_choice(wish: str) -> Json:
    if wish == ANY_TOOL:
        return "required"
    return {"type": "function", "function": {"name": wish}}


def web_search_options(options: Json) -> Json:
    """Return how to search; unlike in Responses, the place stands one level deeper."""
    how: dict[str, Json] = {
        "search_context_size": options.get("search_context_size", SEARCH_CONTEXT_SIZE)
    }
    if (location := options.get("user_location")) is not None:
        how["user_location"] = {"type": "approximate", "approximate": dict(location)}
    return how


def _messages(question: Question) -> list[Json]:
    messages: list[Json] = []
    if question.system_prompt:
        messages.append({"role": "system", "content": question.system_prompt})
    messages += map(_message, question.messages)
    return messages


def _message(message: Message) -> Json:
    match message:
        case UserMessage():
            return {"role": "user", "content": _user_content(message)}
        case AssistantMessage(content=content, tool_calls=()):
            return {"role": "assistant", "content": content}
        case AssistantMessage():
            calls = [_tool_call(call) for call in message.tool_calls]
            return {"role": "assistant", "content": message.content or None, "tool_calls": calls}
        case ToolResultMessage():
            return {
                "role": "tool",
                "tool_call_id": message.tool_call_id,
                "content": message.content,
            }


def _tool_call(call: ToolCall) -> Json:
    function = {"name": call.name, "arguments": call.arguments or "{}"}
    return {"id": call.id, "type": "function", "function": function}


def _user_content(message: UserMessage) -> Json:
    if not message.attachments:
        return message.content
    parts = [{"type": "text", "text": message.content}] if message.content else []
    return [*parts, *map(_part, message.attachments)]


def _part(attachment: Attachment) -> Json:
    if is_image(attachment):
        return {"type": "image_url", "image_url": {"url": data_url(attachment)}}
    if (text := text_inside(attachment)) is not None:
        return {"type": "text", "text": text}
    name = file_name(attachment)
    return {"type": "file", "file": {"filename": name, "file_data": data_url(attachment)}}
