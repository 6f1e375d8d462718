"""The three ways to ask a provider's own search: Gemini's, OpenRouter's, and everyone else's."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import aclosing, suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias

from groundwire import guard
from groundwire.client import ModelApiAdapter
from groundwire.errors import SettingsError, UnsupportedError
from groundwire.events import StreamEvent, Warned, WebSearchResults, WebSearchStart
from groundwire.model import Usage, UserMessage
from groundwire.text.plural import plural
from groundwire.tools.websearch.found import Gathering, HostedAnswer
from groundwire.tools.websearch.gemini_numbers import read_answer
from groundwire.wire.authorization import bearer
from groundwire.wire.contract import Answers, Endpoint, HttpReply, HttpRequest, Question
from groundwire.wire.gemini.addresses import model_path, versioned_base
from groundwire.wire.http import MALFORMED, understand

if TYPE_CHECKING:
    from groundwire.client import Client
    from groundwire.guard import DomainPolicy
    from groundwire.tools.tool import Progress
    from groundwire.wire.contract import Access

OPENROUTER_MAX_RESULTS = 3
OPENROUTER_MAX_OUTPUT_TOKENS = 9000
INSTRUCTIONS = "Search the web and answer the question from what you find. Cite your sources."


@dataclass(frozen=True, slots=True, kw_only=True)
class Ready:
    """A provider that can be asked, the model to ask, and where it may search.

    `warnings` are for a person.
    """

    endpoint: Endpoint
    model: str
    warnings: tuple[str, ...] = ()
    domains: DomainPolicy = guard.ANYWHERE


Search: TypeAlias = Callable[[Ready, "Client", str, "Progress"], Awaitable[HostedAnswer]]
"""Asks one question. Raises GroundwireError if there is no whole answer."""


async def ask_gemini(ready: Ready, client: Client, query: str, progress: Progress) -> HostedAnswer:
    """Ask generateContent for a whole reply; within domains, as any model is asked."""
    if not ready.domains.is_open:
        return await ask_model(ready, client, query, progress)
    request = gemini_request(query, ready.model, ready.endpoint.access)
    reply = await client.send(ready.endpoint, request)
    return replace(understand(read_answer, reply), usage=_usage(ready.endpoint, reply))


def _usage(endpoint: Endpoint, reply: HttpReply) -> Usage | None:
    """Return what a whole reply says of its usage, None if nothing."""
    if not isinstance(endpoint.provider, Answers):
        return None
    with suppress(*MALFORMED):
        events = endpoint.provider.answer_decoder().feed_body(reply.json())
        return next((each for each in events if isinstance(each, Usage)), None)
    return None


def gemini_request(query: str, model: str, access: Access) -> HttpRequest:
    """Return the request for one grounded answer, with the key in a header and nowhere else."""
    url = f"{versioned_base(access)}/{model_path(model)}:generateContent"
    body = {
        "contents": [{"role": "user", "parts": [{"text": query}]}],
        "tools": [{"googleSearch": {}}],
    }
    headers = {"x-goog-api-key": access.key.reveal()} if access.key else {}
    return HttpRequest.post_json(url, body, headers)


async def ask_openrouter(
    ready: Ready, client: Client, query: str, progress: Progress
) -> HostedAnswer:
    """Ask the Responses API with the `web` plugin, or with its successor if the settings say so."""
    endpoint = ready.endpoint
    provider = endpoint.provider
    if endpoint.access.options.get("web_tool") == "server" or not ready.domains.is_open:
        return await ask_model(ready, client, query, progress)
    if not isinstance(provider, Answers):
        raise UnsupportedError(endpoint.name, "answer")
    decoder = provider.answer_decoder()

    def read(reply: HttpReply) -> HostedAnswer:
        gathering = Gathering()
        for event in decoder.feed_body(reply.json()):
            gathering.take(event)
        return gathering.found()

    request = openrouter_request(query, ready.model, endpoint.access)
    return understand(read, await client.send(endpoint, request))


def openrouter_request(query: str, model: str, access: Access) -> HttpRequest:
    """Return the request for one answer with the `web` plugin."""
    most = access.options.get("max_results", OPENROUTER_MAX_RESULTS)
    body = {
        "model": model,
        "input": query,
        "plugins": [{"id": "web", "max_results": most}],
        "max_output_tokens": OPENROUTER_MAX_OUTPUT_TOKENS,
    }
    return HttpRequest.post_json(f"{access.base_url}/responses", body, bearer(access))


async def ask_model(ready: Ready, client: Client, query: str, progress: Progress) -> HostedAnswer:
    """Ask a model that searches by itself, and tell what it does meanwhile.

    The domains are sent where the provider has a filter, and enforced on what comes back.

    Raises:
        SettingsError: No domain is allowed.
    """
    if not ready.domains.allowed:
        raise SettingsError(
            "domains", "no domain is allowed: see search.blocked_domains in the settings"
        )
    question = Question(
        model=ready.model,
        messages=(UserMessage(content=query),),
        system_prompt=INSTRUCTIONS,
        web_search=True,
        allowed_domains=() if "*" in ready.domains.allowed else ready.domains.allowed,
        blocked_domains=ready.domains.blocked,
    )
    gathering = Gathering(ready.domains)
    adapter = ModelApiAdapter(ready.endpoint, client)
    async with aclosing(adapter.answer(question)) as events:
        async for event in events:
            gathering.take(event)
            if message := _news(event):
                await progress(message)
    return gathering.found()


def _news(event: StreamEvent) -> str:
    """Return what happens in words of ours: some clients show progress to their model."""
    match event:
        case WebSearchStart():
            return "Searching the web"
        case WebSearchResults(results):
            return f"The search found {plural(len(results), 'page')}"
        case Warned(code=code) if code != "retired_model":  # Told before already.
            return f"A warning of the provider: {code or 'unnamed'}"
    return ""
