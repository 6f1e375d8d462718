"""A text's pages over real sockets: each read once, a few at a time, as any page is."""

from __future__ import annotations

import asyncio

import pytest

from groundwire.checks import NotCompared
from groundwire.checks.cited_text import parse_cited
from groundwire.errors import ConfigError
from groundwire.model import Page
from groundwire.search import ReadChain
from groundwire.service.cited_input import cited_input
from groundwire.service.claim_check import fetch_source
from groundwire.service.text_check import AT_ONCE, TextChecker, WebPages
from tests.loopback import reply, serve
from tests.search.services import settings
from tests.search.test_read_chain import NO_ROBOTS, RELAXED, html, moved, web

TEXT = "Sea otters hold each other's paws while they sleep in the kelp. They weigh 45 kg. " * 3
URL = "http://a.example/page"


async def test_a_text_on_the_web_is_read_with_its_own_notes() -> None:
    page = (
        "<html><body><p>Otters weigh 45 kg.<sup><a href='#n1'>[1]</a></sup></p>"
        "<ol><li id='n1'>See <a href='https://b.example/x'>this</a>.</li></ol></body></html>"
    )
    async with serve(html(page)) as server, web(RELAXED, server) as shared:
        cited = cited_input(await fetch_source(URL, shared))

    assert [(each.claim.text, each.url) for each in cited.citations] == [
        ("Otters weigh 45 kg.", "https://b.example/x")
    ]


async def test_a_text_on_the_web_that_is_gone_is_an_error() -> None:
    async with serve(html("gone", "410 Gone")) as server, web(RELAXED, server) as shared:
        with pytest.raises(ConfigError, match="HTTP status 410"):
            await fetch_source(URL, shared)


async def test_a_page_that_two_claims_cite_is_read_once() -> None:
    cited = parse_cited(f"They weigh 45 kg. ({URL}) They weigh 450 kg. ({URL})")
    async with serve(html(TEXT)) as server, web(RELAXED, server) as shared:
        done = await TextChecker(WebPages(ReadChain(shared))).check(cited)

    assert len(server.requests) == 1
    assert [each.citation.check.missing_numbers for each in done.checks] == [(), ("450",)]
    assert len({each.citation.page_hash for each in done.checks}) == 1


@pytest.mark.parametrize(
    ("scripts", "chosen", "said"),
    [
        ((html("gone", "404 No"),), RELAXED, "HTTP status 404"),
        ((moved("/page"),) * 12, RELAXED, "redirect"),
        ((moved("http://127.0.0.1/"),), RELAXED, "loopback"),
        ((reply(b"User-agent: *\nDisallow: /", content_type="text/plain"),), settings(), "robots"),
        ((), settings(search={"blocked_domains": ["a.example"]}), "a.example"),
    ],
    ids=["gone", "loop", "inward", "robots", "policy"],
)
async def test_a_page_that_cannot_be_opened_is_not_compared_and_says_why(
    scripts: tuple[object, ...], chosen: object, said: str
) -> None:
    cited = parse_cited(f"They weigh 45 kg. ({URL})")
    async with serve(*scripts) as server, web(chosen, server) as shared:  # type: ignore[arg-type]
        done = await TextChecker(WebPages(ReadChain(shared))).check(cited)

    check = done.checks[0].citation.check
    assert check.not_compared is NotCompared.UNREADABLE
    assert said in check.detail


async def test_robots_are_asked_for_what_a_text_names() -> None:
    cited = parse_cited(f"They weigh 45 kg. ({URL})")
    async with serve(NO_ROBOTS, html(TEXT)) as server, web(settings(), server) as shared:
        done = await TextChecker(WebPages(ReadChain(shared))).check(cited)

    assert [request.line.split()[1] for request in server.requests] == ["/robots.txt", "/page"]
    assert done.summary == "1 of 1 citation stands on its page"


class _Slow:
    """Pages that wait until as many are asked for as may be at once."""

    def __init__(self) -> None:
        self.open = self.most = 0
        self._full = asyncio.Event()

    async def read(self, url: str) -> Page:
        self.open += 1
        self.most = max(self.most, self.open)
        if self.open == AT_ONCE:
            self._full.set()
        await self._full.wait()
        self.open -= 1
        return Page(url=url, content=TEXT)


async def test_pages_are_read_a_few_at_a_time_and_no_more_than_the_limit() -> None:
    text = "\n\n".join(f"Otters weigh {n} kg. (https://a.example/{n})" for n in range(1, 13))
    pages = _Slow()

    done = await TextChecker(pages, max_pages=10).check(parse_cited(text))

    assert pages.most == AT_ONCE
    assert [each.citation.check.detail for each in done.checks[10:]] == [
        "the limit of 10 pages a text was reached"
    ] * 2


async def test_a_stopped_check_stops_reading() -> None:
    class Never:
        is_left = False

        async def read(self, url: str) -> Page:
            try:
                await asyncio.Event().wait()
            finally:
                self.is_left = True
            return Page(url=url)

    pages = Never()
    task = asyncio.create_task(TextChecker(pages).check(parse_cited(f"They weigh 45 kg. ({URL})")))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    task.cancel()

    with pytest.raises(asyncio.CancelledError):
        await task
    assert pages.is_left
