"""Reading with several readers over real sockets."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from groundwire.cache import MemoryCache
from groundwire.client import Client
from groundwire.config.settings import Settings
from groundwire.errors import Attempt, DomainNotAllowedError, UrlRefusedError
from groundwire.guard import DomainPolicy
from groundwire.model import Page, ReadReply
from groundwire.search import ReadChain, SearchContext
from groundwire.wire.contract import HttpReply
from tests.client.internet import PUBLIC, Internet
from tests.loopback import Loopback, Script, reply, serve
from tests.search.services import failure, search_context, settings

URL = "http://a.example/page"
NO_ROBOTS = reply(b"", status="404 No")
RELAXED = settings(read={"respect_robots": False})


def html(text: str, status: str = "200 OK", **headers: str) -> Script:
    return reply(text.encode(), status=status, headers=headers, content_type="text/html")


def moved(location: str) -> Script:
    return html("", "302 Found", Location=location)


def by_service(text: str, url: str = URL) -> Script:
    """A page as Jina's reader answers."""
    return reply(json.dumps({"data": {"url": url, "content": text, "title": ""}}).encode())


async def extract(page: HttpReply) -> Page:
    text = page.text()
    if "script" in text:
        return Page(url=page.url, success=False, error="the page is made by scripts")
    return Page(url=page.url, title="Title", content=text)


@asynccontextmanager
async def web(
    chosen: Settings,
    pages: Loopback,
    service: Loopback | None = None,
    cache: MemoryCache | None = None,
) -> AsyncIterator[SearchContext]:
    """All public names lead to one server; Jina is another."""
    names = {name: [[PUBLIC]] for name in ("a.example", "b.example")}
    internet = Internet(pages, names)
    client = Client(chosen.network, resolve=internet.resolve, make_socket=internet.make_socket)
    async with search_context(
        chosen, {"jina": service}, cache=cache, client=client, extract=extract
    ) as shared:
        yield shared


def paths(server: Loopback) -> list[str]:
    return [request.line.split()[1] for request in server.requests]


async def test_the_default_reader_opens_the_page_itself_and_needs_no_key() -> None:
    async with serve(NO_ROBOTS, html("otters")) as server, web(settings(), server) as shared:
        found = await ReadChain(shared).read(URL)

    page = Page(url=URL, title="Title", content="otters")
    assert found == ReadReply(service="local", page=page)
    assert paths(server) == ["/robots.txt", "/page"]


async def test_a_page_that_one_reader_cannot_read_goes_to_the_next() -> None:
    chosen = settings(read_provider=["local", "jina"], read={"respect_robots": False})
    async with (
        serve(html("<script>")) as server,
        serve(by_service("otters")) as service,
        web(chosen, server, service) as shared,
    ):
        found = await ReadChain(shared).read(URL)

    assert found == ReadReply(
        service="jina",
        page=Page(url=URL, content="otters"),
        attempts=(
            Attempt(service="local", code="unreadable", reason="the page is made by scripts"),
        ),
    )


async def test_when_nobody_can_read_a_page_it_says_every_reason() -> None:
    chosen = settings(read_provider=["local", "jina"], read={"respect_robots": False})
    async with (
        serve(html("gone", "410 Gone")) as server,
        serve(failure("402 No")) as service,
        web(chosen, server, service) as shared,
    ):
        page = await ReadChain(shared).read_url(URL)

    assert (page.success, page.content) == (False, "")
    assert page.error.startswith("local: a.example answered with HTTP status 410; jina: jina (HTTP")


async def test_our_own_reader_makes_markdown_of_what_a_server_sent() -> None:
    document = "<html><title>Otters</title><main><h1>Otters</h1><p>They <b>hold</b> hands.</p>"
    async with serve(html(document)) as server:
        internet = Internet(server, {"a.example": [[PUBLIC]]})
        client = Client(resolve=internet.resolve, make_socket=internet.make_socket)
        async with search_context(RELAXED, {}, client=client) as shared:
            page = await ReadChain(shared).read_url(URL)

    assert (page.url, page.title, page.success) == (URL, "Otters", True)
    assert "They **hold** hands." in page.content


@pytest.mark.parametrize("url", ["http://127.0.0.1/", "http://10.0.0.1/", "file:///etc/passwd"])
async def test_a_service_is_never_asked_to_open_what_we_would_not(url: str) -> None:
    async with serve(NO_ROBOTS) as server, web(RELAXED, server, server) as shared:
        with pytest.raises(UrlRefusedError):
            await ReadChain(shared, names="jina").read(url)

    assert server.requests == []


async def test_nobody_else_is_told_what_a_document_of_the_library_is_called(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GROUNDWIRE_HOME", str(tmp_path))
    names = ["library", "local", "jina"]
    async with (
        serve(by_service("otters")) as server,
        search_context(RELAXED, {"library": server, "jina": server}) as shared,
    ):
        found = await ReadChain(shared, names=names).read("https://library.test/notes/plan.md")

    assert (found.page.success, server.requests) == (False, [])
    assert [attempt.service for attempt in found.attempts] == ["library"]


async def test_the_policy_holds_for_services_and_for_where_they_ended_up() -> None:
    policy = DomainPolicy(allowed=("a.example",))
    async with (
        serve(NO_ROBOTS) as server,
        serve(by_service("otters", "http://b.example/")) as service,
        web(RELAXED, server, service) as shared,
    ):
        chain = ReadChain(shared, names="jina", policy=policy)
        with pytest.raises(DomainNotAllowedError):
            await chain.read("http://b.example/")
        asked_before = len(service.requests)
        with pytest.raises(DomainNotAllowedError):
            await chain.read(URL)

    assert (asked_before, len(service.requests)) == (0, 1)


@pytest.mark.parametrize(
    "lists", [{"blocked_domains": ["b.example"]}, {"allowed_domains": ["a.example"]}]
)
async def test_the_settings_lists_hold_for_redirects_and_for_where_a_service_ended_up(
    lists: dict[str, list[str]],
) -> None:
    chosen = settings(read={"respect_robots": False}, search=lists)
    async with (
        serve(moved("http://b.example/")) as server,
        serve(by_service("otters", "http://b.example/")) as service,
        web(chosen, server, service) as shared,
    ):
        for name in ("local", "jina"):
            with pytest.raises(DomainNotAllowedError):
                await ReadChain(shared, names=name).read(URL)

    assert (len(server.requests), len(service.requests)) == (1, 1)


async def test_a_page_that_leads_inward_is_refused_and_no_other_reader_is_asked() -> None:
    chosen = settings(read_provider=["local", "jina"], read={"respect_robots": False})
    async with (
        serve(moved("http://169.254.169.254/")) as server,
        serve(by_service("otters")) as service,
        web(chosen, server, service) as shared,
    ):
        with pytest.raises(UrlRefusedError):
            await ReadChain(shared).read(URL)

    assert service.requests == []


@pytest.mark.parametrize("name", ["local", "jina"])
async def test_robots_txt_holds_for_agents_whoever_reads(name: str) -> None:
    rules = html("User-agent: *\nDisallow: /page")
    async with (
        serve(rules) as server,
        serve(by_service("otters")) as service,
        web(settings(), server, service) as shared,
    ):
        with pytest.raises(UrlRefusedError, match=r"robots\.txt"):
            await ReadChain(shared, names=name).read(URL)

    assert paths(server) == ["/robots.txt"]
    assert service.requests == []


async def test_robots_txt_does_not_hold_for_what_a_person_opens() -> None:
    async with serve(html("otters")) as server, web(settings(), server) as shared:
        found = await ReadChain(shared).read(URL, by_agent=False)

    assert found.page.content == "otters"
    assert paths(server) == ["/page"]


async def test_robots_txt_is_asked_of_every_host_that_a_redirect_leads_to() -> None:
    rules = html("User-agent: *\nDisallow: /secret")
    scripts = (NO_ROBOTS, moved("http://b.example/secret"), rules)
    async with serve(*scripts) as server, web(settings(), server) as shared:
        with pytest.raises(UrlRefusedError, match=r"b\.example"):
            await ReadChain(shared).read(URL)

    assert paths(server) == ["/robots.txt", "/page", "/robots.txt"]


async def test_a_site_whose_robots_txt_is_broken_is_left_to_the_next_reader() -> None:
    chosen = settings(read_provider=["local", "jina"])
    async with (
        serve(html("", "503 Wait")) as server,
        serve(by_service("otters")) as service,
        web(chosen, server, service) as shared,
    ):
        found = await ReadChain(shared).read(URL)

    assert found.service == "jina"
    assert found.attempts[0].reason == (
        "a.example: its robots.txt cannot be fetched; try again later"
    )


async def test_a_kept_page_is_not_fetched_again_and_shows_its_age() -> None:
    seconds = 0.0
    cache = MemoryCache(max_entries=9, max_bytes=9999, clock=lambda: seconds)
    async with serve(html("otters")) as server, web(RELAXED, server, cache=cache) as shared:
        chain = ReadChain(shared)
        first = await chain.read(URL)
        seconds += 60
        second = await chain.read(URL)

    assert (first.age_seconds, second.age_seconds) == (None, 60)
    assert first.page == second.page
    assert len(server.requests) == 1


async def test_an_old_page_is_fetched_only_if_it_has_changed() -> None:
    seconds = 0.0
    cache = MemoryCache(max_entries=9, max_bytes=9999, clock=lambda: seconds)
    marked = html("otters", ETag='"1"', **{"Last-Modified": "Sun, 15 Nov 2026 12:00:00 GMT"})
    unchanged = html("", "304 Not Modified")
    async with (
        serve(marked, unchanged, html("seals")) as server,
        web(RELAXED, server, cache=cache) as shared,
    ):
        chain = ReadChain(shared)
        contents = []
        for _ in range(3):
            contents.append((await chain.read(URL)).page.content)
            seconds += 3600

    assert contents == ["otters", "otters", "seals"]
    assert [request.headers.get("if-none-match") for request in server.requests] == [
        None,
        '"1"',
        '"1"',
    ]
    assert server.requests[1].headers["if-modified-since"] == "Sun, 15 Nov 2026 12:00:00 GMT"


async def test_not_modified_at_another_place_than_before_is_fetched_whole() -> None:
    seconds = 0.0
    cache = MemoryCache(max_entries=9, max_bytes=9999, clock=lambda: seconds)
    scripts = (
        html("otters", ETag='"1"'),
        moved("http://b.example/"),
        html("", "304 Not Modified"),
        moved("http://b.example/"),
        html("seals"),
    )
    async with serve(*scripts) as server, web(RELAXED, server, cache=cache) as shared:
        chain = ReadChain(shared)
        await chain.read(URL)
        seconds += 3600
        found = await chain.read(URL)

    assert (found.page.url, found.page.content) == ("http://b.example/", "seals")


@pytest.mark.parametrize(
    "script",
    [
        html("otters", **{"Cache-Control": "private, No-Store"}),
        html("<script>"),
        html("no", "500 No"),
    ],
)
async def test_what_must_not_be_kept_is_not(script: Script) -> None:
    async with serve(script) as server, web(RELAXED, server) as shared:
        for _ in range(2):
            await ReadChain(shared).read(URL)

    assert len(server.requests) == 2


async def test_another_policy_does_not_see_what_was_kept_under_this_one() -> None:
    async with (
        serve(moved("http://b.example/"), html("otters")) as server,
        web(RELAXED, server) as shared,
    ):
        await ReadChain(shared).read(URL)
        strict = ReadChain(shared, policy=DomainPolicy(allowed=("a.example",)))
        found = await strict.read(URL)

    assert found.page.url == URL
    assert len(server.requests) == 3


async def test_many_who_read_the_same_at_once_are_one_request() -> None:
    async with serve(html("otters")) as server, web(RELAXED, server) as shared:
        chain = ReadChain(shared)
        found = await asyncio.gather(*(chain.read(URL) for _ in range(10)))

    assert {each.page.content for each in found} == {"otters"}
    assert len(server.requests) == 1


async def test_a_host_that_asks_for_a_wait_gets_it() -> None:
    busy = html("", "503 Busy", **{"Retry-After": "60"})
    async with serve(busy) as server, web(RELAXED, server) as shared:
        chain = ReadChain(shared)
        first = await chain.read(URL)
        second = await chain.read("http://a.example/other")

    assert "HTTP status 503" in first.page.error
    assert "it is asked again in 60 s" in second.page.error
    assert len(server.requests) == 1
