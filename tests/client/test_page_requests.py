"""How a page of the web is asked for, and where its status leads."""

from __future__ import annotations

import gzip

import pytest

from groundwire import guard
from groundwire.client import Client
from tests.client.internet import PAGE, PUBLIC, Internet, redirect
from tests.client.test_pages import fetch
from tests.loopback import Script, reply, serve


@pytest.mark.parametrize(
    "page",
    [
        reply(b"gone", status="302 Away"),
        reply(b"gone", headers={"Location": "/elsewhere"}),
    ],
    ids=["a redirect to nowhere", "an address without a redirect"],
)
async def test_only_a_redirect_with_an_address_leads_away(page: Script) -> None:
    async with serve(page) as server:
        got = await fetch(Internet(server, {"public.test": [[PUBLIC]]}), "http://public.test/")

    assert (got.url, got.body, len(server.requests)) == ("http://public.test/", b"gone", 1)


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_a_page_that_moved_is_looked_for_where_it_is_now(status: int) -> None:
    async with serve(redirect("/there", status), PAGE) as server:
        got = await fetch(Internet(server, {"public.test": [[PUBLIC]]}), "http://public.test/")

    assert (got.url, got.status) == ("http://public.test/there", 200)


@pytest.mark.parametrize("status", [300, 304, 305, 306, 309])
async def test_no_other_status_leads_anywhere(status: int) -> None:
    async with serve(redirect("/there", status), PAGE) as server:
        got = await fetch(Internet(server, {"public.test": [[PUBLIC]]}), "http://public.test/")

    assert (got.url, got.status, got.is_truncated) == ("http://public.test/", status, False)


@pytest.mark.parametrize(
    ("body", "headers", "kept"),
    [
        (b"x" * 5000, {}, b"x" * 100),
        (gzip.compress(b"x" * 5000), {"Content-Encoding": "gzip"}, b"x" * 100),
        (gzip.compress(bytes(range(90))), {"Content-Encoding": "gzip"}, None),
    ],
    ids=["plain", "packed", "larger packed than not"],
)
async def test_a_caller_may_want_less_than_the_settings_allow(
    body: bytes, headers: dict[str, str], kept: bytes | None
) -> None:
    async with serve(reply(body, headers=headers)) as server:
        internet = Internet(server, {"public.test": [[PUBLIC]]})
        async with Client(resolve=internet.resolve, make_socket=internet.make_socket) as client:
            got = await client.fetch_page("http://public.test/", max_bytes=100)

    assert got.is_truncated
    assert kept is None or got.body == kept


async def test_a_page_is_asked_for_as_its_checked_url_is_written() -> None:
    url = "http://public.test/%7Ea%2Fb?q=%41+b%20c"
    async with serve(PAGE) as server:
        got = await fetch(Internet(server, {"public.test": [[PUBLIC]]}), url)

    assert got.url == str(guard.parse(url))
    assert server.requests[0].line == f"GET {got.url.removeprefix('http://public.test')} HTTP/1.1"


async def test_proxies_of_the_environment_see_no_page(monkeypatch: pytest.MonkeyPatch) -> None:
    async with serve(PAGE) as server, serve(PAGE) as proxy:
        for name in ("HTTP_PROXY", "http_proxy"):
            monkeypatch.setenv(name, proxy.url)

        await fetch(Internet(server, {"public.test": [[PUBLIC]]}), "http://public.test/")

    assert (len(server.requests), proxy.requests) == (1, [])


async def test_a_page_at_an_address_of_the_newer_kind_is_opened() -> None:
    async with serve(PAGE) as server:
        internet = Internet(server, {"public.test": [["2606:4700::1111"]]})

        got = await fetch(internet, "http://public.test/")

    assert (got.body, internet.tried) == (b"<h1>page</h1>", ["2606:4700::1111"])
