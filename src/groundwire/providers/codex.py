"""The backend of ChatGPT's Codex, reached with the session that OpenCode keeps."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from groundwire import guard
from groundwire.catalog import Charging
from groundwire.errors import ConfigError, NoSessionError
from groundwire.model import ModelInfo
from groundwire.wire.contract import Access, HttpReply, HttpRequest, Provider, Question
from groundwire.wire.openai import responses_requests
from groundwire.wire.openai.codex_session import account_id_in, read_session
from groundwire.wire.openai.errors import codex_error, is_opening
from groundwire.wire.openai.responses_replies import ResponsesDecoder

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from groundwire.errors import ServiceError
    from groundwire.model import Json, ToolDefinition

NAME = "codex"
HOST = "chatgpt.com"
ORIGINATOR = "groundwire"
INSTRUCTIONS = "You are a helpful assistant. Answer the user's question."
CLIENT_VERSION = "0.166.0"


class Codex(Provider):
    """Answers with the models of a ChatGPT subscription, which search the web themselves.

    The key is the access token of the session. Options: `account_id` (else the token tells it),
    `instructions` (where a question has no system prompt: the service demands some),
    `originator`, `client_version` (for the list of models), and those of `openai-responses`:
    `tool_type`, `search_context_size`, `user_location`, `external_web_access`, `reasoning`,
    `prompt_cache_key`.
    """

    title = "ChatGPT Codex"
    base_url = "https://chatgpt.com/backend-api/codex"
    key_url = "https://opencode.ai/docs/providers/"
    filters_own_search = True
    takes_reply_schema = True
    charging = Charging(is_subscription=True)

    def searches_itself(self, model: str, access: Access) -> bool:  # noqa: ARG002 - the contract's
        return True

    def takes_temperature(self, question: Question, access: Access) -> bool:  # noqa: ARG002 - the contract's
        return False

    def session_access(self, credentials: Sequence[Json], now: datetime) -> Access:
        session = read_session(credentials, now)
        options = {"account_id": session.account_id} if session.account_id else {}
        return Access(base_url=self.base_url, key=session.access, options=options)

    def answer_request(self, question: Question, access: Access) -> HttpRequest:
        _refuse_other_hosts(access.base_url)
        options = access.options
        # What the service does not know, it refuses.
        known = replace(
            question,
            model=question.model.removeprefix("openai/"),
            system_prompt=question.system_prompt or options.get("instructions", INSTRUCTIONS),
            temperature=None,
            max_tokens=None,
        )
        body = responses_requests.responses_body(known, options, provider=NAME)
        responses_requests.add_web_search(body, known, options)
        headers = _headers(access) | {"Accept": "text/event-stream"}
        if session := options.get("prompt_cache_key"):
            headers |= {"session_id": session, "conversation_id": session}
        return HttpRequest.post_json(f"{access.base_url}/responses", body, headers)

    def answer_decoder(self, question: Question | None = None) -> ResponsesDecoder:  # noqa: ARG002 - the contract's
        return ResponsesDecoder(NAME)

    def tool_definitions(self, tools: Sequence[ToolDefinition]) -> Json:
        return responses_requests.function_tools(tools)

    def models_request(self, access: Access) -> HttpRequest:
        _refuse_other_hosts(access.base_url)
        version = access.options.get("client_version", CLIENT_VERSION)
        url = f"{access.base_url}/models?client_version={version}"
        return HttpRequest(method="GET", url=url, headers=_headers(access))

    def models(self, reply: HttpReply) -> list[ModelInfo]:
        return [
            ModelInfo(id=entry["slug"], title=entry.get("display_name") or "")
            for entry in reply.json()["models"]
            if entry.get("visibility", "list") == "list"
        ]

    def is_opening(self, data: str) -> bool:
        return is_opening(data)

    def error_from(self, reply: HttpReply) -> ServiceError | None:
        return codex_error(reply)


def _headers(access: Access) -> dict[str, str]:
    if not access.key:
        raise NoSessionError("codex", "it was not given one")
    token = access.key.reveal()
    headers = {
        "Authorization": f"Bearer {token}",
        "OpenAI-Beta": "responses=experimental",
        "originator": access.options.get("originator", ORIGINATOR),
    }
    if account := access.options.get("account_id") or account_id_in(token):
        headers["ChatGPT-Account-Id"] = account
    return headers


def _refuse_other_hosts(base_url: str) -> None:
    """A setting that sends the session of a person's account elsewhere would be a way to steal it.

    This machine's own addresses are for sandboxes and tests.
    """
    parts = urlsplit(base_url)
    is_own = (parts.scheme, parts.netloc.lower()) == ("https", HOST)
    if is_own or guard.is_loopback(parts.hostname or ""):
        return
    raise ConfigError(
        f"'codex' speaks only to https://{HOST}, and to no other host: remove its base_url"
    )


provider = Codex()
