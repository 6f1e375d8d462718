"""Pages that no search has found: the user is asked where the client can, else they are refused."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import mcp_types as types
import pytest
from mcp.client.session import ClientRequestContext

from groundwire.model import Json
from groundwire.sandbox import SandboxServer
from mcp import Client
from tests.fences import open_fences
from tests.mcp.server import environment, over_stdio, served
from tests.mcp.test_sessions import OTTER, variables

VALLEY = "https://news.example.com/2026/05/otters-return"
WAYS = pytest.mark.parametrize("way", ["stdio", "http"])
MODES = pytest.mark.parametrize("mode", ["auto", "legacy"])


@dataclass
class User:
    """Somebody who answers every question alike, and remembers what was asked."""

    action: str = "accept"
    content: dict[str, Any] | None = field(default_factory=lambda: {"open": True})
    asked: list[str] = field(default_factory=list)

    async def __call__(
        self, context: ClientRequestContext, params: types.ElicitRequestParams
    ) -> types.ElicitResult:
        del context
        self.asked.append(params.message)
        return types.ElicitResult.model_validate({"action": self.action, "content": self.content})


@asynccontextmanager
async def connected(
    sandbox: SandboxServer, way: str, mode: str, user: User | None, **more: str
) -> AsyncIterator[Client]:
    given = variables(sandbox, **more)
    if way == "http":
        with served(given) as url:
            async with Client(url, mode=mode, elicitation_callback=user) as client:
                yield client
        return
    command = over_stdio(environment(given))
    async with Client(command, mode=mode, elicitation_callback=user) as client:
        yield client


async def opened(client: Client, url: str | list[str] = OTTER) -> Json:
    return (await client.call_tool("open_page", {"url": url})).structured_content


@WAYS
@MODES
async def test_a_user_who_agrees_gets_the_page_and_is_asked_once(
    sandbox: SandboxServer, way: str, mode: str
) -> None:
    user = User()
    async with connected(sandbox, way, mode, user) as client:
        first, again = await opened(client), await opened(client)

    assert [first["status"], again["status"]] == ["success", "success"]
    assert len(user.asked) == 1
    assert user.asked[0].endswith(f"\n{OTTER}")


NO = {
    "decline": User(action="decline", content=None),
    "cancel": User(action="cancel", content=None),
    "no": User(content={"open": False}),
    "nothing": User(content={}),
    "another kind": User(content={"open": "yes"}),
}


@pytest.mark.parametrize(
    ("way", "mode", "answer"),
    [
        *(("http", "auto", answer) for answer in NO),
        ("http", "legacy", "decline"),
        ("stdio", "auto", "decline"),
        ("stdio", "legacy", "decline"),
    ],
)
async def test_a_user_who_does_not_agree_is_not_asked_again(
    sandbox: SandboxServer, way: str, mode: str, answer: str
) -> None:
    user = User(action=NO[answer].action, content=NO[answer].content)
    async with connected(sandbox, way, mode, user) as client:
        first, again = await opened(client), await opened(client)

    assert [first["status"], again["status"]] == ["error", "error"]
    assert "the user does not want this URL to be opened" in first["error"]
    assert len(user.asked) == 1
    assert not [entry for entry in sandbox.requests if "jina" in entry.path]


async def test_several_pages_are_one_question(sandbox: SandboxServer) -> None:
    user = User()
    async with connected(sandbox, "http", "auto", user) as client:
        data = await opened(client, [OTTER, VALLEY])

    assert [page["status"] for page in data["pages"]] == ["success", "success"]
    [asked] = user.asked
    assert asked.startswith("Open 2 pages that no search has found?")
    assert asked.endswith(f"\n{OTTER}\n{VALLEY}")


async def test_what_a_search_found_is_not_asked_about(sandbox: SandboxServer) -> None:
    user = User()
    async with connected(sandbox, "http", "auto", user) as client:
        await client.call_tool("web_search", {"query": "sea otter fur"})
        data = await opened(client)

    assert (data["status"], user.asked) == ("success", [])


async def test_a_url_that_nobody_reads_to_its_end_is_not_put_to_anybody(
    sandbox: SandboxServer,
) -> None:
    user = User()
    async with connected(sandbox, "http", "auto", user) as client:
        data = await opened(client, f"https://a.example/{'x' * 3_000}")

    assert (data["status"], user.asked) == ("error", [])


@WAYS
@MODES
async def test_where_nobody_can_be_asked_the_refusal_names_the_setting(
    sandbox: SandboxServer, way: str, mode: str
) -> None:
    async with connected(sandbox, way, mode, None) as client:
        data = await opened(client)

    assert data["error"].startswith("url_not_in_context: ")
    assert "read.any_url = true" in data["error"]
    assert "ask the user for its address" not in data["error"]


async def test_the_description_says_what_is_true_here(sandbox: SandboxServer) -> None:
    async with connected(sandbox, "http", "auto", None) as client:
        fenced = {tool.name: tool.description or "" for tool in (await client.list_tools()).tools}
    lifted = {"GROUNDWIRE_READ__ANY_URL": "true"}
    async with connected(sandbox, "http", "auto", None, **lifted) as client:
        free = {tool.name: tool.description or "" for tool in (await client.list_tools()).tools}

    assert "What the user writes is not seen here" in fenced["open_page"]
    assert "URLs from the user" not in fenced["open_page"]
    assert "Takes any URL of the public web." in free["open_page"]


async def listed(sandbox: SandboxServer, **more: str) -> dict[str, types.Tool]:
    given = {**variables(sandbox), "GEMINI_API_KEY": "", **more}
    with served(given) as url:
        async with Client(url) as client:
            return {tool.name: tool for tool in (await client.list_tools()).tools}


async def test_without_a_key_only_what_needs_none_is_listed(sandbox: SandboxServer) -> None:
    tools = await listed(sandbox)

    assert [*tools] == ["web_search", "open_page", "check_claim"]


async def test_with_a_key_its_tool_is_listed_and_it_can_be_chosen(sandbox: SandboxServer) -> None:
    tools = await listed(sandbox, OPENROUTER_API_KEY="k", ANTHROPIC_API_KEY="k")

    assert [*tools] == [
        "web_search",
        "open_page",
        "check_claim",
        "websearch_openrouter",
        "websearch",
    ]
    chosen = tools["websearch"].input_schema["properties"]["provider"]
    assert chosen["enum"] == ["openrouter", "anthropic"]


async def test_where_nothing_searches_a_model_is_told_what_helps(sandbox: SandboxServer) -> None:
    given = {
        **variables(sandbox),
        "GEMINI_API_KEY": "",
        "GROUNDWIRE_SEARCH_PROVIDER": "exa",
    }
    with served(given) as url:
        async with Client(url) as client:
            tools = (await client.list_tools()).tools
            instructions = client.instructions

    assert [tool.name for tool in tools] == ["open_page", "check_claim"]
    assert (tools[0].description or "").endswith("with `groundwire setup`.")
    assert "`groundwire setup`" in (instructions or "")


async def test_who_names_nobody_is_told_who_is_there(sandbox: SandboxServer) -> None:
    given = {**variables(sandbox), "GEMINI_API_KEY": "", "OPENROUTER_API_KEY": "k"}
    with served(given) as url:
        async with Client(url) as client:
            result = await client.call_tool("websearch", {"query": "x", "provider": "bing"})

    said = open_fences(result.structured_content["error"]["message"])
    assert said == "Set 'provider' to one of: openrouter."
