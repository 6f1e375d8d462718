"""Every error row of the services that search and read, and what else can go wrong with them."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from groundwire.sandbox import SandboxServer
from tests.sandbox.visits import BEARER, FUR, OTTER, SERVICES, ask, leave_silent

# Fault, status, and words of the body: PROVIDERS.md section 1.3, row by row.
ROWS: list[tuple[str, str, int, str]] = [
    ("tavily", "unauthorized", 401, '{"detail":{"error":"Unauthorized'),
    ("tavily", "quota", 432, '{"detail":{"error":"'),
    ("tavily", "quota;status=433", 433, '{"detail":{"error":"'),
    ("tavily", "rate_limit;retry_after=3", 429, '{"detail":{"error":"'),
    ("tavily", "bad_request", 400, '{"detail":{"error":"'),
    ("tavily", "bad_request;status=422", 422, '{"detail":[{"type":"value_error","loc":["body",'),
    ("tavily", "blocked", 403, '{"detail":{"error":"'),
    ("perplexity", "unauthorized", 401, '"type":"invalid_api_key"'),
    ("perplexity", "quota", 402, '"type":"insufficient_quota"'),
    ("perplexity", "quota;status=403", 403, '"type":"insufficient_quota"'),
    ("perplexity", "rate_limit", 429, '"type":"rate_limit_exceeded"'),
    ("perplexity", "bad_request", 400, '"type":"bad_request"'),
    ("perplexity", "bad_request;status=422", 422, '"type":"validation_error"'),
    ("perplexity", "blocked", 403, '"type":"forbidden"'),
    ("exa", "unauthorized", 401, '"tag":"INVALID_API_KEY"'),
    ("exa", "quota", 402, '"tag":"NO_MORE_CREDITS"'),
    ("exa", "quota;code=API_KEY_BUDGET_EXCEEDED", 402, '"tag":"API_KEY_BUDGET_EXCEEDED"'),
    ("exa", "rate_limit", 429, '"tag":"RATE_LIMIT_EXCEEDED"'),
    ("exa", "bad_request", 400, '"tag":"INVALID_REQUEST_BODY"'),
    ("exa", "blocked", 403, '"tag":"ACCESS_DENIED"'),
    ("exa", "unreadable", 422, '"tag":"FETCH_DOCUMENT_ERROR"'),
    ("brave", "unauthorized", 401, '"code":"SUBSCRIPTION_TOKEN_INVALID"'),
    ("brave", "unauthorized;status=403", 403, '"code":"SUBSCRIPTION_TOKEN_INVALID"'),
    ("brave", "unauthorized;status=422", 422, '"code":"SUBSCRIPTION_TOKEN_INVALID"'),
    ("brave", "quota", 402, '"code":"USAGE_LIMIT_EXCEEDED"'),
    ("brave", "quota;status=429", 429, '"code":"QUOTA_LIMITED"'),
    ("brave", "rate_limit", 429, '"code":"RATE_LIMITED"'),
    ("brave", "bad_request", 422, '"code":"VALIDATION"'),
    ("brave", "bad_request;status=400", 400, '"code":"BAD_REQUEST"'),
    ("brave", "blocked", 403, '"code":"RESOURCE_NOT_ALLOWED"'),
    ("jina", "unauthorized", 401, '"name":"AuthenticationFailedError"'),
    ("jina", "quota", 402, '"status":40203'),
    ("jina", "quota;code=40201", 402, '"status":40201'),
    ("jina", "rate_limit;retry_after=30", 429, '"status":42903'),
    ("jina", "bad_request", 400, '"name":"ParamValidationError"'),
    ("jina", "bad_request;status=422", 422, '"data":null'),
    ("jina", "blocked", 451, '"name":"SecurityCompromiseError","status":45102'),
    ("jina", "blocked;code=45105", 451, '"status":45105'),
    ("jina", "blocked;status=409", 409, '"name":"BudgetExceededError"'),
    ("jina", "unreadable", 422, '"name":"AssertionFailureError","status":42206'),
    ("searxng", "rate_limit", 429, "Too Many Requests"),
    ("searxng", "bad_request", 400, '{"error":"Invalid value bogus for parameter time_range"}'),
    ("searxng", "blocked", 403, "<title>403 Forbidden</title>"),
    ("duckduckgo", "rate_limit", 202, "anomaly-modal"),
    ("duckduckgo", "rate_limit;status=403", 403, "<h1>403</h1>"),
    ("duckduckgo", "rate_limit;status=418", 418, "<h1>418</h1>"),
    ("duckduckgo", "rate_limit;status=429", 429, "<h1>429</h1>"),
    ("duckduckgo", "blocked", 200, "anomaly-modal"),
    ("duckduckgo", "nothing_found", 200, "no-results"),
]


@pytest.mark.parametrize(("service", "fault", "status", "words"), ROWS)
async def test_every_error_row_can_be_had(
    sandbox: SandboxServer, service: str, fault: str, status: int, words: str
) -> None:
    reply = await ask(sandbox, service, fault=fault)

    assert reply.status == status
    assert words in reply.raw.decode()


@pytest.mark.parametrize("service", SERVICES)
@pytest.mark.parametrize(("fault", "status"), [("server_error", 500), ("overloaded", 503)])
async def test_every_service_can_fail(
    sandbox: SandboxServer, service: str, fault: str, status: int
) -> None:
    reply = await ask(sandbox, service, fault=fault)

    assert reply.status == status


@pytest.mark.parametrize("service", ["tavily", "perplexity", "exa", "jina", "searxng"])
async def test_a_rate_limit_says_when_to_come_back_unless_it_is_bare(
    sandbox: SandboxServer, service: str
) -> None:
    told = await ask(sandbox, service, fault="rate_limit;retry_after=4")
    bare = await ask(sandbox, service, fault="rate_limit_bare")

    assert told.headers["retry-after"] == "4"
    assert (bare.status, "retry-after" in bare.headers) == (429, False)


async def test_brave_says_it_in_headers_of_its_own(sandbox: SandboxServer) -> None:
    reply = await ask(sandbox, "brave", fault="rate_limit;retry_after=4")

    assert reply.headers["x-ratelimit-reset"] == "4, 1419704"
    assert "retry-after" not in reply.headers


async def test_searxng_fails_inside_200(sandbox: SandboxServer) -> None:
    failed = (await ask(sandbox, "searxng", fault="engines_failed")).json()
    partial = (await ask(sandbox, "searxng", fault="partial")).json()
    odd = (await ask(sandbox, "searxng", fault="odd_rows")).json()

    assert failed["results"] == []
    assert failed["unresponsive_engines"] == [
        ["duckduckgo", "access denied"],
        ["brave", "too many requests"],
        ["startpage", "timeout"],
    ]
    assert (len(partial["results"]), len(partial["unresponsive_engines"])) == (2, 1)
    assert odd["results"][0]["url"] is None


async def test_searxngs_limiter_lets_only_browsers_in(sandbox: SandboxServer) -> None:
    browser = {
        "accept": "text/html",
        "accept-encoding": "gzip",
        "accept-language": "en",
    }

    replies = [
        await ask(sandbox, "searxng", fault="limiter", headers=headers)
        for headers in (browser, browser | {"accept": "application/json"})
    ]

    assert [reply.status for reply in replies] == [200, 429]
    assert replies[1].raw == b"Too Many Requests"


@pytest.mark.parametrize("service", ["tavily", "brave", "duckduckgo", "jina"])
@pytest.mark.parametrize("fault", ["cut_in_event", "cut_in_json_string", "cut_in_character"])
async def test_a_reply_can_be_cut(sandbox: SandboxServer, service: str, fault: str) -> None:
    reply = await ask(sandbox, service, fault=fault)

    assert reply.error == "ClientPayloadError"


@pytest.mark.parametrize("service", ["tavily", "exa", "searxng"])
async def test_a_reply_can_be_garbage(sandbox: SandboxServer, service: str) -> None:
    garbage = await ask(sandbox, service, fault="garbage_json")
    page = await ask(sandbox, service, fault="wrong_content_type")
    error = await ask(sandbox, service, fault="error_in_200")
    huge = await ask(sandbox, service, fault="huge_event;size=3000000")

    assert garbage.raw.endswith(b"<")
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    assert (error.status, b'"results"' in error.raw) == (200, False)
    assert len(huge.raw) > 3_000_000


async def test_a_service_gets_no_fault_that_it_cannot_have(sandbox: SandboxServer) -> None:
    no_key = await ask(sandbox, "searxng", fault="unauthorized")
    no_status = await ask(sandbox, "tavily", fault="quota;status=402")

    assert no_key.json() == {"sandbox": "unauthorized is no fault of searxng"}
    assert no_status.json() == {"sandbox": "tavily shows quota with 432, 433, not with 402"}


async def test_a_fault_can_come_once_and_in_a_header(sandbox: SandboxServer) -> None:
    headers = BEARER | {"x-sandbox-fault": "overloaded;times=1"}

    replies = [await ask(sandbox, "tavily", headers=headers) for _ in range(2)]

    assert [reply.status for reply in replies] == [503, 200]


async def test_a_service_can_be_silent_from_the_first_byte_on(sandbox: SandboxServer) -> None:
    await leave_silent(sandbox, ask(sandbox, "exa", fault="silence;late"))
    entry = await asyncio.to_thread(sandbox.wait_for_end)

    assert (entry.status, entry.ended) == (None, "closed by the client")


def _with_ddgs(sandbox: SandboxServer, query: str, fault: str = "") -> tuple[int, list[Any]]:
    """Ask as the library does, with its own client, payload and parser."""
    engine = pytest.importorskip("ddgs.engines.duckduckgo").Duckduckgo(timeout=5)
    url = f"{sandbox.base_url('duckduckgo', fault=fault)}/html/"
    payload = engine.build_payload(query, "us-en", "moderate", None)
    response = engine.http_client.request(engine.search_method, url, data=payload)
    results = engine.post_extract_results(engine.extract_results(response.text))
    return response.status_code, [(hit.title, hit.href, hit.body) for hit in results]


def test_the_ddgs_library_reads_the_page(sandbox: SandboxServer) -> None:
    status, results = _with_ddgs(sandbox, "sea otter fur (site:wiki.example.net)")

    assert (status, results) == (200, [("Sea otter", OTTER, FUR)])


@pytest.mark.parametrize(
    ("fault", "status"),
    [
        ("rate_limit", 202),
        ("rate_limit;status=403", 403),
        ("rate_limit;status=418", 418),
        ("rate_limit;status=429", 429),
        ("blocked", 200),
        ("nothing_found", 200),
    ],
)
def test_the_ddgs_library_finds_nothing_in_a_refusal(
    sandbox: SandboxServer, fault: str, status: int
) -> None:
    found = _with_ddgs(sandbox, "sea otter", fault)

    assert found == (status, [])
