"""Every provider, every kind of model, every switch: what is sent and what is shown.

A model may search on its provider's side when it is asked to, or whether it is asked to or not,
or not at all. The table has a row for every provider of the registry that answers.
"""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from groundwire import catalog, registry
from groundwire.chat.events import MarkerShown, TurnFailed, WebSearchStarted
from groundwire.conversation import ProviderRecord, SearchMode, Status
from groundwire.guard import DomainPolicy
from groundwire.model import Json
from groundwire.sandbox import SandboxServer
from groundwire.wire.contract import Access, abilities
from tests.chat.program import CANARY, Talk, Told, opened

WIKI = "wiki.example.net"
NEVER_EXPIRES = 4_102_444_800_000
WHEN_ASKED, ALWAYS, NEVER = "searches when asked", "searches always", "cannot search"
# Which model of a provider is of which kind; None where the provider has no such model.
MODELS: dict[str, dict[str, str | None]] = {
    "anthropic": {
        WHEN_ASKED: "claude-sonnet-5-5",
        ALWAYS: None,
        NEVER: "claude-3-haiku-20240307",
    },
    "codex": {WHEN_ASKED: "gpt-5.5", ALWAYS: None, NEVER: None},
    "extractive": {WHEN_ASKED: None, ALWAYS: None, NEVER: "extractive"},
    "gemini": {WHEN_ASKED: "gemini-3.8-flash", ALWAYS: None, NEVER: "gemma-3-27b"},
    "openai": {WHEN_ASKED: None, ALWAYS: "gpt-5-search-api", NEVER: "gpt-5.5"},
    "openai-responses": {
        WHEN_ASKED: "gpt-5.5",
        ALWAYS: "gpt-5-search-api",
        NEVER: "gpt-4-turbo",
    },
    "openrouter": {
        WHEN_ASKED: "openai/gpt-5.5",
        ALWAYS: "openai/gpt-5.5:online",
        NEVER: None,
    },
}
CASES = [
    (provider, kind)
    for provider, row in MODELS.items()
    for kind, model in row.items()
    if model is not None
]
CLOSED = ("agent off", "message off", "workspace off", "no domain")
SWITCHES = (*CLOSED, "restricted", "open")


@dataclass(frozen=True, slots=True, kw_only=True)
class Turned:
    """What one turn told, and what the sandbox's journal has of it."""

    told: Told
    models_asked: list[Json]
    searches: list[Json]

    @property
    def asks_for_search(self) -> bool:
        """Tell whether any request let the provider search, by a tool or by its model's name."""
        return any(_asks_for_search(body) for body in self.models_asked)


def _asks_for_search(body: Json) -> bool:
    ours = ("function", "functionDeclarations", "input_schema")
    theirs = [tool for tool in body.get("tools", ()) if not any(word in str(tool) for word in ours)]
    tools = json.dumps(theirs)
    is_told = bool(re.search("web_search|googleSearch|web_fetch", tools))
    is_built_in = bool(re.search("search|sonar|:online", str(body.get("model", ""))))
    return is_told or is_built_in or "plugins" in body or "web_search_options" in body


@pytest.fixture
def sandbox() -> Iterator[SandboxServer]:
    """Run a sandbox that also knows the models of the table that real services had or will have."""
    known = tuple(model for row in MODELS.values() for model in row.values() if model)
    with SandboxServer(extra_models=known) as server:
        yield server


@pytest.fixture
async def talk(
    sandbox: SandboxServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Talk]:
    """Return a program over the sandbox with every provider of the registry."""
    monkeypatch.setenv("HOME", str(tmp_path))
    session = {"type": "oauth", "access": CANARY, "refresh": "r", "expires": NEVER_EXPIRES}
    monkeypatch.setenv("OPENCODE_AUTH_CONTENT", json.dumps({"openai": session}))
    more = {
        "codex": {"base_url": sandbox.base_url("codex")},
        "library": {"options": {"path": str(tmp_path / "library")}},
    }
    # With the library named there, nothing is put into it for the extractive model.
    chain = ["searxng", "library"]
    database = str(tmp_path / "talk.sqlite3")
    async with opened(sandbox, database, more=more, search_provider=chain) as talk:
        yield talk


async def turned(talk: Talk, provider: str, kind: str, switch: str, **options: Json) -> Turned:
    """Set a switch, ask, and return what came of it."""
    await talk.allow(
        *{"no domain": (), "restricted": (WIKI,)}.get(switch, ("*",)),
        web_search_enabled=switch != "workspace off",
        web_fetch_enabled=switch != "workspace off",
    )
    await talk.change_agent(web_search_enabled=switch != "agent off")
    search = "off" if switch == "message off" else "auto"
    model = MODELS[provider][kind]
    chosen = {"provider": provider, "model": model, "search": search, **options}
    told = await talk.turn(**chosen)
    requests = talk.sandbox.requests
    return Turned(
        told=told,
        models_asked=[each.body for each in requests if each.body and each.method == "POST"],
        searches=[each.query for each in requests if each.path.startswith("/searxng")],
    )


def test_every_provider_that_answers_has_a_row_and_every_row_all_kinds() -> None:
    answering = {name for name in registry.names() if "answer" in abilities(registry.get(name))}

    assert set(MODELS) == answering
    assert {kind for row in MODELS.values() for kind in row} == {WHEN_ASKED, ALWAYS, NEVER}
    assert all(len(row) == 3 for row in MODELS.values())


@pytest.mark.parametrize(("name", "kind"), CASES)
def test_every_model_of_the_table_is_what_the_table_says(name: str, kind: str) -> None:
    provider, model = registry.get(name), MODELS[name][kind] or ""
    access = Access(base_url=provider.base_url)

    assert provider.searches_always(model, access) is (kind == ALWAYS)
    assert provider.searches_itself(model, access) is (kind != NEVER)


@pytest.mark.parametrize("name", catalog.DEFAULT_MODELS)
def test_no_providers_default_model_searches_unasked(name: str) -> None:
    provider = registry.get(name)
    access = Access(base_url=provider.base_url)

    assert not provider.searches_always(catalog.DEFAULT_MODELS[name], access)


@pytest.mark.parametrize("switch", CLOSED)
@pytest.mark.parametrize(("provider", "kind"), [case for case in CASES if case[1] != ALWAYS])
async def test_where_search_is_off_nobody_searches_and_nothing_is_cited(
    talk: Talk, provider: str, kind: str, switch: str
) -> None:
    turn = await turned(talk, provider, kind, switch)

    message = turn.told.message
    assert not turn.asks_for_search
    assert not turn.searches
    assert turn.told.started.mode is message.mode is SearchMode.OFF
    assert not turn.told.of(WebSearchStarted)
    assert not turn.told.of(MarkerShown)
    assert (message.citations, message.tool_runs) == (None, ())
    if provider != "extractive":  # It has nothing to say without a search.
        assert message.status is Status.COMPLETE, message.error
        assert len(turn.models_asked) == 1


@pytest.mark.parametrize("switch", [*CLOSED, "restricted"])
@pytest.mark.parametrize("provider", [name for name, kind in CASES if kind == ALWAYS])
async def test_a_named_model_that_always_searches_is_refused_where_the_web_is_not_open(
    talk: Talk, provider: str, switch: str
) -> None:
    turn = await turned(talk, provider, ALWAYS, switch)

    message, failure = turn.told.message, turn.told.failure
    assert turn.models_asked == turn.searches == []
    assert failure.code == "model_always_searches"
    assert f"{MODELS[provider][ALWAYS]!r} always searches the web, and " in failure.message
    assert f"such as {catalog.DEFAULT_MODELS[provider]}" in failure.message
    assert (message.status, message.content) == (Status.FAILED, "")
    assert message.error == failure.message


@pytest.mark.parametrize(("provider", "kind"), CASES)
async def test_with_the_whole_web_and_search_on_every_model_answers_with_sources(
    talk: Talk, provider: str, kind: str
) -> None:
    turn = await turned(talk, provider, kind, "open")

    mode = SearchMode.CLIENT if kind == NEVER else SearchMode.HOSTED
    assert turn.told.started.mode is turn.told.message.mode is mode
    assert turn.asks_for_search is (mode is SearchMode.HOSTED)
    assert bool(turn.searches) is (mode is SearchMode.CLIENT)
    assert turn.told.message.status is Status.COMPLETE, turn.told.message.error
    assert turn.told.cited


@pytest.mark.parametrize(("provider", "kind"), [case for case in CASES if case[1] != ALWAYS])
async def test_in_a_restricted_workspace_only_the_allowed_domains_are_searched_and_cited(
    talk: Talk, provider: str, kind: str
) -> None:
    turn = await turned(talk, provider, kind, "restricted")

    filters = kind == WHEN_ASKED and registry.get(provider).filters_own_search
    mode = SearchMode.HOSTED if filters else SearchMode.CLIENT
    policy = DomainPolicy(allowed=(WIKI,))
    assert turn.told.started.mode is mode
    assert turn.asks_for_search is filters
    if filters:
        assert all(WIKI in json.dumps(body) for body in turn.models_asked)
    assert all(f"site:{WIKI}" in query["q"] for query in turn.searches)
    assert turn.told.message.status is Status.COMPLETE, turn.told.message.error
    assert turn.told.cited
    assert all(policy.permits(urlsplit(url).hostname or "") for url in turn.told.cited)


@pytest.mark.parametrize("switch", [*CLOSED, "restricted"])
async def test_a_model_of_the_settings_that_always_searches_is_replaced_and_that_is_said(
    talk: Talk, switch: str
) -> None:
    """Nobody named it for this question: the settings have it as the provider's model."""
    turn = await turned(talk, "openai", ALWAYS, switch, model="")

    started = turn.told.started
    assert not turn.asks_for_search
    assert {body["model"] for body in turn.models_asked} == {"gpt-5.5"}
    assert started.model == turn.told.message.model == "gpt-5.5"
    assert started.reason.endswith("; gpt-5.5 answers, because gpt-5-search-api always searches")
    assert turn.told.message.status is Status.COMPLETE
    assert started.mode is (SearchMode.CLIENT if switch == "restricted" else SearchMode.OFF)


async def test_a_model_that_always_searches_is_not_left_out_where_hosted_search_is_chosen(
    talk: Talk,
) -> None:
    turn = await turned(talk, "openai", ALWAYS, "restricted", model="", search="hosted")

    assert turn.models_asked == []
    assert turn.told.failure.code == "model_always_searches"
    assert f"it cannot be kept to the allowed domains ({WIKI})" in turn.told.failure.message


async def test_an_agents_own_model_that_always_searches_is_refused(talk: Talk) -> None:
    base_url = talk.sandbox.base_url("openai")
    record = ProviderRecord(name="Mine", type="openai", base_url=base_url)
    await talk.program.store.providers.create(record)
    await talk.change_agent(
        preferred_provider_id=record.id,
        preferred_model_id="gpt-5-search-api",
        web_search_enabled=False,
    )

    told = await talk.turn(provider="")

    assert [event.code for event in told.of(TurnFailed)] == ["model_always_searches"]
    assert "web search is off for the agent 'Assistant'" in told.failure.message
