"""The shared list of hostile URLs through every surface that can meet one.

Elsewhere: the guard itself (tests/guard/test_suite.py), `check-url` (tests/test_cli.py), the client
and its redirects (tests/client/test_pages.py), `open_page` with each reader over real sockets
(tests/tools/test_reader_addresses.py), the browser's proxy (tests/client/test_proxy.py).
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from click.testing import CliRunner
from pydantic import ValidationError

from groundwire import guard
from groundwire.cli import groundwire
from groundwire.config.settings import Settings
from groundwire.mcp.server import create_server
from groundwire.sandbox import SandboxServer
from groundwire.sandbox.arguments import URL
from groundwire.tools import Ledger, web_tools
from mcp import Client as McpClient
from tests.security.obedience import Attack, attacked, call, runs_of, say
from tests.shared import shared
from tests.web.server import Web

Row = dict[str, Any]
AT_ONCE = 10
"""As many pages as one call may open."""

BY_TEXT = ("scheme", "parse", "address")


def blocked() -> list[Row]:
    """Return the rows that nobody may open; redirects are the client's own tests' matter."""
    lines = shared("suites/hostile_urls.jsonl").read_text(encoding="utf-8").split("\n")
    found = [json.loads(line) for line in lines if line]
    return [row for row in found if row["expect"] == "block" and "redirect" not in row]


def by_text() -> list[str]:
    """Return the URLs that are refused without asking a name server."""
    return [row["url"] for row in blocked() if row.get("stage") in BY_TEXT]


def batches() -> Iterator[tuple[list[str], dict[str, list[list[str]]]]]:
    """Yield URLs that one call can open, with the answers of the name server for all of them."""
    urls: list[str] = []
    names: dict[str, list[list[str]]] = {}
    for row in blocked():
        answers = {name.lower(): given for name, given in (row.get("dns") or {}).items()}
        clashes = any(names.get(name, given) != given for name, given in answers.items())
        if clashes or len(urls) == AT_ONCE:
            yield urls, names
            urls, names = [], {}
        urls.append(row["url"])
        names.update(answers)
    yield urls, names


def become(attack: Attack, names: dict[str, list[list[str]]]) -> None:
    """Give the internet of a conversation the names of some rows."""
    attack.internet._dns = names
    attack.internet._asked.clear()


def pages_in(data: Any) -> set[str]:
    """Return how opening ended; arguments that cannot be used are one failure for all."""
    return {page["status"] for page in data.get("pages") or [data]}


async def test_an_agent_that_is_told_to_open_each_of_them_opens_none() -> None:
    rounds = list(batches())
    moves = [script for urls, _ in rounds for script in (call("open_page", url=urls), say("No."))]
    ended: list[str] = []

    async with attacked(
        *moves, page="inside", read={"any_url": True, "respect_robots": False}
    ) as attack:
        for urls, names in rounds:
            become(attack, names)
            told = await attack.ask("Open " + " ".join(urls))
            ended += [run.status for run in runs_of(told)]

    assert set(ended) == {"failed"}
    assert (attack.internet.tried, attack.visits) == ([], [])
    assert sum(len(urls) for urls, _ in rounds) > 500


async def test_a_client_of_the_mcp_server_opens_none_of_them() -> None:
    opened: list[Any] = []

    async with attacked(say(""), page="inside") as attack:
        tools = web_tools(attack.chat.search_context, Ledger(is_open=True))
        async with McpClient(create_server(lambda: tools)) as client:
            for urls, names in batches():
                become(attack, names)
                result = await client.call_tool("open_page", {"url": urls})
                opened += [each for each in pages_in(result.structured_content) if each != "error"]

    assert (opened, attack.internet.tried) == ([], [])


def test_the_command_line_opens_none_of_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GROUNDWIRE_HOME", str(tmp_path))
    runner, urls = CliRunner(), by_text()

    for start in range(0, len(urls), AT_ONCE):
        arguments = json.dumps({"url": urls[start : start + AT_ONCE]})
        done = runner.invoke(groundwire, ["tool", "open_page", arguments])
        assert (done.exit_code, pages_in(json.loads(done.stdout))) == (1, {"error"})
    for url in urls[::20]:
        read = runner.invoke(groundwire, ["read", "--", url])
        added = runner.invoke(groundwire, ["library", "add", "--", url])
        assert (read.exit_code, added.exit_code) == (1, 1), (url, read.output, added.output)


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Web]:
    with SandboxServer() as sandbox, Web(sandbox, tmp_path_factory.mktemp("web")) as web:
        yield web


def _sample() -> list[str]:
    """Return some that are one word to the sandbox's model, which opens what it is told to."""
    return [url for url in by_text() if URL.fullmatch(url)][::32]


def test_a_turn_of_the_web_app_opens_none_of_them(web: Web) -> None:
    ended = []
    for url in _sample():
        told = web.ask(f"open page {url}", provider_id="openai", model="gpt-4o", search="client")
        runs = [event.data["run"] for event in told if event.type == "tool_update"]
        ended += [(run["name"], run["status"], run["url"] == url) for run in runs]

    assert set(ended) == {("open_page", "running", True), ("open_page", "failed", True)}
    # The reader of this server is a service: it was not even asked.
    assert [each.path for each in web.sandbox.requests if "jina" in each.path] == []


def test_the_address_of_a_provider_is_an_address_or_refused(web: Web) -> None:
    kept = []
    for number, row in enumerate(blocked()[::8]):
        body = {"name": f"p{number}", "type": "openai", "base_url": row["url"]}
        made = web.client.post("/api/providers", json=body)
        assert made.status_code in (201, 400, 422), (row["url"], made.text)
        if made.status_code == 201:
            kept.append(made.json()["base_url"])

    # A server of one's own may be anywhere; what is kept is a plain address all the same.
    assert kept
    for address in kept:
        parts = urlsplit(address)
        assert (parts.scheme in ("http", "https"), "@" in parts.netloc) == (True, False)
        assert address.isascii()
        assert address.isprintable()


def test_the_address_of_a_service_in_the_settings_is_an_address_or_refused() -> None:
    for row in blocked():
        try:
            values = Settings.model_validate({"providers": {"searxng": {"base_url": row["url"]}}})
        except ValidationError:
            continue
        parts = urlsplit(values.providers["searxng"].base_url or "")
        assert (parts.scheme in ("http", "https"), "@" in parts.netloc) == (True, False)


def test_none_of_them_nor_of_their_addresses_is_an_allowed_domain(web: Web) -> None:
    urls = [row["url"][:300] for row in blocked()]
    hosts = [url.removeprefix("http://").strip("/") for url in by_text() if "://1" in url]

    refused = web.client.patch("/api/workspaces/personal", json={"web_allowed_domains": urls[:900]})
    narrowed = web.client.post(
        "/api/agents/assistant/message", json={"text": "x", "domains": urls[:100]}
    )

    assert refused.status_code in (400, 422), refused.text
    assert narrowed.json()["error"]["code"] == "settings" if narrowed.status_code != 200 else True
    assert [host for host in hosts if guard.domain_problem(host) is None] == []
    assert web.get("/api/workspaces/personal")["web_allowed_domains"] == ["*"]
