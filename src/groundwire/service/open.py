"""`groundwire.open`: the whole program for `async with`, or for plain `with`."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING, Unpack

from groundwire.errors import ConfigError
from groundwire.service.loop_thread import LoopThread
from groundwire.service.program import Groundwire

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Generator

    from groundwire.chat import Answer, ChatEvent
    from groundwire.config.keys import Keys
    from groundwire.config.settings import Settings
    from groundwire.model import Page, SearchReply
    from groundwire.service.ask_options import AskOptions
    from groundwire.service.search_options import ReadOptions, SearchOptions


def open(  # noqa: A001 - it is called as `groundwire.open`
    *,
    settings: Settings | None = None,
    keys: Keys | None = None,
    database: str | None = None,
    keep: bool = True,
) -> OpenGroundwire:
    """Return Groundwire, ready for `async with`, or for `with` where nothing is asynchronous.

    `database` is a path or a postgresql:// URL; without one the settings decide. With
    `keep=False` nothing is stored.
    """
    return OpenGroundwire(Groundwire(settings=settings, keys=keys, database=database, keep=keep))


class OpenGroundwire:
    """A program that is about to be opened, one way or the other."""

    def __init__(self, program: Groundwire) -> None:
        self._program = program
        self._blocking: BlockingGroundwire | None = None

    async def __aenter__(self) -> Groundwire:
        return await self._program.__aenter__()

    async def __aexit__(self, *_: object) -> None:
        await self._program.close()

    def __enter__(self) -> BlockingGroundwire:
        if _is_in_loop():
            raise ConfigError("an event loop runs here already: use `async with groundwire.open()`")
        self._blocking = BlockingGroundwire(self._program)
        return self._blocking

    def __exit__(self, *_: object) -> None:
        if self._blocking is not None:
            self._blocking.close()


class BlockingGroundwire:
    """The same for programs without an event loop: it has one of its own, in a thread.

    Several threads may ask at once. Ctrl-C in a thread that waits cancels what it asked.
    """

    def __init__(self, program: Groundwire) -> None:
        self._program = program
        self._streams: set[AsyncGenerator[ChatEvent, None]] = set()
        self._thread = LoopThread()
        try:
            self._thread.call(program.__aenter__)
        except BaseException:
            self._thread.close()
            raise

    def search(self, query: str, **options: Unpack[SearchOptions]) -> SearchReply:
        """Return pages that match, best first; see `Groundwire.search`."""
        return self._thread.call(partial(self._program.search, query, **options))

    def read(self, url: str, **options: Unpack[ReadOptions]) -> Page:
        """Return a web page as Markdown; see `Groundwire.read`."""
        return self._thread.call(partial(self._program.read, url, **options))

    def ask(self, text: str, **options: Unpack[AskOptions]) -> Answer:
        """Return a cited answer; see `Groundwire.ask`."""
        return self._thread.call(partial(self._program.ask, text, **options))

    def stream(self, text: str, **options: Unpack[AskOptions]) -> Generator[ChatEvent, None, None]:
        """Return the events of one turn as they come; leaving the loop cancels it.

        Raises:
            ConfigError: An option cannot be used, or this is closed.
        """
        return self._events(self._thread.call(partial(self._begin, text, options)))

    def close(self) -> None:
        """Cancel what is still asked, and close everything that was opened."""
        self._thread.close(self._close)

    async def _begin(self, text: str, options: AskOptions) -> AsyncGenerator[ChatEvent, None]:
        events = self._program.stream(text, **options)
        self._streams.add(events)
        return events

    def _events(self, events: AsyncGenerator[ChatEvent, None]) -> Generator[ChatEvent, None, None]:
        try:
            while (event := self._thread.call(partial(anext, events, None))) is not None:
                yield event
        finally:
            if self._thread.is_usable:
                self._thread.call_soon(partial(self._end, events))

    async def _end(self, events: AsyncGenerator[ChatEvent, None]) -> None:
        self._streams.discard(events)
        await events.aclose()

    async def _close(self) -> None:
        for events in [*self._streams]:
            await self._end(events)
        await self._program.close()


def _is_in_loop() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True
