"""What a body of the Messages API asks for."""

from __future__ import annotations

from groundwire.sandbox.answers import AskedQuestion, Fetching, OfferedTool, Searching, ToolResult
from groundwire.sandbox.json import Json
from groundwire.sandbox.web import Domains, WebPage


def question_of(body: Json) -> AskedQuestion:
    """Return what a body asks for that the service takes."""
    search, fetch = server_tool(body, "web_search"), server_tool(body, "web_fetch")
    thinking = (body.get("thinking") or {}).get("type") in {"enabled", "adaptive"}
    choice = body.get("tool_choice") or {}
    user = [message for message in body["messages"] if message["role"] == "user"]
    asked = [m for m in user if _texts(m)]
    return AskedQuestion(
        text=" ".join(_texts(asked[-1])) if asked else "",
        tools=() if choice.get("type") == "none" else _tools(body),
        must_call=choice.get("name") or ("" if choice.get("type") == "any" else None),
        tool_results=_tool_results(body),
        searching=None if search is None else _searching(search),
        fetching=None if fetch is None else Fetching(domains=_domains(fetch)),
        wants_thinking=thinking,
        attachments=tuple(_attachment(b) for b in blocks_of(user[-1]) if "source" in b)
        if user
        else (),
        max_tokens=body["max_tokens"],
        continued=len(pending_searches(body)),
    )


def pending_searches(body: Json) -> list[str]:
    """Return the ids of the searches that the last assistant message waits for."""
    messages = body["messages"]
    if not messages or messages[-1]["role"] != "assistant":
        return []
    blocks = [b for m in _trailing_assistant(messages) for b in blocks_of(m)]
    answered = {b.get("tool_use_id") for b in blocks if b["type"].endswith("_tool_result")}
    return [b["id"] for b in blocks if b["type"] == "server_tool_use" and b["id"] not in answered]


def cites_fetched_pages(body: Json) -> bool:
    """Tell whether web_fetch was asked for citations, which it does not give by itself."""
    tool = server_tool(body, "web_fetch") or {}
    return bool((tool.get("citations") or {}).get("enabled"))


def server_tool(body: Json, name: str) -> Json | None:
    """Return one of the service's own tools, None if it is not offered."""
    tools = body.get("tools") or ()
    return next((t for t in tools if str(t.get("type") or "").startswith(name)), None)


def _trailing_assistant(messages: Json) -> list[Json]:
    trailing: list[Json] = []
    for message in reversed(messages):
        if message["role"] != "assistant":
            break
        trailing.insert(0, message)
    return trailing


def _tools(body: Json) -> tuple[OfferedTool, ...]:
    return tuple(
        OfferedTool(name=tool["name"], schema=tool["input_schema"])
        for tool in body.get("tools") or ()
        if (tool.get("type") or "custom") == "custom"
    )


def _domains(tool: Json) -> Domains:
    return Domains(
        allowed=tuple(tool.get("allowed_domains") or ()),
        blocked=tuple(tool.get("blocked_domains") or ()),
    )


def _searching(tool: Json) -> Searching:
    domains = _domains(tool)
    # A wildcard may stand only in the path; the service says so inside a 200.
    is_invalid = any(
        "*" in entry.partition("/")[0] or "://" in entry or entry.count("*") > 1
        for entry in (*domains.allowed, *domains.blocked)
    )
    error = "invalid_tool_input" if is_invalid else ""
    return Searching(domains=domains, limit=10, max_uses=tool.get("max_uses"), error=error)


def _tool_results(body: Json) -> tuple[ToolResult, ...]:
    turns = turns_of(body["messages"])
    if not turns or turns[-1][0] != "user" or len(turns) < 2:
        return ()
    names = {b["id"]: b["name"] for b in turns[-2][1] if b["type"] == "tool_use"}
    return tuple(
        _tool_result(names[block["tool_use_id"]], block.get("content") or "")
        for block in turns[-1][1]
        if block["type"] == "tool_result"
    )


def _tool_result(name: str, content: Json) -> ToolResult:
    if isinstance(content, str):
        return ToolResult(name=name, text=content)
    pages = tuple(
        WebPage(
            url=block["source"],
            title=block["title"],
            passages=tuple(part["text"] for part in block["content"]),
        )
        for block in content
        if block["type"] == "search_result" and (block.get("citations") or {}).get("enabled")
    )
    text = " ".join(block["text"] for block in content if block["type"] == "text")
    return ToolResult(name=name, text=text, pages=pages)


def _texts(message: Json) -> list[str]:
    return [block["text"] for block in blocks_of(message) if block["type"] == "text"]


def _attachment(block: Json) -> str:
    source = block["source"]
    return str(source.get("media_type", source.get("type"))) if isinstance(source, dict) else "url"


def turns_of(messages: Json) -> list[tuple[str, list[Json]]]:
    """Return the turns; the service joins consecutive messages of one role."""
    turns: list[tuple[str, list[Json]]] = []
    for message in messages:
        if turns and turns[-1][0] == message["role"]:
            turns[-1][1].extend(blocks_of(message))
        else:
            turns.append((message["role"], list(blocks_of(message))))
    return turns


def blocks_of(message: Json) -> list[Json]:
    """Return the content blocks of a message; a plain text is one."""
    content = message.get("content") or []
    return [{"type": "text", "text": content}] if isinstance(content, str) else content
