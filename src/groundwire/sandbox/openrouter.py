"""OpenRouter: Chat Completions with citations first, and Responses, with errors of its own."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from groundwire.sandbox import openai_chat as chat
from groundwire.sandbox import responses_checks as checks
from groundwire.sandbox.answers import AnswerPlan, AskedQuestion, Searching
from groundwire.sandbox.json import Json
from groundwire.sandbox.openai_responses import OpenAIResponses
from groundwire.sandbox.openai_service import linked_answer
from groundwire.sandbox.web import Domains, WebPage, names
from groundwire.sandbox.wire import (
    BAD_KEY,
    CREATED,
    Call,
    Frame,
    Framing,
    Kind,
    RefusalError,
    Trouble,
    pieces,
    unknown_key,
)

COMMENT = Frame(data="OPENROUTER PROCESSING", is_comment=True)
MODELS = (
    "openai/gpt-5.5",
    "openai/gpt-5",
    "openai/gpt-4.1-mini",
    "anthropic/claude-sonnet-5.5",
    "anthropic/claude-haiku-4.5",
    "google/gemini-3.8-flash",
    "google/gemini-2.5-flash",
    "deepseek/deepseek-chat",
)
FIELDS = chat.FIELDS | names(
    "plugins provider models route transforms reasoning include_reasoning usage top_k min_p top_a "
    "repetition_penalty structured_outputs session_id trace debug image_config"
)
SERVER_TOOLS = ("openrouter:web_search", "openrouter:web_fetch")
PRICE_PER_SEARCH = 0.007
TROUBLES = {
    Trouble.UNAUTHORIZED: (401, "User not found."),
    Trouble.FORBIDDEN: (403, "Key limit exceeded (total limit)."),
    Trouble.RATE_LIMIT: (429, "Provider returned error"),
    Trouble.QUOTA: (402, "Insufficient credits. Add more using the credits page."),
    Trouble.CONTEXT_TOO_LONG: (
        400,
        "This endpoint's maximum context length is 128000 tokens; you asked for 130000.",
    ),
    Trouble.SERVER_ERROR: (500, "Internal Server Error"),
    Trouble.OVERLOADED: (503, "Provider returned error"),
}


def _error(status: int, message: str, metadata: Json | None = None) -> Json:
    inner: Json = {"message": message, "code": status}
    return {
        "error": inner | ({"metadata": metadata} if metadata else {}),
        "user_id": "user_sandbox",
    }


def _trouble(trouble: Trouble) -> Json:
    status, message = TROUBLES[trouble]
    upstream = {"provider_name": "Sandbox", "raw": "the provider behind is busy, retry shortly"}
    return _error(status, message, upstream if "Provider" in message else None)


def _check_model(call: Call) -> None:
    model = str(call.body.get("model", "")).removesuffix(":online")
    if model not in (*MODELS, *call.extra_models):
        raise RefusalError(400, _error(400, f"{call.body.get('model')} is not a valid model ID"))


class _Service:
    """What both surfaces do alike: keys, headers, models and refusals."""

    def authorize(self, call: Call) -> None:
        if not call.bearer():
            error = {"message": "No auth credentials found", "code": 401}
            raise RefusalError(401, {"error": error})
        if call.bearer() == BAD_KEY:
            raise RefusalError(401, _trouble(Trouble.UNAUTHORIZED))

    def headers(self, call: Call) -> dict[str, str]:
        return {"x-generation-id": call.id("gen-", CREATED, length=20)}

    def models(self, _call: Call) -> Json:
        return {"data": [_model(name) for name in MODELS]}

    def refusal(
        self, trouble: Trouble, _call: Call, retry_after: float | None = None
    ) -> RefusalError:
        headers = {} if retry_after is None else {"retry-after": f"{retry_after:g}"}
        return RefusalError(TROUBLES[trouble][0], _trouble(trouble), headers)

    def malformed(self, message: str, _call: Call) -> RefusalError:
        return RefusalError(400, _error(400, message))


def _model(name: str) -> Json:
    return {
        "id": name,
        "canonical_slug": name,
        "name": name.partition("/")[2],
        "created": CREATED,
        "description": "A model of the sandbox.",
        "context_length": 200_000,
        "architecture": {"input_modalities": ["text", "image"]},
        "pricing": {"prompt": "0.000001", "completion": "0.000004", "web_search": "0.007"},
        "supported_parameters": ["max_tokens", "temperature", "tools", "tool_choice"],
        "expiration_date": None,
    }


class OpenRouterChat(_Service, chat.OpenAIChat):
    """Speaks Chat Completions as OpenRouter does."""

    name = "openrouter"

    def read(self, call: Call) -> AskedQuestion:
        if (extra := unknown_key(call.body, FIELDS)) is not None:
            raise RefusalError(400, _error(400, f'Unrecognized key: "{extra}"'))
        _check_model(call)
        try:
            chat.check_messages(call.body)
        except RefusalError as refusal:
            raise RefusalError(400, _error(400, refusal.body["error"]["message"])) from refusal
        return chat.question_of(call.body, searching=_searching(call.body))

    def framing(self, _call: Call) -> Framing:
        return Framing(content_type="text/event-stream")

    def failure_frames(self, trouble: Trouble, call: Call, _sent: int) -> list[Frame]:
        """Return a normal chunk with an error in it, and the usual end."""
        error = _trouble(trouble)["error"]
        chunk = _head(call) | {"error": error, "choices": [_choice({"content": ""}, "error")]}
        return [Frame(data=chunk), chat.DONE]

    def reply(self, plan: AnswerPlan, call: Call) -> Json:
        reply = super().reply(plan, call)
        message = reply["choices"][0]["message"] | {"reasoning": plan.thinking or None}
        message["annotations"] = _annotations(plan, call)
        if not _is_native(call.body):
            message["content"] = plan.text or None
        choice = reply["choices"][0] | {"message": message, "native_finish_reason": "stop"}
        head = _head(call) | {"object": "chat.completion"}
        return head | {"choices": [choice], "usage": _usage(plan, call)}

    def frames(self, plan: AnswerPlan, call: Call) -> list[Frame]:
        """Return comments while it works, citations, then text, then the usage."""
        frames = [COMMENT] * 3
        for kind, delta in _deltas(plan, call):
            frames.append(Frame(kind=kind, data=_head(call) | {"choices": [_choice(delta)]}))
        last = _head(call) | {"choices": [_choice({"content": ""}, chat.finish(plan))]}
        frames.append(Frame(data=last))
        frames.append(Frame(data=last | {"usage": _usage(plan, call)}))
        return [*frames, chat.DONE]


class OpenRouterResponses(_Service, OpenAIResponses):
    """Speaks Responses as OpenRouter does."""

    name = "openrouter-responses"

    def read(self, call: Call) -> AskedQuestion:
        _check_model(call)
        try:
            checks.check_body(call, frozenset({"plugins", "provider", "models", "session_id"}))
        except RefusalError as refusal:
            raise RefusalError(400, _error(400, refusal.body["error"]["message"])) from refusal
        return replace(checks.question_of(call.body), searching=_searching(call.body))


def _search_settings(body: Json) -> Json | None:
    """Return the settings of the plugin or of the server tool, None if search is off."""
    for plugin in body.get("plugins") or ():
        if plugin.get("id") == "web" and plugin.get("enabled", True):
            return plugin
    for tool in body.get("tools") or ():
        if tool.get("type") == SERVER_TOOLS[0]:
            return tool.get("parameters") or {}
    return {} if str(body.get("model")).endswith(":online") else body.get("web_search_options")


def _is_native(body: Json) -> bool:
    return (_search_settings(body) or {}).get("engine") == "native"


def _searching(body: Json) -> Searching | None:
    settings = _search_settings(body)
    if settings is None:
        return None
    allowed = settings.get("allowed_domains") or settings.get("include_domains") or ()
    blocked = settings.get("excluded_domains") or settings.get("exclude_domains") or ()
    if "allowed_domains" in settings and "excluded_domains" in settings:
        message = "allowed_domains and excluded_domains cannot be used together"
        raise RefusalError(400, _error(400, message))
    domains = Domains(allowed=tuple(allowed), blocked=tuple(blocked))
    return Searching(
        domains=domains,
        limit=settings.get("max_results") or 5,
        max_uses=settings.get("max_uses"),
    )


def _annotations(plan: AnswerPlan, call: Call) -> list[Json]:
    """Return links where the model's own service searched, else pages without a place."""
    if _is_native(call.body):
        return [chat.annotation(link) for link in linked_answer(plan)[1]]
    return [
        {
            "type": "url_citation",
            "url_citation": {
                "url": page.url,
                "title": page.title if page.published else "",
                "start_index": 0,
                "end_index": 0,
                "content": _content(plan, page),
            },
        }
        for page in plan.pages
    ]


def _content(plan: AnswerPlan, page: WebPage) -> str:
    """Return what the search gave of a page: the passage that the answer uses."""
    quotes = [segment.quote for segment in plan.segments if segment.page == page]
    used = (passage for passage in page.passages for quote in quotes if quote in passage)
    return next(used, page.text)


def _deltas(plan: AnswerPlan, call: Call) -> Iterator[tuple[Kind, Json]]:
    notes = [(Kind.CITATION, {"content": "", "annotations": [a]}) for a in _annotations(plan, call)]
    is_native = _is_native(call.body)
    yield from () if is_native else notes
    for piece in pieces(plan.thinking, (3,)):
        detail = {"type": "reasoning.text", "text": piece, "index": 0, "format": None}
        yield Kind.OTHER, {"content": "", "reasoning": piece, "reasoning_details": [detail]}
    for piece in pieces(linked_answer(plan)[0] if is_native else plan.text):
        yield Kind.TEXT, {"content": piece}
    yield from notes if is_native else ()
    for number in range(len(plan.calls)):
        function = chat.function_text(plan, number)
        start = {"index": number, "id": call.id("call_", number), "type": "function"}
        start["function"] = function | {"arguments": ""}
        yield Kind.OTHER, {"content": None, "tool_calls": [start]}
        for piece in pieces(function["arguments"]):
            more = {"index": number, "function": {"arguments": piece}}
            yield Kind.OTHER, {"content": None, "tool_calls": [more]}


def _choice(delta: Json, finish_reason: str | None = None) -> Json:
    return {
        "index": 0,
        "delta": delta | {"role": "assistant"},
        "finish_reason": finish_reason,
        "native_finish_reason": finish_reason and "stop",
    }


def _head(call: Call) -> Json:
    return {
        "id": call.id(f"gen-{CREATED}-", length=20),
        "object": "chat.completion.chunk",
        "created": CREATED,
        "model": str(call.body["model"]).removesuffix(":online"),
        "provider": "Sandbox",
    }


def _usage(plan: AnswerPlan, call: Call) -> Json:
    usage = chat.usage(plan, plan.text, call)
    searches = len(plan.searches)
    tokens = 1e-06 * usage["prompt_tokens"] + 4e-06 * usage["completion_tokens"]
    usage |= {"cost": tokens + PRICE_PER_SEARCH * searches, "is_byok": False}
    usage["cost_details"] = {"upstream_inference_cost": tokens}
    if searches:
        usage["server_tool_use_details"] = {"web_search_requests": searches}
    return usage
