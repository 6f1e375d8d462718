"""SearXNG: what it is asked and what it answers."""

import json

import pytest

from groundwire.errors import OverloadedError, RateLimitError, RefusedError, ServiceError
from groundwire.model import SearchQuery, SearchResult
from groundwire.providers.searxng import provider
from groundwire.wire.contract import Access, HttpReply

ACCESS = Access(base_url="http://127.0.0.1:8888")


def reply(body: object, status: int = 200) -> HttpReply:
    return HttpReply(status=status, body=json.dumps(body).encode(), service="searxng")


def test_a_query_becomes_a_json_request() -> None:
    request = provider.search_request(SearchQuery(text="otters & seals"), ACCESS)

    assert request.method == "GET"
    assert request.url == "http://127.0.0.1:8888/search?q=otters+%26+seals&format=json"


def test_domains_and_time_are_asked_of_the_engines() -> None:
    query = SearchQuery(text="otters", domains=("a.org", "b.org"), time_range="w")

    request = provider.search_request(query, ACCESS)

    assert request.url.endswith(
        "q=otters+%28site%3Aa.org+OR+site%3Ab.org%29&format=json&time_range=week"
    )


@pytest.mark.parametrize("text", ["!!g secret", "! !secret", "!g secret"])
def test_a_bang_cannot_choose_an_engine_or_leave_for_another_site(text: str) -> None:
    request = provider.search_request(SearchQuery(text=text), ACCESS)

    assert "%21" not in request.url.split("&")[0].split("secret")[0][-3:]
    assert "q=%21" not in request.url


def test_results_keep_their_order_and_rows_without_a_url_are_left_out() -> None:
    results = provider.search_results(
        reply(
            {
                "query": "otters",
                "results": [
                    {
                        "url": "https://a.org/1",
                        "title": "Otter",
                        "content": "They hold hands.",
                        "publishedDate": "2026-01-02T00:00:00",
                        "engines": ["one", "two"],
                        "score": 4.0,
                    },
                    {"url": None, "title": "key value"},
                    {"url": "https://b.org/2", "title": None, "content": None},
                ],
                "unresponsive_engines": [["slow", "timeout"]],
            }
        )
    )

    assert results == [
        SearchResult(
            url="https://a.org/1",
            title="Otter",
            snippet="They hold hands.",
            published="2026-01-02T00:00:00",
        ),
        SearchResult(url="https://b.org/2", title=""),
    ]


@pytest.mark.parametrize(
    ("answer", "error", "word"),
    [
        (HttpReply(status=403, body=b"<html>", service="s"), RefusedError, "formats"),
        (HttpReply(status=429, body=b"Too Many", service="s"), RateLimitError, "limiter"),
        (
            reply({"results": [], "unresponsive_engines": [["ddg", "access denied"]]}),
            OverloadedError,
            "access denied",
        ),
    ],
)
def test_each_way_to_fail_has_its_own_message(
    answer: HttpReply, error: type[ServiceError], word: str
) -> None:
    found = provider.error_from(answer)

    assert type(found) is error
    assert word in str(found)


@pytest.mark.parametrize(
    ("silent", "notes"),
    [
        ([], ()),
        (
            [["ddg", "access denied"], ["slow", "Suspended: timeout", True]],
            ("these engines did not answer: ddg (access denied), slow (Suspended: timeout)",),
        ),
    ],
)
def test_engines_that_did_not_answer_are_noted_beside_the_results(
    silent: object, notes: tuple[str, ...]
) -> None:
    answer = reply({"results": [{"url": "https://a.org/"}], "unresponsive_engines": silent})

    assert provider.error_from(answer) is None
    assert provider.search_notes(answer) == notes


def test_nothing_found_is_not_a_failure() -> None:
    answer = reply({"results": [], "unresponsive_engines": []})

    assert provider.error_from(answer) is None
    assert provider.search_results(answer) == []


def test_a_bang_inside_the_query_is_neutralised_too() -> None:
    request = provider.search_request(SearchQuery(text="secret !!g word! !wp"), ACCESS)

    assert "q=secret+g+word%21+wp&" in request.url


def test_options_of_the_settings_are_asked_for() -> None:
    options = {"language": "en", "engines": ["one", "two"], "safesearch": 0}

    request = provider.search_request(
        SearchQuery(text="otters"), Access(base_url="http://127.0.0.1:8888", options=options)
    )

    assert request.url.endswith("?q=otters&format=json&language=en&engines=one%2Ctwo&safesearch=0")
