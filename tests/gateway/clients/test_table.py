"""The page of the gateway says of every client that is run here what arrives in it."""

from __future__ import annotations

import re
from pathlib import Path

from tests.gateway.clients.test_clients import CLIENTS

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs/gateway.md").read_text(encoding="utf-8")
INSTALLED = (ROOT / "tools/install-gateway-clients").read_text(encoding="utf-8")
NAMES = {"agents": "openai-agents"}
AGENTS = {
    "Claude Code": "@anthropic-ai/claude-code",
    "Codex": "@openai/codex",
    "OpenCode": "opencode-ai",
}


def test_the_table_has_what_arrives_in_each_client() -> None:
    rows = set(re.findall(r"^\| ([\w-]+)[ \w]* [\d.]+ \| (\w+) \| (.*) \|$", PAGE, re.MULTILINE))
    expected = set()
    for client in CLIENTS:
        name = NAMES.get(client.folder, client.folder)
        if name == "langchain":
            name += "-anthropic" if client.dialect == "messages" else "-openai"
        fields: list[str] = [one for one in ("url", "title", "quote") if one in client.shows]
        fields += ["place"] if "start" in client.shows else []
        dialect = client.dialect if client.dialect == "compatible" else client.dialect.title()
        expected.add((name, dialect, ", ".join(fields) or "nothing: text only"))

    assert rows == expected


def test_the_table_names_the_versions_that_are_installed() -> None:
    # Of what is there in both, the page has Python's.
    versions = dict(re.findall(r'"([@\w/-]+)@([\d.]+)"', INSTALLED))
    versions |= dict(re.findall(r'"([\w-]+)(?:\[[\w,]+\])?==([\d.]+)"', INSTALLED))
    versions["pydantic-ai"] = versions["pydantic-ai-slim"]
    rows = dict(re.findall(r"^\| (?:vercel )?([\w-]+) ([\d.]+) \| \w+ \|", PAGE, re.MULTILINE))

    assert rows
    assert rows == {name: versions[name] for name in rows}
    for title, package in AGENTS.items():
        assert f"| {title} {versions[package]} |" in PAGE
