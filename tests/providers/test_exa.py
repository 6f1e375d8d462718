"""Exa: what it is asked and what it answers."""

import json
from datetime import date

import pytest

from groundwire.model import SearchQuery, SearchResult, Secret
from groundwire.providers.exa import Exa, provider
from groundwire.wire.contract import Access, HttpReply

ACCESS = Access(base_url="https://api.exa.ai", key=Secret("exa-123"))


def test_a_query_becomes_a_search_with_its_filters() -> None:
    query = SearchQuery(text="otters", limit=7, domains=("a.org",), time_range="w")

    request = Exa(today=lambda: date(2026, 11, 15)).search_request(query, ACCESS)

    assert (request.method, request.url) == ("POST", "https://api.exa.ai/search")
    assert request.headers["x-api-key"] == "exa-123"
    assert json.loads(request.body or b"") == {
        "query": "otters",
        "numResults": 7,
        "contents": {"text": {"maxCharacters": 1000}},
        "includeDomains": ["a.org"],
        "startPublishedDate": "2026-11-08T00:00:00.000Z",
    }


@pytest.mark.parametrize(
    ("time_range", "first"), [("d", "2026-11-14"), ("m", "2026-10-15"), ("y", "2025-11-14")]
)
def test_a_time_range_becomes_a_first_day(time_range: str, first: str) -> None:
    query = SearchQuery(text="otters", time_range=time_range)

    request = Exa(today=lambda: date(2026, 11, 15)).search_request(query, ACCESS)

    assert json.loads(request.body or b"")["startPublishedDate"][:10] == first


def test_results_keep_the_order_they_came_in() -> None:
    body = {
        "requestId": "r",
        "results": [
            {
                "id": "https://a.org/1",
                "url": "https://a.org/1",
                "title": "Otter",
                "publishedDate": "2026-01-02T00:00:00.000Z",
                "author": None,
                "text": "They hold hands.",
            },
            {"url": "https://b.org/", "title": None, "highlights": ["One.", "Two."]},
        ],
        "costDollars": {"total": 0.005},
    }

    results = provider.search_results(HttpReply(status=200, body=json.dumps(body).encode()))

    assert results == [
        SearchResult(
            url="https://a.org/1",
            title="Otter",
            snippet="They hold hands.",
            published="2026-01-02T00:00:00.000Z",
        ),
        SearchResult(url="https://b.org/", title="", snippet="One. … Two."),
    ]
