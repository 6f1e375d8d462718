"""Perplexity: what it is asked and what it answers."""

import json

from groundwire.model import SearchQuery, SearchResult, Secret
from groundwire.providers.perplexity import provider
from groundwire.wire.contract import Access, HttpReply

ACCESS = Access(base_url="https://api.perplexity.ai", key=Secret("pplx-123"))


def test_a_query_becomes_a_search_with_its_filters() -> None:
    query = SearchQuery(text="otters", limit=50, domains=("a.org",), time_range="d")

    request = provider.search_request(query, ACCESS)

    assert (request.method, request.url) == ("POST", "https://api.perplexity.ai/search")
    assert request.headers["Authorization"] == "Bearer pplx-123"
    assert json.loads(request.body or b"") == {
        "query": "otters",
        "max_results": 20,
        "search_context_size": "low",
        "search_domain_filter": ["a.org"],
        "search_recency_filter": "day",
    }


def test_without_filters_none_is_sent() -> None:
    access = Access(base_url="http://127.0.0.1:1", options={"search_context_size": "high"})

    request = provider.search_request(SearchQuery(text="otters"), access)

    assert "Authorization" not in request.headers
    assert json.loads(request.body or b"") == {
        "query": "otters",
        "max_results": 5,
        "search_context_size": "high",
    }


def test_results_keep_the_order_they_came_in() -> None:
    body = {
        "id": "r",
        "server_time": None,
        "results": [
            {
                "title": "Otter",
                "url": "https://a.org/1",
                "snippet": "They hold hands.",
                "date": "2026-01-02",
                "last_updated": "2026-03-04",
            },
            {"title": None, "url": "https://b.org/", "snippet": "", "date": None},
        ],
    }

    results = provider.search_results(HttpReply(status=200, body=json.dumps(body).encode()))

    assert results == [
        SearchResult(
            url="https://a.org/1", title="Otter", snippet="They hold hands.", published="2026-01-02"
        ),
        SearchResult(url="https://b.org/", title=""),
    ]
