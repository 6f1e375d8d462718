"""`groundwire.open`: the whole program for `async with`, or for plain `with`."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from groundwire.errors import ConfigError
from groundwire.service.program import Groundwire

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import TracebackType

    from groundwire.chat import ChatEvent
    from groundwire.chat.events import TurnEnded
    from groundwire.keys import Keys
    from groundwire.settings import Settings


def open(  # noqa: A001 - it is called as `groundwire.open`
    *,
    settings: Settings | None = None,
    keys: Keys | None = None,
    database: str | None = None,
    keep: bool = True,
) -> Opening:
    """Return Groundwire, ready for `async with`, or for `with` where nothing is asynchronous.

    `database` is a path or a postgresql:// URL; without one the settings decide. With
    `keep=False` nothing is stored.
    """
    return Opening(Groundwire(settings=settings, keys=keys, database=database, keep=keep))


class Opening:
    """A program that is about to be opened, one way or the other."""

    def __init__(self, program: Groundwire) -> None:
        self._program = program
        self._blocking: BlockingGroundwire | None = None

    async def __aenter__(self) -> Groundwire:
        return await self._program.__aenter__()

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self._program.__aexit__(kind, error, traceback)

    def __enter__(self) -> BlockingGroundwire:
        if _is_in_loop():
            raise ConfigError("an event loop runs here already: use `async with groundwire.open()`")
        self._blocking = BlockingGroundwire(self._program)
        return self._blocking

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._blocking is not None:
            self._blocking.close()


class BlockingGroundwire:
    """The same for programs without an event loop: it has one of its own."""

    def __init__(self, program: Groundwire) -> None:
        self._program = program
        self._runner = asyncio.Runner()
        try:
            self._runner.run(program.__aenter__())
        except BaseException:
            self._runner.close()
            raise

    def ask(self, text: str, **options: Any) -> Iterator[ChatEvent]:  # noqa: ANN401 - those of `ask`
        """Yield the events of one turn; leaving the loop cancels it."""
        events = self._program.ask(text, **options)
        try:
            while True:
                try:
                    yield self._runner.run(_next(events))
                except StopAsyncIteration:
                    return
        finally:
            self._runner.run(events.aclose())

    def answer(self, text: str, **options: Any) -> TurnEnded:  # noqa: ANN401 - those of `ask`
        """Return the end of a turn: `markdown` is the answer with its sources."""
        return self._runner.run(self._program.answer(text, **options))

    def close(self) -> None:
        """Close everything that was opened."""
        try:
            self._runner.run(self._program.__aexit__(None, None, None))
        finally:
            self._runner.close()


def _is_in_loop() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


async def _next(events: Any) -> ChatEvent:  # noqa: ANN401 - an asynchronous generator
    event: ChatEvent = await anext(events)
    return event
