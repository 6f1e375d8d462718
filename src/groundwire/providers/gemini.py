"""Gemini: Google's models, with Google Search."""

from __future__ import annotations

import re
from itertools import count
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from groundwire import catalog
from groundwire.catalog import Charging, Thinking, ThinkingChoice
from groundwire.errors import BadReplyError, QuotaError, WebSearchUnsupportedError
from groundwire.events import Warned
from groundwire.model import ModelInfo
from groundwire.redaction import redact
from groundwire.wire.contract import ANY_TOOL, OWN_SEARCH, HttpRequest, Provider
from groundwire.wire.errors import MAX_REASON_LENGTH, message_of
from groundwire.wire.gemini.addresses import model_path, versioned_base
from groundwire.wire.gemini.calls import now_in_milliseconds
from groundwire.wire.gemini.contents import contents_of, declarations_of
from groundwire.wire.gemini.replies import GeminiDecoder
from groundwire.wire.gemini.steps import functions_of, steps_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from groundwire.errors import ServiceError
    from groundwire.model import Json, ToolDefinition
    from groundwire.wire.contract import Access, HttpReply, Question

DEFAULT_SURFACE = "generate_content"
INTERACTIONS_REVISION = "2026-05-20"

_OWN_TOOLS = {"google_search": "googleSearch", "url_context": "urlContext"}
_NO_SEARCH = re.compile(r"(?i)\bsearch\b.{0,80}\bnot (?:supported|enabled|available)\b")
_BUDGETS = {
    ThinkingChoice.LOW: 1_024,
    ThinkingChoice.MEDIUM: 8_192,
    ThinkingChoice.HIGH: 24_576,
}
_DAILY_QUOTA = re.compile(r'"quotaId":\s*"[^"]*PerDay')


class Gemini(Provider):
    """Google's models, which can search with Google and open pages.

    Options: `api_version` is v1beta (default) or v1, unless the base URL ends with one.
    `key_in_query` puts the key into the URL instead of a header. `thinking` is sent as
    thinkingConfig and asks for the thoughts too ({"thinkingBudget": 1024}, or {} for just that).
    `url_context` lets the model open pages that the conversation names. `combines_tools` says
    whether the model takes search beside functions, if its name does not tell. `surface` is
    generate_content (default) or interactions, where `thinking` goes into generation_config.
    """

    title = "Google Gemini"
    base_url = "https://generativelanguage.googleapis.com"
    key_variable = "GEMINI_API_KEY"
    key_url = "https://aistudio.google.com/apikey"
    charging = Charging(output_has_thinking=False)
    cites_last = True

    def __init__(self, now: Callable[[], int] = now_in_milliseconds) -> None:
        self._now = now
        # Shared by all replies, so that no two calls of one conversation get the same id.
        self._numbers = count(1)

    def searches_itself(self, model: str, access: Access) -> bool:  # noqa: ARG002 - the contract's
        return catalog.traits_of(model).searches

    def searches_beside_tools(self, model: str, access: Access) -> bool:
        return _combines(model, access)

    def answer_request(self, question: Question, access: Access) -> HttpRequest:
        headers = _headers(access)
        if access.options.get("surface", DEFAULT_SURFACE) == "interactions":
            headers["Api-Revision"] = INTERACTIONS_REVISION
            body = _interaction_body(question, access)
            return HttpRequest.post_json(_url(access, "interactions"), body, headers)
        path = f"{model_path(question.model)}:streamGenerateContent"
        return HttpRequest.post_json(
            _url(access, path, alt="sse"), _body(question, access), headers
        )

    def answer_warnings(self, question: Question, access: Access) -> list[Warned]:
        if question.web_search and not _may_search(question, access):
            message = f"{question.model!r} cannot search beside functions: search is off"
            return [Warned(message, "web_search_dropped")]
        if question.web_search and (question.allowed_domains or question.blocked_domains):
            message = "Gemini has no domain filter: the domain filter is enforced locally"
            return [Warned(message, "domains_enforced_locally")]
        return []

    def answer_decoder(self, question: Question | None = None) -> GeminiDecoder:  # noqa: ARG002 - the contract's
        return GeminiDecoder(self._now, self._numbers)

    def tool_definitions(self, tools: Sequence[ToolDefinition]) -> Json:
        return [{"functionDeclarations": declarations_of(tools)}] if tools else []

    def models_request(self, access: Access) -> HttpRequest:
        url = _url(access, "models", pageSize="1000")
        return HttpRequest(method="GET", url=url, headers=_headers(access))

    def models(self, reply: HttpReply) -> list[ModelInfo]:
        return [
            ModelInfo(id=model["name"].removeprefix("models/"), title=model.get("displayName", ""))
            for model in reply.json().get("models", ())
            if "generateContent" in model.get("supportedGenerationMethods", ())
            and catalog.is_for_chat(model["name"])
        ]

    def error_from(self, reply: HttpReply) -> ServiceError | None:
        if reply.status not in (400, 429):
            return None
        try:
            reason = redact(message_of(reply.json()))[:MAX_REASON_LENGTH]
        except BadReplyError:
            return None
        # A model without search answers with the same 400 as a bad request, and what is used up
        # for the day with the same 429 as what comes back in a minute.
        if reply.status == 400 and _NO_SEARCH.search(reason):
            return WebSearchUnsupportedError(reply.service, reason, status=400)
        if reply.status == 429 and _DAILY_QUOTA.search(reply.text()):
            return QuotaError(reply.service, reason, status=429)
        return None


def _url(access: Access, path: str, **parameters: str) -> str:
    base = versioned_base(access)
    if access.key and access.options.get("key_in_query"):
        parameters["key"] = access.key.reveal()
    return f"{base}/{path}?{urlencode(parameters)}" if parameters else f"{base}/{path}"


def _headers(access: Access) -> dict[str, str]:
    if access.key and not access.options.get("key_in_query"):
        return {"x-goog-api-key": access.key.reveal()}
    return {}


def _combines(model: str, access: Access) -> bool:
    takes_both = catalog.traits_of(model).searches_beside_tools
    return bool(access.options.get("combines_tools", takes_both))


def _may_search(question: Question, access: Access) -> bool:
    return not question.tools or _combines(question.model, access)


def _own_tools(question: Question, access: Access) -> list[str]:
    """Return Google's own tools that this request may use."""
    if not _may_search(question, access):
        return []
    search = ["google_search"] if question.web_search else []
    return [*search, "url_context"] if access.options.get("url_context") else search


def _body(question: Question, access: Access) -> Json:
    # The generation that takes search beside functions also wants its signatures back.
    needs_signatures = catalog.traits_of(question.model).searches_beside_tools
    body: Json = {
        "contents": contents_of(question.messages, needs_signatures=needs_signatures),
        "store": False,
    }
    if question.system_prompt:
        body["systemInstruction"] = {"parts": [{"text": question.system_prompt}]}
    own_tools = _own_tools(question, access)
    tools: list[Json] = [{_OWN_TOOLS[name]: {}} for name in own_tools]
    if question.tools:
        tools.insert(0, {"functionDeclarations": declarations_of(question.tools)})
    if tools:
        body["tools"] = tools
    if settings := _tool_config(question, has_own=bool(own_tools)):
        body["toolConfig"] = settings
    config: Json = {"temperature": question.temperature, "maxOutputTokens": question.max_tokens}
    config["stopSequences"] = list(question.stop) or None
    config = {name: value for name, value in config.items() if value is not None}
    if (thinking := _thinking(question, access)) is not None:
        config["thinkingConfig"] = thinking
    if config:
        body["generationConfig"] = config
    return body


def _tool_config(question: Question, *, has_own: bool) -> dict[str, Json]:
    """Return how tools are to be used beside the provider's own."""
    config: dict[str, Json] = {}
    if question.tools and has_own:
        config["includeServerSideToolInvocations"] = True
    if question.tools and question.tool_choice not in ("", OWN_SEARCH):
        calling: dict[str, Json] = {"mode": "ANY"}
        if question.tool_choice != ANY_TOOL:
            calling["allowedFunctionNames"] = [question.tool_choice]
        config["functionCallingConfig"] = calling
    return config


def _thinking(question: Question, access: Access) -> dict[str, Json] | None:
    """Return what is said of thinking: the question's choice, else the option's."""
    own: dict[str, Json] | None = access.options.get("thinking")
    wish = question.thinking
    if wish is None:
        return None if own is None else {"includeThoughts": True, **own}
    if wish is ThinkingChoice.OFF:
        return {"thinkingBudget": 0}
    if wish is ThinkingChoice.ON:
        return {"includeThoughts": True, **(own or {})}
    if catalog.traits_of(question.model).thinking is Thinking.BUDGET:
        return {"includeThoughts": True, "thinkingBudget": _BUDGETS[wish]}
    return {"includeThoughts": True, "thinkingLevel": wish.value}


def _interaction_thinking(question: Question, access: Access) -> dict[str, Json]:
    """Return the same for the surface that has it beside the other numbers."""
    own = access.options.get("thinking")
    wish = question.thinking
    if wish is None or wish is ThinkingChoice.ON:
        is_asked = own is not None or wish is not None
        return {"thinking_summaries": "auto", **(own or {})} if is_asked else {}
    if wish is ThinkingChoice.OFF:
        return {"thinking_level": "minimal", "thinking_summaries": "none"}
    return {"thinking_summaries": "auto", "thinking_level": wish.value}


def _interaction_body(question: Question, access: Access) -> Json:
    body: Json = {
        "model": question.model.removeprefix("models/"),
        "input": steps_of(question.messages),
        "stream": True,
        "store": False,
    }
    if question.system_prompt:
        body["system_instruction"] = question.system_prompt
    own_tools = [{"type": name} for name in _own_tools(question, access)]
    if tools := [*functions_of(question.tools), *own_tools]:
        body["tools"] = tools
    config: Json = {"temperature": question.temperature, "max_output_tokens": question.max_tokens}
    config = {name: value for name, value in config.items() if value is not None}
    config |= _interaction_thinking(question, access)
    if config:
        body["generation_config"] = config
    return body


provider = Gemini()
