"""What each provider is asked, and what its answer becomes, over the sandbox."""

from __future__ import annotations

import asyncio

import pytest

from groundwire.model import Json
from tests import loopback
from tests.fences import open_fences
from tests.patience import PATIENCE
from tests.tools.runs import ASKED, PREFIX, Searcher

SENTENCES = (
    "Here is what the pages say – naïve but true:\n"
    "- Sea otters have the densest fur of all animals.{first}\n"
    "- River otters were counted at nine places along the valley this spring.{second}\n\n"
    "That is all I found.\n\n"
    "Sources:\n"
)
TAGGED = "?utm_source=openai"
OTTER = "https://wiki.example.net/sea-otter"
RETURN = "https://news.example.com/2026/05/otters-return"


def expected(tag: str = "", space: str = "") -> Json:
    """The answer from two pages, the sources numbered by first use."""
    text = SENTENCES.format(first=f"{space}[1]", second=f"{space}[2]")
    titles = {"Sea otter": f"{OTTER}{tag}", "Otters return to the river": f"{RETURN}{tag}"}
    lines = [f"[{n}] {title} ({url})" for n, (title, url) in enumerate(titles.items(), start=1)]
    return {
        "llmContent": PREFIX + text + "\n".join(lines),
        "returnDisplay": f'Search results for "{ASKED}" returned.',
        "sources": [{"web": {"title": title, "uri": url}} for title, url in titles.items()],
    }


async def test_gemini_is_asked_and_answers_as_the_contract_says(searcher: Searcher) -> None:
    result = open_fences(await searcher.run("websearch_gemini", {"query": ASKED}))

    request = searcher.sandbox.requests[0]
    assert request.path == "/gemini/v1beta/models/gemini-3.8-flash:generateContent"
    assert request.query == {}
    assert "x-goog-api-key" in request.headers
    assert request.body == {
        "contents": [{"role": "user", "parts": [{"text": ASKED}]}],
        "tools": [{"googleSearch": {}}],
    }
    chunks = result["sources"]
    assert [chunk["web"]["title"] for chunk in chunks] == ["wiki.example.net", "news.example.com"]
    assert result["llmContent"] == (
        PREFIX
        + SENTENCES.format(first="[1]", second="[2]")
        + f"[1] wiki.example.net ({chunks[0]['web']['uri']})\n"
        + f"[2] news.example.com ({chunks[1]['web']['uri']})"
    )


async def test_openrouter_is_asked_and_answers_as_the_contract_says(searcher: Searcher) -> None:
    result = await searcher.run("websearch_openrouter", {"query": ASKED})

    request = searcher.sandbox.requests[0]
    assert request.path == "/openrouter/api/v1/responses"
    assert request.body == {
        "model": "openai/gpt-5.5",
        "input": ASKED,
        "plugins": [{"id": "web", "max_results": 3}],
        "max_output_tokens": 9000,
    }
    assert open_fences(result) == expected(TAGGED, " ")


async def test_openrouter_can_be_asked_with_its_newer_tool(searcher: Searcher) -> None:
    result = await searcher.run(
        "websearch_openrouter", {"query": ASKED}, web_tool="server", surface="responses"
    )

    body = searcher.sandbox.requests[0].body
    assert [tool["type"] for tool in body["tools"]] == ["openrouter:web_search"]
    assert open_fences(result["sources"]) == expected(TAGGED)["sources"]


async def test_codex_answers_carry_their_sources(searcher: Searcher) -> None:
    result = await searcher.run("websearch_openai_oauth", {"query": ASKED})

    body = searcher.sandbox.requests[0].body
    assert (body["store"], body["stream"], body["model"]) == (False, True, "gpt-5.5")
    assert body["input"][0]["role"] == "user"
    assert open_fences(result) == expected(TAGGED, " ")


@pytest.mark.parametrize(
    ("provider", "tag", "space"),
    [
        ("anthropic", "", ""),
        ("openai-responses", TAGGED, " "),
        ("openai_oauth", TAGGED, " "),
        ("openrouter", TAGGED, " "),
    ],
)
async def test_the_unified_tool_asks_whom_it_is_told_to(
    searcher: Searcher, provider: str, tag: str, space: str
) -> None:
    result = await searcher.run("websearch", {"query": ASKED, "provider": provider})

    assert open_fences(result) == expected(tag, space)


async def test_the_text_for_a_model_is_the_whole_answer(searcher: Searcher) -> None:
    output = await searcher.tools()["websearch_gemini"].run({"query": ASKED}, searcher.hear)

    assert output.text == output.data["llmContent"]
    assert not output.is_error


async def test_what_happens_meanwhile_is_told(searcher: Searcher) -> None:
    await searcher.run("websearch", {"query": ASKED, "provider": "anthropic"})

    assert searcher.heard == [
        f"Asking Anthropic Claude: {ASKED}",
        "Searching the web",
        "The search found 2 pages",
        "Found 2 sources",
    ]


@pytest.mark.parametrize(
    "provider", ["gemini", "openai_oauth", "openrouter", "anthropic", "openai-responses"]
)
async def test_cancelling_closes_the_connection(searcher: Searcher, provider: str) -> None:
    arguments = {"query": ASKED, "provider": provider}
    async with loopback.serve(loopback.stream(hang=True)) as server:
        tool = searcher.tools(base_url=server.url)["websearch"]
        call = asyncio.create_task(tool.execute(arguments))
        await server.asked.wait()

        call.cancel()

        async with asyncio.timeout(PATIENCE):
            await server.left.wait()
        with pytest.raises(asyncio.CancelledError):
            await call
