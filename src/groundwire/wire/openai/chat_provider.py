"""A provider that speaks Chat Completions: the base of ours, and of another package's clone."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from groundwire.errors import WebSearchUnsupportedError
from groundwire.model import ModelInfo
from groundwire.wire.authorization import bearer
from groundwire.wire.contract import HttpReply, HttpRequest, Provider, Question
from groundwire.wire.openai import chat_requests, requests
from groundwire.wire.openai.chat_replies import ChatDecoder
from groundwire.wire.openai.errors import openai_error
from groundwire.wire.openai.models import listed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groundwire.errors import ServiceError
    from groundwire.model import Json, ToolDefinition
    from groundwire.wire.contract import Access


class ChatCompletions(Provider):
    """Answers over Chat Completions; a subclass says at least what `Provider` wants to know.

    The option `max_tokens_field` is for servers that call that limit otherwise. Whatever differs
    more is a method to override.
    """

    service_name: ClassVar[str] = ""
    """What messages about its replies call it; its title unless it says otherwise."""

    takes_reply_schema = True
    cites_last = True

    max_tokens_field: ClassVar[str] = "max_tokens"
    """What the service calls the limit of tokens."""

    def answer_request(self, question: Question, access: Access) -> HttpRequest:
        """Return the request for an answer.

        Raises:
            WebSearchUnsupportedError: The provider's own search is asked for, and there is none.
        """
        if question.web_search:
            reason = f"{question.model!r} has no web search of its own"
            raise WebSearchUnsupportedError(self._name, reason)
        return self.post(self.body(question, access), access)

    def body(self, question: Question, access: Access) -> dict[str, Json]:
        """Return what is asked, without anything that only one service knows."""
        field = access.options.get("max_tokens_field", self.max_tokens_field)
        return chat_requests.chat_body(question, max_tokens_field=field)

    def post(self, body: Json, access: Access) -> HttpRequest:
        """Return the request that sends a body."""
        url = f"{access.base_url}/chat/completions"
        return HttpRequest.post_json(url, body, bearer(access))

    def answer_decoder(self, question: Question | None = None) -> ChatDecoder:  # noqa: ARG002 - the contract's
        """Return what reads one answer."""
        return ChatDecoder(self._name)

    def tool_definitions(self, tools: Sequence[ToolDefinition]) -> Json:
        """Return tools, each wrapped as a function."""
        return chat_requests.function_tools(tools)

    def models_request(self, access: Access) -> HttpRequest:
        """Return the request that lists models."""
        return requests.models_request(access)

    def models(self, reply: HttpReply) -> list[ModelInfo]:
        """Return all models that are listed."""
        return [ModelInfo(id=entry["id"], title=entry.get("name") or "") for entry in listed(reply)]

    def error_from(self, reply: HttpReply) -> ServiceError | None:
        """Return what a failed reply means."""
        return openai_error(reply)

    @property
    def _name(self) -> str:
        return self.service_name or self.title
