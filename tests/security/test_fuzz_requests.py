"""Requests of strangers: bodies and headers of the HTTP API, messages of MCP, tools' arguments."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from random import Random
from urllib.parse import urlsplit

import httpx2
import pytest

from groundwire.model import Json
from groundwire.sandbox import SandboxServer
from groundwire.tools import Tool, websearch_tools
from groundwire.tools.tool import say_nothing
from tests.mcp.server import served, variables_for
from tests.patience import PATIENCE
from tests.security.fuzzing import (
    PLANTED,
    chances,
    damaged,
    distorted,
    fuzz,
    one_of,
    strange,
    written,
)
from tests.tools.web import browsing
from tests.web.server import Web

BODIES: tuple[tuple[str, str, Json], ...] = (
    ("POST", "/api/agents", {"name": "A", "temperature": 1, "system_prompt": "x"}),
    ("PATCH", "/api/agents/assistant", {"name": "A", "preferred_model_id": None}),
    ("POST", "/api/sessions", {"title": "T", "agent_id": "assistant"}),
    ("PATCH", "/api/workspaces/personal", {"name": "P", "web_allowed_domains": ["*"]}),
    ("POST", "/api/providers", {"name": "P", "type": "openai", "base_url": "http://a.example/v1"}),
    ("POST", "/api/agents/assistant/approve", {"message_id": "m", "decisions": {"c": True}}),
    ("POST", "/api/login", {"name": "n", "password": "p"}),
    ("PUT", "/api/web/tavily/key", {"key": "k"}),
    ("PUT", "/api/web", {"search_provider": ["library"], "read_provider": ["local"]}),
    ("POST", "/api/agents/nobody/message", {"text": "x", "attachments": [], "domains": ["a.b"]}),
)
HEADERS = (
    *(
        "host",
        "origin",
        "cookie",
        "authorization",
        "content-type",
        "content-length",
        "last-event-id",
    ),
    *("transfer-encoding", "sec-fetch-site", "accept-encoding", "x-forwarded-for", "range", "te"),
)
INITIALIZE: Json = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "x", "version": "1"},
    },
}
CALL: Json = {
    "jsonrpc": "2.0",
    "id": 2,
    "method": "tools/call",
    "params": {
        "name": "open_page",
        "arguments": {"url": "http://127.0.0.1/"},
        "_meta": {"progressToken": 1},
    },
}


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Web]:
    with pytest.MonkeyPatch.context() as patch:
        folder = tmp_path_factory.mktemp("web")
        patch.setenv("GROUNDWIRE_HOME", str(folder))
        patch.delenv("GROUNDWIRE_CONFIG", raising=False)
        with SandboxServer() as sandbox, Web(sandbox, folder) as web:
            yield web


@fuzz(60, chance=chances)
def test_a_distorted_body_is_taken_or_refused_in_our_own_words(web: Web, chance: Random) -> None:
    method, path, body = one_of(BODIES, chance)
    sent = written(distorted(body, chance), chance)

    reply = web.client.request(
        method, path, content=sent, headers={"content-type": "application/json"}
    )

    assert reply.status_code < 500, (path, sent[:500], reply.text)
    if reply.status_code >= 400:
        assert set(reply.json()["error"]) >= {"code", "message"}
        assert PLANTED not in reply.text


@pytest.mark.parametrize(("method", "path", "body"), BODIES)
def test_half_a_character_in_any_field_is_refused(
    web: Web, method: str, path: str, body: Json
) -> None:
    for name in body:
        sent = json.dumps({**body, name: "x\ud800"}).encode()
        reply = web.client.request(
            method, path, content=sent, headers={"content-type": "application/json"}
        )
        assert 400 <= reply.status_code < 500, (name, reply.text)


@fuzz(40, chance=chances)
def test_a_damaged_request_never_breaks_the_server(web: Web, chance: Random) -> None:
    host = urlsplit(web.url).netloc
    method, path, body = one_of(BODIES, chance)
    content = json.dumps(body).encode()
    lines = [f"{method} {path} HTTP/1.1", f"Host: {host}", f"Content-Length: {len(content)}"]
    lines += [f"{one_of(HEADERS, chance)}: {chance.choice(('x', 'null', '*', '0', '9' * 30))}"]
    head = "\r\n".join([*lines, "Connection: close", "", ""]).encode()
    sent = damaged(head, chance) if chance.random() < 0.7 else head

    answer = _spoken(web, sent + content)

    assert answer == b"" or answer.startswith(b"HTTP/1.1 ")
    assert not answer.startswith(b"HTTP/1.1 5")
    assert web.client.get("/api/health").status_code == 200


def _spoken(web: Web, sent: bytes) -> bytes:
    """Return what the server says to these bytes and to nothing more."""
    parts = urlsplit(web.url)
    with socket.create_connection((parts.hostname or "", parts.port or 0), PATIENCE) as connection:
        connection.sendall(sent)
        connection.shutdown(socket.SHUT_WR)
        received = b""
        try:
            while piece := connection.recv(65_536):
                received += piece
        except ConnectionError:
            pass
        return received


@pytest.fixture(scope="module")
def mcp() -> Iterator[httpx2.Client]:
    with served(variables_for({})) as url, httpx2.Client(timeout=PATIENCE) as client:
        client.base_url = httpx2.URL(url.removesuffix("/mcp"))
        yield client


@fuzz(15, chance=chances)
def test_distorted_messages_never_break_the_mcp_server(mcp: httpx2.Client, chance: Random) -> None:
    body = written(distorted(one_of([INITIALIZE, CALL], chance), chance), chance)
    headers = {
        "content-type": "application/json",
        "accept": "application/json, text/event-stream",
        one_of(("mcp-session-id", "mcp-protocol-version", "last-event-id"), chance): "x",
    }

    reply = mcp.post("/mcp", content=body, headers=headers)
    again = mcp.post("/mcp", json=INITIALIZE, headers={"accept": headers["accept"]})

    assert reply.status_code < 500
    assert PLANTED not in reply.text or reply.status_code == 200
    assert again.status_code == 200


@fuzz(40, chance=chances)
def test_arguments_of_any_shape_are_answered_by_every_tool(chance: Random) -> None:
    import asyncio  # noqa: PLC0415 - the loop of each example is its own

    whole = {"query": "otters", "url": "https://a.example/", "limit": 3, "provider": "gemini"}
    arguments = chance.choice((distorted(whole, chance), strange(chance)))

    async def run() -> None:
        async with browsing() as browser:
            tools: tuple[Tool, ...] = (
                *browser._tools.values(),
                *websearch_tools(_nobody, browser.search_context.client),
            )
            for tool in tools:
                if tool.name == "web_search" and isinstance(arguments, dict):
                    arguments.pop("query", None)  # Nobody is here to be asked.
                output = await tool.run(arguments, say_nothing)
                assert output.is_error
                json.dumps(output.data, ensure_ascii=False).encode("utf-8")

    asyncio.run(run())


def _nobody(name: str) -> Json:
    from groundwire.errors import MissingKeyError  # noqa: PLC0415 - only here

    raise MissingKeyError(name, "ITS_KEY")
