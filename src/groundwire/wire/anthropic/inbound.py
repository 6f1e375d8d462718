"""Requests in Anthropic's Messages, as a gateway reads them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from groundwire.catalog import ThinkingChoice
from groundwire.model import AssistantMessage, ToolCall, UserMessage
from groundwire.wire.anthropic.inbound_content import attachment_of, text_parts, tool_result
from groundwire.wire.inbound import (
    ClientTool,
    HostedTools,
    InboundError,
    InboundRequest,
    ReplayedCitation,
    ReplayedPage,
    ReplayedRead,
    ReplayedSearch,
    Said,
    ToolChoice,
    ToolUse,
    body_of,
    count_in,
    flag_in,
    joined,
    list_in,
    location_of,
    number_in,
    object_in,
    objects_in,
    reminder,
    text_in,
    texts_in,
)

if TYPE_CHECKING:
    from groundwire.model import Json

_FOUND = "web_search_tool_result"
_TOOL_SEARCH = "tool_search_tool_"
_CHOICES = {"auto": ToolUse.AUTO, "any": ToolUse.REQUIRED, "none": ToolUse.NONE}
_EFFORTS = {
    "low": ThinkingChoice.LOW,
    "medium": ThinkingChoice.MEDIUM,
    "high": ThinkingChoice.HIGH,
    "xhigh": ThinkingChoice.HIGH,
    "max": ThinkingChoice.HIGH,
}


def read_messages_request(value: Json) -> InboundRequest:
    """Return what a body asks.

    Raises:
        InboundError: It cannot be carried out as it is.
    """
    body = body_of(value)
    messages = list_in(body, "messages")
    if not messages:
        raise InboundError("messages must hold at least one message", param="messages")
    system = [_text(body.get("system"), "system")]
    said: list[Said] = []
    citations: list[ReplayedCitation] = []
    tools = objects_in(body, "tools")
    known = {str(tool.get("name")): tool for tool in tools}
    for number, message in enumerate(messages):
        where = f"messages.{number}"
        if not isinstance(message, dict):
            raise InboundError(f"{where} must be an object", param=where)
        content = message.get("content")
        match message.get("role"):
            case "system" if not said:
                system.append(_text(content, where))
            case "system":
                said.append(reminder(_text(content, where)))
            case "user":
                said += _user(content, where, known)
            case "assistant":
                said += _assistant(content, where, citations)
            case _:
                raise InboundError(f"{where}.role must be user or assistant", param=where)
    return _request(body, system, tools, said=joined(said), citations=tuple(citations))


def _request(
    body: Mapping[str, Json], system: list[str], tools: Sequence[Mapping[str, Json]], **said: Json
) -> InboundRequest:
    thinking = object_in(body, "thinking")
    return InboundRequest(
        model=text_in(body, "model"),
        system="\n\n".join(part for part in system if part),
        tools=tuple(_client_tools(tools, _referenced(body["messages"]))),
        tool_choice=_tool_choice(body.get("tool_choice")),
        hosted=_hosted(tools),
        streams=flag_in(body, "stream"),
        max_tokens=count_in(body, "max_tokens"),
        temperature=number_in(body, "temperature"),
        stop=texts_in(body, "stop_sequences"),
        thinking=_thinking(thinking, object_in(body, "output_config")),
        wants_thinking=thinking.get("type") in ("enabled", "adaptive")
        and thinking.get("display") != "omitted",
        reply_schema=_schema(body),
        **said,
    )


def _text(content: Json, where: str) -> str:
    """Return a text, or the texts of blocks."""
    if content is None or isinstance(content, str):
        return content or ""
    return "\n\n".join(text_parts(content, where))


def _user(content: Json, where: str, tools: Mapping[str, Mapping[str, Json]]) -> list[Said]:
    """Return what a user's turn holds: results of tools first, then words and files."""
    if isinstance(content, str):
        return [UserMessage(content=content)]
    if not isinstance(content, list):
        raise InboundError(f"{where}.content must be a text or a list", param=where)
    results: list[Said] = []
    texts, files = [], []
    for block in content:
        kind = block.get("type") if isinstance(block, dict) else None
        if kind == "tool_result":
            message, pictures = tool_result(block, where, tools)
            results.append(message)
            files += pictures
        elif kind in ("image", "document"):
            files.append(attachment_of(block, where))
        else:
            texts += text_parts([block], where)
    words = "\n\n".join(texts)
    if not words and not files:
        return results
    return [*results, UserMessage(content=words, attachments=tuple(files))]


def _assistant(content: Json, where: str, citations: list[ReplayedCitation]) -> list[Said]:
    """Return what an answer said, with our searches between its words."""
    if isinstance(content, str):
        return [AssistantMessage(content=content)]
    if not isinstance(content, list):
        raise InboundError(f"{where}.content must be a text or a list", param=where)
    said: list[Said] = []
    texts: list[str] = []
    calls: list[ToolCall] = []
    asked: dict[str, Mapping[str, Json]] = {}
    for block in content:
        kind = block.get("type") if isinstance(block, dict) else None
        match kind:
            case "text":
                texts.append(text_in(block, "text"))
                citations += _citations(block)
            case "tool_use":
                calls.append(_call(block))
            case "server_tool_use":
                asked[text_in(block, "id")] = object_in(block, "input")
            case "web_search_tool_result" | "web_fetch_tool_result":
                if texts:
                    said.append(AssistantMessage(content="".join(texts)))
                    texts.clear()
                said.append(_search(block, asked, where) if kind == _FOUND else _read(block))
            case _:
                pass  # Thoughts, and what another gateway's server tools gave.
    if texts or calls:
        said.append(AssistantMessage(content="".join(texts), tool_calls=tuple(calls)))
    return said


def _call(block: Json) -> ToolCall:
    arguments = json.dumps(object_in(block, "input"), ensure_ascii=False)
    return ToolCall(id=text_in(block, "id"), name=text_in(block, "name"), arguments=arguments)


def _search(block: Json, asked: Mapping[str, Mapping[str, Json]], where: str) -> ReplayedSearch:
    id_ = text_in(block, "tool_use_id")
    if id_ not in asked:
        raise InboundError(f"{where}: the result {id_!r} has no server_tool_use", param=where)
    query, found = text_in(asked[id_], "query"), block.get("content")
    if isinstance(found, dict):
        return ReplayedSearch(id=id_, query=query, error=text_in(found, "error_code"))
    pages = [
        ReplayedPage(
            url=text_in(each, "url"),
            title=text_in(each, "title"),
            state=text_in(each, "encrypted_content"),
        )
        for each in list_in(block, "content")
        if isinstance(each, dict)
    ]
    return ReplayedSearch(id=id_, query=query, pages=tuple(pages))


def _read(block: Json) -> ReplayedRead:
    """Return a page that was read; of a PDF, which another service has sent, no text."""
    page = object_in(block, "content")
    document = object_in(page, "content")
    source = object_in(document, "source")
    return ReplayedRead(
        id=text_in(block, "tool_use_id"),
        url=text_in(page, "url"),
        title=text_in(document, "title"),
        text=text_in(source, "data") if source.get("type") == "text" else "",
    )


def _citations(block: Json) -> Iterable[ReplayedCitation]:
    for each in list_in(block, "citations"):
        if isinstance(each, dict) and isinstance(each.get("url"), str):
            yield ReplayedCitation(
                url=each["url"],
                title=text_in(each, "title"),
                state=text_in(each, "encrypted_index"),
            )


def _referenced(messages: list[Json]) -> set[str]:
    """Return the tools that a client's own tool search has found."""
    found: set[str] = set()
    for message in messages:
        content = message.get("content")
        for block in content if isinstance(content, list) else ():
            inner = block.get("content") if isinstance(block, dict) else None
            for each in inner if isinstance(inner, list) else ():
                if isinstance(each, dict) and each.get("type") == "tool_reference":
                    found.add(str(each.get("tool_name")))
    return found


def _client_tools(
    tools: Sequence[Mapping[str, Json]], referenced: set[str]
) -> Iterable[ClientTool]:
    """Return what the client runs; what is deferred only once the client's search found it.

    Where Anthropic's own service was to search for it, nobody here does: all of it is offered.
    """
    is_ours = any(str(tool.get("type")).startswith(_TOOL_SEARCH) for tool in tools)
    for tool in tools:
        name = text_in(tool, "name")
        if not isinstance(tool.get("input_schema"), dict):
            continue
        if flag_in(tool, "defer_loading") and not is_ours and name not in referenced:
            continue
        yield ClientTool(
            name=name,
            description=text_in(tool, "description"),
            parameters=tool["input_schema"],
        )


def _hosted(tools: Sequence[Mapping[str, Json]]) -> HostedTools | None:
    kinds = [(str(tool.get("type") or ""), tool) for tool in tools]
    search = next((tool for kind, tool in kinds if kind.startswith("web_search_")), None)
    fetch = next((tool for kind, tool in kinds if kind.startswith("web_fetch_")), None)
    if search is None and fetch is None:
        return None
    lists = search or fetch or {}
    allowed, blocked = texts_in(lists, "allowed_domains"), texts_in(lists, "blocked_domains")
    if allowed and blocked:
        raise InboundError(
            "give allowed_domains or blocked_domains, not both", param="tools.allowed_domains"
        )
    return HostedTools(
        searches=search is not None,
        reads=fetch is not None,
        max_searches=count_in(search or {}, "max_uses"),
        max_pages=count_in(fetch or {}, "max_uses"),
        allowed_domains=allowed,
        blocked_domains=blocked,
        location=location_of((search or {}).get("user_location")),
    )


def _tool_choice(value: Json) -> ToolChoice:
    given = value if isinstance(value, dict) else {}
    if given.get("type") == "tool":
        return ToolChoice(use=ToolUse.NAMED, name=text_in(given, "name"))
    return ToolChoice(use=_CHOICES.get(str(given.get("type")), ToolUse.AUTO))


def _thinking(thinking: Mapping[str, Json], output: Mapping[str, Json]) -> ThinkingChoice | None:
    match thinking.get("type"):
        case "disabled":
            return ThinkingChoice.OFF
        case "enabled" | "adaptive":
            return _EFFORTS.get(str(output.get("effort")), ThinkingChoice.ON)
        case _:
            return _EFFORTS.get(str(output.get("effort")))


def _schema(body: Mapping[str, Json]) -> Json:
    form = object_in(body, "output_config").get("format") or body.get("output_format")
    return form.get("schema") if isinstance(form, dict) else None
