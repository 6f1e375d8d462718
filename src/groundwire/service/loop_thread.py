"""An event loop in a thread of its own, which any other thread may give work to and wait for."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Awaitable, Callable
from concurrent.futures import CancelledError, Future, wait
from typing import Any, Generic, TypeVar

from groundwire.errors import ConfigError

T = TypeVar("T")

_CLOSED = "this Groundwire is closed: ask inside `with groundwire.open() as gw`"
_CLOSED_MEANWHILE = "Groundwire was closed while this was asked: close it when all threads are done"
_FORKED = "this Groundwire was opened in another process: open one after the fork"
_INSIDE = "this would wait for itself: an asynchronous tool must not call the blocking Groundwire"


class _Call(Generic[T]):
    """One piece of work. It can be cancelled also before its task has begun."""

    def __init__(self, work: Callable[[], Awaitable[T]]) -> None:
        self._work = work
        self._task: asyncio.Task[object] | None = None
        self._is_cancelled = False
        self.future: Future[T] = Future()

    async def run(self) -> T:
        self._task = asyncio.current_task()
        if self._is_cancelled:
            raise asyncio.CancelledError
        return await self._work()

    def cancel(self) -> None:
        """End the work; called in the loop's thread."""
        self._is_cancelled = True
        if self._task is not None:
            self._task.cancel()


class LoopThread:
    """Runs what other threads ask for, at once for all of them, until it is closed."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._process = os.getpid()
        self._lock = threading.Lock()
        self._calls: set[_Call[Any]] = set()
        self._is_closed = False
        self._thread = threading.Thread(target=self._serve, name="groundwire", daemon=True)
        self._thread.start()

    @property
    def is_usable(self) -> bool:
        """Tell whether work can be given to it from here."""
        return not self._is_closed and self._process == os.getpid()

    def call(self, work: Callable[[], Awaitable[T]]) -> T:
        """Run something in the loop and return what it gives.

        Whatever interrupts the waiting thread, such as Ctrl-C, cancels the work; the interrupt
        goes on when the work has ended.

        Raises:
            ConfigError: The loop is closed, is closed meanwhile, or is of another process.
        """
        if threading.get_ident() == self._thread.ident:
            raise ConfigError(_INSIDE)
        call = self._begin(work)
        try:
            return call.future.result()
        except CancelledError:
            if not self._is_closed:
                raise
            raise ConfigError(_CLOSED_MEANWHILE) from None
        except BaseException:
            if not call.future.done():
                self._loop.call_soon_threadsafe(call.cancel)
                wait([call.future])
            raise
        finally:
            with self._lock:
                self._calls.discard(call)

    def call_soon(self, work: Callable[[], Awaitable[object]]) -> None:
        """Run something in the loop, waiting for it unless this is the loop's own thread."""
        if threading.get_ident() != self._thread.ident:
            self.call(work)
            return
        self._spawn(_Call(work))

    def close(self, last: Callable[[], Awaitable[object]] | None = None) -> None:
        """Cancel all work, run `last` if given, and end the thread; a second time does nothing."""
        with self._lock:
            if not self.is_usable:
                return
            self._is_closed = True
        closing = asyncio.run_coroutine_threadsafe(self._close(last), self._loop)
        try:
            closing.result()
        finally:
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()

    def _begin(self, work: Callable[[], Awaitable[T]]) -> _Call[T]:
        with self._lock:
            if self._process != os.getpid():
                raise ConfigError(_FORKED)
            if self._is_closed:
                raise ConfigError(_CLOSED)
            call = _Call(work)
            self._calls.add(call)
            self._loop.call_soon_threadsafe(self._spawn, call)
        return call

    def _spawn(self, call: _Call[T]) -> None:
        task = self._loop.create_task(call.run())
        task.add_done_callback(lambda task: _hand_over(task, call.future))

    async def _close(self, last: Callable[[], Awaitable[object]] | None) -> None:
        with self._lock:
            running = [*self._calls]
        for call in running:
            call.cancel()
        ends = [asyncio.wrap_future(call.future) for call in running]
        await asyncio.gather(*ends, return_exceptions=True)
        if last is not None:
            await last()

    def _serve(self) -> None:
        asyncio.set_event_loop(self._loop)
        try:
            self._loop.run_forever()
            self._loop.run_until_complete(self._loop.shutdown_asyncgens())
            self._loop.run_until_complete(self._loop.shutdown_default_executor())
        finally:
            asyncio.set_event_loop(None)
            self._loop.close()


def _hand_over(task: asyncio.Task[T], future: Future[T]) -> None:
    """Tell the thread that waits how its work ended."""
    if task.cancelled():
        future.cancel()
        future.set_running_or_notify_cancel()
    elif (error := task.exception()) is not None:
        future.set_exception(error)
    else:
        future.set_result(task.result())
