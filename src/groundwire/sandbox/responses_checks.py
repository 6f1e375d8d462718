"""What the Responses API refuses, and what a body asks for."""

from __future__ import annotations

from collections.abc import Iterable

from groundwire.sandbox import openai_service as shared
from groundwire.sandbox.answers import AskedQuestion, Fetching, Searching, ToolResult
from groundwire.sandbox.json import Json
from groundwire.sandbox.openai_service import refuse
from groundwire.sandbox.web import Domains, names
from groundwire.sandbox.wire import Call, unknown_key

FIELDS = names(
    "model input instructions stream stream_options store include tools tool_choice "
    "parallel_tool_calls max_tool_calls max_output_tokens temperature top_p top_logprobs text "
    "reasoning metadata previous_response_id conversation truncation user service_tier "
    "background prompt prompt_cache_key prompt_cache_retention safety_identifier"
)
SEARCH_TYPES = (
    "web_search",
    "web_search_2025_08_26",
    "web_search_preview",
    "web_search_preview_2025_03_11",
    "openrouter:web_search",
)
TOOL_TYPES = ("function", "custom", "openrouter:web_fetch", *SEARCH_TYPES)
SEARCH_FIELDS = names(
    "type search_context_size user_location filters external_web_access parameters "
    "search_content_types"
)
MAX_DOMAINS = 100


def check_model(call: Call, models: Iterable[str]) -> None:
    """Refuse a model that does not exist; this surface says 400 where Chat says 404."""
    model = call.body.get("model")
    if not model:
        message = "Missing required parameter: 'model'."
        raise refuse(message, "model", "missing_required_parameter")
    if model not in (*models, *call.extra_models):
        message = f"The requested model '{model}' does not exist."
        raise refuse(message, "model", "model_not_found")


def check_body(call: Call, extra_fields: frozenset[str] = frozenset()) -> None:
    """Refuse what the service refuses: unknown fields, bad tools, calls without outputs."""
    body = call.body
    if (extra := unknown_key(body, FIELDS | extra_fields)) is not None:
        raise refuse(f"Unknown parameter: '{extra}'.", extra, "unknown_parameter")
    if not body.get("input") and not body.get("prompt"):
        message = "Missing required parameter: 'input'."
        raise refuse(message, "input", "missing_required_parameter")
    temperature = body.get("temperature")
    if temperature is not None and shared.is_reasoning(body["model"]):
        message = "Unsupported parameter: 'temperature' is not supported with this model."
        raise refuse(message, "temperature", "unsupported_parameter")
    if temperature is not None and temperature < 0:
        message = "Invalid 'temperature': decimal below minimum value. Expected a value >= 0, but "
        message += f"got {temperature} instead."
        raise refuse(message, "temperature", "decimal_below_min_value")
    effort = (body.get("reasoning") or {}).get("effort")
    shared.check_effort(body["model"], effort, "reasoning.effort")
    for number, tool in enumerate(body.get("tools") or ()):
        _check_tool(tool, f"tools[{number}]")
    _check_pairs(items_of(body))


def _check_tool(tool: Json, where: str) -> None:
    kind = tool.get("type")
    if kind not in TOOL_TYPES:
        message = f"Invalid value: '{kind}'. Supported values are: "
        message += ", ".join(f"'{name}'" for name in TOOL_TYPES)
        raise refuse(message, where, "invalid_value")
    if kind not in SEARCH_TYPES:
        if kind == "function" and not tool.get("name"):
            message = f"Missing required parameter: '{where}.name'."
            raise refuse(message, f"{where}.name", "missing_required_parameter")
        return
    if (extra := unknown_key(tool, SEARCH_FIELDS)) is not None:
        message = f"Unknown parameter: '{where}.{extra}'."
        raise refuse(message, f"{where}.{extra}", "unknown_parameter")
    filters = tool.get("filters") or {}
    if filters.get("allowed_domains") and filters.get("blocked_domains"):
        message = "Only one of 'allowed_domains' and 'blocked_domains' can be provided."
        raise refuse(message, f"{where}.filters", "invalid_value")
    for name in ("allowed_domains", "blocked_domains"):
        entries = filters.get(name) or ()
        bad = [entry for entry in entries if "://" in entry or "*" in entry or "/" in entry]
        if bad or len(entries) > MAX_DOMAINS:
            message = f"Invalid domain: '{bad[0]}'." if bad else "Too many domains."
            raise refuse(message, f"{where}.filters.{name}", "invalid_value")


def _check_pairs(items: list[Json]) -> None:
    calls = [item["call_id"] for item in items if item.get("type") == "function_call"]
    outputs = [item["call_id"] for item in items if item.get("type") == "function_call_output"]
    for call_id in outputs:
        if call_id not in calls:
            message = f"No tool call found for function call output with call_id {call_id}."
            raise refuse(message, "input")
    for call_id in calls:
        if call_id not in outputs:
            raise refuse(f"No tool output found for function call {call_id}.", "input")


def items_of(body: Json) -> list[Json]:
    """Return the input as a list of items, whatever form it has."""
    given = body.get("input") or []
    return [{"role": "user", "content": given}] if isinstance(given, str) else given


def question_of(body: Json) -> AskedQuestion:
    """Return what a body asks for."""
    items, choice = items_of(body), body.get("tool_choice")
    user = [item for item in items if item.get("role") == "user"]
    parts = [part for item in user[-1:] for part in _parts(item)]
    tools = body.get("tools") or ()
    search = next((tool for tool in tools if tool.get("type") in SEARCH_TYPES), None)
    functions = tuple(shared.function_tool(t) for t in tools if t.get("type") == "function")
    return AskedQuestion(
        text=" ".join(part["text"] for part in parts if "text" in part),
        tools=() if choice == "none" else functions,
        must_call=choice.get("name")
        if isinstance(choice, dict)
        else ("" if choice == "required" else None),
        tool_results=_tool_results(items),
        searching=None if search is None else Searching(domains=_domains(search)),
        fetching=None if search is None else Fetching(domains=_domains(search)),
        wants_thinking=bool(body.get("reasoning")),
        attachments=tuple(part["type"] for part in parts if "text" not in part),
        max_tokens=body.get("max_output_tokens"),
    )


def _parts(item: Json) -> list[Json]:
    content = item.get("content") or ""
    return [{"type": "input_text", "text": content}] if isinstance(content, str) else content


def _domains(tool: Json) -> Domains:
    # OpenRouter keeps its settings one level deeper and calls the second list otherwise.
    lists = (tool.get("filters") or {}) | (tool.get("parameters") or {})
    blocked = (*(lists.get("blocked_domains") or ()), *(lists.get("excluded_domains") or ()))
    return Domains(allowed=tuple(lists.get("allowed_domains") or ()), blocked=blocked)


def _tool_results(items: list[Json]) -> tuple[ToolResult, ...]:
    names = {i["call_id"]: i["name"] for i in items if i.get("type") == "function_call"}
    results: list[ToolResult] = []
    for item in reversed(items):
        if item.get("type") != "function_call_output":
            break
        output = item["output"]
        text = output if isinstance(output, str) else " ".join(p.get("text", "") for p in output)
        results.insert(0, ToolResult(name=names[item["call_id"]], text=text))
    return tuple(results)
