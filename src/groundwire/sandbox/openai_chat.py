"""OpenAI Chat Completions: checks, chunks and inline citations."""

from __future__ import annotations

import json
from collections.abc import Iterator

from groundwire.sandbox import openai_service as shared
from groundwire.sandbox.answers import AnswerPlan, AskedQuestion, OfferedTool, Searching, ToolResult
from groundwire.sandbox.json import Json
from groundwire.sandbox.openai_service import Link, linked_answer, refuse
from groundwire.sandbox.web import names
from groundwire.sandbox.wire import (
    CREATED,
    Call,
    Frame,
    Kind,
    RefusalError,
    Trouble,
    pieces,
    prompt_tokens,
    token_count,
    unknown_key,
)

FIELDS = names(
    "model messages stream stream_options temperature top_p n stop max_tokens "
    "max_completion_tokens presence_penalty frequency_penalty logit_bias logprobs top_logprobs "
    "user seed tools tool_choice parallel_tool_calls response_format web_search_options "
    "reasoning_effort verbosity modalities audio prediction metadata store service_tier "
    "safety_identifier prompt_cache_key prompt_cache_retention functions function_call"
)
ROLES = ("system", "developer", "user", "assistant", "tool", "function")
DONE = Frame(data="[DONE]", kind=Kind.END)


class OpenAIChat(shared.OpenAIService):
    """Speaks Chat Completions."""

    name = "openai"

    def read(self, call: Call) -> AskedQuestion:
        body = call.body
        if (extra := unknown_key(body, FIELDS)) is not None:
            raise refuse(f"Unknown parameter: '{extra}'.", extra, "unknown_parameter")
        _check_model(call)
        check_messages(body)
        options = body.get("web_search_options")
        searches = body["model"] in shared.SEARCH_MODELS
        return question_of(body, searching=Searching() if options is not None or searches else None)

    def failure_frames(self, trouble: Trouble, _call: Call, _sent: int) -> list[Frame]:
        return [Frame(data=shared.trouble_body(trouble), kind=Kind.END)]

    def unknown_frame(self, padding: str = "") -> Frame:
        return Frame(data={"object": "chat.completion.glow", "choices": [], "pad": padding})

    def reply(self, plan: AnswerPlan, call: Call) -> Json:
        text, links = linked_answer(plan)
        message: Json = {"role": "assistant", "content": text or None, "refusal": None}
        message["annotations"] = [annotation(link) for link in links]
        if plan.calls:
            message["tool_calls"] = [
                _tool_call(call, number) | {"function": function_text(plan, number)}
                for number in range(len(plan.calls))
            ]
        choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": finish(plan)}
        head = _head(call) | {"object": "chat.completion"}
        return head | {"choices": [choice], "usage": usage(plan, text, call)}

    def frames(self, plan: AnswerPlan, call: Call) -> list[Frame]:
        """Return the chunks; citations stand in the last delta, beside the finish reason."""
        text, links = linked_answer(plan)
        frames = [
            _chunk(call, number, delta, kind=kind)
            for number, (kind, delta) in enumerate(_deltas(plan, text, call))
        ]
        last = {"annotations": [annotation(link) for link in links]} if links else {}
        kind = Kind.CITATION if links else Kind.OTHER
        frames.append(_chunk(call, len(frames), last, kind=kind, finish_reason=finish(plan)))
        if (call.body.get("stream_options") or {}).get("include_usage"):
            total = _head(call) | {"choices": [], "usage": usage(plan, text, call)}
            frames.append(Frame(data=total | {"obfuscation": "h9"}))
        return [*frames, DONE]


def check_messages(body: Json) -> None:
    """Check roles and that tool calls and tool messages belong together.

    Raises:
        RefusalError: They do not.
    """
    waiting: list[str] = []
    for number, message in enumerate(body["messages"]):
        role = message.get("role")
        if role not in ROLES:
            where = f"messages[{number}].role"
            raise refuse(f"Invalid value: '{role}'.", where, "invalid_value")
        if role == "tool":
            if message.get("tool_call_id") not in waiting:
                text = "messages with role 'tool' must be a response to a preceeding message with "
                raise refuse(f"{text}'tool_calls'.", f"messages.[{number}].role")
            waiting.remove(message["tool_call_id"])
            continue
        _check_answered(waiting, number)
        waiting = [tool_call["id"] for tool_call in message.get("tool_calls") or ()]
        if role == "user" and message.get("content") is None:
            where = f"messages.[{number}].content"
            raise refuse("Invalid value for 'content': expected a string, got null.", where)
    _check_answered(waiting, len(body["messages"]))


def _check_answered(waiting: list[str], number: int) -> None:
    if waiting:
        text = "An assistant message with 'tool_calls' must be followed by tool messages "
        text += "responding to each 'tool_call_id'. The following tool_call_ids did not have "
        raise refuse(f"{text}response messages: {', '.join(waiting)}", f"messages.[{number}].role")


def _check_model(call: Call) -> None:
    body, model = call.body, call.body.get("model")
    if not model:
        raise refuse("you must provide a model parameter")
    if not body.get("messages"):
        raise refuse("Missing required parameter: 'messages'.", "messages", "missing_required")
    if model in shared.NOT_FOR_CHAT:
        message = "This is not a chat model and thus not supported in the v1/chat/completions "
        error = shared.error_body(f"{message}endpoint.", param="model")
        raise RefusalError(404, error)
    if model not in (*shared.MODELS, *call.extra_models):
        message = f"The model `{model}` does not exist or you do not have access to it."
        raise RefusalError(404, shared.error_body(message, code="model_not_found"))
    if "web_search_options" in body and model not in shared.SEARCH_MODELS:
        raise refuse("Web search options not supported with this model.", "web_search_options")
    if shared.is_reasoning(model) and "max_tokens" in body:
        message = "Unsupported parameter: 'max_tokens' is not supported with this model. Use "
        message += "'max_completion_tokens' instead."
        raise refuse(message, "max_tokens", "unsupported_parameter")
    if shared.is_reasoning(model) and body.get("temperature", 1) != 1:
        message = f"Unsupported value: 'temperature' does not support {body['temperature']} with "
        message += "this model. Only the default (1) value is supported."
        raise refuse(message, "temperature", "unsupported_value")
    shared.check_effort(model, body.get("reasoning_effort"), "reasoning_effort")
    if model in shared.SEARCH_MODELS and "temperature" in body:
        raise refuse("Model incompatible request argument supplied: temperature")


def question_of(body: Json, *, searching: Searching | None) -> AskedQuestion:
    """Return what a chat body asks for."""
    messages, choice = body["messages"], body.get("tool_choice")
    user = [message for message in messages if message["role"] == "user"]
    parts = [part for message in user[-1:] for part in _parts(message)]
    tools: tuple[OfferedTool, ...] = tuple(
        shared.function_tool(tool["function"])
        for tool in body.get("tools") or ()
        if tool.get("type") == "function"
    )
    return AskedQuestion(
        text=" ".join(part["text"] for part in parts if part.get("type") == "text"),
        tools=() if choice == "none" else tools,
        must_call=choice["function"]["name"]
        if isinstance(choice, dict)
        else ("" if choice == "required" else None),
        tool_results=_tool_results(messages),
        searching=searching,
        wants_thinking=bool(body.get("reasoning_effort") or body.get("reasoning")),
        attachments=tuple(part["type"] for part in parts if part.get("type") != "text"),
        max_tokens=body.get("max_completion_tokens") or body.get("max_tokens"),
    )


def _parts(message: Json) -> list[Json]:
    content = message.get("content") or ""
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def _tool_results(messages: Json) -> tuple[ToolResult, ...]:
    names = {
        tool_call["id"]: tool_call["function"]["name"]
        for message in messages
        for tool_call in message.get("tool_calls") or ()
    }
    results: list[ToolResult] = []
    for message in reversed(messages):
        if message["role"] != "tool":
            break
        text = " ".join(part.get("text", "") for part in _parts(message))
        results.insert(0, ToolResult(name=names[message["tool_call_id"]], text=text))
    return tuple(results)


def _deltas(plan: AnswerPlan, text: str, call: Call) -> Iterator[tuple[Kind, Json]]:
    content = None if plan.calls else ""
    yield Kind.START, {"role": "assistant", "content": content, "refusal": None}
    for piece in pieces(text):
        yield Kind.TEXT, {"content": piece}
    for number in range(len(plan.calls)):
        function = function_text(plan, number)
        first = _tool_call(call, number) | {"function": function | {"arguments": ""}}
        yield Kind.OTHER, {"tool_calls": [{"index": number} | first]}
        for piece in pieces(function["arguments"]):
            yield (
                Kind.OTHER,
                {"tool_calls": [{"index": number, "function": {"arguments": piece}}]},
            )


def annotation(link: Link) -> Json:
    """Return a citation, which on this surface is nested."""
    inner = {
        "end_index": link.end,
        "start_index": link.start,
        "title": link.page.title,
        "url": link.url,
    }
    return {"type": "url_citation", "url_citation": inner}


def function_text(plan: AnswerPlan, number: int) -> Json:
    """Return a planned call with its arguments as JSON text."""
    wanted = plan.calls[number]
    text = json.dumps(wanted.arguments, ensure_ascii=False, separators=(",", ":"))
    return {"name": wanted.name, "arguments": text}


def finish(plan: AnswerPlan) -> str:
    """Return the finish reason."""
    return "tool_calls" if plan.calls else ("length" if plan.is_cut else "stop")


def usage(plan: AnswerPlan, text: str, call: Call) -> Json:
    """Return the tokens of a completion."""
    prompt, thought = prompt_tokens(call.body), token_count(plan.thinking) if plan.thinking else 0
    completion = token_count(text) + thought + 12 * len(plan.calls)
    return {
        "prompt_tokens": prompt,
        "completion_tokens": completion,
        "total_tokens": prompt + completion,
        "prompt_tokens_details": {"cached_tokens": 0, "audio_tokens": 0},
        "completion_tokens_details": {
            "reasoning_tokens": thought,
            "audio_tokens": 0,
            "accepted_prediction_tokens": 0,
            "rejected_prediction_tokens": 0,
        },
    }


def _tool_call(call: Call, number: int) -> Json:
    return {"id": call.id("call_", number), "type": "function"}


def _head(call: Call) -> Json:
    return {
        "id": call.id("chatcmpl-", length=29),
        "object": "chat.completion.chunk",
        "created": CREATED,
        "model": call.body["model"],
        "service_tier": "default",
        "system_fingerprint": "fp_sandbox",
    }


def _chunk(
    call: Call, number: int, delta: Json, *, kind: Kind, finish_reason: str | None = None
) -> Frame:
    choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish_reason}
    data: Json = _head(call) | {"choices": [choice]}
    if (call.body.get("stream_options") or {}).get("include_usage"):
        data["usage"] = None
    # Random padding on the real wire, so that lengths of packets tell nothing.
    data["obfuscation"] = call.id("", number, length=2 + number * 5 % 12)
    return Frame(data=data, kind=kind)
