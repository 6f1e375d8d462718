"""What the `websearch` tools answer is compared with the pages that it cites."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from groundwire import service
from groundwire.client import Client
from groundwire.service.factory import search_context
from groundwire.testing import SandboxServer, sandbox
from groundwire.tools import Tool, say_nothing
from tests.chat.program import keys, settings

__all__ = ["sandbox"]

QUERY = "Windmills: cite rightly, invent a number"


@asynccontextmanager
async def _websearch(sandbox: SandboxServer, folder: Path, **checks: object) -> AsyncIterator[Tool]:
    chosen = settings(sandbox, checks=checks)
    async with (
        Client(chosen.network) as client,
        search_context(chosen, keys(folder), client) as found,
    ):
        tools = {tool.name: tool for tool in service.tools(keys(folder), found)}
        yield tools["websearch"]


async def test_an_answer_carries_what_its_citations_came_to(
    sandbox: SandboxServer, tmp_path: Path
) -> None:
    async with _websearch(sandbox, tmp_path) as tool:
        output = await tool.run({"query": QUERY, "provider": "anthropic"}, say_nothing)

    right, invented = output.plain["checks"]
    assert (right["state"], invented["state"]) == ("found", "absent")
    assert invented["missing_numbers"] == ["97"]
    assert output.plain["checkSummary"].startswith(
        "Citations compared with their pages: 1 of 2 citations"
    )
    assert output.plain["checkSummary"] in output.words


async def test_a_page_that_cannot_be_read_fails_nobody(
    sandbox: SandboxServer, tmp_path: Path
) -> None:
    async with _websearch(sandbox, tmp_path) as tool:
        asked = {"query": "Windmills: cite a missing page", "provider": "anthropic"}
        output = await tool.run(asked, say_nothing)

    assert not output.is_error
    assert [each["state"] for each in output.plain["checks"]] == ["not_compared"]


async def test_where_checks_are_off_the_answer_is_as_it_was(
    sandbox: SandboxServer, tmp_path: Path
) -> None:
    async with _websearch(sandbox, tmp_path, pages="off") as tool:
        output = await tool.run({"query": QUERY, "provider": "anthropic"}, say_nothing)

    assert {*output.plain} == {"llmContent", "returnDisplay", "sources"}
