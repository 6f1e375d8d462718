"""`websearch_gemini`, `websearch_openai_oauth`, `websearch_openrouter`, and `websearch` for all."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

from groundwire.errors import ConfigError, GroundwireError, MissingKeyError, SessionExpiredError
from groundwire.redaction import redact
from groundwire.text.plural import plural
from groundwire.tools.fence import error_words
from groundwire.tools.tool import Progress, Spent, Tool, ToolOutput
from groundwire.tools.websearch.arguments import input_schema, query_in, refusal, wrong_provider
from groundwire.tools.websearch.ask import Ready, Search, ask_gemini, ask_model, ask_openrouter
from groundwire.tools.websearch.results import OUTPUT_SCHEMA, answered, failed, nothing_found

if TYPE_CHECKING:
    from groundwire.client import Client
    from groundwire.tools.websearch.found import HostedAnswer

log = logging.getLogger(__name__)

Find: TypeAlias = Callable[[str], Ready]
"""Returns a provider by its name. Raises ConfigError if something it needs is missing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Backend:
    """Somebody who searches and answers. `word` is how the types of its errors begin."""

    provider: str
    title: str
    missing: str
    word: str
    ask: Search = ask_model


BACKENDS: Mapping[str, Backend] = {
    "gemini": Backend(
        provider="gemini",
        title="Google Gemini",
        missing="MISSING_GEMINI_API_KEY",
        word="GEMINI",
        ask=ask_gemini,
    ),
    "openai_oauth": Backend(
        provider="codex",
        title="ChatGPT",
        missing="MISSING_OPENAI_OAUTH_SESSION",
        word="OPENAI_OAUTH",
    ),
    "openrouter": Backend(
        provider="openrouter",
        title="OpenRouter",
        missing="MISSING_OPENROUTER_API_KEY",
        word="OPENROUTER",
        ask=ask_openrouter,
    ),
    "anthropic": Backend(
        provider="anthropic",
        title="Anthropic Claude",
        missing="MISSING_ANTHROPIC_API_KEY",
        word="ANTHROPIC",
    ),
    "openai-responses": Backend(
        provider="openai-responses",
        title="OpenAI",
        missing="MISSING_OPENAI_API_KEY",
        word="OPENAI",
    ),
}
"""By the name that the argument `provider` has."""

_OWN_TOOLS = ("gemini", "openai_oauth", "openrouter")
_DESCRIPTION = (
    "Search the web with {who} and get an answer in Markdown. Every [n] in it is a source of the "
    "list at its end. Use it for what is recent, or needs a source."
)


def websearch_tools(find: Find, client: Client) -> tuple[Tool, ...]:
    """Return the tools that have a provider search and answer."""
    search = WebSearch(find, client)
    own = [_own_tool(f"websearch_{name}", BACKENDS[name], search) for name in _OWN_TOOLS]
    unified = Tool(
        name="websearch",
        title="Web search",
        description=_DESCRIPTION.format(who="the provider of your choice"),
        input_schema=input_schema([*BACKENDS]),
        output_schema=OUTPUT_SCHEMA,
        run=partial(search.run_chosen, "websearch"),
        as_offered=search.with_those_configured,
    )
    return (*own, unified)


def _own_tool(name: str, backend: Backend, search: WebSearch) -> Tool:
    return Tool(
        name=name,
        title=f"Web search with {backend.title}",
        description=_DESCRIPTION.format(who=backend.title),
        input_schema=input_schema(),
        output_schema=OUTPUT_SCHEMA,
        run=partial(search.run, name, backend),
        as_offered=lambda tool: tool if search.is_configured(backend) else None,
    )


class WebSearch:
    """Searches with any backend, and turns whatever happens into a result."""

    def __init__(self, find: Find, client: Client) -> None:
        self._find = find
        self._client = client

    def is_configured(self, backend: Backend) -> bool:
        """Tell whether a backend has what it needs."""
        try:
            self._find(backend.provider)
        except ConfigError:
            return False
        return True

    def configured(self) -> list[str]:
        """Return the names of the backends that can be asked."""
        return [name for name, backend in BACKENDS.items() if self.is_configured(backend)]

    def with_those_configured(self, tool: Tool) -> Tool | None:
        """Return the tool for all with a choice of those that can be asked, None if nobody can."""
        names = self.configured()
        return replace(tool, input_schema=input_schema(names)) if names else None

    async def run(
        self, tool: str, backend: Backend, arguments: object, progress: Progress
    ) -> ToolOutput:
        """Answer a query with one backend."""
        refused = refusal(tool, arguments, ("query",))
        return refused or await self._search(backend, query_in(arguments), progress)

    async def run_chosen(self, tool: str, arguments: object, progress: Progress) -> ToolOutput:
        """Answer a query with the backend that the arguments name."""
        if refused := refusal(tool, arguments, ("query", "provider")):
            return refused
        chosen = arguments.get("provider") if isinstance(arguments, dict) else None
        backend = BACKENDS.get(chosen) if isinstance(chosen, str) else None
        if backend is None:
            configured = await asyncio.to_thread(self.configured)
            return wrong_provider(tool, configured or [*BACKENDS])
        return await self._search(backend, query_in(arguments), progress)

    async def _search(self, backend: Backend, query: str, progress: Progress) -> ToolOutput:
        try:
            # In a thread: a locked keyring asks its owner, and that must not stop everyone else.
            ready = await asyncio.to_thread(self._find, backend.provider)
        except (MissingKeyError, SessionExpiredError) as error:
            message = f"Web search with {backend.title} is not configured."
            return failed(backend.missing, message, *_words(error))
        except ConfigError as error:
            return _failure(backend, *_words(error))
        for warning in ready.warnings:
            log.warning(warning)
            await progress(warning)
        await progress(f"Asking {backend.title}: {query}")
        try:
            found = await backend.ask(ready, self._client, query, progress)
        except GroundwireError as error:
            ours, theirs = _words(error)
            return _failure(backend, ours, redact(theirs, [ready.endpoint.access.key]))
        spent = _spent(ready, found)
        if found.failure:
            return _failure(backend, found.failure, spent=spent)
        await progress(f"Found {plural(len(found.sources), 'source')}")
        if not found.text:
            return nothing_found(query, spent=spent)
        return answered(query, found.text, found.sources, spent=spent)


def _spent(ready: Ready, found: HostedAnswer) -> Spent | None:
    if found.usage is None:
        return None
    return Spent(usage=found.usage, model=ready.model, provider=ready.endpoint.provider)


def _failure(backend: Backend, *detail: str, spent: Spent | None = None) -> ToolOutput:
    message = f"Web search with {backend.title} failed."
    return failed(f"{backend.word}_WEB_SEARCH_FAILED", message, *detail, spent=spent)


def _words(error: GroundwireError) -> tuple[str, str]:
    """Return an error in pieces, with what was noted about it on the way: files of others."""
    ours, theirs = error_words(error)
    return ours, "; ".join(filter(None, [theirs, *getattr(error, "__notes__", ())]))
