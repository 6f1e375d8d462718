"""What the Messages API refuses."""

from __future__ import annotations

from groundwire.sandbox.anthropic_question import blocks_of, pending_searches, turns_of
from groundwire.sandbox.json import Json
from groundwire.sandbox.web import names
from groundwire.sandbox.wire import Call, RefusalError, is_intact, unknown_key

CONTENT_MARK = b"\x12\xc0page"
INDEX_MARK = b"\x12\xc0index"
THOUGHT_MARK = b"\x12\xc0think"
VERSION_WITHOUT_SAMPLING = "2026-10-21"
SAMPLING = names("temperature top_p top_k")
VERSIONS = ("2023-06-01", VERSION_WITHOUT_SAMPLING)
# Whether a model takes `adaptive` thinking, `enabled` thinking with a budget, or both.
ADAPTIVE, BUDGET = frozenset({"adaptive"}), frozenset({"enabled"})
MODELS = {
    "claude-fable-5-2": ADAPTIVE,
    "claude-opus-5-5": ADAPTIVE,
    "claude-sonnet-5-5": ADAPTIVE,
    "claude-haiku-5-5": ADAPTIVE,
    "claude-opus-4-8": ADAPTIVE,
    "claude-opus-4-7": ADAPTIVE,
    "claude-opus-4-6": ADAPTIVE | BUDGET,
    "claude-sonnet-4-6": ADAPTIVE | BUDGET,
    "claude-sonnet-4-5": BUDGET,
    "claude-sonnet-4-5-20250929": BUDGET,
    "claude-haiku-4-5": BUDGET,
    "claude-haiku-4-5-20251001": BUDGET,
}
FIELDS = names(
    "model messages max_tokens system stream temperature top_p top_k stop_sequences tools "
    "tool_choice thinking output_config metadata service_tier container context_management "
    "cache_control inference_geo mcp_servers betas"
)
BLOCK_FIELDS = {
    "text": "text citations cache_control",
    "image": "source cache_control",
    "document": "source title context citations cache_control",
    "search_result": "source title content citations cache_control",
    "thinking": "thinking signature",
    "redacted_thinking": "data",
    "tool_use": "id name input caller cache_control",
    "tool_result": "tool_use_id content is_error cache_control",
    "server_tool_use": "id name input caller cache_control",
    "web_search_tool_result": "tool_use_id content caller cache_control",
    "web_fetch_tool_result": "tool_use_id content caller cache_control",
    "code_execution_tool_result": "tool_use_id content cache_control",
}
_DOMAINS = "type name max_uses allowed_domains blocked_domains cache_control defer_loading strict "
_SEARCH = _DOMAINS + "user_location allowed_callers "
_FETCH = _DOMAINS + "citations max_content_tokens allowed_callers "
TOOL_FIELDS = {
    "custom": "type name description input_schema cache_control strict defer_loading "
    "allowed_callers input_examples eager_input_streaming",
    "web_search_20250305": _SEARCH,
    "web_search_20260209": _SEARCH,
    "web_search_20260318": _SEARCH + "response_inclusion",
    "web_fetch_20250910": _FETCH,
    "web_fetch_20260209": _FETCH,
    "web_fetch_20260309": _FETCH + "use_cache",
    "web_fetch_20260318": _FETCH + "use_cache response_inclusion url_sources",
}


def check(call: Call) -> None:
    """Check that the service would take a body.

    Raises:
        RefusalError: It would not.
    """
    _check_body(call)
    _check_sampling(call)
    _check_thinking(call)
    _check_tools(call)
    _check_messages(call)
    _check_pairs(call)
    _check_kept_thinking(call)


def refuse(call: Call, message: str, status: int = 400, kind: str = "") -> RefusalError:
    """Return an error object, a 400 unless said otherwise."""
    error = {"type": kind or "invalid_request_error", "message": message}
    request_id = call.id("req_011C", length=20)
    return RefusalError(status, {"type": "error", "error": error, "request_id": request_id})


def _check_body(call: Call) -> None:
    body, version = call.body, call.headers.get("anthropic-version")
    if version is None:
        raise refuse(call, "anthropic-version: header is required")
    if version not in VERSIONS:
        raise refuse(call, f'anthropic-version: "{version}" is not a valid version')
    for name in ("model", "max_tokens", "messages"):
        if name not in body:
            raise refuse(call, f"{name}: Field required")
    if not isinstance(body["max_tokens"], int) or body["max_tokens"] < 1:
        raise refuse(call, "max_tokens: Input should be greater than or equal to 1")
    if body["model"] not in (*MODELS, *call.extra_models):
        raise refuse(call, f"model: {body['model']}", 404, "not_found_error")
    forbidden = SAMPLING if version == VERSION_WITHOUT_SAMPLING else frozenset()
    if (extra := unknown_key(body, FIELDS - forbidden)) is not None:
        raise refuse(call, f"{extra}: Extra inputs are not permitted")


def _check_sampling(call: Call) -> None:
    """Refuse a temperature from the models on that think adaptively and no other way."""
    body = call.body
    if "temperature" in body and MODELS.get(body["model"]) == ADAPTIVE:
        raise refuse(call, "`temperature` is deprecated for this model.")


def _check_thinking(call: Call) -> None:
    body, thinking = call.body, call.body.get("thinking") or {}
    kind = thinking.get("type", "disabled")
    if kind == "disabled":
        return
    if kind not in MODELS.get(body["model"], ADAPTIVE | BUDGET):
        instead = "adaptive" if kind == "enabled" else "enabled"
        message = f'"thinking.type.{kind}" is not supported for this model. Use '
        raise refuse(call, message + f'"thinking.type.{instead}" to control thinking behavior.')
    if kind == "enabled" and thinking.get("budget_tokens", 0) < 1024:
        where = "thinking.enabled.budget_tokens"
        raise refuse(call, f"{where}: Input should be greater than or equal to 1024")
    if kind == "enabled" and thinking["budget_tokens"] >= body["max_tokens"]:
        raise refuse(call, "`max_tokens` must be greater than `thinking.budget_tokens`.")
    if body.get("temperature", 1) != 1:
        raise refuse(call, "`temperature` may only be set to 1 when thinking is enabled.")
    if (body.get("tool_choice") or {}).get("type") in {"any", "tool"}:
        raise refuse(call, "Thinking may not be enabled when tool_choice forces tool use.")


def _check_kept_thinking(call: Call) -> None:
    """Check that a caller who answers a tool call has kept the thoughts that led to it."""
    turns = turns_of(call.body["messages"])
    is_answer = len(turns) > 1 and any(b["type"] == "tool_result" for b in turns[-1][1])
    if not is_answer or (call.body.get("thinking") or {}).get("type") != "enabled":
        return
    first = turns[-2][1][0]["type"]
    if first not in {"thinking", "redacted_thinking"}:
        where = f"messages.{len(turns) - 2}.content.0.type"
        message = f"Expected `thinking` or `redacted_thinking`, but found `{first}`. When "
        message += "`thinking` is enabled, a final `assistant` message must start with a thinking "
        raise refuse(call, f"{where}: {message}block.")


def _check_tools(call: Call) -> None:
    taken: set[str] = set()
    for number, tool in enumerate(call.body.get("tools") or ()):
        kind = tool.get("type") or "custom"
        if kind not in TOOL_FIELDS:
            expected = ", ".join(f"'{name}'" for name in TOOL_FIELDS)
            message = f"tools.{number}: Input tag '{kind}' found using 'type' does not match any "
            raise refuse(call, f"{message}of the expected tags: {expected}")
        extra = unknown_key(tool, names(TOOL_FIELDS[kind]))
        if extra is not None:
            raise refuse(call, f"tools.{number}.{kind}.{extra}: Extra inputs are not permitted")
        if kind == "custom" and "input_schema" not in tool:
            raise refuse(call, f"tools.{number}.custom.input_schema: Field required")
        if tool.get("allowed_domains") and tool.get("blocked_domains"):
            message = "Only one of `allowed_domains` and `blocked_domains` may be given."
            raise refuse(call, f"tools.{number}.{kind}: {message}")
        if tool["name"] in taken:
            raise refuse(call, "tools: Tool names must be unique.")
        taken.add(tool["name"])


def _check_messages(call: Call) -> None:
    messages = call.body["messages"]
    if not messages:
        raise refuse(call, "messages: at least one message is required")
    if messages[0].get("role") != "user":
        raise refuse(call, 'messages: first message must use the "user" role')
    for number, message in enumerate(messages):
        if message.get("role") not in {"user", "assistant"}:
            where = f"messages.{number}.role"
            raise refuse(call, f"{where}: Input should be 'user' or 'assistant'")
        is_final_assistant = number == len(messages) - 1 and message["role"] == "assistant"
        if not message.get("content") and not is_final_assistant:
            raise refuse(call, f"messages.{number}: all messages must have non-empty content")
        for place, block in enumerate(blocks_of(message)):
            _check_block(call, block, message["role"], f"messages.{number}.content.{place}")
    last = messages[-1]
    is_old = "enabled" in MODELS.get(call.body["model"], BUDGET)
    if last["role"] == "assistant" and not pending_searches(call.body) and not is_old:
        message = "This model does not support assistant message prefill."
        raise refuse(call, f"{message} The conversation must end with a user message.")


def _check_block(call: Call, block: Json, role: str, where: str) -> None:
    kind = block.get("type", "")
    if kind not in BLOCK_FIELDS:
        raise refuse(call, f"{where}: Input tag '{kind}' found using 'type' does not match any")
    extra = unknown_key(block, names(f"type {BLOCK_FIELDS[kind]}"))
    if extra is not None:
        raise refuse(call, f"{where}.{kind}.{extra}: Extra inputs are not permitted")
    if kind == "text" and not block.get("text"):
        raise refuse(call, "messages: text content blocks must be non-empty")
    if kind == "thinking" and not is_intact(THOUGHT_MARK, block.get("signature") or ""):
        raise refuse(call, f"{where}: Invalid `signature` in `thinking` block")
    if call.headers.get("anthropic-version") == VERSION_WITHOUT_SAMPLING:
        if kind == "document" and role == "assistant":
            raise refuse(call, f"{where}: `document` blocks are not permitted in this role")
        if kind == "text" and role == "user" and block.get("citations"):
            raise refuse(call, f"{where}.text.citations: Extra inputs are not permitted")
    for result in block["content"] if kind == "web_search_tool_result" else ():
        if isinstance(result, dict) and not is_intact(
            CONTENT_MARK, result.get("encrypted_content") or ""
        ):
            message = "Invalid `encrypted_content` in `web_search_result` block"
            raise refuse(call, f"{where}: {message}")


def _check_pairs(call: Call) -> None:
    """Check that every call has its result in the next message, and no result is alone."""
    messages = turns_of(call.body["messages"])
    for number, (role, blocks) in enumerate(messages):
        following = messages[number + 1][1] if number + 1 < len(messages) else []
        previous = messages[number - 1][1] if number else []
        results = {b["tool_use_id"] for b in following if b["type"] == "tool_result"}
        calls = {b["id"] for b in previous if b["type"] == "tool_use"}
        missing = [b["id"] for b in blocks if b["type"] == "tool_use" and b["id"] not in results]
        if missing:
            raise refuse(
                call,
                f"messages.{number}: `tool_use` ids were found without `tool_result` blocks "
                f"immediately after: {', '.join(missing)}. Each `tool_use` block must have a "
                "corresponding `tool_result` block in the next message.",
            )
        for place, block in enumerate(blocks):
            if block["type"] == "tool_result" and block["tool_use_id"] not in calls:
                raise _unexpected(
                    call,
                    f"messages.{number}.content.{place}",
                    block,
                    "`tool_use` block in the previous",
                )
        if role == "assistant":
            _check_server_pairs(call, messages, number)


def _check_server_pairs(call: Call, messages: list[tuple[str, list[Json]]], number: int) -> None:
    blocks = messages[number][1]
    known = {b["id"] for b in blocks if b["type"] == "server_tool_use"}
    for place, block in enumerate(blocks):
        is_result = block["type"].endswith("_tool_result")
        before = {b["id"] for _, earlier in messages[:number] for b in earlier if "id" in b}
        if is_result and block["tool_use_id"] not in known | before:
            raise _unexpected(
                call, f"messages.{number}.content.{place}", block, "`server_tool_use` block in this"
            )
    answered = {b["tool_use_id"] for _, later in messages for b in later if "tool_use_id" in b}
    is_in_flight = not any(role == "assistant" for role, _ in messages[number + 1 :])
    for block in blocks:
        if block["type"] == "server_tool_use" and not is_in_flight and block["id"] not in answered:
            name = block["name"]
            message = f"`{name}` tool use with id `{block['id']}` was found without a "
            raise refuse(call, f"{message}corresponding `{name}_tool_result` block")


def _unexpected(call: Call, where: str, block: Json, needed: str) -> RefusalError:
    kind = block["type"]
    return refuse(
        call,
        f"{where}: unexpected `tool_use_id` found in `{kind}` blocks: "
        f"{block['tool_use_id']}. Each `{kind}` block must have a corresponding {needed} message.",
    )
