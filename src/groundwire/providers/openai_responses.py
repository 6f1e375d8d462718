"""OpenAI's Responses, with its own web search."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING

from groundwire import catalog
from groundwire.wire.authorization import bearer
from groundwire.wire.contract import HttpReply, HttpRequest, Provider, Question
from groundwire.wire.openai import requests, responses_requests
from groundwire.wire.openai.errors import is_opening, openai_error
from groundwire.wire.openai.models import openai_models
from groundwire.wire.openai.responses_replies import ResponsesDecoder

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from groundwire.errors import ServiceError
    from groundwire.model import Json, ModelInfo, ToolDefinition
    from groundwire.wire.contract import Access

NAME = "openai-responses"


class OpenAIResponses(Provider):
    """Answers with OpenAI's models, which search the web themselves.

    Options: `tool_type` (the version of the search tool), `search_context_size` (low, medium or
    high), `user_location` (city, country, region, timezone; {} for nowhere in particular, where
    OpenAI would assume the United States), `external_web_access`, `reasoning` (effort, summary),
    `prompt_cache_key`, and `encrypted_reasoning`, which says that a model has it or has not.
    """

    title = "OpenAI Responses"
    base_url = "https://api.openai.com/v1"
    key_variable = "OPENAI_API_KEY"
    key_url = "https://platform.openai.com/api-keys"

    filters_own_search = True
    takes_reply_schema = True

    def __init__(self, today: Callable[[], date] = date.today) -> None:
        self._today = today

    def searches_itself(self, model: str, access: Access) -> bool:  # noqa: ARG002 - the contract's
        return catalog.traits_of(model).searches

    def answer_request(self, question: Question, access: Access) -> HttpRequest:
        body = responses_requests.responses_body(question, access.options, provider=NAME)
        responses_requests.add_web_search(body, question, access.options)
        url = f"{access.base_url}/responses"
        return HttpRequest.post_json(url, body, bearer(access))

    def answer_decoder(self, question: Question | None = None) -> ResponsesDecoder:  # noqa: ARG002 - the contract's
        return ResponsesDecoder(NAME)

    def tool_definitions(self, tools: Sequence[ToolDefinition]) -> Json:
        return responses_requests.function_tools(tools)

    def models_request(self, access: Access) -> HttpRequest:
        return requests.models_request(access)

    def models(self, reply: HttpReply, *, show_all: bool = False) -> list[ModelInfo]:
        return openai_models(reply, today=self._today(), show_all=show_all)

    def is_opening(self, data: str) -> bool:
        return is_opening(data)

    def error_from(self, reply: HttpReply) -> ServiceError | None:
        return openai_error(reply)


provider = OpenAIResponses()
