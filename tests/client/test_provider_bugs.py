"""A mistake in a provider's own code is that provider's, and the rest goes on."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from typing import cast

import pytest

from groundwire import doctor
from groundwire.catalog import ThinkingChoice
from groundwire.chat.plan import Conversation, plan
from groundwire.client import Client, HttpReadProvider, HttpSearchProvider, ModelApiAdapter
from groundwire.config.keys import Keys
from groundwire.config.settings import NetworkSettings, Settings
from groundwire.conversation import EVERYWHERE, Agent, Choices, Session, Workspace
from groundwire.errors import ProviderBugError, SearchFailedError
from groundwire.events import Error, TextDelta
from groundwire.model import Json, Page, SearchQuery, SearchResult, Secret, UserMessage
from groundwire.providers.extractive import Extractive
from groundwire.providers.jina import Jina
from groundwire.providers.tavily import Tavily
from groundwire.sandbox import SandboxServer
from groundwire.search import ReadChain, SearchChain, SearchContext
from groundwire.service import factory
from groundwire.testing import sandbox
from groundwire.tools import own_tools
from groundwire.wire import contract
from groundwire.wire.contract import Access, Endpoint, Provider, Question
from groundwire.wire.openai.chat_provider import ChatCompletions
from tests.loopback import reply, serve

__all__ = ["sandbox"]

KEY = "canary_Xq7v-2Lw9.Zr4"
QUESTION = Question(model="gpt-4o", messages=(UserMessage(content="How do otters sleep?"),))


class Answering(ChatCompletions):
    """A clone."""

    title = "Acme"
    base_url = "https://acme.example"


class LocalReader(Jina):
    """A reader whose pages need no name server."""

    is_local = True


class DirectSearch(Provider):
    """Searches without a request."""

    title, base_url = "Acme", "https://acme.example"

    async def search(self, query: SearchQuery, access: Access) -> list[SearchResult]:
        raise NotImplementedError(query, access)


class DirectRead(Provider):
    """Reads without a request."""

    title, base_url, is_local = "Acme", "https://acme.example", True

    async def read_url(self, url: str, access: Access) -> Page:
        raise NotImplementedError(url, access)


class BrowserRead(Provider):
    """Reads with a browser."""

    title, base_url, is_local = "Acme", "https://acme.example", True

    async def read_with(self, url: str, access: Access, open_browser: Json) -> Page:
        raise NotImplementedError(url, access, open_browser)


class Borrower(Provider):
    """Borrows a session."""

    title, base_url = "Acme", "https://acme.example"

    def session_access(self, credentials: Json, now: datetime) -> Access:
        raise NotImplementedError(credentials, now)


def fails(*_: object, **__: object) -> object:
    """Be the mistake of whoever wrote a provider; its words hold the key."""
    raise ZeroDivisionError(f"with {KEY}")


def spoiled(kind: type[Provider], hook: str) -> Provider:
    """Return a provider one of whose methods is wrong."""
    made: Provider = type("Spoiled", (kind,), {hook: fails})()
    return made


def spoiled_decoder(hook: str, method: Callable[..., object] = fails) -> Provider:
    """Return a provider whose decoder is wrong."""

    def answer_decoder(self: Answering, question: Question | None = None) -> object:
        decoder = ChatCompletions.answer_decoder(self, question)
        return type("Spoiled", (type(decoder),), {hook: method})("acme")

    made: Provider = type("Spoiled", (Answering,), {"answer_decoder": answer_decoder})()
    return made


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A provider with a mistake, and what runs into it; `service` is the sandbox's."""

    provider: Provider
    use: Callable[[Endpoint, Client], Awaitable[object]]
    service: str = "openai"


async def _search(endpoint: Endpoint, client: Client) -> object:
    return await HttpSearchProvider(endpoint, client).search("otters")


async def _read(endpoint: Endpoint, client: Client) -> object:
    return await HttpReadProvider(endpoint, client).read_url("https://wiki.example.net/sea-otter")


async def _answer(endpoint: Endpoint, client: Client, question: Question = QUESTION) -> object:
    """Ask, and raise what an Error event tells: that is how a failure of a stream is told."""
    events = [event async for event in ModelApiAdapter(endpoint, client).answer(question)]
    last = events[-1]
    assert isinstance(last, Error)
    assert last.code == "provider_bug"
    raise ProviderBugError("acme", last.message)


async def _fitted(endpoint: Endpoint, client: Client) -> object:
    asked = replace(QUESTION, temperature=0.3, thinking=ThinkingChoice.LOW)
    return await _answer(endpoint, client, asked)


async def _whole(endpoint: Endpoint, client: Client) -> object:
    async with serve(reply(b'{"choices": []}')) as server:
        access = Access(base_url=server.url, key=Secret(KEY))
        whole = Endpoint(name="acme", provider=endpoint.provider, access=access)
        return await _answer(whole, client)


async def _models(endpoint: Endpoint, client: Client) -> object:
    return await ModelApiAdapter(endpoint, client).list_models()


async def _tools(endpoint: Endpoint, client: Client) -> object:
    return ModelApiAdapter(endpoint, client).format_tool_definitions([])


async def _installed(endpoint: Endpoint, client: Client) -> object:
    del client
    return doctor.configuration_of(endpoint)


async def _plan(endpoint: Endpoint, client: Client) -> object:
    del client

    def tide() -> str:
        """Return the tide."""
        return ""

    workspace = Workspace(name="w", web_allowed_domains=EVERYWHERE)
    agent = Agent(workspace_id=workspace.id, name="a", web_search_enabled=True)
    conversation = Conversation(
        workspace=workspace,
        agent=agent,
        session=Session(workspace_id=workspace.id, agent_id=agent.id),
        endpoint=endpoint,
        model="gpt-5.5",
        tools=own_tools([tide]),
    )
    return plan(conversation, Choices())


async def _borrow(endpoint: Endpoint, client: Client) -> object:
    del client
    keys = Keys(environment={})
    return factory._access(endpoint.name, endpoint.provider, keys, needs_key=False)


class Searching(Answering):
    """A clone whose models search."""

    def searches_itself(self, model: str, access: Access) -> bool:
        return bool(model and access)


CASES = {
    "search_request": Case(
        provider=spoiled(Tavily, "search_request"), use=_search, service="tavily"
    ),
    "search_results": Case(
        provider=spoiled(Tavily, "search_results"), use=_search, service="tavily"
    ),
    "search_notes": Case(provider=spoiled(Tavily, "search_notes"), use=_search, service="tavily"),
    "search": Case(provider=spoiled(DirectSearch, "search"), use=_search),
    "read_request": Case(provider=spoiled(LocalReader, "read_request"), use=_read, service="jina"),
    "read_page": Case(provider=spoiled(LocalReader, "read_page"), use=_read, service="jina"),
    "read_url": Case(provider=spoiled(DirectRead, "read_url"), use=_read),
    "read_with": Case(provider=spoiled(BrowserRead, "read_with"), use=_read),
    "answer_request": Case(provider=spoiled(Answering, "answer_request"), use=_answer),
    "answer_warnings": Case(provider=spoiled(Answering, "answer_warnings"), use=_answer),
    "answer_decoder": Case(provider=spoiled(Answering, "answer_decoder"), use=_answer),
    "feed_data": Case(provider=spoiled_decoder("feed_data"), use=_answer),
    "feed_body": Case(provider=spoiled_decoder("feed_body"), use=_whole),
    "finish": Case(provider=spoiled_decoder("finish"), use=_answer),
    "is_opening": Case(provider=spoiled(Answering, "is_opening"), use=_answer),
    "error_from": Case(provider=spoiled(Answering, "error_from"), use=_answer),
    "answer": Case(provider=spoiled(Extractive, "answer"), use=_answer),
    "list_models": Case(provider=spoiled(Extractive, "list_models"), use=_models),
    "tool_definitions": Case(provider=spoiled(Answering, "tool_definitions"), use=_tools),
    "models_request": Case(provider=spoiled(Answering, "models_request"), use=_models),
    "models": Case(provider=spoiled(Answering, "models"), use=_models),
    "searches_itself": Case(provider=spoiled(Answering, "searches_itself"), use=_plan),
    "searches_always": Case(provider=spoiled(Answering, "searches_always"), use=_plan),
    "thinking_choices": Case(provider=spoiled(Answering, "thinking_choices"), use=_fitted),
    "takes_temperature": Case(provider=spoiled(Answering, "takes_temperature"), use=_fitted),
    "searches_beside_tools": Case(provider=spoiled(Searching, "searches_beside_tools"), use=_plan),
    "installed": Case(provider=spoiled(Answering, "installed"), use=_installed),
    "session_access": Case(provider=spoiled(Borrower, "session_access"), use=_borrow),
}

_CALLED = (
    contract.Provider,
    contract.Searches,
    contract.SearchesDirectly,
    contract.Reads,
    contract.ReadsDirectly,
    contract.ReadsWithBrowser,
    contract.Decoder,
    contract.Answers,
    contract.AnswersDirectly,
    contract.BorrowsSession,
)


def test_every_method_of_the_contract_is_among_the_cases() -> None:
    methods = {
        name
        for kind in _CALLED
        for name, value in vars(kind).items()
        if callable(value) and not name.startswith("_")
    }

    assert set(CASES) == methods


@asynccontextmanager
async def opened(sandbox: SandboxServer, case: Case) -> AsyncIterator[tuple[Endpoint, Client]]:
    access = Access(base_url=sandbox.base_url(case.service), key=Secret(KEY))
    async with Client(NetworkSettings(retries=0)) as client:
        yield Endpoint(name="acme", provider=case.provider, access=access), client


@pytest.mark.parametrize("hook", CASES)
async def test_what_a_method_raises_is_a_bug_of_its_provider(
    sandbox: SandboxServer, hook: str
) -> None:
    async with opened(sandbox, CASES[hook]) as (endpoint, client):
        with pytest.raises(ProviderBugError) as caught:
            await CASES[hook].use(endpoint, client)

    said = str(caught.value)
    line = fails.__code__.co_firstlineno + 2
    assert f"acme: its own code failed in test_provider_bugs.py, line {line} " in said
    # Nobody knows what a session that was borrowed holds, so nothing of it is repeated.
    words = "" if hook == "session_access" else ": with [hidden]"
    assert f"(ZeroDivisionError{words})" in said
    assert "report it to whoever made the provider 'acme'" in said
    assert caught.value.__context__ is None
    assert caught.value.__cause__ is None


def _gives(kind: type[Provider], hook: str, value: object) -> Provider:
    made: Provider = type("Odd", (kind,), {hook: lambda *_: value})()
    return made


@pytest.mark.parametrize(
    ("case", "message"),
    [
        (
            Case(provider=_gives(Tavily, "search_request", None), use=_search),
            "gave NoneType, not HttpRequest",
        ),
        (
            Case(
                provider=_gives(Tavily, "search_results", [{"url": "x"}]),
                use=_search,
                service="tavily",
            ),
            "gave dict, not SearchResult",
        ),
        (
            Case(provider=_gives(LocalReader, "read_page", "text"), use=_read, service="jina"),
            "gave str, not Page",
        ),
        (
            Case(provider=_gives(Answering, "answer_request", {}), use=_answer),
            "gave dict, not HttpRequest",
        ),
        (Case(provider=_gives(Answering, "models", None), use=_models), "NoneType, not list"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
async def test_what_is_not_what_the_contract_asks_for_is_a_bug_too(
    sandbox: SandboxServer, case: Case, message: str
) -> None:
    async with opened(sandbox, case) as (endpoint, client):
        with pytest.raises(ProviderBugError, match=message):
            await case.use(endpoint, client)


@pytest.mark.parametrize(
    ("told", "message"),
    [
        (None, "gave NoneType, not list"),
        ("text", "gave str, not list"),
        (["text"], "gave str, not TextDelta"),
        ([TextDelta(cast("str", 5))], "gave int, not str"),
    ],
)
@pytest.mark.parametrize("hook", ["feed_data", "finish"])
async def test_what_a_decoder_gives_that_is_no_event_is_a_bug(
    sandbox: SandboxServer, hook: str, told: Json, message: str
) -> None:
    case = Case(provider=spoiled_decoder(hook, lambda *_: told), use=_answer)
    async with opened(sandbox, case) as (endpoint, client):
        with pytest.raises(ProviderBugError, match=message):
            await case.use(endpoint, client)


@asynccontextmanager
async def chained(
    sandbox: SandboxServer, providers: dict[str, tuple[Provider, str]], **names: Json
) -> AsyncIterator[SearchContext]:
    """Open chains over providers, each with the name of the sandbox's service it speaks to."""
    chosen = Settings.model_validate(
        {**names, "cache": {"kind": "off"}, "read": {"respect_robots": False}}
    )

    def find(name: str) -> Endpoint:
        provider, service = providers[name]
        access = Access(base_url=sandbox.base_url(service), key=Secret(KEY))
        return Endpoint(name=name, provider=provider, access=access)

    async with (
        Client(NetworkSettings(retries=0)) as client,
        SearchContext(chosen, client, find=find) as it,
    ):
        yield it


@pytest.mark.parametrize("hook", ["search_request", "search_results", "search_notes"])
async def test_a_search_goes_on_to_the_next_service(sandbox: SandboxServer, hook: str) -> None:
    providers = {"acme": (spoiled(Tavily, hook), "tavily"), "good": (Tavily(), "tavily")}
    async with chained(sandbox, providers, search_provider=["acme", "good"]) as search_context:
        found = await SearchChain(search_context).find(SearchQuery(text="sea otters"))

    assert found.service == "good"
    assert found.results
    assert [(each.service, each.code) for each in found.attempts] == [("acme", "provider_bug")]


async def test_a_search_that_only_a_broken_provider_could_make_says_why(
    sandbox: SandboxServer,
) -> None:
    providers = {"acme": (spoiled(Tavily, "search_request"), "tavily")}
    async with chained(sandbox, providers, search_provider="acme") as search_context:
        with pytest.raises(SearchFailedError, match="acme: its own code failed"):
            await SearchChain(search_context).find(SearchQuery(text="sea otters"))


@pytest.mark.parametrize("hook", ["read_request", "read_page"])
async def test_reading_goes_on_to_the_next_service(sandbox: SandboxServer, hook: str) -> None:
    providers = {"acme": (spoiled(LocalReader, hook), "jina"), "good": (LocalReader(), "jina")}
    async with chained(sandbox, providers, read_provider=["acme", "good"]) as search_context:
        read = await ReadChain(search_context).read("https://wiki.example.net/sea-otter")

    assert read.service == "good"
    assert read.page.success
    assert [(each.service, each.code) for each in read.attempts] == [("acme", "provider_bug")]
