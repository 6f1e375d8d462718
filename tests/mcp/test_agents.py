"""Whole agents without a network: the sandbox is their model and, behind our server, the search."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from groundwire.model import Json
from groundwire.sandbox import SandboxServer
from tests.mcp import peers
from tests.mcp.server import COMMAND, KEY, variables

pytestmark = pytest.mark.slow

SENTENCE = "Sea otters have the densest fur of all animals.[1]"
QUESTION = "Call {tool} with the query: How dense is the fur of sea otters?"


def told_to_the_model(sandbox: SandboxServer, path: str) -> str:
    """Return the last message that an agent sent to its model, as JSON."""
    bodies = [entry.body for entry in sandbox.requests if entry.path.endswith(path)]
    last = bodies[-1]
    return json.dumps((last.get("messages") or last["contents"])[-1], ensure_ascii=False)


def server_of(sandbox: SandboxServer) -> Json:
    """Return how most agents want to be told of a server."""
    return {"command": COMMAND[0], "args": [*COMMAND[1:]], "env": variables(sandbox)}


def write(path: Path, value: Json) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value), encoding="utf-8")


def test_opencode_hands_its_model_the_text(sandbox: SandboxServer, tmp_path: Path) -> None:
    opencode = peers.program("opencode", "opencode")
    model = {"baseURL": sandbox.base_url("openai"), "apiKey": KEY}
    provider = {"npm": "@ai-sdk/openai-compatible", "options": model, "models": {"gpt-4o": {}}}
    server = {"type": "local", "command": [*COMMAND], "environment": variables(sandbox)}
    write(
        tmp_path / "opencode.json",
        {"provider": {"local": provider}, "mcp": {"groundwire": server}},
    )
    offline = ("MODELS_FETCH", "AUTOUPDATE", "LSP_DOWNLOAD")

    done = peers.run(
        [
            *(opencode, "run", "--model", "local/gpt-4o", "--format", "json"),
            QUESTION.format(tool="groundwire_websearch"),
        ],
        home=tmp_path,
        more={f"OPENCODE_DISABLE_{name}": "1" for name in offline},
    )

    assert done.returncode == 0, done.stdout + done.stderr
    result = json.loads(told_to_the_model(sandbox, "/chat/completions"))
    assert result["role"] == "tool"
    assert result["content"].startswith("Web search results for ")
    assert SENTENCE in result["content"]
    assert "\n\nSources:\n[1] wiki.example.net (https://" in result["content"]
    assert "The tool groundwire_websearch returned" in done.stdout


def test_claude_code_hands_its_model_the_structure(sandbox: SandboxServer, tmp_path: Path) -> None:
    claude = peers.program("claude", "claude")
    write(tmp_path / "mcp.json", {"mcpServers": {"groundwire": server_of(sandbox)}})
    tool = "mcp__groundwire__websearch"

    done = peers.run(
        [
            *(claude, "-p", QUESTION.format(tool=tool), "--model", "claude-sonnet-5-5"),
            *("--mcp-config", "mcp.json", "--strict-mcp-config", "--allowedTools", tool),
            *("--tools", "", "--output-format", "stream-json", "--verbose"),
        ],
        home=tmp_path,
        more={
            "ANTHROPIC_BASE_URL": f"{sandbox.root}/anthropic",
            "ANTHROPIC_API_KEY": KEY,
            "ENABLE_TOOL_SEARCH": "false",
            "MCP_CONNECTION_NONBLOCKING": "false",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        },
    )

    assert done.returncode == 0, done.stdout + done.stderr
    message = json.loads(told_to_the_model(sandbox, "/messages"))
    results = [block for block in message["content"] if block["type"] == "tool_result"]
    data = json.loads(results[0]["content"])
    assert "[1]" in data["llmContent"]
    assert "\n\nSources:\n[1] " in data["llmContent"]
    assert len(data["sources"]) >= 1


def test_gemini_cli_hands_its_model_the_text(sandbox: SandboxServer, tmp_path: Path) -> None:
    gemini = peers.program("gemini", "gemini")
    write(
        tmp_path / ".gemini/settings.json",
        {
            "security": {"auth": {"selectedType": "gemini-api-key"}},
            "mcpServers": {"groundwire": server_of(sandbox)},
        },
    )

    done = peers.run(
        [
            *(gemini, "-p", QUESTION.format(tool="mcp_groundwire_websearch_gemini")),
            *("--yolo", "--output-format", "json", "--model", "gemini-3.8-flash"),
        ],
        home=tmp_path,
        more={
            "GOOGLE_GEMINI_BASE_URL": f"{sandbox.root}/gemini",
            "GEMINI_API_KEY": KEY,
            "GEMINI_CLI_TRUST_WORKSPACE": "true",
        },
    )

    assert done.returncode == 0, done.stdout + done.stderr
    message = told_to_the_model(sandbox, ":streamGenerateContent")
    assert "Web search results for " in message
    assert "\\n\\nSources:\\n[1] " in message
