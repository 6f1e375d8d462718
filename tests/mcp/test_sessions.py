"""Each session has its own conversation: what one client found, another may not open."""

from __future__ import annotations

import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import aiohttp
import pytest
from starlette.requests import Request

from groundwire.mcp.sessions import COOKIE, MAX_HANDSHAKES, McpSessions
from groundwire.model import Json
from groundwire.sandbox import SandboxServer
from mcp import Client
from tests.mcp.server import environment, over_stdio, served, variables_for
from tests.mcp.test_transports import INITIALIZE

OTTER = "https://wiki.example.net/sea-otter"
MODES = pytest.mark.parametrize("mode", ["auto", "legacy", "2026-07-28"])


def variables(sandbox: SandboxServer, **more: str) -> dict[str, str]:
    """Return what makes the server search and read with the sandbox."""
    return {
        **variables_for({name: sandbox.base_url(name) for name in ("tavily", "jina")}),
        "GROUNDWIRE_SEARCH_PROVIDER": "tavily",
        "GROUNDWIRE_READ_PROVIDER": "jina",
        "GROUNDWIRE_READ__RESPECT_ROBOTS": "false",
        **more,
    }


async def search(client: Client) -> list[str]:
    """Return the URLs that a client finds."""
    result = await client.call_tool("web_search", {"query": "sea otter fur"})
    return [item["url"] for item in result.structured_content["results"]]


async def open_page(client: Client, url: str = OTTER) -> Json:
    """Return what a client gets when it opens a page."""
    return (await client.call_tool("open_page", {"url": url})).structured_content


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_what_one_client_found_another_may_not_open(
    sandbox: SandboxServer, mode: str
) -> None:
    with served(variables(sandbox)) as url:
        async with Client(url, mode=mode) as one, Client(url, mode=mode) as other:
            found = await search(one)
            opened, refused = await open_page(one), await open_page(other)

    assert OTTER in found
    assert (opened["status"], "150,000 hairs" in opened["content"]) == ("success", True)
    assert refused["status"] == "error"
    assert refused["error"].startswith("url_not_in_context: ")


@MODES
async def test_a_client_goes_on_with_what_it_found(sandbox: SandboxServer, mode: str) -> None:
    with served(variables(sandbox)) as url:
        async with Client(url, mode=mode) as client:
            await search(client)
            first, second = await open_page(client), await open_page(client)

    assert [first["status"], second["status"]] == ["success", "success"]


async def test_a_search_that_fails_is_an_error_and_no_empty_list(sandbox: SandboxServer) -> None:
    broken = variables_for({"tavily": sandbox.base_url("tavily", fault="quota")})
    with served({**variables(sandbox), **broken}) as url:
        async with Client(url) as client:
            result = await client.call_tool("web_search", {"query": "sea otter fur"})

    assert result.is_error
    assert "tavily (HTTP 432)" in result.structured_content["message"]


async def test_any_url_lifts_the_fence(sandbox: SandboxServer) -> None:
    with served(variables(sandbox, GROUNDWIRE_READ__ANY_URL="true")) as url:
        async with Client(url) as client:
            opened = await open_page(client)

    assert opened["status"] == "success"


@asynccontextmanager
async def talking(sandbox: SandboxServer, mode: str) -> AsyncIterator[Client]:
    command = over_stdio(environment(variables(sandbox)))
    async with Client(command, mode=mode) as client:
        yield client


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_over_standard_input_one_conversation_goes_on(
    sandbox: SandboxServer, mode: str
) -> None:
    async with talking(sandbox, mode) as client:
        before = await open_page(client)
        await search(client)
        after = await open_page(client)

    assert before["error"].startswith("url_not_in_context: ")
    assert after["status"] == "success"


def request(address: str = "127.0.0.1", **headers: str) -> Request:
    """Return a request of a client at an address."""
    encoded = [(name.replace("_", "-").encode(), text.encode()) for name, text in headers.items()]
    scope = {"type": "http", "method": "POST", "path": "/", "headers": encoded}
    return Request({**scope, "client": (address, 1)})


def test_a_session_is_told_by_its_id_its_cookie_or_its_address() -> None:
    sessions: McpSessions[list[str]] = McpSessions(list)
    cookie = f"other=1; {COOKIE}={'a' * 32}"
    requests = [
        request(mcp_session_id="1"),
        request(mcp_session_id="2"),
        request(cookie=cookie),
        request(cookie=f"{COOKIE}=not-ours"),
        request("127.0.0.2"),
        None,
    ]

    for number, each in enumerate(requests):
        sessions.of(each, None).append(str(number))

    assert [sessions.of(each, None) for each in requests] == [
        ["0"],
        ["1"],
        ["2"],
        ["3"],
        ["4"],
        ["5"],
    ]
    assert sessions.of(request(), None) == ["3"]


def test_of_too_many_sessions_the_one_idle_longest_is_forgotten() -> None:
    sessions: McpSessions[list[str]] = McpSessions(list, most=2)
    for name in ("1", "2", "1", "3"):
        sessions.of(request(mcp_session_id=name), None).append(name)

    kept = [sessions.of(request(mcp_session_id=name), None) for name in ("1", "3", "2")]

    assert kept == [["1", "1"], ["3"], []]


def test_a_session_that_is_idle_for_too_long_is_forgotten() -> None:
    now = 0.0
    sessions: McpSessions[list[str]] = McpSessions(list, idle_seconds=60, clock=lambda: now)
    sessions.of(request(mcp_session_id="1"), None).append("1")
    sessions.of(None, None).append("standard input")
    now = 59
    sessions.of(request(mcp_session_id="2"), None).append("2")
    now = 61

    kept = [sessions.of(each, None) for each in (request(mcp_session_id="2"), None)]

    assert kept == [["2"], ["standard input"]]
    assert sessions.of(request(mcp_session_id="1"), None) == []


async def shake_hands(client: aiohttp.ClientSession, url: str) -> str:
    """Begin a session of the protocol, and return its id."""
    accepted = {"Accept": "application/json, text/event-stream"}
    async with client.post(url, json=INITIALIZE, headers=accepted) as response:
        assert response.status == 200
        await response.read()
        return response.headers["mcp-session-id"]


async def test_of_too_many_handshakes_the_idlest_sessions_are_ended(
    sandbox: SandboxServer,
) -> None:
    with served(variables(sandbox)) as url:
        async with (
            Client(url, mode="legacy") as at_work,
            aiohttp.ClientSession() as stranger,
        ):
            await search(at_work)
            ids = [await shake_hands(stranger, url) for _ in range(MAX_HANDSHAKES + 20)]
            statuses = [await _ping(stranger, url, each) for each in (ids[0], ids[-1])]
            # It listens for messages of the server all the time, so that it is not idle.
            opened = await open_page(at_work)

    assert statuses == [404, 200]
    assert opened["status"] == "success"


async def _ping(client: aiohttp.ClientSession, url: str, session: str) -> int:
    body = {"jsonrpc": "2.0", "id": 2, "method": "ping"}
    headers = {
        "Accept": "application/json, text/event-stream",
        "Mcp-Session-Id": session,
        "Mcp-Protocol-Version": "2025-06-18",
    }
    async with client.post(url, json=body, headers=headers) as response:
        return response.status


@pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")
async def test_handshakes_over_the_limit_take_no_memory(sandbox: SandboxServer) -> None:
    with served(variables(sandbox)) as url:
        port = int(url.rpartition(":")[2].partition("/")[0])
        async with aiohttp.ClientSession() as stranger:
            for _ in range(MAX_HANDSHAKES):
                await shake_hands(stranger, url)
            before = _resident_bytes(port)
            for _ in range(100):
                await shake_hands(stranger, url)
            grown = _resident_bytes(port) - before

    assert grown < 2_000_000


def _resident_bytes(port: int) -> int:
    """Return the memory of the process that listens at a port of this machine."""
    [line] = [
        row.split()
        for row in Path("/proc/net/tcp").read_text().splitlines()[1:]
        if row.split()[1].endswith(f":{port:04X}") and row.split()[3] == "0A"
    ]
    wanted = f"socket:[{line[9]}]"
    for link in Path("/proc").glob("[0-9]*/fd/*"):
        with suppress(OSError):
            if str(link.readlink()) == wanted and link.parts[2] != str(os.getpid()):
                pages = int((link.parents[1] / "statm").read_text().split()[1])
                return pages * os.sysconf("SC_PAGE_SIZE")
    raise AssertionError("nobody listens there")
