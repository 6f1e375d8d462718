"""The extension as a host of its own uses it, over the sandbox."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from groundwire.config.keys import Keys
from groundwire.config.settings import Settings
from groundwire.errors import ConfigError, SettingsError, UnknownProviderError, UnsupportedError
from groundwire.extension import (
    ExtensionContext,
    KnowsMessages,
    Manifest,
    StandaloneContext,
    ToolProvider,
    WebSearchExtension,
    entry_class,
    load_manifest,
)
from groundwire.sandbox import SandboxServer
from groundwire.testing import sandbox
from groundwire.tools.web_contract import (
    OpenPagesToolResult,
    OpenPageToolResult,
    WebSearchToolResult,
)

__all__ = ["sandbox"]

OTTER = "https://wiki.example.net/sea-otter"
VALLEY = "https://news.example.com/2026/05/otters-return"
KEY = "canary_Xq7v-2Lw9.Zr4"


@dataclass(kw_only=True)
class Host:
    """A context that remembers which secrets it was asked for."""

    config: dict[str, Any]
    secrets: dict[str, str] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)

    def get_config(self, key: str, default: Any = None) -> Any:
        return self.config.get(key, default)

    async def get_secret(self, name: str) -> str | None:
        self.asked.append(name)
        return self.secrets.get(name)


def host(sandbox: SandboxServer, **config: Any) -> Host:
    """Return a context whose services are the sandbox's."""
    services = ("tavily", "jina", "searxng", "duckduckgo")
    values = {
        "search_provider": "tavily",
        "read_provider": "tavily",
        "max_page_length": 15_000,
        "read": {"respect_robots": False},
        "network": {"retries": 0},
        "providers": {name: {"base_url": sandbox.base_url(name)} for name in services},
        **config,
    }
    return Host(config=values, secrets={"TAVILY_API_KEY": KEY})


@asynccontextmanager
async def extended(context: ExtensionContext) -> AsyncIterator[WebSearchExtension]:
    async with WebSearchExtension() as extension:
        await extension.initialize(context)
        yield extension


async def test_a_search_gives_the_seeds_model_and_its_pages_can_be_opened(
    sandbox: SandboxServer,
) -> None:
    async with extended(host(sandbox)) as extension:
        search, open_page = extension.get_tools()
        found = await search(query="sea otter fur", limit=2)
        page = await open_page(url=OTTER, max_length=50)
        pages = await open_page(url=[OTTER, VALLEY])

    assert isinstance(found, WebSearchToolResult)
    assert [(item.url, item.citation_id) for item in found.results] == [(OTTER, 1), (VALLEY, 2)]
    assert [source.citation_id for source in found.sources] == [1, 2]
    assert isinstance(page, OpenPageToolResult)
    assert (page.status, page.content_length, page.truncated) == ("success", 50, True)
    assert isinstance(pages, OpenPagesToolResult)
    assert [each.status for each in pages.pages] == ["success", "success"]


async def test_tools_say_their_name_description_and_schema(sandbox: SandboxServer) -> None:
    async with extended(host(sandbox)) as extension:
        search, open_page = extension.get_tools()

    assert isinstance(extension, ToolProvider)
    assert (search.name, open_page.name) == ("web_search", "open_page")
    searched: Any = search.parameters["properties"]
    opened: Any = open_page.parameters["properties"]
    assert set(searched) == {
        "query",
        "limit",
        "allowed_domains",
        "time_range",
    }
    assert search.parameters["required"] == ["query"]
    assert {"url", "max_length"} <= set(opened)
    assert "append the citation ID in brackets" in extension.system_prompt


async def test_a_model_calls_with_json_and_gets_json(sandbox: SandboxServer) -> None:
    async with extended(host(sandbox)) as extension:
        search, _ = extension.get_tools()
        good = json.loads(await search.call_json('{"query": "sea otter fur"}'))
        bad = json.loads(await search.call_json("{oops"))

    assert good["results"][0]["url"] == OTTER
    assert (bad["results"], "called wrongly" in bad["message"]) == ([], True)


async def test_a_provider_in_both_roles_is_one_instance_with_one_key(
    sandbox: SandboxServer,
) -> None:
    context = host(sandbox)

    async with extended(context) as extension:
        one, other = extension.provider("tavily"), extension.provider("tavily")
        results = await extension.searcher.search("sea otter fur", limit=1)
        page = await extension.reader.read_url(OTTER)

    assert one is other
    assert context.asked == ["TAVILY_API_KEY"]
    assert (results[0].url, page.success) == (OTTER, True)


async def test_a_failure_is_a_message_and_never_raised(sandbox: SandboxServer) -> None:
    context = host(sandbox, search_provider="searxng")
    context.config["providers"]["searxng"] = {
        "base_url": sandbox.base_url("searxng", fault="engines_failed")
    }

    async with extended(context) as extension:
        found = await extension.get_tools()[0](query="otters")

    assert found.model_dump()["results"] == []
    assert "none of its engines answered" in found.model_dump()["message"]


async def test_a_key_that_the_host_lacks_is_told_by_the_tool_and_by_the_health(
    sandbox: SandboxServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EXA_API_KEY", "of-this-machine")

    async with extended(host(sandbox, search_provider="exa")) as extension:
        found = await extension.get_tools()[0](query="otters")
        health = await extension.health()

    assert "needs a key: set EXA_API_KEY" in found.model_dump()["message"]
    assert [(each.provider, each.works) for each in health.providers] == [
        ("exa", False),
        ("tavily", True),
    ]
    assert not health.is_healthy


async def test_the_next_of_a_list_is_asked_where_the_first_has_no_key(
    sandbox: SandboxServer,
) -> None:
    context = host(sandbox, search_provider=["exa", "tavily"])

    async with extended(context) as extension:
        found = await extension.get_tools()[0](query="sea otter fur")
        health = await extension.health(live=True, page=OTTER)

    assert found.model_dump()["message"].startswith("tavily found")
    assert health.is_healthy


async def test_the_users_urls_can_be_opened_after_the_message(sandbox: SandboxServer) -> None:
    async with extended(host(sandbox)) as extension:
        _, open_page = extension.get_tools()
        before = await open_page(url=OTTER)
        extension.begin_turn(f"What does {OTTER} say?")
        after = await open_page(url=OTTER)

    assert before.model_dump()["error"].startswith("url_not_in_context")
    assert after.model_dump()["status"] == "success"


@dataclass(kw_only=True)
class TellingHost(Host):
    """A context that tells what the user wrote."""

    messages: list[str] = field(default_factory=list)

    def get_user_messages(self) -> list[str]:
        return self.messages


async def test_the_users_urls_are_learned_from_a_host_that_tells(sandbox: SandboxServer) -> None:
    plain = host(sandbox)
    context = TellingHost(config=plain.config, secrets=plain.secrets)

    async with extended(context) as extension:
        _, open_page = extension.get_tools()
        before = await open_page(url=OTTER)
        context.messages.append(f"What does {OTTER} say?")
        after = [await open_page(url=OTTER), await open_page(url=VALLEY)]
        context.messages.append(f"And {VALLEY}?")
        later = json.loads(await open_page.call_json(json.dumps({"url": VALLEY})))

    assert isinstance(context, KnowsMessages)
    assert before.model_dump()["error"].startswith("url_not_in_context")
    assert [each.model_dump()["status"] for each in after] == ["success", "error"]
    assert later["status"] == "success"


async def test_a_refusal_tells_the_host_what_it_can_do(sandbox: SandboxServer) -> None:
    async with extended(host(sandbox)) as extension:
        page = await extension.get_tools()[1](url=OTTER)

    assert "begin_turn" in page.model_dump()["error"]


@pytest.mark.parametrize(
    ("config", "error"),
    [
        ({"search_provider": "bing"}, UnknownProviderError),
        ({"search_provider": "jina"}, UnsupportedError),
        ({"read_provider": "searxng"}, UnsupportedError),
        ({"max_page_length": 0}, SettingsError),
        ({"search_provider": []}, SettingsError),
    ],
)
async def test_a_wrong_config_is_told_when_it_is_read(
    sandbox: SandboxServer, config: dict[str, Any], error: type[ConfigError]
) -> None:
    extension = WebSearchExtension()

    with pytest.raises(error):
        await extension.initialize(host(sandbox, **config))


async def test_without_initialize_and_after_destroy_there_are_no_tools(
    sandbox: SandboxServer,
) -> None:
    extension = WebSearchExtension()
    with pytest.raises(ConfigError, match="call initialize first"):
        extension.get_tools()

    await extension.initialize(host(sandbox))
    await extension.destroy()
    await extension.close()

    with pytest.raises(ConfigError, match="call initialize first"):
        extension.get_tools()


def test_the_manifest_is_the_seeds_and_its_entrypoint_is_there() -> None:
    manifest = load_manifest()

    assert manifest.id == "web_search"
    assert manifest.config == {
        "search_provider": "duckduckgo",
        "read_provider": "local",
        "max_page_length": 15_000,
        "allowed_domains": [],
        "blocked_domains": [],
    }
    assert manifest.enabled
    assert entry_class(manifest) is WebSearchExtension


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("id: [", "is not valid YAML (at line 1)"),
        ("- a\n- b\n", "is no manifest"),
        ("id: x\nname: y\nversion: '1'\nentrypoint: nowhere\n", "is no manifest: entrypoint"),
        ("!!python/object/apply:os.getcwd []", "is not valid YAML"),
    ],
)
def test_a_manifest_that_cannot_be_used_says_why(tmp_path: Path, text: str, reason: str) -> None:
    path = tmp_path / "manifest.yaml"
    path.write_text(text)

    with pytest.raises(ConfigError) as caught:
        load_manifest(path)

    assert str(caught.value).startswith(f"{path} {reason}")


def test_an_entrypoint_that_is_not_there_is_told() -> None:
    manifest = Manifest(id="x", name="x", version="1", entrypoint="main:Nothing")

    with pytest.raises(ConfigError, match="'main:Nothing' is not there"):
        entry_class(manifest)


async def test_alone_the_settings_win_over_the_manifest_and_keys_are_ours(tmp_path: Path) -> None:
    keys = Keys(environment={"TAVILY_API_KEY": KEY}, dotenv=tmp_path / ".env", file=tmp_path / "k")
    settings = Settings(search_provider="searxng")
    context = StandaloneContext(settings=settings, keys=keys)

    found = {
        name: context.get_config(name, "default")
        for name in ("search_provider", "read_provider", "max_page_length", "unknown")
    }

    assert isinstance(context, ExtensionContext)
    assert found == {
        "search_provider": "searxng",
        "read_provider": "local",
        "max_page_length": 15_000,
        "unknown": "default",
    }
    assert await context.get_secret("TAVILY_API_KEY") == KEY
    assert KEY not in repr(context)


async def test_alone_it_works_with_our_settings(sandbox: SandboxServer, tmp_path: Path) -> None:
    keys = Keys(environment={"TAVILY_API_KEY": KEY}, dotenv=tmp_path / ".env", file=tmp_path / "k")
    settings = Settings.model_validate(host(sandbox).config)

    async with extended(StandaloneContext(settings=settings, keys=keys)) as extension:
        found = await extension.get_tools()[0](query="sea otter fur")

    assert found.model_dump()["results"][0]["url"] == OTTER
