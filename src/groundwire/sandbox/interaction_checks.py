"""What Interactions refuses, and what a body asks for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from groundwire.sandbox.answers import AskedQuestion, Fetching, OfferedTool, Searching, ToolResult
from groundwire.sandbox.gemini_checks import check_model, refuse
from groundwire.sandbox.json import Json
from groundwire.sandbox.web import names
from groundwire.sandbox.wire import Call, unknown_key

FIELDS = names(
    "model input tools stream store system_instruction generation_config previous_interaction_id "
    "response_format response_mime_type response_modalities safety_settings service_tier labels "
    "background cached_content continuation_token environment webhook_config agent agent_config"
)
TOOLS = names(
    "function google_search url_context code_execution file_search google_maps mcp_server "
    "retrieval computer_use"
)


def question_of(call: Call) -> AskedQuestion:
    """Return what a body asks for.

    Raises:
        RefusalError: The service would not take this body.
    """
    body = call.body
    if (extra := unknown_key(body, FIELDS)) is not None:
        raise refuse(f"Unknown parameter '{extra}'.")
    if not isinstance(body.get("model"), str):
        raise refuse("Exactly one of 'model' or 'agent' must be set.")
    if not body.get("input"):
        raise refuse("The 'input' parameter is required.")
    check_model(replace(call, model=body["model"]))
    tools = {tool["type"]: tool for tool in _tools(body)}
    steps = list(_steps(body["input"]))
    _check_results(body, steps)
    config = body.get("generation_config") or {}
    last = [step for step in steps if step["type"] == "user_input"][-1:]
    content = last[0]["content"] if last else []
    return AskedQuestion(
        text=" ".join(block["text"] for block in content if block["type"] == "text"),
        tools=tuple(
            OfferedTool(name=tool["name"], schema=tool.get("parameters") or {})
            for tool in _tools(body)
            if tool["type"] == "function"
        ),
        tool_results=_tool_results(steps),
        searching=Searching() if "google_search" in tools else None,
        fetching=Fetching() if "url_context" in tools else None,
        wants_thinking=bool(shows_thoughts(body) or config.get("thinking_level")),
        attachments=tuple(
            block.get("mime_type", "file") for block in content if block["type"] != "text"
        ),
        max_tokens=config.get("max_output_tokens"),
    )


def shows_thoughts(body: Json) -> bool:
    """Tell whether the caller wants summaries of what the model thinks."""
    return (body.get("generation_config") or {}).get("thinking_summaries") == "auto"


def _tools(body: Json) -> list[Json]:
    tools: list[Json] = body.get("tools") or []
    for number, tool in enumerate(tools):
        if tool.get("type") not in TOOLS:
            raise refuse(f"Invalid value for 'tools[{number}].type'.")
    return tools


def _steps(given: Json) -> Iterator[Json]:
    """Yield the input as steps: it may also be one text, one content or a list of contents."""
    if isinstance(given, str):
        yield {"type": "user_input", "content": [{"type": "text", "text": given}]}
        return
    contents: list[Json] = []
    for item in given if isinstance(given, list) else [given]:
        if item["type"] in ("text", "image", "audio", "video", "document"):
            contents.append(item)
        elif item["type"] == "user_input" and isinstance(item.get("content"), str):
            yield item | {"content": [{"type": "text", "text": item["content"]}]}
        else:
            yield item
    if contents:
        yield {"type": "user_input", "content": contents}


def _check_results(body: Json, steps: list[Json]) -> None:
    """Refuse results of calls that nobody made; of an earlier interaction only Google knows."""
    if body.get("previous_interaction_id"):
        return
    calls = {step["id"] for step in steps if step["type"] == "function_call"}
    for step in steps:
        if step["type"] == "function_result" and step["call_id"] not in calls:
            raise refuse(f"No function call found for function result '{step['call_id']}'.")


def _tool_results(steps: list[Json]) -> tuple[ToolResult, ...]:
    """Return the results at the very end."""
    results: list[ToolResult] = []
    for step in reversed(steps):
        if step["type"] != "function_result":
            break
        results.insert(0, ToolResult(name=step.get("name") or "", text=_text(step.get("result"))))
    return tuple(results)


def _text(result: Json) -> str:
    if isinstance(result, dict):
        result = result.get("output", result.get("result", result))
    if isinstance(result, list):
        result = " ".join(block.get("text", "") for block in result)
    return result if isinstance(result, str) else str(result)
