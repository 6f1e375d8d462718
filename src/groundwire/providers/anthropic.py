"""Anthropic's Messages API: Claude, with Anthropic's own web search and page reading."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from groundwire import catalog
from groundwire.catalog import Charging, Thinking, ThinkingChoice
from groundwire.errors import (
    BadReplyError,
    QuotaError,
    ServiceError,
    SettingsError,
    WebSearchUnsupportedError,
)
from groundwire.model import ModelInfo
from groundwire.wire.anthropic.messages import (
    SEARCH_NAME,
    SourceDocument,
    documents_in,
    tool_choice,
    wire_messages,
)
from groundwire.wire.anthropic.replies import MessagesDecoder
from groundwire.wire.authorization import bearer
from groundwire.wire.contract import HttpReply, HttpRequest, Provider
from groundwire.wire.errors import fault_inside, request_id_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from groundwire.model import Json, ToolDefinition
    from groundwire.wire.contract import Access, Question

API_VERSION = "2023-06-01"
FIRST_VERSION_WITHOUT_SAMPLING = "2026-10-21"
MAX_TOKENS = 16_000
WEB_SEARCH_TYPE = "web_search_20250305"
WEB_FETCH_TYPE = "web_fetch_20250910"
MAX_SEARCHES = 5
MAX_FETCHES = 10
BUDGET_TOKENS = 10_000
MIN_BUDGET_TOKENS = 1024
EFFORT = "high"

_FETCH_BETA = {"web_fetch_20250910": "web-fetch-2025-09-10"}
_FIRST_FILTERING_DATE = "20260209"
# The service has no words of its own for these, only sentences for people.
_SENTENCES: tuple[tuple[re.Pattern[str], type[ServiceError]], ...] = (
    (
        re.compile(r"not (support|enabled).*web.search|web.search.*not (support|enabled)"),
        WebSearchUnsupportedError,
    ),
    (re.compile(r"credit balance is too low"), QuotaError),
)
_EPHEMERAL = {"type": "ephemeral"}
_BUDGETS = {
    ThinkingChoice.LOW: 2_000,
    ThinkingChoice.MEDIUM: 5_000,
    ThinkingChoice.HIGH: BUDGET_TOKENS,
}


class Anthropic(Provider):
    """Answers with Claude, which searches the web and reads pages on Anthropic's side.

    Options, all with a default:
        api_version: The `anthropic-version` header; from 2026-10-21 on no temperature is sent.
        bearer: True sends the key as a bearer token instead of `x-api-key`.
        max_tokens: Most tokens of an answer, unless the question says.
        web_search_type, web_fetch_type: Versions of the two web tools.
        max_searches, max_fetches: Most uses of each in one answer.
        web_fetch: False leaves page reading out.
        allowed_callers: Who may use the newer web tools. Only "direct" use is cited.
        user_location: Any of city, region, country and timezone, for the search.
        thinking: "on" or "off", where neither the question nor the agent says.
        budget_tokens: Most tokens of thinking, on models before 4.6.
        effort: How hard models from 4.6 on think: low, medium, high or max.
        thinking_display: "summarized" or "omitted", where the model's own default will not do.
        cache: True marks the prompt for Anthropic's prompt cache.
    """

    title = "Anthropic"
    base_url = "https://api.anthropic.com/v1"
    key_variable = "ANTHROPIC_API_KEY"
    key_url = "https://console.anthropic.com/settings/keys"
    max_event_bytes = 64_000_000  # A fetched PDF comes back as one event.
    filters_own_search = True
    reads_itself = True
    charging = Charging(input_has_cache=False)

    def searches_itself(self, model: str, access: Access) -> bool:  # noqa: ARG002 - the contract's
        return catalog.traits_of(model).searches

    def answer_request(self, question: Question, access: Access) -> HttpRequest:
        options = access.options
        messages = wire_messages(question.messages)
        max_tokens = _max_tokens(question, options)
        body: Json = {"model": question.model, "max_tokens": max_tokens, "stream": True}
        if question.system_prompt:
            body["system"] = question.system_prompt
        body["messages"] = messages
        web_tools = _web_tools(question, options)
        tools = self.tool_definitions(question.tools) if question.tools else []
        if tools or web_tools:
            body["tools"] = tools + web_tools
        if (tools or web_tools) and question.tool_choice:
            body["tool_choice"] = tool_choice(question.tool_choice)
        if question.stop:
            body["stop_sequences"] = list(question.stop)
        body.update(_thinking(question, options))
        if question.temperature is not None and self.takes_temperature(question, access):
            body["temperature"] = question.temperature
        if options.get("cache", False):
            _mark_for_cache(body)
        headers = _headers(access, web_tools)
        return HttpRequest.post_json(f"{access.base_url}/messages", body, headers)

    def takes_temperature(self, question: Question, access: Access) -> bool:
        version = access.options.get("api_version", API_VERSION)
        is_taken = version < FIRST_VERSION_WITHOUT_SAMPLING
        thinks = bool(_thinking(question, access.options))
        return is_taken and not thinks and super().takes_temperature(question, access)

    def answer_decoder(self, question: Question | None = None) -> MessagesDecoder:
        # Citations count the documents of the whole conversation; with the question they are known.
        documents: list[SourceDocument] = []
        for turn in wire_messages(question.messages) if question else ():
            documents += documents_in(turn["content"])
        return MessagesDecoder(documents)

    def tool_definitions(self, tools: Sequence[ToolDefinition]) -> list[Json]:
        return [
            {
                "name": tool.name,
                "description": tool.description,
                "input_schema": tool.parameters or {"type": "object"},
            }
            for tool in tools
        ]

    def models_request(self, access: Access) -> HttpRequest:
        url = f"{access.base_url}/models?limit=1000"
        return HttpRequest(method="GET", url=url, headers=_headers(access))

    def models(self, reply: HttpReply) -> list[ModelInfo]:
        listed = reply.json()
        if not isinstance(listed, dict) or not isinstance(listed.get("data"), list):
            raise BadReplyError(reply.service, "expected a list of models", status=reply.status)
        return [
            ModelInfo(id=model["id"], title=model.get("display_name") or "")
            for model in listed["data"]
        ]

    def error_from(self, reply: HttpReply) -> ServiceError | None:
        if reply.status != 400:
            return None
        text = reply.text()
        kind = next((kind for sentence, kind in _SENTENCES if sentence.search(text)), None)
        if kind is None:
            return None
        fault = fault_inside(
            reply.service, headers=reply.headers, body=reply.body, now=datetime.now(UTC)
        )
        reason = fault.reason if fault else "the service gave no reason"
        request_id = request_id_of(reply.headers)
        return kind(reply.service, reason, status=400, request_id=request_id)


def _headers(access: Access, web_tools: Iterable[Json] = ()) -> dict[str, str]:
    headers = {"anthropic-version": access.options.get("api_version", API_VERSION)}
    if not access.key or access.options.get("bearer", False):
        headers |= bearer(access)
    else:
        headers["x-api-key"] = access.key.reveal()
    for tool in web_tools:
        if tool["type"] in _FETCH_BETA:
            headers["anthropic-beta"] = _FETCH_BETA[tool["type"]]
    return headers


def _web_tools(question: Question, options: Mapping[str, Json]) -> list[Json]:
    # With every domain blocked there is nothing to search; fail closed.
    if "*" in question.blocked_domains:
        return []
    domains = _domain_filter(question)
    search = {
        "type": options.get("web_search_type", WEB_SEARCH_TYPE),
        "name": SEARCH_NAME,
        "max_uses": options.get("max_searches", MAX_SEARCHES),
        **domains,
    }
    if location := options.get("user_location"):
        search["user_location"] = {"type": "approximate", **location}
    fetch = {
        "type": options.get("web_fetch_type", WEB_FETCH_TYPE),
        "name": "web_fetch",
        "max_uses": options.get("max_fetches", MAX_FETCHES),
        **domains,
        "citations": {"enabled": True},
    }
    reads = question.web_search if question.web_fetch is None else question.web_fetch
    wanted = [search] if question.web_search else []
    if reads and options.get("web_fetch", True):
        wanted.append(fetch)
    for tool in wanted:
        # The newer tools may be used from code that the model runs, and then nothing is cited.
        if tool["type"].rpartition("_")[2] >= _FIRST_FILTERING_DATE:
            tool["allowed_callers"] = options.get("allowed_callers", ["direct"])
    return wanted


def _domain_filter(question: Question) -> dict[str, list[str]]:
    """Return the one list that the service takes; whoever shows the answer enforces both."""
    if question.allowed_domains and "*" not in question.allowed_domains:
        return {"allowed_domains": _plain_domains(question.allowed_domains)}
    if question.blocked_domains:
        return {"blocked_domains": _plain_domains(question.blocked_domains)}
    return {}


def _plain_domains(entries: Iterable[str]) -> list[str]:
    # A bare domain covers its subdomains here, and a star in front is an error.
    return list(dict.fromkeys(entry.removeprefix("*.") for entry in entries))


def _max_tokens(question: Question, options: Mapping[str, Json]) -> int:
    return int(question.max_tokens or options.get("max_tokens", MAX_TOKENS))


def _thinking(question: Question, options: Mapping[str, Json]) -> dict[str, Json]:
    model, max_tokens = question.model, _max_tokens(question, options)
    wish = question.thinking or _thinking_option(options)
    if wish is ThinkingChoice.OFF:
        return {}
    shown = {"display": options["thinking_display"]} if "thinking_display" in options else {}
    if catalog.traits_of(model).thinking is not Thinking.BUDGET:
        effort = options.get("effort", EFFORT) if wish is ThinkingChoice.ON else wish.value
        return {
            "thinking": {"type": "adaptive", **shown},
            "output_config": {"effort": effort},
        }
    budget: int = _BUDGETS.get(wish) or options.get("budget_tokens", BUDGET_TOKENS)
    if budget < MIN_BUDGET_TOKENS:
        raise SettingsError("anthropic budget_tokens", f"{budget} is less than {MIN_BUDGET_TOKENS}")
    if budget >= max_tokens:
        budget = max_tokens // 2
    # A short answer has no room to think; that is no reason to refuse the question.
    if budget < MIN_BUDGET_TOKENS:
        return {}
    return {"thinking": {"type": "enabled", "budget_tokens": budget, **shown}}


def _thinking_option(options: Mapping[str, Json]) -> ThinkingChoice:
    wish = options.get("thinking", "off")
    if wish in ("off", False):
        return ThinkingChoice.OFF
    if wish not in ("on", True):
        raise SettingsError("anthropic thinking", f"{wish!r} is neither 'on' nor 'off'")
    return ThinkingChoice.ON


def _mark_for_cache(body: Json) -> None:
    """Mark the two ends that the next turn shares: what never changes, and the last message."""
    if "system" in body:
        marked = {"type": "text", "text": body["system"], "cache_control": _EPHEMERAL}
        body["system"] = [marked]
    elif "tools" in body:
        body["tools"][-1]["cache_control"] = _EPHEMERAL
    last = body["messages"][-1] if body["messages"] else None
    # Claude's own last words are sent back unchanged.
    if last is not None and last["role"] == "user":
        last["content"][-1] = {**last["content"][-1], "cache_control": _EPHEMERAL}


provider = Anthropic()
