"""`groundwire.check_claim` and `groundwire.check_text`: checks as one call, blocking or not."""

from __future__ import annotations

from contextlib import asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING

from groundwire.checks import PageIndex, index_page, not_read
from groundwire.checks import check_claim as compare
from groundwire.checks.judged_page import IndexedPage
from groundwire.errors import ConfigError
from groundwire.model import Page
from groundwire.service.cited_input import cited_input
from groundwire.service.one_liners import run_blocking
from groundwire.service.text_check import TextCheck, TextChecker, WebPages

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from groundwire.chat.opinions import Judge
    from groundwire.checks import Check, Opinion
    from groundwire.config.keys import Keys
    from groundwire.config.settings import Settings
    from groundwire.search import SearchContext
    from groundwire.wire.contract import HttpReply


async def acheck_claim(
    claim: str,
    page: str | Page,
    *,
    settings: Settings | None = None,
    keys: Keys | None = None,
) -> Check:
    """Return what of a claim stands on a page: a URL, a page that was read, or its Markdown."""
    if isinstance(page, Page):
        return (await check_page(claim, page))[0]
    if not page.startswith(("https://", "http://")) or any(letter.isspace() for letter in page):
        return compare(claim, PageIndex(page))
    async with _opened(settings, keys) as search_context:
        return (
            await check_page(claim, await _web_pages(search_context, by_agent=False).read(page))
        )[0]


async def acheck_text(
    text: str, *, settings: Settings | None = None, keys: Keys | None = None
) -> TextCheck:
    """Return what the citations of a text come to, each compared with the page that it names.

    The text is Markdown, HTML, or a saved answer.

    Raises:
        ConfigError: It is JSON, and no answer of a known kind.
    """
    cited = cited_input(text)
    if not any(each.url for each in cited.citations):
        return await TextChecker(_NoPages()).check(cited)
    async with _opened(settings, keys) as search_context:
        return await TextChecker(_web_pages(search_context)).check(cited)


def check_claim(
    claim: str,
    page: str | Page,
    *,
    settings: Settings | None = None,
    keys: Keys | None = None,
) -> Check:
    """Return what of a claim stands on a page: a URL, a page that was read, or its Markdown.

        check = groundwire.check_claim("Sea otters weigh 45 kg", "https://example.com/otters")
        print(check.missing_numbers, check.nearest)

    These are literal facts and no verdict. In a coroutine use `await groundwire.acheck_claim(...)`.
    """
    return run_blocking(partial(acheck_claim, claim, page, settings=settings, keys=keys))


def check_text(
    text: str, *, settings: Settings | None = None, keys: Keys | None = None
) -> TextCheck:
    """Return what the citations of a text come to, each compared with the page that it names.

        done = groundwire.check_text(open("answer.md").read())
        print(done.summary)

    The text is Markdown, HTML, or a saved answer. In a coroutine use
    `await groundwire.acheck_text(...)`.

    Raises:
        ConfigError: It is JSON, and no answer of a known kind.
    """
    return run_blocking(partial(acheck_text, text, settings=settings, keys=keys))


async def check_page(
    claim: str, page: Page, *, judge: Judge | None = None
) -> tuple[Check, Opinion | None]:
    """Return what of a claim stands on a page, and what a judge thinks of it."""
    if not page.success:
        return not_read(page.error), None
    index = index_page(page.content, has_pages=page.metadata.pages is not None)
    check = compare(claim, index)
    if judge is None or check.not_compared is not None:
        return check, None
    return check, (await judge.judge(claim, IndexedPage(index))).opinion


async def fetch_source(url: str, search_context: SearchContext) -> str:
    """Return what stands at a URL as it was sent: a page's own links and notes are wanted.

    Raises:
        BlockedError: It may not be opened.
        ConfigError: It cannot be read.
    """
    from groundwire.cache import NoCache  # noqa: PLC0415 - the network only when used
    from groundwire.search import ReadChain, SearchContext  # noqa: PLC0415 - as above

    raw = SearchContext(
        search_context.settings,
        search_context.client,
        find=search_context.find,
        cache=NoCache(),
        extract=_as_sent,
    )
    raw.rate_limits = search_context.rate_limits
    page = (await ReadChain(raw, names="local").read(url, by_agent=False)).page
    if not page.success:
        raise ConfigError(f"{url} could not be read: {page.error}")
    return page.content


async def _as_sent(reply: HttpReply) -> Page:
    charset = reply.headers.get("content-type", "").lower().partition("charset=")[2]
    try:
        text = reply.body.decode(charset.strip("\"' ;") or "utf-8", "replace")
    except LookupError:
        text = reply.body.decode("utf-8", "replace")
    return Page(url=reply.url, content=text)


class _NoPages:
    """For a text without addresses: there is nothing to open."""

    async def read(self, url: str) -> Page:
        """Return that there is no such page."""
        return Page(url=url, success=False, error="there is no address")


def _web_pages(search_context: SearchContext, *, by_agent: bool = True) -> WebPages:
    from groundwire.search import ReadChain  # noqa: PLC0415 - the network only when used

    return WebPages(ReadChain(search_context, reads_library=True), by_agent=by_agent)


@asynccontextmanager
async def _opened(settings: Settings | None, keys: Keys | None) -> AsyncIterator[SearchContext]:
    from groundwire.client import Client  # noqa: PLC0415 - the network only when used
    from groundwire.config.keys import Keys  # noqa: PLC0415 - as above
    from groundwire.config.settings import load  # noqa: PLC0415 - as above
    from groundwire.service.factory import search_context  # noqa: PLC0415 - as above

    chosen = settings or load()
    async with (
        Client(chosen.network) as client,
        search_context(chosen, keys or Keys(), client) as opened,
    ):
        yield opened
