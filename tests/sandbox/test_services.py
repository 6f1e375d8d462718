"""The services that search and read: their answers, filters, strictness and every error row."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from groundwire.client import Client, HttpReadProvider, HttpSearchProvider
from groundwire.errors import OverloadedError
from groundwire.model import Secret
from groundwire.providers import brave, exa, jina, perplexity, searxng, tavily
from groundwire.sandbox import SandboxServer
from groundwire.wire.contract import Access, Endpoint
from tests.sandbox.calls import Reply
from tests.sandbox.visits import ASKED, FUR, KEYLESS, OTTER, SERVICES, ask, visit

SEARCHING = tuple(service for service in SERVICES if service != "jina")
VALLEY = "https://news.example.com/2026/05/otters-return"


def _urls(service: str, reply: Reply) -> list[str]:
    """Return the URLs that a service found."""
    assert reply.status == 200, reply.raw
    if service == "duckduckgo":
        links = reply.raw.decode().split('class="result__snippet" href="')[1:]
        return [link.partition('"')[0] for link in links if "y.js" not in link.partition('"')[0]]
    body = reply.json()
    body = body.get("web", {"results": []}) if service == "brave" else body
    return [row["url"] for row in body["results"]]


def _filtered(service: str, *, domain: str = "", since: str = "") -> dict[str, Any]:
    """Return a search for otters with each service's own filters."""
    sited = f"otter (site:{domain})" if domain else "otter"
    match service:
        case "tavily":
            given: dict[str, Any] = {"include_domains": [domain]} if domain else {}
            return {"query": "otter"} | (given or {"time_range": since})
        case "perplexity":
            given = {"search_domain_filter": [domain]} if domain else {}
            return {"query": "otter"} | (given or {"search_recency_filter": since})
        case "exa":
            given = {"includeDomains": [domain]} if domain else {}
            return {"query": "otter"} | (given or {"startPublishedDate": "2026-05-01T00:00:00Z"})
        case "brave":
            return {"q": sited} | ({"freshness": f"p{since[0]}"} if since else {})
        case "searxng":
            return {"q": sited, "format": "json"} | ({"time_range": since} if since else {})
        case _:
            return {"q": sited} | ({"df": since[0]} if since else {})


@pytest.mark.parametrize("service", SEARCHING)
async def test_a_search_finds_the_built_in_pages(sandbox: SandboxServer, service: str) -> None:
    reply = await ask(sandbox, service)

    assert _urls(service, reply) == [OTTER, VALLEY]
    assert "150,000 hairs" in reply.raw.decode()


@pytest.mark.parametrize("service", SEARCHING)
async def test_a_search_stays_in_its_domains(sandbox: SandboxServer, service: str) -> None:
    sent = _filtered(service, domain="news.example.com")

    inside = await ask(sandbox, service, sent)
    strangers = await ask(sandbox, service, sent, fault="filters_ignored")

    assert _urls(service, inside) == [VALLEY]
    assert OTTER in _urls(service, strangers)


@pytest.mark.parametrize("service", SEARCHING)
async def test_a_search_stays_in_its_time(service: str) -> None:
    async with SandboxServer(today=date(2026, 5, 20)) as sandbox:
        reply = await ask(sandbox, service, _filtered(service, since="week"))

    assert _urls(service, reply) == [VALLEY]


@pytest.mark.parametrize("service", SEARCHING)
async def test_nothing_found_is_no_error(sandbox: SandboxServer, service: str) -> None:
    reply = await ask(sandbox, service, fault="nothing_found")

    assert _urls(service, reply) == []


@pytest.mark.parametrize(
    ("service", "name", "most"),
    [("tavily", "max_results", 20), ("perplexity", "max_results", 20), ("exa", "numResults", 100)],
)
async def test_the_limit_is_kept_and_has_a_limit(
    sandbox: SandboxServer, service: str, name: str, most: int
) -> None:
    one = await ask(sandbox, service, ASKED[service] | {name: 1})
    too_many = await ask(sandbox, service, ASKED[service] | {name: most + 1})

    assert _urls(service, one) == [OTTER]
    assert too_many.status in {400, 422}


@pytest.mark.parametrize("service", ["tavily", "perplexity", "exa", "brave"])
async def test_a_call_without_a_good_key_is_refused(sandbox: SandboxServer, service: str) -> None:
    bad = {"authorization": "Bearer bad-key", "x-subscription-token": "bad-key"}
    bad |= {"x-api-key": "bad-key"}

    replies = [await ask(sandbox, service, headers=headers) for headers in ({}, bad)]

    assert [reply.status for reply in replies] == [422 if service == "brave" else 401] * 2


@pytest.mark.parametrize(
    ("service", "sent", "status", "words"),
    [
        ("tavily", {"query": ""}, 400, "Query is missing"),
        ("tavily", {"query": "x" * 401}, 400, "too long"),
        ("tavily", {"query": "x", "time_range": "d"}, 422, "time_range"),
        ("tavily", {"query": "x", "max_results": "5"}, 422, "valid integer"),
        ("tavily", {"query": "x", "start_date": "05/01/2026"}, 400, "YYYY-MM-DD"),
        ("perplexity", {}, 400, "query"),
        ("perplexity", {"query": "x", "search_recency_filter": "all"}, 400, "recency"),
        ("perplexity", {"query": "x", "search_domain_filter": ["a.b", "-c.d"]}, 400, "not both"),
        ("perplexity", {"query": "x", "search_domain_filter": ["a.b"] * 21}, 400, "equal to 20"),
        ("perplexity", {"query": "x", "search_after_date_filter": "2026-01-01"}, 400, "%m/%d/%Y"),
        ("exa", {"query": "x", "startPublishedDate": "yesterday"}, 400, "ISO 8601"),
        ("exa", {"numResults": 3}, 400, "query"),
        ("brave", {"count": "3"}, 422, '"loc":["query","q"]'),
        ("brave", {"q": "x", "count": "21"}, 422, "count"),
        ("brave", {"q": "x", "freshness": "all"}, 422, "freshness"),
        ("searxng", {"format": "json"}, 400, '{"error":"No query"}'),
        ("searxng", {"q": "x", "format": "json", "time_range": "all"}, 400, "time_range"),
        ("searxng", {"q": "x", "format": "json", "pageno": "0"}, 400, "parameter pageno"),
        ("searxng", {"q": "x", "format": "csv"}, 403, "<title>403"),
        ("jina", {"url": "file:///etc/passwd"}, 400, "ParamValidationError"),
        ("jina", {}, 400, "ParamValidationError"),
        ("jina", {"url": "http://127.0.0.1/"}, 451, "not on the public web"),
        ("jina", {"url": "https://nowhere.invalid/"}, 422, "AssertionFailureError"),
    ],
)
async def test_a_bad_request_is_refused_in_the_services_own_words(
    sandbox: SandboxServer, service: str, sent: dict[str, Any], status: int, words: str
) -> None:
    reply = await ask(sandbox, service, sent)

    assert reply.status == status
    assert words in reply.raw.decode()


async def test_tavily_answers_a_little_without_a_key(sandbox: SandboxServer) -> None:
    answered = await ask(sandbox, "tavily", headers=KEYLESS)
    limited = await ask(
        sandbox, "tavily", headers=KEYLESS, fault="rate_limit;retry_after=60;code=slow_down"
    )

    assert _urls("tavily", answered) == [OTTER, VALLEY]
    assert limited.status == 429
    assert limited.json()["error"] == {
        "code": "slow_down",
        "message": "The limit for requests without a key is reached.",
        "window": "minute",
        "retry_after_seconds": 60,
        "next_actions": [
            {"type": "sign_up", "url": "https://app.tavily.com", "description": "Get a key."}
        ],
    }


async def test_tavily_tells_inside_200_which_pages_it_could_not_read(
    sandbox: SandboxServer,
) -> None:
    sent = {"urls": [OTTER, "https://nowhere.invalid/"], "format": "text"}

    some = (await ask(sandbox, "tavily", sent, path="/extract")).json()
    none = (await ask(sandbox, "tavily", sent, path="/extract", fault="unreadable")).json()
    many = await ask(sandbox, "tavily", {"urls": [OTTER] * 21}, path="/extract")

    assert [row["url"] for row in some["results"]] == [OTTER]
    assert some["results"][0]["raw_content"].startswith(FUR)
    assert some["failed_results"] == [
        {"url": "https://nowhere.invalid/", "error": "Failed to fetch url"}
    ]
    assert (none["results"], len(none["failed_results"])) == ([], 2)
    assert many.status == 400


async def test_exa_tells_inside_200_which_pages_it_could_not_read(sandbox: SandboxServer) -> None:
    sent = {"urls": [OTTER, "https://nowhere.invalid/"], "text": {"maxCharacters": 10}}

    body = (await ask(sandbox, "exa", sent, path="/contents")).json()

    assert [row["text"] for row in body["results"]] == ["Sea otters"]
    assert [row["status"] for row in body["statuses"]] == ["success", "error"]


@pytest.mark.parametrize("query", ["!!g secret words", "secret !!g words"])
async def test_searxng_sends_some_questions_to_strangers(
    sandbox: SandboxServer, query: str
) -> None:
    reply = await ask(sandbox, "searxng", {"q": query, "format": "json"})

    assert reply.status == 302
    assert reply.headers["location"] == "https://www.google.com/search?q=secret+words"


async def test_searxng_has_a_page_and_a_list_of_its_engines(sandbox: SandboxServer) -> None:
    page = await ask(sandbox, "searxng", {"q": "otter"}, fault="blocked")
    config = await visit(sandbox, "/searxng/config")

    assert page.headers["content-type"] == "text/html; charset=utf-8"
    assert f'<a href="{OTTER}">Sea otter</a>' in page.raw.decode()
    assert [engine["time_range_support"] for engine in config.json()["engines"]] == [True, True]


async def test_jina_reads_by_body_and_by_path(sandbox: SandboxServer) -> None:
    by_body = await ask(sandbox, "jina")
    by_path = await visit(sandbox, f"/jina/{OTTER}?a=b", accept="application/json")
    as_text = await visit(sandbox, f"/jina/{OTTER}")

    data = by_body.json()["data"]
    assert (data["title"], data["url"]) == ("Sea otter", OTTER)
    assert data["content"].startswith(FUR)
    assert by_path.json()["data"]["url"] == f"{OTTER}?a=b"
    assert as_text.raw.decode().startswith(f"Title: Sea otter\n\nURL Source: {OTTER}\n\n")


async def test_jina_warns_and_keeps_budgets(sandbox: SandboxServer) -> None:
    missing = await ask(sandbox, "jina", {"url": "https://wiki.example.net/nothing"})
    partial = await ask(sandbox, "jina", fault="partial")
    empty = await ask(sandbox, "jina", fault="partial;code=empty")
    json = {"accept": "application/json"}
    dear = await ask(sandbox, "jina", headers=json | {"x-token-budget": "5"})
    short = await ask(sandbox, "jina", headers=json | {"x-max-tokens": "5"})
    long = await ask(sandbox, "jina", headers=json | {"x-timeout": "181"})

    assert missing.json()["data"]["warning"] == "Target URL returned error 404: Not Found"
    assert partial.json()["data"]["warning"] == "This page may be incomplete"
    assert empty.json()["data"]["content"] == ""
    assert (dear.status, dear.json()["name"]) == (409, "BudgetExceededError")
    assert short.json()["data"]["content"] == FUR[:20]
    assert long.status == 400


async def test_the_journal_has_forms_and_hides_every_key(sandbox: SandboxServer) -> None:
    await ask(sandbox, "duckduckgo")
    await ask(sandbox, "brave")

    form, keyed = sandbox.requests
    assert form.body == ASKED["duckduckgo"]
    assert keyed.headers["x-subscription-token"] == "****"


@pytest.mark.parametrize(
    ("name", "module"),
    [("brave", brave), ("exa", exa), ("perplexity", perplexity), ("searxng", searxng)],
)
async def test_our_providers_search_the_sandbox(
    sandbox: SandboxServer, name: str, module: Any
) -> None:
    access = Access(base_url=sandbox.base_url(name), key=Secret("k-1"))
    endpoint = Endpoint(name=name, provider=module.provider, access=access)

    async with Client() as client:
        results = await HttpSearchProvider(endpoint, client).search("sea otter fur")

    assert [result.url for result in results] == [OTTER, VALLEY]
    assert FUR in results[0].snippet


@pytest.mark.parametrize(("name", "module"), [("tavily", tavily), ("jina", jina)])
async def test_our_readers_read_the_sandbox(sandbox: SandboxServer, name: str, module: Any) -> None:
    endpoint = Endpoint(
        name=name, provider=module.provider, access=Access(base_url=sandbox.base_url(name))
    )

    async with Client() as client:
        page = await HttpReadProvider(endpoint, client).read_url(OTTER)

    assert FUR in page.content


async def _at_once(_seconds: float) -> None:
    """Wait for nothing between two tries."""


async def test_our_searxng_says_that_all_engines_failed(sandbox: SandboxServer) -> None:
    access = Access(base_url=sandbox.base_url("searxng", fault="engines_failed"))
    endpoint = Endpoint(name="searxng", provider=searxng.provider, access=access)

    async with Client(pause=_at_once) as client:
        with pytest.raises(OverloadedError, match="none of its engines answered"):
            await HttpSearchProvider(endpoint, client).search("otter")
