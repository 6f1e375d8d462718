"""Clients that other people wrote: the older Python SDK, the inspector, the conformance suite."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from groundwire.sandbox import SandboxServer
from tests.fences import open_fences
from tests.mcp import peers
from tests.mcp.server import ASKED, COMMAND, environment, served, started, variables

pytestmark = pytest.mark.slow

SOURCES = ["Sea otter", "Otters return to the river"]
OLDER_CLIENT = """
import asyncio, json, sys
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamablehttp_client

target, query = json.loads(sys.argv[1]), sys.argv[2]

async def main():
    if isinstance(target, str):
        way = streamablehttp_client(target)
    else:
        way = stdio_client(StdioServerParameters(**target))
    async with way as (reading, writing, *_):
        async with ClientSession(reading, writing) as session:
            greeted = await session.initialize()
            tools = await session.list_tools()
            result = await session.call_tool("websearch", {"query": query, "provider": "anthropic"})
            print(json.dumps({
                "version": greeted.protocolVersion,
                "tools": [tool.name for tool in tools.tools],
                "text": result.content[0].text,
                "data": result.structuredContent,
            }))

asyncio.run(main())
"""


@pytest.mark.parametrize("way", ["stdio", "http"])
def test_the_older_python_client_negotiates_and_gets_everything(
    sandbox: SandboxServer, tmp_path: Path, way: str
) -> None:
    python = peers.program("mcp1", "python")
    more = variables(sandbox)
    stdio = {
        "command": COMMAND[0],
        "args": COMMAND[1:],
        "env": environment(more),
        "cwd": "/",
    }
    with served(more) as url:
        target = json.dumps(url if way == "http" else stdio)

        done = peers.run([python, "-c", OLDER_CLIENT, target, ASKED], home=tmp_path)

    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["version"] == "2025-11-25"
    assert told["tools"][-1] == "websearch"
    assert told["text"] == told["data"]["llmContent"]
    assert [source["web"]["title"] for source in open_fences(told["data"]["sources"])] == SOURCES


@pytest.mark.parametrize("way", ["stdio", "http"])
def test_the_inspector_lists_and_calls(sandbox: SandboxServer, tmp_path: Path, way: str) -> None:
    inspector = [peers.program("inspector", "mcp-inspector"), "--cli"]
    more = variables(sandbox)
    call = ["--method", "tools/call", "--tool-name", "websearch_openrouter"]
    call += ["--tool-arg", f"query={ASKED}"]
    given = [word for name, value in more.items() for word in ("-e", f"{name}={value}")]
    with served(more) as url:
        over_http = [*inspector, url, "--transport", "http"]
        over_stdio = [*inspector, "--connect-timeout", "60000", *given, *COMMAND]
        words = over_http if way == "http" else over_stdio

        listed = peers.run([*over_http, "--method", "tools/list", "--strict"], home=tmp_path)
        called = peers.run([*words, *call], home=tmp_path)

    assert listed.returncode == 0, listed.stdout + listed.stderr
    assert called.returncode == 0, called.stdout + called.stderr
    data = json.loads(called.stdout)["structuredContent"]
    assert [source["web"]["title"] for source in open_fences(data["sources"])] == SOURCES


@pytest.mark.parametrize(
    "scenario",
    [
        "server-initialize",
        "ping",
        "tools-list",
        "dns-rebinding-protection",
        "server-sse-multiple-streams",
    ],
)
def test_the_official_scenarios_pass(sandbox: SandboxServer, tmp_path: Path, scenario: str) -> None:
    with served(variables(sandbox)) as url:
        outcome = outcome_of(scenario, url, tmp_path)

    assert "0 failed, 0 warnings" in outcome


@pytest.mark.parametrize(
    "scenario", ["tools-call-simple-text", "tools-call-error", "tools-call-with-progress"]
)
def test_the_official_scenarios_pass_that_bring_their_own_tools(
    tmp_path: Path, scenario: str
) -> None:
    command = [sys.executable, "-m", "tests.mcp.scenario_server"]
    with started(command, {}) as url:
        outcome = outcome_of(scenario, url, tmp_path)

    assert "0 failed, 0 warnings" in outcome


def outcome_of(scenario: str, url: str, home: Path) -> str:
    """Return what the suite says of a server."""
    conformance = peers.program("conformance", "conformance")
    command = [conformance, "server", "--url", url, "--scenario", scenario]
    return peers.run(command, home=home).stdout
