"""DuckDuckGo through the library's own HTTP, against pages on loopback."""

from __future__ import annotations

import asyncio
import json
import logging
from urllib.parse import parse_qs

import pytest
from ddgs.engines.duckduckgo import Duckduckgo

from groundwire.config.settings import ProviderTable
from groundwire.errors import (
    BadReplyError,
    ConnectError,
    GroundwireError,
    OverloadedError,
    RateLimitError,
    RefusedError,
    TimedOutError,
    TruncatedError,
)
from groundwire.model import SearchQuery, SearchResult
from groundwire.providers.duckduckgo import provider
from groundwire.wire.contract import Access
from tests.loopback import Loopback, Script, raw, reply, serve

OTTERS = SearchQuery(text="otters")


def hit(url: str, title: str, words: str) -> str:
    return (
        '<div class="result results_links results_links_deep web-result">'
        '<div class="links_main links_deep result__body">'
        f'<h2 class="result__title"><a class="result__a" href="{url}">{title}</a></h2>'
        f'<a class="result__snippet" href="{url}">{words}</a></div></div>'
    )


def page(*parts: str, status: str = "200 OK") -> Script:
    body = f"<html><body><input name='q' value='captcha'>{''.join(parts)}</body></html>"
    return reply(body.encode(), status=status, content_type="text/html; charset=UTF-8")


def access(server: Loopback, **options: object) -> Access:
    return Access(base_url=server.url, options=options)


async def failure(script: Script) -> GroundwireError:
    async with serve(script) as server:
        with pytest.raises(GroundwireError) as caught:
            await provider.search(OTTERS, access(server))
    return caught.value


async def test_hits_become_results_in_their_order() -> None:
    counted = "//duckduckgo.com/l/?uddg=https%3A%2F%2Fb.org%2F%3Fx%3D1&amp;rut=0"
    advertisement = "https://duckduckgo.com/y.js?ad_domain=shop.example"
    script = page(
        hit(advertisement, "Buy otters", "Now."),
        hit("https://a.org/1", "Otter", "They <b>hold</b> hands."),
        hit(counted, "Sea otter", "They float."),
    )

    async with serve(script) as server:
        results = await provider.search(OTTERS, access(server))

    assert results == [
        SearchResult(url="https://a.org/1", title="Otter", snippet="They hold hands."),
        SearchResult(url="https://b.org/?x=1", title="Sea otter", snippet="They float."),
    ]


async def test_filters_and_region_are_part_of_the_form() -> None:
    query = SearchQuery(text="otters", domains=("a.org", "b.org"), time_range="w")

    async with serve(page(hit("https://a.org/1", "Otter", "Hands."))) as server:
        await provider.search(query, access(server, region="de-de"))

    [request] = server.requests
    assert request.line == "POST /html/ HTTP/1.1"
    assert parse_qs(request.body.decode(), keep_blank_values=True) == {
        "q": ["otters (site:a.org OR site:b.org)"],
        "b": [""],
        "l": ["de-de"],
        "df": ["w"],
    }


async def test_nothing_found_is_an_empty_list_only_where_the_page_says_so() -> None:
    nothing = '<div class="result results_links result--no-result"><div class="no-results">'

    async with serve(page(nothing)) as server:
        results = await provider.search(OTTERS, access(server))

    assert results == []


@pytest.mark.parametrize(
    "status", ["202 Accepted", "403 Forbidden", "418 Teapot", "429 Too Many Requests"]
)
async def test_each_status_that_refuses_machines_is_a_rate_limit(status: str) -> None:
    error = await failure(page(status=status))

    assert isinstance(error, RateLimitError)
    assert error.status == int(status[:3])
    assert "name a second provider" in str(error)


@pytest.mark.parametrize(
    ("script", "kind"),
    [
        (page('<div class="anomaly-modal__title">Unfortunately, bots …</div>'), RefusedError),
        (page("<form id='challenge-form'>"), RefusedError),
        (page("<h1>Something else</h1>"), BadReplyError),
        (reply(b"", content_type="text/html"), BadReplyError),
        (reply(b"\xff\xfe\x00", content_type="text/html"), BadReplyError),
        (page(status="302 Found"), BadReplyError),
        (page(status="404 Not Found"), BadReplyError),
        (page(status="503 Unavailable"), OverloadedError),
        (raw(b""), ConnectError),
    ],
)
async def test_every_other_failure_is_an_error_and_never_an_empty_list(
    script: Script, kind: type[GroundwireError]
) -> None:
    assert type(await failure(script)) is kind


@pytest.mark.parametrize("written", [{"proxy": "URL"}, {"options": {"proxy": "URL"}}])
async def test_a_proxy_of_the_settings_is_what_the_library_connects_to(
    written: dict[str, object],
) -> None:
    async with serve(page(hit("https://a.org/1", "Otter", "Hands."))) as proxy:
        text = json.dumps(written).replace("URL", proxy.url)
        chosen = ProviderTable.model_validate_json(text)
        far = Access(base_url="http://search.example", options=chosen.options)
        results = await provider.search(OTTERS, far)

    assert [result.url for result in results] == ["https://a.org/1"]
    assert proxy.requests[0].line == "POST http://search.example/html/ HTTP/1.1"


@pytest.mark.parametrize(
    ("text", "sent"),
    [
        ("!g otters", "g otters"),
        ("otters !!w fur", "otters w fur"),
        ("\\otters", "otters"),
        ("what fun! otters", "what fun! otters"),
    ],
)
async def test_a_bang_does_not_send_the_query_to_another_website(text: str, sent: str) -> None:
    async with serve(page(hit("https://a.org/1", "Otter", "Hands."))) as server:
        await provider.search(SearchQuery(text=text), access(server))

    assert parse_qs(server.requests[0].body.decode())["q"] == [sent]


async def test_a_page_that_breaks_off_is_no_missing_connection() -> None:
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 9000\r\n\r\n"

    error = await failure(raw(head + b"<html><body>"))

    assert type(error) is TruncatedError


async def test_silence_ends_at_the_providers_own_time_limit() -> None:
    async def hang(writer: object) -> None:  # noqa: ARG001 - says nothing
        await asyncio.Event().wait()

    async with serve(hang) as server:
        with pytest.raises(TimedOutError) as caught:
            await provider.search(OTTERS, access(server, timeout_seconds=1))

    assert (caught.value.phase, caught.value.seconds) == ("total", 1)


async def test_the_query_is_not_logged(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)

    async with serve(page(hit("https://a.org/1", "Otter", "Hands."))) as server:
        await provider.search(SearchQuery(text="canary"), access(server))

    assert "canary" not in caplog.text


def test_the_library_still_has_what_we_use_of_its_inside() -> None:
    engine = Duckduckgo(timeout=1)

    assert engine.search_method == "POST"
    assert engine.search_url == f"{provider.base_url}/html/"
    assert engine.build_payload("q", "us-en", "moderate", "d") == {
        "q": "q",
        "b": "",
        "l": "us-en",
        "df": "d",
    }
    assert engine.post_extract_results(engine.extract_results("<p>nothing</p>")) == []
