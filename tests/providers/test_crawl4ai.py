"""What becomes of what the worker says; a real browser is in tests/search/test_crawl4ai.py."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from groundwire.browser.crawl4ai_worker import Visit
from groundwire.errors import ConfigError, DomainNotAllowedError, UrlRefusedError
from groundwire.guard import ANYWHERE, DomainPolicy
from groundwire.model import Json, Page, PageMetadata, Secret
from groundwire.providers import crawl4ai
from groundwire.providers.crawl4ai import provider
from groundwire.reader import Extracted
from groundwire.wire.contract import Access, GuardedBrowser, ReadsWithBrowser, abilities

URL = "https://a.example/"
WELL: Json = {
    "url": URL,
    "status": 200,
    "refused": "",
    "title": "Otters",
    "markdown": "They hold hands.",
    "problem": "",
    "is_cut": False,
    "notes": [],
    "metadata": {"authors": ["Ada Marsh"], "published": "2026-03-02"},
}
TASK: Json = {"url": URL, "allowed": ["*"], "blocked": [], "max_redirects": 5}


def browser(policy: DomainPolicy = ANYWHERE) -> GuardedBrowser:
    return GuardedBrowser(
        devtools_url="ws://127.0.0.1:1/",
        proxy_url="http://127.0.0.1:2",
        proxy_user="someone",
        proxy_password=Secret("canary"),
        policy=policy,
        max_redirects=5,
        timeout_seconds=20,
        user_agent="groundwire",
        is_own=True,
    )


def test_it_reads_with_a_browser_and_does_nothing_else() -> None:
    assert isinstance(provider, ReadsWithBrowser)
    assert abilities(provider) == ["read"]


async def test_without_the_library_it_says_how_to_get_it_and_starts_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    started = []

    @asynccontextmanager
    async def open_browser() -> AsyncIterator[GuardedBrowser]:
        started.append("browser")
        yield browser()

    monkeypatch.setattr(crawl4ai, "_LIBRARY", "a_library_that_is_not_installed")

    with pytest.raises(ConfigError, match=r"pip install 'groundwire\[crawl4ai\]'"):
        await provider.read_with(URL, Access(base_url="chromium"), open_browser)
    assert started == []


def test_what_was_read_is_a_page() -> None:
    page = crawl4ai._page(URL, WELL, browser())

    assert page == Page(
        url=URL,
        title="Otters",
        content="They hold hands.",
        original_length=16,
        metadata=PageMetadata(authors=("Ada Marsh",), published="2026-03-02"),
    )


@pytest.mark.parametrize(
    ("said", "error"),
    [
        ({"status": 404}, "a.example answered with HTTP status 404"),
        (
            {"problem": "the browser could not open it (ERR_X)"},
            "the browser could not open it (ERR_X)",
        ),
    ],
)
def test_what_could_not_be_read_says_why(said: Json, error: str) -> None:
    page = crawl4ai._page(URL, {**WELL, **said}, browser())

    assert (page.success, page.content, page.error) == (False, "", error)


def test_a_document_from_where_it_may_not_come_is_refused() -> None:
    policy = DomainPolicy(allowed=("a.example",))
    said = {**WELL, "refused": "https://b.example/"}

    with pytest.raises(DomainNotAllowedError, match=r"b\.example is not among the allowed"):
        crawl4ai._page(URL, said, browser(policy))


def test_more_redirects_than_allowed_are_refused() -> None:
    said = {**WELL, "refused": "https://a.example/again"}

    with pytest.raises(UrlRefusedError, match="more than 5 times"):
        crawl4ai._page(URL, said, browser())


def test_a_browser_that_cannot_be_guarded_is_an_error_of_the_settings() -> None:
    with pytest.raises(ConfigError, match="start it with"):
        crawl4ai._page(URL, {"unguarded": "start it with this flag"}, browser())


@pytest.mark.parametrize(
    ("message", "problem"),
    [
        (
            "Page.goto: net::ERR_TUNNEL_CONNECTION_FAILED at https://a.example/\nCall log:\n - x",
            "the browser could not open it (ERR_TUNNEL_CONNECTION_FAILED)",
        ),
        (
            "\n  Timeout 20000ms exceeded.\n→ 12  await page.goto(\n",
            "the browser could not open it: Timeout 20000ms exceeded.",
        ),
        ("", "the browser could not open it: no reason given"),
    ],
)
def test_the_librarys_reason_is_cut_to_what_helps(message: str, problem: str) -> None:
    assert Visit(TASK).read(message) == Extracted(problem=problem)
