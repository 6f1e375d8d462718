"""Which URLs a model may open, and which number a source has."""

from __future__ import annotations

import pytest

from groundwire.sandbox import SandboxServer
from groundwire.tools import Ledger
from groundwire.tools.ledger import urls_in
from tests.loopback import serve
from tests.tools.web import OTTER, browsing, page

PAGE = "https://a.example/page?q=1"


def test_a_url_made_up_is_not_admitted() -> None:
    ledger = Ledger()
    ledger.begin_turn(f"Please read {PAGE}")

    assert ledger.admit("https://a.example/page?q=secret") is None
    assert ledger.admit("https://a.example/") is None
    assert "neither from the user nor from a result" in ledger.refusal("https://a.example/")


@pytest.mark.parametrize(
    "written",
    [
        "http://a.example/page?q=1",
        "https://A.EXAMPLE:443/page?q=1",
        "https://a.example/page?q=1#secret",
        "https://a.example/page?q=1&utm_source=secret",
    ],
)
def test_a_url_is_opened_as_it_is_known_not_as_a_model_writes_it(written: str) -> None:
    ledger = Ledger()
    ledger.allow(PAGE)

    assert ledger.admit(written) == PAGE


@pytest.mark.parametrize(
    ("message", "url"),
    [
        ("See (https://a.example/x).", "https://a.example/x"),
        ("See [it](https://a.example/x_(y)), please", "https://a.example/x_(y)"),
        ("<https://a.example/x>!", "https://a.example/x"),
        ("what does a.example/x say?", "https://a.example/x"),
        ("a.example: any good?", "https://a.example"),
        ("http://a.example:8080/x?y=[1]", "http://a.example:8080/x?y=[1]"),
    ],
)
def test_what_a_user_writes_as_an_address_may_be_opened(message: str, url: str) -> None:
    ledger = Ledger()

    ledger.begin_turn(message)

    assert ledger.admit(url) == url


def test_an_address_of_mail_is_no_page() -> None:
    ledger = Ledger()

    ledger.begin_turn("Write to otter@a.example")

    assert ledger.admit("https://a.example") is None


def test_links_of_pages_are_admitted_as_often_as_a_turn_allows() -> None:
    ledger = Ledger(links_per_turn=2)
    ledger.offer("[a](https://a.example/a) [b](https://a.example/b) [c](https://a.example/c)")

    admitted = [ledger.admit(f"https://a.example/{name}") for name in "aabc"]

    assert admitted == [*["https://a.example/a"] * 2, "https://a.example/b", None]
    assert ledger.refusal("https://a.example/c").startswith(
        "the limit of 2 links found inside pages"
    )
    ledger.begin_turn("Go on.")
    assert ledger.admit("https://a.example/c") == "https://a.example/c"


def test_with_no_budget_links_of_pages_are_never_admitted() -> None:
    ledger = Ledger(links_per_turn=0)
    ledger.offer("[a](https://a.example/a)")

    assert ledger.admit("https://a.example/a") is None
    assert ledger.refusal("https://a.example/a").startswith("links found inside pages are not")


def test_an_open_ledger_admits_everything() -> None:
    assert Ledger(is_open=True).admit(PAGE) == PAGE


def test_a_source_keeps_its_number() -> None:
    ledger = Ledger()

    numbers = [ledger.number(url, "") for url in (PAGE, OTTER, f"{PAGE}&utm_source=x")]

    assert numbers == [1, 2, 1]


def test_a_page_of_brackets_is_gone_through_once() -> None:
    text = "https://a.example/" + "()" * 200_000

    assert len(next(urls_in(text))) == len("https://") + 4_000


async def test_the_tool_refuses_what_is_not_in_context_and_asks_nobody() -> None:
    async with serve(page("otters")) as server, browsing(server) as browser:
        output = await browser.open("http://a.example/?secret")

    assert output.is_error
    assert output.data["url"] == "http://a.example/?secret"
    assert output.data["error"].startswith("url_not_in_context: ")
    assert server.requests == []


async def test_a_page_is_asked_for_without_what_a_model_added() -> None:
    async with serve(page("otters")) as server, browsing(server) as browser:
        browser.ledger.allow("http://a.example/x")
        await browser.open("http://a.example/x?utm_campaign=secret#more")

    assert [request.line for request in server.requests] == ["GET /x HTTP/1.1"]


async def test_links_of_an_opened_page_are_paid_for() -> None:
    text = "[1](http://a.example/1) [2](http://a.example/2)"
    async with serve(page(text)) as server, browsing(server, links_per_turn=1) as browser:
        browser.ledger.allow("http://a.example/")
        outputs = [await browser.open(f"http://a.example/{path}") for path in ("", "1", "2", "1")]

    assert [output.data["status"] for output in outputs] == [
        "success",
        "success",
        "error",
        "success",
    ]


async def test_links_after_what_was_handed_on_are_not_known() -> None:
    text = "x" * 10 + " http://a.example/1"
    async with serve(page(text)) as server, browsing(server) as browser:
        browser.ledger.allow("http://a.example/")
        await browser.open("http://a.example/", max_length=10)
        output = await browser.open("http://a.example/1")

    assert output.data["error"].startswith("url_not_in_context: ")


async def test_two_conversations_know_nothing_of_one_another(sandbox: SandboxServer) -> None:
    async with browsing(sandbox=sandbox, search_provider="tavily") as one:
        await one.search()
    async with browsing(sandbox=sandbox, read_provider="jina") as other:
        output = await other.open(OTTER)

    assert output.data["error"].startswith("url_not_in_context: ")
