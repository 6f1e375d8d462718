"""The settings' lists of domains, on every surface: blocked wins, and nobody widens them."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

import groundwire
from groundwire import Settings
from groundwire.chat.events import SourcesRemoved, ToolUpdate
from groundwire.client import Client
from groundwire.conversation import SearchMode, Status
from groundwire.extension import StandaloneContext, WebSearchExtension, load_manifest
from groundwire.model import Json
from groundwire.sandbox import SandboxServer
from groundwire.service import factory
from groundwire.tools import Ledger, say_nothing
from tests import forked
from tests.chat.program import Talk, keys, opened, settings

WIKI, NEWS = "wiki.example.net", "news.example.com"
OTTER = "https://wiki.example.net/sea-otter"
VALLEY = "https://news.example.com/2026/05/otters-return"
ASKED = "otters"
BLOCKED: Json = {"search": {"blocked_domains": ["example.com"]}}


@asynccontextmanager
async def talking(sandbox: SandboxServer, folder: Path, **search: Json) -> AsyncIterator[Talk]:
    """Open a program whose settings have these lists."""
    async with opened(sandbox, str(folder / "talk.sqlite3"), search=search) as talk:
        yield talk


def _sent_lists(body: Json) -> tuple[list[str], list[str]]:
    """Return the allowed and the blocked domains of a request, whatever a provider calls them."""
    text = json.dumps(body)
    decoder = json.JSONDecoder()
    names = (("allowed_domains", "include_domains"), ("blocked_domains", "exclude_domains"))
    allowed, blocked = (
        [
            each
            for name in group
            if f'"{name}": ' in text
            for each in decoder.raw_decode(text.split(f'"{name}": ')[1])[0]
        ]
        for group in names
    )
    return allowed, blocked


@pytest.mark.parametrize("provider", ["anthropic", "openai-responses", "openrouter"])
async def test_a_blocked_list_is_sent_to_a_provider_that_has_a_filter(
    sandbox: SandboxServer, tmp_path: Path, provider: str
) -> None:
    async with talking(sandbox, tmp_path, blocked_domains=[NEWS]) as talk:
        told = await talk.turn(provider=provider)

        assert _sent_lists(talk.asked()) == ([], [NEWS])
    assert told.started.mode is SearchMode.HOSTED
    assert told.cited
    assert not any(NEWS in url for url in told.cited)


async def test_a_provider_without_a_filter_is_not_let_search_around_a_blocked_list(
    sandbox: SandboxServer, tmp_path: Path
) -> None:
    async with talking(sandbox, tmp_path, blocked_domains=[NEWS]) as talk:
        told = await talk.turn(ASKED, provider="gemini")

        found = [hit.url for event in told.of(ToolUpdate) for hit in event.run.results]
    assert told.started.mode is SearchMode.CLIENT
    assert found == [OTTER]


async def test_what_is_blocked_and_comes_back_all_the_same_is_struck(
    sandbox: SandboxServer, tmp_path: Path
) -> None:
    async with talking(sandbox, tmp_path, blocked_domains=[NEWS]) as talk:
        told = await talk.turn(provider="gemini", search="hosted")

    assert [event.where for event in told.of(SourcesRemoved)] == ["citations"]
    assert [each.domain for each in told.message.citations or ()] == [WIKI]
    assert [each.domain for each in told.ended.answer.marked.removed] == [NEWS]


async def test_a_workspace_and_a_message_narrow_the_settings_and_never_widen_them(
    sandbox: SandboxServer, tmp_path: Path
) -> None:
    lists = {"allowed_domains": ["example.net", "example.com"], "blocked_domains": [NEWS]}
    async with talking(sandbox, tmp_path, **lists) as talk:
        await talk.turn()
        as_set = _sent_lists(talk.asked())
        await talk.allow(WIKI, "example.org")
        narrowed = await talk.turn()
        as_narrowed = _sent_lists(talk.asked())
        outside = await talk.turn(domains=["example.org"])
        await talk.allow(NEWS)
        nothing = await talk.turn()

    assert as_set[0] == ["example.net", "example.com"]
    assert narrowed.started.mode is SearchMode.HOSTED
    assert as_narrowed[0] == [WIKI]
    assert outside.started.mode is nothing.started.mode is SearchMode.OFF
    assert nothing.started.reason == (
        "the settings' search domains allow nothing of the workspace 'Personal'"
    )


async def test_a_model_that_always_searches_is_refused_under_a_blocked_list(
    sandbox: SandboxServer, tmp_path: Path
) -> None:
    async with talking(sandbox, tmp_path, blocked_domains=[NEWS]) as talk:
        told = await talk.turn(provider="openai", model="gpt-5-search-api")

    assert told.message.status is Status.FAILED
    assert f"cannot be kept to the allowed domains (everything but {NEWS})" in told.failure.message


async def _tool(sandbox: SandboxServer, folder: Path, name: str, arguments: Json) -> Json:
    """Return what a tool of the one list says, as MCP and `groundwire tool` get it."""
    chosen = settings(sandbox, None, **BLOCKED)
    async with (
        Client(chosen.network) as client,
        factory.search_context(chosen, keys(folder), client) as web,
    ):
        tools = factory.tools(keys(folder), web, Ledger(is_open=True))
        [tool] = [each for each in tools if each.name == name]
        return (await tool.run(arguments, say_nothing)).text


async def _extension(sandbox: SandboxServer, folder: Path, name: str, arguments: Json) -> Json:
    """Return what a tool of the extension says, whose own config has the list."""
    plain = settings(sandbox, None, read={"any_url": True})
    config = {**load_manifest().config, "blocked_domains": ["example.com"]}
    manifest = load_manifest().model_copy(update={"config": config})
    context = StandaloneContext(manifest=manifest, settings=plain, keys=keys(folder))
    async with WebSearchExtension() as extension:
        await extension.initialize(context)
        [tool] = [each for each in extension.get_tools() if each.name == name]
        return str(await tool(**arguments))


async def _command(sandbox: SandboxServer, folder: Path, name: str, arguments: Json) -> Json:
    """Return what a command prints, with the list in its environment."""
    words = {
        "web_search": ["search", "-p", "searxng", arguments.get("query", "")],
        "open_page": ["read", "-p", "jina", arguments.get("url", "")],
    }[name]
    environment = {
        "PATH": os.environ["PATH"],
        "GROUNDWIRE_HOME": str(folder / "absent"),
        "PYTHON_KEYRING_BACKEND": "keyring.backends.fail.Keyring",
        "GROUNDWIRE_READ__RESPECT_ROBOTS": "false",
        "GROUNDWIRE_SEARCH__BLOCKED_DOMAINS": '["example.com"]',
        "GROUNDWIRE_PROVIDERS__SEARXNG__BASE_URL": sandbox.base_url("searxng"),
        "GROUNDWIRE_PROVIDERS__JINA__BASE_URL": sandbox.base_url("jina"),
    }
    command = forked.groundwire(*words)
    done = await asyncio.to_thread(
        subprocess.run, command, capture_output=True, text=True, env=environment, check=False
    )
    return str(done.stdout) + str(done.stderr)


async def _chat(sandbox: SandboxServer, folder: Path, name: str, arguments: Json) -> Json:
    """Return what a model in a chat is told by the tool that it called."""
    del name
    async with opened(sandbox, str(folder / "talk.sqlite3"), **BLOCKED) as talk:
        url = arguments.get("url")
        asked = f"Use open_page for {url}" if url else f"Use web_search for {arguments['query']}"
        told = await talk.turn(asked, provider="openai", model="gpt-5.5", search="client")
    return told.message.content + str([event.run for event in told.of(ToolUpdate)])


async def _library(sandbox: SandboxServer, folder: Path, name: str, arguments: Json) -> Json:
    """Return what the chains give to code of one's own."""
    from groundwire.search import ReadChain, SearchChain  # noqa: PLC0415 - one surface of many

    chosen = settings(sandbox, None, **BLOCKED)
    async with (
        Client(chosen.network) as client,
        factory.search_context(chosen, keys(folder), client) as web,
    ):
        try:
            if name == "web_search":
                return str(await SearchChain(web).search(arguments["query"]))
            return str(await ReadChain(web).read_url(arguments["url"]))
        except groundwire.GroundwireError as error:
            return f"{error.code} {error}"


Surface = Callable[[SandboxServer, Path, str, Json], Awaitable[str]]
SURFACES: dict[str, Surface] = {
    "tools": _tool,
    "extension": _extension,
    "command": _command,
    "chat": _chat,
    "library": _library,
}


@pytest.mark.parametrize("surface", SURFACES.values(), ids=SURFACES)
async def test_a_blocked_domain_is_not_found_on_any_surface(
    sandbox: SandboxServer, tmp_path: Path, surface: Surface
) -> None:
    shown = await surface(sandbox, tmp_path, "web_search", {"query": ASKED})

    assert OTTER in shown
    assert VALLEY not in shown


@pytest.mark.parametrize("surface", SURFACES.values(), ids=SURFACES)
async def test_a_blocked_domain_is_not_read_on_any_surface(
    sandbox: SandboxServer, tmp_path: Path, surface: Surface
) -> None:
    shown = await surface(sandbox, tmp_path, "open_page", {"url": VALLEY})

    asked = [each for each in sandbox.requests if each.path.startswith("/jina")]
    assert asked == []
    assert f"{NEWS} is among the blocked domains (example.com)" in shown


@pytest.mark.parametrize("backend", ["gemini", "openrouter", "anthropic", "openai-responses"])
async def test_a_search_tool_of_a_provider_cites_nothing_blocked(
    sandbox: SandboxServer, tmp_path: Path, backend: str
) -> None:
    arguments = {"query": ASKED, "provider": backend}

    shown = await _tool(sandbox, tmp_path, "websearch", arguments)

    assert WIKI in shown
    assert VALLEY not in shown
    # Google has no filter, and names its pages by redirects: what is blocked is struck by us.
    is_struck = f"(Folded by policy: this rests on {NEWS}.)" in shown
    assert is_struck is ("Removed by policy:" in shown) is (backend == "gemini")
    allowed, blocked = _sent_lists(sandbox.requests[-1].body)
    assert allowed == []
    assert blocked == ([] if backend == "gemini" else ["example.com"])


async def test_the_extensions_config_and_its_hosts_settings_narrow_each_other(
    sandbox: SandboxServer, tmp_path: Path
) -> None:
    host = settings(sandbox, None, search={"allowed_domains": ["example.net"]})
    config = {**load_manifest().config, "allowed_domains": ["example.com"]}
    manifest = load_manifest().model_copy(update={"config": config})
    context = StandaloneContext(manifest=manifest, settings=host, keys=keys(tmp_path))

    async with WebSearchExtension() as extension:
        await extension.initialize(context)
        [search, _] = extension.get_tools()
        shown = str(await search(query=ASKED))

    assert "results=[]" in shown
    assert [each for each in sandbox.requests if each.path.startswith("/searxng")] == []


def test_settings_without_lists_allow_the_whole_web() -> None:
    assert Settings().domains.is_open
