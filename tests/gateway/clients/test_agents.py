"""Whole agents against `groundwire serve`: Claude Code, Codex and OpenCode, with their search."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from groundwire.model import Json
from tests.gateway.clients.asked import BREAKING, HOSTED, OURS, QUESTION, REFUSING, Serving
from tests.gateway.clients.tap import Exchange, Tap
from tests.mcp import peers

pytestmark = pytest.mark.slow

BOTH = pytest.mark.parametrize("model", [HOSTED, OURS])
FAILING = pytest.mark.parametrize("model", [REFUSING, BREAKING])
NPM = {
    "chat": "@ai-sdk/openai-compatible",
    "messages": "@ai-sdk/anthropic",
    "responses": "@ai-sdk/openai",
}


@pytest.fixture
def tap(serving: Serving) -> Iterator[Tap]:
    with Tap(serving.address) as tap:
        yield tap


def lines_of(done: subprocess.CompletedProcess[str]) -> list[Json]:
    """Return what a program printed as JSON, line by line."""
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]


def has_link(text: str, exchange: Exchange) -> bool:
    return all(f"]({one.url})" in text for one in exchange.citations)


# Claude Code


def claude(
    serving: Serving, tap: Tap, home: Path, *arguments: str, tools: str = "WebSearch"
) -> subprocess.CompletedProcess[str]:
    return peers.run(
        [
            *(peers.program("claude", "claude"), "-p", *arguments),
            *("--tools", tools, "--allowedTools", "WebSearch"),
            *("--output-format", "stream-json", "--verbose"),
        ],
        home=home,
        more={
            "ANTHROPIC_BASE_URL": tap.url,
            "ANTHROPIC_AUTH_TOKEN": serving.token,
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "CLAUDE_CODE_MAX_RETRIES": "1",
            "ENABLE_TOOL_SEARCH": "false",
        },
    )


@BOTH
def test_claude_code_searches_and_shows_links(
    serving: Serving, tap: Tap, tmp_path: Path, model: str
) -> None:
    question = f"Call WebSearch with the query: {QUESTION}"

    done = claude(serving, tap, tmp_path, question, "--model", model)

    assert done.returncode == 0, done.stdout + done.stderr
    lines = lines_of(done)
    found = next(line["tool_use_result"] for line in lines if line.get("tool_use_result"))
    _, nested, _ = tap.exchanges
    assert [tool["type"] for tool in nested.asked["tools"]] == ["web_search_20250305"]
    assert found["searchCount"] == nested.searches == 1
    links = {link["url"] for link in found["results"][0]["content"]}
    assert links >= {one.url for one in nested.citations}
    assert len(nested.citations) >= 2
    assert has_link(found["results"][-1], nested)
    assert lines[-1]["type"] == "result"
    assert not lines[-1]["is_error"]


def test_claude_code_goes_on_with_what_it_was_sent(
    serving: Serving, tap: Tap, tmp_path: Path
) -> None:
    asked = [f"Call WebSearch with the query: {QUESTION}", "--model", HOSTED]
    claude(serving, tap, tmp_path, *asked)
    before = len(tap.exchanges)

    done = claude(serving, tap, tmp_path, "Thank you", "--continue", "--model", HOSTED)

    assert done.returncode == 0, done.stdout + done.stderr
    exchange = tap.exchanges[before]
    assert exchange.status == 200
    assert any(message["role"] == "assistant" for message in exchange.asked["messages"])
    assert not lines_of(done)[-1]["is_error"]


@FAILING
def test_claude_code_shows_a_failure(
    serving: Serving, tap: Tap, tmp_path: Path, model: str
) -> None:
    done = claude(serving, tap, tmp_path, "Hello", "--model", model, tools="")

    result = lines_of(done)[-1]
    assert done.returncode == 1
    assert result["is_error"]
    first = tap.exchanges[0]
    if model == REFUSING:
        assert "gemini" in result["result"]
        # It asks ten times where it is not told that this is of no use.
        assert [each.status for each in tap.exchanges] == [403]
    else:
        assert "mid-response" in result["result"]
        assert (first.status, first.events[-1]["type"]) == (200, "error")


# Codex

CODEX = """
model_provider = "groundwire"
web_search = "{search}"
include_environment_context = false

[model_providers.groundwire]
name = "Groundwire"
base_url = "{url}/v1"
wire_api = "responses"
env_key = "GROUNDWIRE_TOKEN"
request_max_retries = 0
stream_max_retries = 0

[analytics]
enabled = false
"""


def codex(
    serving: Serving, tap: Tap, home: Path, *arguments: str, search: str = "live"
) -> subprocess.CompletedProcess[str]:
    folder = home / ".codex"
    folder.mkdir()
    (folder / "config.toml").write_text(CODEX.format(url=tap.url, search=search))
    return peers.run(
        [
            *(peers.program("codex", "codex"), "exec", "--json", "--skip-git-repo-check"),
            *arguments,
        ],
        home=home,
        more={"GROUNDWIRE_TOKEN": serving.token},
    )


@BOTH
def test_codex_shows_the_search_and_cited_text(
    serving: Serving, tap: Tap, tmp_path: Path, model: str
) -> None:
    done = codex(serving, tap, tmp_path, "--model", model, f"Call web_search: {QUESTION}")

    assert done.returncode == 0, done.stdout + done.stderr
    items = [line["item"] for line in lines_of(done) if line["type"] == "item.completed"]
    searches = [item for item in items if item["type"] == "web_search"]
    (exchange,) = [each for each in tap.exchanges if each.path == "/v1/responses"]
    assert len(searches) == exchange.searches > 0
    assert all("sea otters" in item["query"] for item in searches)
    assert len(exchange.citations) >= 2
    assert has_link(items[-1]["text"], exchange)


@FAILING
def test_codex_shows_a_failure(serving: Serving, tap: Tap, tmp_path: Path, model: str) -> None:
    done = codex(serving, tap, tmp_path, "--model", model, "Hello", search="disabled")

    assert done.returncode == 1
    failed = lines_of(done)[-1]
    assert failed["type"] == "turn.failed"
    (exchange,) = [each for each in tap.exchanges if each.path == "/v1/responses"]
    assert exchange.status == (403 if model == REFUSING else 200)
    if model == BREAKING:
        assert [each["type"] for each in exchange.events[-2:]] == ["error", "response.failed"]


# OpenCode


def opencode(serving: Serving, tap: Tap, home: Path, dialect: str, model: str) -> list[str]:
    """Write its settings and return the command."""
    program = peers.program("opencode", "opencode")
    options = {"baseURL": f"{tap.url}/v1", "apiKey": serving.token}
    provider = {"npm": NPM[dialect], "options": options, "models": {model: {}}}
    settings = {"provider": {"groundwire": provider}}
    (home / "opencode.json").write_text(json.dumps(settings), encoding="utf-8")
    return [program, "run", "--model", f"groundwire/{model}", "--format", "json"]


OFFLINE = {
    f"OPENCODE_DISABLE_{name}": "1" for name in ("MODELS_FETCH", "AUTOUPDATE", "LSP_DOWNLOAD")
}


@BOTH
@pytest.mark.parametrize("dialect", NPM)
def test_opencode_shows_cited_text_and_keeps_the_citations(
    serving: Serving, tap: Tap, tmp_path: Path, dialect: str, model: str
) -> None:
    command = opencode(serving, tap, tmp_path, dialect, f"{model}:search")

    done = peers.run([*command, f"Call web_search: {QUESTION}"], home=tmp_path, more=OFFLINE)

    assert done.returncode == 0, done.stdout + done.stderr
    lines = lines_of(done)
    assert {line["type"] for line in lines} == {"step_start", "text", "step_finish"}
    part = next(line["part"] for line in lines if line["type"] == "text")
    asking = [each for each in tap.exchanges if each.asked and each.asked.get("tools")]
    (exchange,) = asking
    assert len(exchange.citations) >= 2
    assert exchange.searches == 0
    assert has_link(part["text"], exchange)
    kept = [*part.get("metadata", {}).values()]
    cited = kept[0].get("citations") or kept[0].get("annotations") if kept else []
    if dialect != "chat":
        assert [one["url"] for one in cited] == [one.url for one in exchange.citations]
        assert [one["title"] for one in cited] == [one.title for one in exchange.citations]
    # The request for a title is answered without a search.
    titles = [each for each in tap.exchanges if each not in asking and each.asked]
    assert all(not each.citations for each in titles)


@pytest.mark.parametrize("dialect", NPM)
def test_opencode_shows_a_failure(serving: Serving, tap: Tap, tmp_path: Path, dialect: str) -> None:
    command = opencode(serving, tap, tmp_path, dialect, REFUSING)

    done = peers.run([*command, "Hello"], home=tmp_path, more=OFFLINE)

    assert done.returncode == 1
    failed = lines_of(done)[-1]
    assert failed["type"] == "error"
    assert failed["error"]["data"]["statusCode"] == 403
    assert "gemini" in failed["error"]["data"]["message"]


@pytest.mark.parametrize("dialect", NPM)
def test_opencode_asks_again_after_a_stream_that_broke(
    serving: Serving, tap: Tap, tmp_path: Path, dialect: str
) -> None:
    command = opencode(serving, tap, tmp_path, dialect, BREAKING)
    path = f"{peers.PEERS / 'node' / 'bin'}{os.pathsep}{os.environ['PATH']}"
    with subprocess.Popen(
        [*command, "Hello"],
        cwd=tmp_path,
        env={"PATH": path, "HOME": str(tmp_path), **OFFLINE},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as running:
        try:
            # It repeats for as long as it is let, and never takes the half for an answer.
            while sum(bool(each.asked.get("tools")) for each in tap.exchanges) < 2:
                with pytest.raises(subprocess.TimeoutExpired):
                    running.wait(0.2)
        finally:
            running.kill()
    broken = [each for each in tap.exchanges if each.asked.get("tools")]
    assert [each.status for each in broken[:2]] == [200, 200]
