"""The entries for agents that the documentation shows."""

from __future__ import annotations

import json
import re
from pathlib import Path

from groundwire.model import Json

PAGE = (Path(__file__).parents[2] / "docs/mcp.md").read_text(encoding="utf-8")


def servers_in(entry: Json) -> list[Json]:
    """Return the servers of an entry, whatever the agent calls their table."""
    (table,) = entry.values()
    return list(table.values())


def command_of(server: Json) -> list[str]:
    """Return the words that start a server."""
    command = server["command"]
    return command if isinstance(command, list) else [command, *server["args"]]


def test_every_entry_is_json_and_starts_the_server() -> None:
    entries = [json.loads(block) for block in re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL)]

    servers = [server for entry in entries for server in servers_in(entry)]

    assert [command_of(server) for server in servers] == [["groundwire", "mcp"]] * 4


def test_every_entry_for_http_names_the_same_address() -> None:
    entries = [json.loads(cell) for cell in re.findall(r"\| `(\{.*\})` \|", PAGE)]

    urls = [server["url"] for entry in entries for server in servers_in(entry)]

    assert urls == ["http://127.0.0.1:8788/mcp"] * 4
