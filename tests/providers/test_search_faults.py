"""Every way in which a search or read service says no, over real sockets: what it becomes here."""

from __future__ import annotations

import json

import pytest

from groundwire import registry
from groundwire.client import Client, HttpReadProvider, HttpSearchProvider
from groundwire.config.settings import NetworkSettings
from groundwire.errors import (
    AuthError,
    BadReplyError,
    InvalidRequestError,
    OverloadedError,
    QuotaError,
    RateLimitError,
    RefusedError,
    ServiceError,
)
from groundwire.model import Secret
from groundwire.wire.contract import Access, Endpoint, Searches
from tests.loopback import reply, serve

Row = tuple[str, int, object, type[ServiceError], str]

ROWS: tuple[Row, ...] = (
    ("tavily", 401, {"detail": {"error": "Unauthorized: wrong key"}}, AuthError, "wrong key"),
    ("tavily", 403, {"detail": {"error": "URL is not supported"}}, RefusedError, "not supported"),
    ("tavily", 432, {"detail": {"error": "over the plan"}}, QuotaError, "over the plan"),
    ("tavily", 433, {"detail": {"error": "pay-as-you-go limit"}}, QuotaError, "pay-as-you-go"),
    ("tavily", 432, b"<html>432</html>", QuotaError, "the plan's limit is reached"),
    ("tavily", 200, {"detail": {"error": "It broke."}}, BadReplyError, "It broke"),
    ("tavily", 429, {"detail": {"error": "too many"}}, RateLimitError, "too many"),
    (
        "tavily",
        429,
        {
            "error": {
                "code": "keyless_rate_limited",
                "message": "The free requests are used up.",
                "window": "day",
                "retry_after_seconds": 3600,
                "next_actions": ["Get a key."],
            }
        },
        RateLimitError,
        "used up (limit per day); Get a key",
    ),
    ("tavily", 400, {"detail": {"error": "Query is empty."}}, InvalidRequestError, "empty"),
    (
        "tavily",
        422,
        {"detail": [{"loc": ["body", "max_results"], "msg": "is too large", "type": "x"}]},
        InvalidRequestError,
        "body.max_results: is too large",
    ),
    ("tavily", 422, {"detail": "not valid"}, InvalidRequestError, "not valid"),
    ("perplexity", 401, b"<html>401 Authorization Required</html>", AuthError, "check the key"),
    ("perplexity", 402, {"error": {"message": "no credit"}}, QuotaError, "no credit"),
    ("perplexity", 403, {"error": {"message": "not for you"}}, RefusedError, "not for you"),
    ("perplexity", 429, {"error": {"message": "slower"}}, RateLimitError, "slower"),
    ("perplexity", 400, {"error": {"message": "bad filter"}}, InvalidRequestError, "bad filter"),
    ("perplexity", 422, {"detail": [{"msg": "query"}]}, InvalidRequestError, "query"),
    ("exa", 401, {"error": "wrong key", "tag": "INVALID_API_KEY"}, AuthError, "wrong key"),
    ("exa", 402, {"error": "no credit", "tag": "NO_MORE_CREDITS"}, QuotaError, "no credit"),
    ("exa", 402, {"error": "budget", "tag": "API_KEY_BUDGET_EXCEEDED"}, QuotaError, "budget"),
    ("exa", 403, {"error": "forbidden", "tag": "ACCESS_DENIED"}, RefusedError, "forbidden"),
    ("exa", 429, {"error": "slower"}, RateLimitError, "slower"),
    ("exa", 400, {"error": "bad", "tag": "INVALID_REQUEST"}, InvalidRequestError, "bad"),
    ("exa", 422, {"error": "unreadable"}, InvalidRequestError, "unreadable"),
    ("brave", 401, {"error": {"detail": "no"}}, AuthError, "no"),
    ("brave", 403, {"error": {"detail": "not in the plan"}}, RefusedError, "not in the plan"),
    (
        "brave",
        422,
        {"error": {"code": "SUBSCRIPTION_TOKEN_INVALID", "detail": "The token is wrong."}},
        AuthError,
        "The token is wrong",
    ),
    ("brave", 402, {"error": {"detail": "pay"}}, QuotaError, "pay"),
    ("brave", 429, {"error": {"code": "RATE_LIMITED", "detail": "1/s"}}, RateLimitError, "1/s"),
    ("brave", 429, {"error": {"code": "QUOTA_LIMITED", "detail": "2000"}}, QuotaError, "2000"),
    ("brave", 422, {"error": {"code": "VALIDATION", "detail": "q"}}, InvalidRequestError, "q"),
    ("searxng", 403, b"<html>403 Forbidden</html>", RefusedError, "`search.formats`"),
    ("searxng", 429, b"Too Many Requests", RateLimitError, "limiter"),
    (
        "searxng",
        400,
        {"error": "Invalid value bogus for parameter time_range"},
        InvalidRequestError,
        "bogus",
    ),
    ("searxng", 302, b"", BadReplyError, "not followed"),
    (
        "searxng",
        200,
        {"results": [], "unresponsive_engines": [["one", "access denied"], ["two", "timeout"]]},
        OverloadedError,
        "one (access denied), two (timeout)",
    ),
    (
        "searxng",
        200,
        {"results": [{"url": None, "title": "An answer"}], "unresponsive_engines": [["one", "no"]]},
        OverloadedError,
        "one (no)",
    ),
    ("jina", 200, {"data": None, "code": 500, "message": "It broke."}, BadReplyError, "It broke"),
    ("jina", 401, {"code": 401, "status": 40101, "message": "no key"}, AuthError, "no key"),
    ("jina", 402, {"code": 402, "status": 40201, "message": "empty"}, QuotaError, "empty"),
    ("jina", 429, {"code": 429, "status": 42903, "message": "slower"}, RateLimitError, "slower"),
    ("jina", 400, {"code": 400, "message": "bad URL"}, InvalidRequestError, "bad URL"),
    (
        "jina",
        422,
        {"code": 422, "status": 42206, "readableMessage": "AssertionFailure: no content"},
        InvalidRequestError,
        "AssertionFailure",
    ),
    (
        "jina",
        451,
        {"data": None, "code": 451, "status": 45102, "readableMessage": "domain blocked"},
        RefusedError,
        "domain blocked",
    ),
    ("jina", 409, {"code": 409, "message": "conflict"}, RefusedError, "conflict"),
    ("jina", 403, {"code": 403, "status": 40303, "message": "not allowed"}, RefusedError, "not"),
)


@pytest.mark.parametrize(
    ("name", "status", "body", "error", "words"), ROWS, ids=lambda part: str(part)[:30]
)
async def test_each_row_of_a_services_errors_is_one_of_ours(
    name: str, status: int, body: object, error: type[ServiceError], words: str
) -> None:
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    kind = "text/html" if isinstance(body, bytes) else "application/json"
    provider = registry.get(name)

    async with (
        serve(reply(data, status=f"{status} X", content_type=kind)) as server,
        Client(NetworkSettings(retries=0)) as client,
    ):
        access = Access(base_url=server.url, key=Secret("canary-key"))
        endpoint = Endpoint(name=name, provider=provider, access=access)
        with pytest.raises(ServiceError) as caught:
            if isinstance(provider, Searches):
                await HttpSearchProvider(endpoint, client).search("otters")
            else:
                await HttpReadProvider(endpoint, client).read_url("https://example.org/")

    assert type(caught.value) is error
    assert words in str(caught.value)


async def test_the_wait_that_tavily_asks_for_without_a_key_is_kept() -> None:
    body = {"error": {"message": "used up", "retry_after_seconds": 3600}}
    script = reply(json.dumps(body).encode(), status="429 X")

    async with serve(script) as server, Client(NetworkSettings(retries=0)) as client:
        access = Access(base_url=server.url)
        endpoint = Endpoint(name="tavily", provider=registry.get("tavily"), access=access)
        with pytest.raises(RateLimitError) as caught:
            await HttpSearchProvider(endpoint, client).search("otters")

    assert caught.value.retry_after_seconds == 3600
