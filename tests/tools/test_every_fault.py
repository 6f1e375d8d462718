"""Every fault of the sandbox at every service: a failure is told, and never an empty list."""

from __future__ import annotations

import asyncio

import pytest

from groundwire.extension import WebSearchExtension
from groundwire.model import Json
from groundwire.sandbox import SandboxServer
from groundwire.sandbox.faults import FaultName
from groundwire.tools import ToolOutput
from groundwire.tools.web_contract import OpenPageToolResult, WebSearchToolResult
from tests.tools.web import KEY, OTTER, browsing

SEARCHERS = ("brave", "duckduckgo", "exa", "perplexity", "searxng", "tavily")
READERS = ("jina", "tavily")
NEVER_DONE = (FaultName.SILENCE, FaultName.ENDLESS)
AT_ONCE = 6


def limits(fault: FaultName) -> Json:
    """Return settings that end what never ends by itself, and nothing else."""
    seconds = 1 if fault in NEVER_DONE else 300
    return {
        "search": {"timeout_seconds": seconds},
        "read": {"timeout_seconds": seconds, "respect_robots": False},
        "network": {"max_reply_bytes": 1_000_000},
    }


def spelled(fault: FaultName) -> str:
    return f"{fault};size=3000000" if fault is FaultName.HUGE_EVENT else str(fault)


async def searched(sandbox: SandboxServer, name: str, fault: FaultName) -> ToolOutput:
    chosen = {**limits(fault), "search_provider": name}
    async with browsing(sandbox=sandbox, fault=spelled(fault), **chosen) as browser:
        return await browser.search()


async def opened(sandbox: SandboxServer, name: str, fault: FaultName) -> ToolOutput:
    chosen = {**limits(fault), "read_provider": name}
    async with browsing(sandbox=sandbox, fault=spelled(fault), **chosen) as browser:
        browser.ledger.allow(OTTER)
        return await browser.open(OTTER)


@pytest.mark.parametrize("name", SEARCHERS)
async def test_a_search_ends_in_pages_or_in_an_error_with_its_reason(
    sandbox: SandboxServer, name: str
) -> None:
    turn = asyncio.Semaphore(AT_ONCE)

    async def outcome(fault: FaultName) -> tuple[FaultName, ToolOutput]:
        async with turn:
            return fault, await searched(sandbox, name, fault)

    outputs = dict(await asyncio.gather(*(outcome(fault) for fault in FaultName)))

    empty = {fault for fault, output in outputs.items() if not output.data["results"]}
    failed = {fault for fault, output in outputs.items() if output.is_error}
    assert empty - failed == {FaultName.NOTHING_FOUND}
    assert failed - empty == set()
    assert all(output.data["message"] for output in outputs.values())
    assert KEY not in repr(outputs)


@pytest.mark.parametrize("name", READERS)
async def test_a_page_is_read_or_its_error_says_why(sandbox: SandboxServer, name: str) -> None:
    turn = asyncio.Semaphore(AT_ONCE)

    async def outcome(fault: FaultName) -> ToolOutput:
        async with turn:
            return await opened(sandbox, name, fault)

    outputs = await asyncio.gather(*(outcome(fault) for fault in FaultName))

    assert {
        (output.data["status"], output.is_error, bool(output.data["content"])) for output in outputs
    } == {("success", False, True), ("error", True, False)}
    assert all(output.data["error"] for output in outputs if output.is_error)
    assert KEY not in repr(outputs)


class Host:
    """A context whose services all have one fault."""

    def __init__(self, sandbox: SandboxServer, search: str, read: str, fault: str) -> None:
        names = {search, read}
        self._config: Json = {
            "search_provider": search,
            "read_provider": read,
            "read": {"respect_robots": False, "any_url": True},
            "network": {"retries": 0},
            "providers": {
                name: {"base_url": sandbox.base_url(name, fault=fault)} for name in names
            },
        }

    def get_config(self, key: str, default: Json = None) -> Json:
        return self._config.get(key, default)

    async def get_secret(self, name: str) -> str | None:  # noqa: ARG002 - a context's
        return KEY


@pytest.mark.parametrize("name", SEARCHERS)
async def test_through_the_extension_a_failure_stands_in_the_model(
    sandbox: SandboxServer, name: str
) -> None:
    async with WebSearchExtension() as extension:
        await extension.initialize(Host(sandbox, name, "jina", "server_error"))
        search, open_page = extension.get_tools()
        found = await search(query="sea otter fur")
        page = await open_page(url=OTTER)

    assert isinstance(found, WebSearchToolResult)
    assert (found.results, found.sources) == ([], [])
    assert found.message.startswith(f"the search for 'sea otter fur' failed: {name} (HTTP 500)")
    assert isinstance(page, OpenPageToolResult)
    assert (page.status, page.content) == ("error", "")
    assert page.error.startswith("unreadable: jina: jina (HTTP 500)")
