"""`web_search` over the services of the sandbox."""

from __future__ import annotations

import re

import pytest

from groundwire.model import Json, SearchQuery, SearchReply, SearchResult
from groundwire.sandbox import SandboxServer
from groundwire.tools import Ledger, search_result
from tests.fences import open_fences
from tests.tools.web import KEY, OTTER, VALLEY, browsing

every_service = pytest.mark.parametrize(
    "name", ["brave", "duckduckgo", "exa", "perplexity", "searxng", "tavily"]
)


async def test_pages_have_numbers_and_the_numbers_have_sources(sandbox: SandboxServer) -> None:
    async with browsing(sandbox=sandbox, search_provider="tavily") as browser:
        output = await browser.search()

    data = open_fences(dict(output.data))
    first, second = data["results"]
    assert (first["url"], first["title"], first["citation_id"]) == (OTTER, "Sea otter", 1)
    assert "150,000 hairs" in first["snippet"]
    assert second["url"] == VALLEY
    assert data["sources"] == [
        {"citation_id": 1, "url": OTTER, "title": "Sea otter"},
        {"citation_id": 2, "url": VALLEY, "title": "Otters return to the river"},
    ]
    assert output.data["message"].startswith("tavily found 2 pages.")
    assert not output.is_error


async def test_a_page_keeps_its_number_and_others_get_new_ones(sandbox: SandboxServer) -> None:
    async with browsing(sandbox=sandbox, search_provider="tavily") as browser:
        await browser.search("otters valley", limit=1)
        first = await browser.search("tide")
        again = await browser.search("sea otter fur")

    numbers = {item["url"]: item["citation_id"] for item in first.data["results"]}
    both = {**numbers, **{item["url"]: item["citation_id"] for item in again.data["results"]}}
    assert 1 not in numbers.values()
    assert sorted(both.values()) == [*range(1, len(both) + 1)]


async def test_the_message_says_what_became_of_the_filters(sandbox: SandboxServer) -> None:
    async with browsing(sandbox=sandbox, search_provider="tavily") as browser:
        output = await browser.search("otter", allowed_domains=["example.com"], limit=1)

    assert [item["url"] for item in output.data["results"]] == [VALLEY]
    assert "Filters that the service applied:" in output.data["message"]


@every_service
async def test_nothing_found_is_said_and_is_no_error(sandbox: SandboxServer, name: str) -> None:
    async with browsing(sandbox=sandbox, fault="nothing_found", search_provider=name) as browser:
        output = await browser.search()

    assert (output.data["results"], output.is_error) == ([], False)
    assert output.data["message"].startswith(f"{name} found nothing for 'sea otter fur'")


@every_service
@pytest.mark.parametrize("fault", ["rate_limit", "server_error"])
async def test_a_failure_is_an_error_with_its_reason(
    sandbox: SandboxServer, name: str, fault: str
) -> None:
    async with browsing(sandbox=sandbox, fault=fault, search_provider=name) as browser:
        output = await browser.search()

    assert (output.data["results"], output.is_error) == ([], True)
    assert output.data["message"].startswith(f"the search for 'sea otter fur' failed: {name}")
    assert output.text == f"Error: {output.data['message']}"
    assert KEY not in output.text


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        ({}, "query"),
        ({"query": " "}, "query"),
        ({"query": "x", "limit": 0}, "limit"),
        ({"query": "x", "time_range": "decade"}, "time_range"),
        ({"query": "x", "engine": "y"}, "engine"),
        (["x"], "arguments"),
    ],
)
async def test_wrong_arguments_are_named(arguments: Json, word: str) -> None:
    async with browsing() as browser:
        output = await browser.call("web_search", arguments)

    assert output.is_error
    assert f"web_search was called wrongly: {word}" in output.data["message"]


async def test_what_a_model_leaves_out_as_null_is_left_out(sandbox: SandboxServer) -> None:
    async with browsing(sandbox=sandbox, search_provider="tavily") as browser:
        output = await browser.search(limit=None, allowed_domains=None, time_range=None)

    assert not output.is_error


async def test_a_domain_that_is_none_is_told(sandbox: SandboxServer) -> None:
    async with browsing(sandbox=sandbox, search_provider="tavily") as browser:
        output = await browser.search(allowed_domains=["not a domain"])

    assert output.is_error
    assert "not a domain" in output.data["message"]


async def test_what_strangers_wrote_stands_between_fences(sandbox: SandboxServer) -> None:
    async with browsing(sandbox=sandbox, search_provider="tavily") as browser:
        output = await browser.search()
        again = await browser.search()

    [(word, inside, end)] = re.findall(
        r"<<<UNTRUSTED (\w+) search results>>>\n(.*)\n<<<END (\w+)>>>", output.text, re.DOTALL
    )
    assert word == end
    assert inside.startswith(f"[1] Sea otter\n{OTTER}\n")
    assert word not in again.text


def test_titles_and_snippets_lose_what_nobody_sees() -> None:
    hit = SearchResult(
        url=f"{OTTER}\u200b?a b", title="Ot\u200bter\n#", snippet="x\U000e0041y\x1b[1m"
    )

    result = search_result(
        SearchQuery(text="x"), SearchReply(service="tavily", results=(hit,)), Ledger()
    )

    [item] = result.results
    assert (item.title, item.snippet, item.url) == ("Otter #", "xy[1m", f"{OTTER}?a%20b")
