"""`groundwire.search`, `read` and `ask`: one call each, blocking; `asearch` and so on for asyncio.

Each call opens Groundwire and closes it again. A program that asks more than once keeps one open
(`groundwire.open`), which shares connections, cached pages and rate limits between its calls.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, TypeVar, Unpack

from groundwire.service.loop_thread import LoopThread
from groundwire.service.program import Groundwire

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from groundwire.chat import Answer
    from groundwire.model import Page, SearchReply
    from groundwire.service.ask_options import AskOptions
    from groundwire.service.search_options import ReadOptions, SearchOptions

T = TypeVar("T")


def search(query: str, **options: Unpack[SearchOptions]) -> SearchReply:
    """Search the web and return the results, best first.

        for result in groundwire.search("sea otter fur", limit=3):
            print(result.title, result.url)

    Options: `limit` (5), `domains` (["example.com"]), `time_range` ("d", "w", "m", "y", "all"),
    `provider` ("tavily", or a list that is tried in order; else as the settings say). Needs no
    key. In a coroutine use `await groundwire.asearch(...)`.

    Raises:
        SearchFailedError: No service could be searched. Nothing found is no failure.
        SettingsError: A filter is invalid.
    """
    return run_blocking(partial(asearch, query, **options))


async def asearch(query: str, **options: Unpack[SearchOptions]) -> SearchReply:
    """Search the web from asyncio; otherwise the same as `groundwire.search`."""
    async with Groundwire(keep=False) as gw:
        return await gw.search(query, **options)


def read(url: str, **options: Unpack[ReadOptions]) -> Page:
    """Return a web page as Markdown, in `content`.

        print(groundwire.read("https://example.com/").content)

    Options: `provider` ("jina", or a list that is tried in order; else as the settings say),
    `by_agent` (False where a person asked for the page: robots.txt is then ignored). Needs no key.
    In a coroutine use `await groundwire.aread(...)`.

    Raises:
        BlockedError: The URL or its domain may not be opened, such as an address of this network.
        ReadFailedError: No reader could read the page.
    """
    return run_blocking(partial(aread, url, **options))


async def aread(url: str, **options: Unpack[ReadOptions]) -> Page:
    """Return a web page as Markdown from asyncio; otherwise the same as `groundwire.read`."""
    async with Groundwire(keep=False) as gw:
        return await gw.read(url, **options)


def ask(question: str, *, keep: bool = True, **options: Unpack[AskOptions]) -> Answer:
    """Ask a model and return its cited answer.

        print(groundwire.ask("How do sea otters sleep?"))

    Options: `provider` ("anthropic"), `model`, `search` ("auto", "hosted", "client", "off"),
    `domains`, `thinking`, `attachments`, `tools`, `agent`, `session`. The defaults are those of
    `groundwire ask`: without any key the built-in extractive model quotes your library, at first
    our documentation. With `keep=False` nothing is stored. In a coroutine use
    `await groundwire.aask(...)`.

    Raises:
        ConfigError: An option is invalid, or something that the provider needs is missing.
        GroundwireError: The turn failed; what had come is in the error's `answer`.
    """
    return run_blocking(partial(aask, question, keep=keep, **options))


async def aask(question: str, *, keep: bool = True, **options: Unpack[AskOptions]) -> Answer:
    """Ask a model from asyncio; otherwise the same as `groundwire.ask`."""
    async with Groundwire(keep=keep) as gw:
        return await gw.ask(question, **options)


def run_blocking(work: Callable[[], Awaitable[T]]) -> T:
    """Run a coroutine in a thread of its own, so that notebooks, which run a loop, can block."""
    thread = LoopThread()
    try:
        return thread.call(work)
    finally:
        thread.close()
