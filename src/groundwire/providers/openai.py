"""OpenAI's Chat Completions, and every server that speaks them."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING

from groundwire import catalog
from groundwire.errors import WebSearchUnsupportedError
from groundwire.events import Warned
from groundwire.wire.contract import HttpReply, HttpRequest, Question
from groundwire.wire.openai import chat_requests, requests
from groundwire.wire.openai.chat_provider import ChatCompletions
from groundwire.wire.openai.models import openai_models

if TYPE_CHECKING:
    from collections.abc import Callable

    from groundwire.model import Json, ModelInfo
    from groundwire.wire.contract import Access

NAME = "openai"
MAX_TOKENS_FIELD = "max_completion_tokens"


class OpenAI(ChatCompletions):
    """Answers with OpenAI's models, or those of LM Studio, Ollama, vLLM and other local servers.

    Options: `max_tokens_field` (for servers that know only `max_tokens`), `reasoning_effort`,
    `search_context_size` (low, medium or high), `user_location` (city, country, region,
    timezone), and `web_search_options`, which says that a server takes them (true) or does not
    (false) whatever its model is called. Chat Completions have no domain filter.
    """

    title = "OpenAI"
    base_url = "https://api.openai.com/v1"
    key_variable = "OPENAI_API_KEY"
    key_url = "https://platform.openai.com/api-keys"
    service_name = NAME
    max_tokens_field = MAX_TOKENS_FIELD

    def __init__(self, today: Callable[[], date] = date.today) -> None:
        self._today = today

    def searches_itself(self, model: str, access: Access) -> bool:
        return _can_search(model, access.options.get("web_search_options"))

    def answer_request(self, question: Question, access: Access) -> HttpRequest:
        options = access.options
        body = self.body(question, access)
        body |= requests.chosen(options, ("reasoning_effort",))
        if effort := requests.reasoning_effort(question):
            body["reasoning_effort"] = effort
        if question.web_search:
            _refuse_without_search(question.model, options.get("web_search_options"))
            body["web_search_options"] = chat_requests.web_search_options(options)
        return self.post(body, access)

    def answer_warnings(self, question: Question, access: Access) -> list[Warned]:  # noqa: ARG002 - the contract's
        if question.web_search and (question.allowed_domains or question.blocked_domains):
            message = "Chat Completions have no domain filter: it is enforced locally"
            return [Warned(message, "domains_enforced_locally")]
        return []

    def models(self, reply: HttpReply, *, show_all: bool = False) -> list[ModelInfo]:
        return openai_models(reply, today=self._today(), show_all=show_all)


def _can_search(model: str, is_told: Json) -> bool:
    return catalog.traits_of(model).searches_in_chat if is_told is None else bool(is_told)


def _refuse_without_search(model: str, is_told: Json) -> None:
    """Say it ourselves: the service's own words for it are a riddle."""
    if not _can_search(model, is_told):
        raise WebSearchUnsupportedError(
            NAME,
            f"{model!r} has no web search in Chat Completions ('openai-responses' has it, and so "
            "have models such as gpt-5-search-api)",
        )


provider = OpenAI()
