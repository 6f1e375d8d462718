"""Brave: what it is asked and what it answers."""

import json
from dataclasses import replace

import pytest

from groundwire.errors import AuthError, QuotaError, RateLimitError, ServiceError
from groundwire.model import SearchQuery, SearchResult, Secret
from groundwire.providers.brave import provider
from groundwire.wire.contract import Access, HttpReply

ACCESS = Access(
    base_url="https://api.search.brave.com", key=Secret("BSA123"), options={"country": "DE"}
)


def reply(body: object, status: int = 200) -> HttpReply:
    return HttpReply(status=status, body=json.dumps(body).encode(), service="brave")


def failed(status: int, code: str) -> HttpReply:
    error = {"id": "r", "status": status, "code": code, "detail": "It says no.", "meta": {}}
    return reply({"type": "ErrorResponse", "error": error, "time": 1_754_364_294}, status)


def test_a_query_becomes_a_search_with_its_filters() -> None:
    query = SearchQuery(text="otters", limit=50, domains=("a.org", "b.org"), time_range="w")

    request = provider.search_request(query, ACCESS)

    assert request.method == "GET"
    assert request.headers["X-Subscription-Token"] == "BSA123"
    assert request.url == (
        "https://api.search.brave.com/res/v1/web/search"
        "?q=otters+%28site%3Aa.org+OR+site%3Ab.org%29&count=20&freshness=pw&country=DE"
    )


def test_results_are_plain_words_without_the_marks_of_what_matched() -> None:
    body = {
        "type": "search",
        "query": {"original": "otters"},
        "web": {
            "results": [
                {
                    "title": "Otters &amp; seals",
                    "url": "https://a.org/1",
                    "description": "<strong>Otters</strong> weigh &lt; 50 kg.",
                    "age": "January 2, 2026",
                    "page_age": "2026-01-02T00:00:00",
                },
                {"title": "Old", "url": "https://b.org/", "age": "3 days ago"},
            ]
        },
    }

    assert provider.search_results(reply(body)) == [
        SearchResult(
            url="https://a.org/1",
            title="Otters & seals",
            snippet="Otters weigh < 50 kg.",
            published="2026-01-02T00:00:00",
        ),
        SearchResult(url="https://b.org/", title="Old", published="3 days ago"),
    ]


def test_a_reply_without_hits_has_no_list_of_them() -> None:
    assert provider.search_results(reply({"type": "search", "query": {"original": "x"}})) == []


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (failed(422, "SUBSCRIPTION_TOKEN_INVALID"), AuthError),
        (failed(429, "QUOTA_LIMITED"), QuotaError),
    ],
)
def test_its_own_words_say_more_than_the_status(
    answer: HttpReply, error: type[ServiceError]
) -> None:
    found = provider.error_from(answer)

    assert type(found) is error
    assert "It says no" in str(found)


def test_the_wait_is_until_every_full_window_has_room() -> None:
    headers = {"x-ratelimit-remaining": "0, 1985", "x-ratelimit-reset": "1, 1419704"}

    found = provider.error_from(replace(failed(429, "RATE_LIMITED"), headers=headers))

    assert isinstance(found, RateLimitError)
    assert (found.retry_after_seconds, found.rate_limits) == (1, headers)


def test_other_failures_mean_what_their_status_means() -> None:
    assert provider.error_from(failed(422, "VALIDATION")) is None
