"""Every search service of the sandbox through a chain: what it finds, and each way it fails."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager

import pytest

from groundwire import registry
from groundwire.client import Client
from groundwire.errors import SearchFailedError
from groundwire.model import SearchQuery, Secret
from groundwire.sandbox import SandboxServer
from groundwire.search import SearchChain, SearchContext
from groundwire.wire.contract import Access, Endpoint
from tests.search.services import settings

OTTER = "https://wiki.example.net/sea-otter"
VALLEY = "https://news.example.com/2026/05/otters-return"
SERVICES = ("brave", "duckduckgo", "exa", "perplexity", "searxng", "tavily")
OTTERS = SearchQuery(text="sea otter fur")
every_service = pytest.mark.parametrize("name", SERVICES)


@pytest.fixture(scope="module")
def sandbox() -> Iterator[SandboxServer]:
    with SandboxServer() as server:
        yield server


@asynccontextmanager
async def chain(
    sandbox: SandboxServer, name: str, fault: str = "", *, has_key: bool = True
) -> AsyncIterator[SearchChain]:
    chosen = settings(network={"max_reply_bytes": 1_000_000})
    key = Secret("canary-key") if has_key else None

    def find(named: str) -> Endpoint:
        access = Access(base_url=sandbox.base_url(named, fault=fault), key=key)
        return Endpoint(name=named, provider=registry.get(named), access=access)

    async with Client(chosen.network) as client:
        yield SearchChain(SearchContext(chosen, client, find=find), name)


async def failure(
    sandbox: SandboxServer, name: str, fault: str, *, has_key: bool = True
) -> tuple[str, str]:
    """Return the code and the reason of a failure; an empty list is none."""
    async with chain(sandbox, name, fault, has_key=has_key) as searching:
        with pytest.raises(SearchFailedError) as caught:
            await searching.find(OTTERS)
    [attempt] = caught.value.attempts
    return attempt.code, attempt.reason


@every_service
async def test_a_search_finds_pages_with_their_words(sandbox: SandboxServer, name: str) -> None:
    async with chain(sandbox, name) as searching:
        reply = await searching.find(OTTERS)

    assert reply.service == name
    assert [result.url for result in reply.results] == [OTTER, VALLEY]
    assert "150,000 hairs" in reply.results[0].snippet
    assert reply.results[0].title == "Sea otter"


@every_service
@pytest.mark.parametrize("fault", ["", "filters_ignored"])
async def test_domains_and_limit_hold_whatever_the_service_does(
    sandbox: SandboxServer, name: str, fault: str
) -> None:
    query = SearchQuery(text="otter", limit=1, domains=("example.com",))

    async with chain(sandbox, name, fault) as searching:
        reply = await searching.find(query)

    assert [result.url for result in reply.results] == [VALLEY]
    assert {*reply.filters_applied, *reply.filters_enforced} == {"limit", "domains"}


@every_service
async def test_nothing_found_is_an_empty_answer(sandbox: SandboxServer, name: str) -> None:
    async with chain(sandbox, name, "nothing_found") as searching:
        reply = await searching.find(OTTERS)

    assert reply.results == ()


@pytest.mark.parametrize(
    ("name", "fault", "code"),
    [
        ("tavily", "unauthorized", "auth"),
        ("tavily", "quota", "quota"),
        ("tavily", "quota;status=433", "quota"),
        ("tavily", "rate_limit;retry_after=3", "rate_limit"),
        ("tavily", "bad_request", "invalid_request"),
        ("tavily", "bad_request;status=422", "invalid_request"),
        ("tavily", "blocked", "refused"),
        ("perplexity", "unauthorized", "auth"),
        ("perplexity", "quota", "quota"),
        ("perplexity", "quota;status=403", "quota"),
        ("perplexity", "rate_limit", "rate_limit"),
        ("perplexity", "bad_request", "invalid_request"),
        ("perplexity", "bad_request;status=422", "invalid_request"),
        ("perplexity", "blocked", "refused"),
        ("exa", "unauthorized", "auth"),
        ("exa", "quota", "quota"),
        ("exa", "quota;code=API_KEY_BUDGET_EXCEEDED", "quota"),
        ("exa", "rate_limit", "rate_limit"),
        ("exa", "bad_request", "invalid_request"),
        ("exa", "blocked", "refused"),
        ("brave", "unauthorized", "auth"),
        ("brave", "unauthorized;status=403", "auth"),
        ("brave", "unauthorized;status=422", "auth"),
        ("brave", "quota", "quota"),
        ("brave", "quota;status=429", "quota"),
        ("brave", "rate_limit;retry_after=3", "rate_limit"),
        ("brave", "bad_request", "invalid_request"),
        ("brave", "bad_request;status=400", "invalid_request"),
        ("brave", "blocked", "refused"),
        ("searxng", "rate_limit", "rate_limit"),
        ("searxng", "bad_request", "invalid_request"),
        ("searxng", "blocked", "refused"),
        ("searxng", "engines_failed", "overloaded"),
        ("duckduckgo", "rate_limit", "rate_limit"),
        ("duckduckgo", "rate_limit;status=403", "rate_limit"),
        ("duckduckgo", "rate_limit;status=418", "rate_limit"),
        ("duckduckgo", "rate_limit;status=429", "rate_limit"),
        ("duckduckgo", "blocked", "refused"),
    ],
)
async def test_every_error_row_has_its_code(
    sandbox: SandboxServer, name: str, fault: str, code: str
) -> None:
    found, reason = await failure(sandbox, name, fault)

    assert found == code
    assert "canary" not in reason


@every_service
@pytest.mark.parametrize("fault", ["server_error", "overloaded"])
async def test_a_broken_service_is_overloaded(
    sandbox: SandboxServer, name: str, fault: str
) -> None:
    assert (await failure(sandbox, name, fault))[0] == "overloaded"


@every_service
@pytest.mark.parametrize(
    "fault",
    [
        "cut_in_event",
        "cut_in_json_string",
        "cut_in_character",
        "garbage_json",
        "error_in_200",
        "wrong_content_type",
        "huge_event;size=3000000",
    ],
)
async def test_a_spoiled_reply_is_a_failure_or_an_answer_but_never_an_empty_one(
    sandbox: SandboxServer, name: str, fault: str
) -> None:
    async with chain(sandbox, name, fault) as searching:
        try:
            results = (await searching.find(OTTERS)).results
        except SearchFailedError as error:
            [attempt] = error.attempts
            assert attempt.code in {"bad_reply", "truncated", "too_large", "connect", "overloaded"}
        else:
            assert results


async def test_tavily_without_a_key_says_what_to_do_next(sandbox: SandboxServer) -> None:
    code, reason = await failure(sandbox, "tavily", "rate_limit;retry_after=60", has_key=False)

    assert code == "rate_limit"
    assert "(limit per minute); Get a key" in reason


async def test_searxngs_limiter_lets_us_in(sandbox: SandboxServer) -> None:
    async with chain(sandbox, "searxng", "limiter") as searching:
        assert (await searching.find(OTTERS)).results


@pytest.mark.parametrize("text", ["!!g otter", "otter !!g", "!wp otter"])
async def test_a_bang_does_not_send_a_query_elsewhere(sandbox: SandboxServer, text: str) -> None:
    async with chain(sandbox, "searxng") as searching:
        reply = await searching.find(SearchQuery(text=text))

    assert reply.service == "searxng"


async def test_rows_of_searxng_that_lead_nowhere_are_left_out(sandbox: SandboxServer) -> None:
    async with chain(sandbox, "searxng", "odd_rows") as searching:
        reply = await searching.find(OTTERS)

    assert {OTTER, VALLEY} <= {result.url for result in reply.results}
