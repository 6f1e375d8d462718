"""OpenRouter: the models of many, over Chat Completions or Responses, with its own web search."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groundwire import catalog
from groundwire.catalog import ThinkingChoice
from groundwire.model import AssistantMessage, ModelInfo
from groundwire.wire.authorization import bearer
from groundwire.wire.contract import HttpReply, HttpRequest, Provider, Question
from groundwire.wire.openai import chat_requests, models, requests, responses_requests
from groundwire.wire.openai.chat_replies import ChatDecoder
from groundwire.wire.openai.errors import is_opening, openrouter_error
from groundwire.wire.openai.responses_replies import ResponsesDecoder
from groundwire.wire.text import parsed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groundwire.errors import ServiceError
    from groundwire.events import StreamEvent
    from groundwire.model import Json, ToolDefinition
    from groundwire.wire.contract import Access
    from groundwire.wire.sse import SseEvent

NAME = "openrouter"
SURFACE = "chat"
WEB_TOOL = "plugin"
MAX_RESULTS = 3

_PLUGIN_OPTIONS = ("engine", "max_uses", "mode", "search_prompt", "user_location")
_SERVER_TOOL_OPTIONS = (
    "engine",
    "max_total_results",
    "max_uses",
    "max_characters",
    "search_context_size",
    "mode",
    "user_location",
)


class OpenRouter(Provider):
    """Answers with the models of many providers, and can search the web for any of them.

    Options: `surface` (chat or responses), `web_tool` (plugin or server), `reasoning`,
    `max_results`, and the search's own `engine`, `mode`, `max_uses`, `user_location`; of the
    plugin `search_prompt`; of the server tool `max_total_results`, `max_characters` and
    `search_context_size`.
    """

    title = "OpenRouter"
    base_url = "https://openrouter.ai/api/v1"
    key_variable = "OPENROUTER_API_KEY"
    key_url = "https://openrouter.ai/settings/keys"
    filters_own_search = True
    takes_reply_schema = True
    cites_last = True

    def searches_itself(self, model: str, access: Access) -> bool:  # noqa: ARG002 - the contract's
        return True  # Its plugin searches for every model.

    def searches_always(self, model: str, access: Access) -> bool:
        # `:online` is OpenRouter's short way to write the plugin into a model's name.
        return model.endswith(":online") or super().searches_always(model, access)

    def thinking_choices(self, model: str, access: Access) -> Sequence[ThinkingChoice]:  # noqa: ARG002 - the contract's
        return tuple(ThinkingChoice)  # It leaves out what a model does not know.

    def answer_request(self, question: Question, access: Access) -> HttpRequest:
        options = access.options
        if options.get("surface", SURFACE) == "responses":
            path = "responses"
            body = responses_requests.responses_body(question, options, provider=NAME)
        else:
            path = "chat/completions"
            body = chat_requests.chat_body(question, max_tokens_field="max_tokens")
            body |= requests.chosen(options, ("reasoning",))
            if effort := requests.reasoning_effort(question):
                body["reasoning"] = {**body.get("reasoning", {}), "effort": effort}
        if question.web_search and options.get("web_tool", WEB_TOOL) == "server":
            body["tools"] = [*body.get("tools", ()), _server_tool(question, options)]
        elif question.web_search:
            body["plugins"] = [_plugin(question, options)]
        headers = bearer(access)
        return HttpRequest.post_json(f"{access.base_url}/{path}", body, headers)

    def answer_decoder(self, question: Question | None = None) -> OpenRouterDecoder:  # noqa: ARG002 - the contract's
        return OpenRouterDecoder()

    def tool_definitions(self, tools: Sequence[ToolDefinition]) -> Json:
        return chat_requests.function_tools(tools)

    def models_request(self, access: Access) -> HttpRequest:
        return requests.models_request(access)

    def models(self, reply: HttpReply) -> list[ModelInfo]:
        return [
            ModelInfo(
                id=entry["id"],
                title=entry.get("name") or "",
                shutdown_date=entry.get("expiration_date") or "",
            )
            for entry in models.listed(reply)
            if "text" in (entry.get("architecture") or {}).get("output_modalities", ("text",))
            and catalog.is_for_chat(entry["id"])
        ]

    def is_opening(self, data: str) -> bool:
        return is_opening(data)

    def error_from(self, reply: HttpReply) -> ServiceError | None:
        return openrouter_error(reply)


class OpenRouterDecoder:
    """Reads a reply of either surface; the first event that belongs to one tells which it is."""

    continuation: AssistantMessage | None = None

    def __init__(self) -> None:
        self._decoder: ChatDecoder | ResponsesDecoder | None = None

    def feed(self, event: SseEvent) -> Sequence[StreamEvent]:
        return self.feed_data(event.data)

    def feed_data(self, text: str) -> Sequence[StreamEvent]:
        if self._decoder is None:
            match event := parsed(text):
                case {"type": "error"}:
                    self._decoder = ResponsesDecoder(NAME)
                case {"type": str(kind)} if kind.startswith("response."):
                    self._decoder = ResponsesDecoder(NAME)
                case {"choices": _} | {"error": _}:
                    self._decoder = ChatDecoder(NAME)
                case _:
                    # Of a kind that nobody knows, or no event at all: then that is told.
                    return () if isinstance(event, dict) else ChatDecoder(NAME).feed_data(text)
        return self._decoder.feed_data(text)

    def feed_body(self, body: Json) -> Sequence[StreamEvent]:
        is_of_responses = isinstance(body, dict) and "output" in body
        self._decoder = ResponsesDecoder(NAME) if is_of_responses else ChatDecoder(NAME)
        return self._decoder.feed_body(body)

    def finish(self) -> Sequence[StreamEvent]:
        return (self._decoder or ChatDecoder(NAME)).finish()


def _plugin(question: Question, options: Json) -> Json:
    """Return the plugin; its lists know wildcards."""
    plugin = {"id": "web", "max_results": options.get("max_results", MAX_RESULTS)}
    if question.allowed_domains and "*" not in question.allowed_domains:
        plugin["include_domains"] = list(question.allowed_domains)
    if question.blocked_domains and "*" not in question.blocked_domains:
        plugin["exclude_domains"] = list(question.blocked_domains)
    return plugin | requests.chosen(options, _PLUGIN_OPTIONS)


def _server_tool(question: Question, options: Json) -> Json:
    """Return the server tool; it takes one list of domains, not both."""
    parameters = {"max_results": options.get("max_results", MAX_RESULTS)}
    if allowed := requests.filter_domains(question.allowed_domains):
        parameters["allowed_domains"] = allowed
    elif blocked := requests.filter_domains(question.blocked_domains):
        parameters["excluded_domains"] = blocked
    parameters |= requests.chosen(options, _SERVER_TOOL_OPTIONS)
    return {"type": "openrouter:web_search", "parameters": parameters}


provider = OpenRouter()
