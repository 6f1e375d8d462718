"""Tavily: what it is asked and what it answers."""

import json

from groundwire.errors import QuotaError
from groundwire.model import Page, SearchQuery, SearchResult, Secret
from groundwire.providers.tavily import provider
from groundwire.wire.contract import Access, HttpReply

ACCESS = Access(base_url="https://api.tavily.com", key=Secret("tvly-123"))


def reply(body: object, status: int = 200) -> HttpReply:
    return HttpReply(status=status, body=json.dumps(body).encode(), service="tavily")


def test_a_query_becomes_a_search_with_its_filters() -> None:
    query = SearchQuery(text="otters", limit=50, domains=("a.org",), time_range="m")

    request = provider.search_request(query, ACCESS)

    assert (request.method, request.url) == ("POST", "https://api.tavily.com/search")
    assert request.headers["Authorization"] == "Bearer tvly-123"
    assert json.loads(request.body or b"") == {
        "query": "otters",
        "max_results": 20,
        "include_domains": ["a.org"],
        "include_domains_mode": "restrict",
        "time_range": "month",
    }


def test_without_a_key_the_request_says_so() -> None:
    request = provider.search_request(
        SearchQuery(text="otters"), Access(base_url="https://api.tavily.com")
    )

    assert "Authorization" not in request.headers
    assert request.headers["X-Tavily-Access-Mode"] == "keyless"


def test_results_keep_the_order_they_came_in() -> None:
    results = provider.search_results(
        reply(
            {
                "query": "otters",
                "answer": None,
                "results": [
                    {
                        "title": "Otter",
                        "url": "https://example.org/otter",
                        "content": "Otters hold hands.",
                        "score": 0.9,
                        "raw_content": None,
                    }
                ],
                "response_time": 0.5,
                "request_id": "r",
            }
        )
    )

    assert results == [
        SearchResult(url="https://example.org/otter", title="Otter", snippet="Otters hold hands.")
    ]


def test_a_page_comes_back_as_markdown() -> None:
    body = {"results": [{"url": "https://a.org/", "raw_content": "# Hi"}], "failed_results": []}

    page = provider.read_page("https://a.org", reply(body))

    assert page == Page(url="https://a.org/", content="# Hi")


def test_a_page_it_could_not_read_is_a_failure_inside_a_200() -> None:
    failed = [{"url": "https://a.org", "error": "Failed to fetch url"}]

    page = provider.read_page("https://a.org", reply({"results": [], "failed_results": failed}))

    assert page == Page(url="https://a.org", success=False, error="Failed to fetch url")


def test_the_plans_limits_are_a_quota_and_not_a_rate() -> None:
    error = provider.error_from(reply({"detail": {"error": "over the plan"}}, status=432))

    assert isinstance(error, QuotaError)
    assert "over the plan" in str(error)
