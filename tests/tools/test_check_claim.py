"""The tool `check_claim`: what of a claim stands on a page, under the rules of `open_page`."""

from __future__ import annotations

import json

from groundwire.model import Json
from groundwire.sandbox import SandboxServer
from groundwire.testing import sandbox
from mcp import Client as McpClient
from tests.fences import inside, outside
from tests.mcp.server import served, variables_for

__all__ = ["sandbox"]

OTTER = "https://wiki.example.net/sea-otter"
SAID = "Resting sea otters wrap themselves in kelp so that the current does not carry them away."


async def _called(sandbox: SandboxServer, arguments: Json, *, searches: bool = True) -> Json:
    addresses = {name: sandbox.base_url(name) for name in ("tavily", "jina")}
    chosen = {
        "GROUNDWIRE_SEARCH_PROVIDER": "tavily",
        "GROUNDWIRE_READ_PROVIDER": "jina",
        "GROUNDWIRE_READ__RESPECT_ROBOTS": "false",
        "TAVILY_API_KEY": "k",
    }
    with served({**variables_for(addresses), **chosen}) as url:
        async with McpClient(url) as client:
            if searches:
                await client.call_tool("web_search", {"query": "sea otter"})
            return await client.call_tool("check_claim", arguments)


async def test_facts_are_ours_and_the_passage_is_fenced(sandbox: SandboxServer) -> None:
    claim = "Resting sea otters wrap themselves in 45 leaves of kelp"

    result = await _called(sandbox, {"claim": claim, "url": OTTER})

    text = result.content[0].text
    data = result.structured_content
    assert outside(text).splitlines()[0].startswith("45 is not on this page.")
    assert any("wrap themselves in kelp" in piece for piece in inside(text))
    assert (data["state"], data["missing_numbers"]) == ("absent", ["45"])
    assert data["url"] == OTTER
    assert "wrap themselves" in " ".join(inside(data["nearest"]["exact"]))


async def test_a_page_that_nobody_found_is_not_opened(sandbox: SandboxServer) -> None:
    result = await _called(sandbox, {"claim": SAID, "url": OTTER}, searches=False)

    assert result.is_error
    assert "url_not_in_context" in result.structured_content["error"]


async def test_a_text_needs_no_page(sandbox: SandboxServer) -> None:
    result = await _called(sandbox, {"claim": SAID, "text": f"{SAID} They float."}, searches=False)

    assert not result.is_error
    assert (result.structured_content["state"], result.structured_content["quote"]) == (
        "found",
        "letter",
    )


async def test_wrong_arguments_are_told(sandbox: SandboxServer) -> None:
    for arguments in ({"claim": SAID}, {"claim": SAID, "url": OTTER, "text": "x"}, {"url": OTTER}):
        result = await _called(sandbox, arguments, searches=False)

        assert result.is_error
        assert "invalid_arguments" in json.dumps(result.structured_content["error"])
