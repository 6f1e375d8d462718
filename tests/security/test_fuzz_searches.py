"""Replies of search and read services, distorted: hits, a page, or an error of ours."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from functools import cache, partial
from random import Random

import pytest

from groundwire import registry
from groundwire.client import filters
from groundwire.model import Json, SearchQuery, SearchReply
from groundwire.tools import Ledger, search_result
from groundwire.wire.contract import HttpReply, Reads, Searches
from groundwire.wire.http import understand
from tests.security.fuzzing import (
    chances,
    damaged,
    distorted,
    fuzz,
    one_of,
    our_errors_only,
    recordings,
    shows_the_key,
    written,
)
from tests.security.test_fuzz_replies import wrong_types

HIT: Json = {
    "url": "https://example.org/otter",
    "title": "Otter",
    "content": "Hands.",
    "snippet": "Hands.",
    "description": "Hands.",
    "text": "Hands.",
    "highlights": ["Hands."],
    "extra_snippets": ["Paws."],
    "publishedDate": "2026-05-01T00:00:00Z",
    "published_date": "2026-05-01",
    "page_age": "2026-05-01T00:00:00",
    "date": "2026-05-01",
    "raw_content": "# Otter",
}
SHAPES: dict[str, Json] = {
    "tavily": {"results": [HIT, HIT], "failed_results": [{"url": "x", "error": "no"}]},
    "searxng": {"results": [HIT, HIT], "unresponsive_engines": [["one", "no"]]},
    "perplexity": {"results": [HIT, HIT]},
    "brave": {"web": {"results": [HIT, HIT]}, "query": {"more_results_available": True}},
    "exa": {"results": [HIT, HIT]},
    "jina": {"code": 200, "data": {"url": "https://a.example/", "title": "A", "content": "a"}},
}
every_service = pytest.mark.parametrize("name", SHAPES)


@cache
def replies(name: str) -> list[Json]:
    """Return what a service answers: as its documentation has it, and as it was recorded."""
    found = recordings(name, ending=".json") if name == "tavily" else []
    return [SHAPES[name], *(json.loads(path.read_bytes()) for path in found)]


def reply_of(name: str, chance: Random) -> HttpReply:
    body = written(distorted(one_of(replies(name), chance), chance), chance)
    return HttpReply(
        status=chance.choice((200, 200, 200, 400, 403, 429, 500)),
        headers={"retry-after": chance.choice(("", "3", "1e999", "x", "Mon, 99 Foo 0 0:0:0"))},
        body=body,
        service=name,
        url="https://api.example/search",
    )


@every_service
@fuzz(60, chance=chances)
def test_a_distorted_reply_is_hits_a_page_or_an_error_of_ours(name: str, chance: Random) -> None:
    provider = registry.get(name)
    reply = reply_of(name, chance)

    with our_errors_only():
        assert not shows_the_key(str(understand(provider.error_from, reply)))
        if isinstance(provider, Searches):
            results = understand(provider.search_results, reply)
            notes = understand(provider.search_notes, reply)
            assert all(isinstance(note, str) for note in notes)
            assert [wrong for each in results for wrong in wrong_types(each)] == []
            told(SearchReply(service=name, results=tuple(results), notes=tuple(notes)))
            query = SearchQuery(text="otters", domains=("example.org",), time_range="w")
            filters.filtered(results, query, provider=provider, now=datetime.now(UTC))
        if isinstance(provider, Reads):
            page = understand(partial(provider.read_page, "https://a.example/"), reply)
            assert list(wrong_types(page)) == []


def told(reply: SearchReply) -> None:
    """Check what a model is told: it can be sent, on one line each, and its URLs are words."""
    result = search_result(SearchQuery(text="otters"), reply, Ledger())
    json.dumps(result.model_dump(), ensure_ascii=False).encode()
    for item in result.results:
        assert len(item.url.split()) <= 1
        assert "\n" not in item.title + item.snippet


@fuzz(60, chance=chances)
def test_a_damaged_page_of_duckduckgo_is_hits_or_an_error_of_ours(chance: Random) -> None:
    from ddgs.engines.duckduckgo import Duckduckgo  # noqa: PLC0415 - it loads large libraries

    from groundwire.providers import duckduckgo  # noqa: PLC0415 - as above

    links = "".join(
        f'<div class="result results_links"><h2><a href="//duckduckgo.com/l/?uddg=https%3A%2F%2F'
        f'{chance.choice(("a.example", "%5B", "["))}%2F{n}">T</a></h2><a class="result__snippet">'
        f"s</a></div>"
        for n in range(3)
    )
    page = damaged(f"<html><body><div>{links}</div></body></html>".encode(), chance)

    with our_errors_only():
        for hit in duckduckgo._results(Duckduckgo(timeout=1), page.decode("utf-8", "replace")):
            assert list(wrong_types(hit)) == []
