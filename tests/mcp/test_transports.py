"""The server over standard input and output and over HTTP, as agents start and reach it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import aiohttp
import pytest

from groundwire.model import Json
from groundwire.sandbox import SandboxServer
from mcp import Client
from tests import loopback
from tests.fences import open_fences
from tests.mcp.server import ASKED, KEY, environment, over_stdio, served, variables, variables_for
from tests.patience import PATIENCE

INITIALIZE: Json = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}
WAYS = pytest.mark.parametrize("way", ["stdio", "http"])
MODES = pytest.mark.parametrize("mode", ["auto", "legacy"])


@asynccontextmanager
async def connected(way: str, more: dict[str, str], mode: str) -> AsyncIterator[Client]:
    """Connect a client to a server in another process."""
    if way == "http":
        with served(more) as url:
            async with Client(url, mode=mode) as client:
                yield client
        return
    command = over_stdio(environment(more))
    async with Client(command, mode=mode) as client:
        yield client


@WAYS
@MODES
async def test_a_search_comes_back_whole_in_text_and_structure(
    sandbox: SandboxServer, way: str, mode: str
) -> None:
    heard: list[tuple[float, float | None, str | None]] = []

    async def hear(progress: float, total: float | None, message: str | None) -> None:
        heard.append((progress, total, message))

    arguments = {"query": ASKED, "provider": "anthropic"}
    async with connected(way, variables(sandbox), mode) as client:
        result = await client.call_tool("websearch", arguments, progress_callback=hear)

    data = result.structured_content
    assert [each.model_dump()["text"] for each in result.content] == [data["llmContent"]]
    answer, _, compared = open_fences(data["llmContent"]).rpartition("\n")
    assert answer.endswith(
        "Sources:\n"
        "[1] Sea otter (https://wiki.example.net/sea-otter)\n"
        "[2] Otters return to the river (https://news.example.com/2026/05/otters-return)"
    )
    assert compared == data["checkSummary"]
    assert [each["state"] for each in data["checks"]] == ["not_compared", "not_compared"]
    assert [source["web"]["title"] for source in open_fences(data["sources"])] == [
        "Sea otter",
        "Otters return to the river",
    ]
    assert heard[-1] == (len(heard), None, "Found 2 sources")


@WAYS
async def test_every_result_fits_the_schema_that_the_client_checks(
    sandbox: SandboxServer, way: str
) -> None:
    found = {}
    async with connected(way, variables(sandbox), "auto") as client:
        await client.list_tools()
        for provider in ("gemini", "openrouter", "openai-responses", "openai_oauth", "nobody"):
            arguments = {"query": ASKED, "provider": provider}
            found[provider] = (await client.call_tool("websearch", arguments)).is_error

    assert found == {
        "gemini": False,
        "openrouter": False,
        "openai-responses": False,
        "openai_oauth": True,
        "nobody": True,
    }


@WAYS
@MODES
async def test_cancelling_closes_the_connection_at_the_far_end(way: str, mode: str) -> None:
    async with loopback.serve(loopback.stream(hang=True)) as far_end:
        more = variables_for({"gemini": far_end.url})
        async with connected(way, more, mode) as client:
            call = asyncio.create_task(client.call_tool("websearch_gemini", {"query": ASKED}))
            await far_end.asked.wait()

            call.cancel()

            async with asyncio.timeout(PATIENCE):
                await far_end.left.wait()


async def test_a_client_that_goes_away_ends_its_server_and_the_search() -> None:
    async with loopback.serve(loopback.stream(hang=True)) as far_end:
        more = variables_for({"gemini": far_end.url})
        async with connected("stdio", more, "auto") as client:
            call = asyncio.create_task(client.call_tool("websearch_gemini", {"query": ASKED}))
            await far_end.asked.wait()
        call.cancel()

        async with asyncio.timeout(PATIENCE):
            await far_end.left.wait()


async def status_of(url: str, **headers: str) -> int:
    """Return how a first message with these headers is answered."""
    accepted = {"Accept": "application/json, text/event-stream"}
    async with (
        aiohttp.ClientSession() as session,
        session.post(url, json=INITIALIZE, headers={**accepted, **headers}) as response,
    ):
        return response.status


async def test_only_this_machine_may_be_named_as_host_and_origin(sandbox: SandboxServer) -> None:
    with served(variables(sandbox)) as url:
        statuses = [
            await status_of(url),
            await status_of(url, Origin="http://localhost:3000"),
            await status_of(url, Host="rebound.example"),
            await status_of(url, Host="127.0.0.1.rebound.example:80"),
            await status_of(url, Origin="https://rebound.example"),
            await status_of(url, Origin="null"),
        ]

    assert statuses == [200, 200, 421, 421, 403, 403]


async def test_a_token_is_demanded_and_another_host_can_be_allowed(
    sandbox: SandboxServer, tmp_path: Path
) -> None:
    (tmp_path / "token").write_text("let-me-in\n")
    options = ("--token-file", str(tmp_path / "token"), "--allow-host", "search.example")

    with served(variables(sandbox), options) as url:
        statuses = [
            await status_of(url),
            await status_of(url, Authorization="Bearer wrong"),
            await status_of(url, Authorization="Bearer let-me-in"),
            await status_of(url, Authorization="Bearer let-me-in", Host="search.example"),
            await status_of(url, Authorization="Bearer let-me-in", Host="other.example"),
        ]

    assert statuses == [401, 401, 200, 200, 421]


async def test_the_key_is_in_nothing_that_a_client_sees() -> None:
    refused = loopback.reply(f'{{"error": {{"message": "bad {KEY}"}}}}'.encode(), status="401 No")
    async with (
        loopback.serve(refused) as far_end,
        connected("stdio", variables_for({"gemini": far_end.url}), "auto") as client,
    ):
        result = await client.call_tool("websearch_gemini", {"query": ASKED})

    assert result.is_error
    assert KEY not in result.model_dump_json()
