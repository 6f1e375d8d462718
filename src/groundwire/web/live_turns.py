"""Live turns: each runs in a task of its own, whoever streams it and for however long.

A turn is a task of its own. What happens in it is encoded once and kept in one list that all
readers share; a reader is no more than a place in that list.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing, suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

from groundwire.chat.events import ChatEvent, TurnEnded, TurnFailed, TurnStarted
from groundwire.conversation import Status
from groundwire.errors import GroundwireError, StoreError
from groundwire.redaction import redact
from groundwire.store.database import patience
from groundwire.web.error_responses import WebError, logged_as, stopping
from groundwire.web.frames import after, done_frame, frames
from groundwire.web.turn_watch import watched

if TYPE_CHECKING:
    from groundwire.store import Store
    from groundwire.web.options import Options
    from groundwire.web.turn_watch import TurnObserver

MAX_TURN_BYTES = 2_000_000
MAX_KEPT_BYTES = 64_000_000
PREPARE_SECONDS = 2.0
"""For how long a server that is to end at once waits for turns that are about to begin."""

_LOG = logging.getLogger(__name__)

Batches = AsyncGenerator[Sequence[ChatEvent], None]


class TurnReader(Protocol):
    """A reader of a turn, woken when there are more events."""

    def wake(self) -> None:
        """Look again."""

    def watch(self, now: float) -> None:
        """Send a keep-alive if one is due, or disconnect a stalled client."""


class LiveTurn:
    """One turn while it runs, and for a while after.

    `message_id` is known once the first events are. When the list outgrows its bound the oldest
    events go; a reader that still needs them gets the last event, which has the whole answer.
    """

    def __init__(self, key: str) -> None:
        self.key = key
        self.message_id = ""
        self.session_id = ""
        self.is_over = False
        self.ended_at = 0.0
        self.size = 0
        self.last_number = 0
        self.dropped = 0
        self.batches: list[bytes] = []
        self.readers: set[TurnReader] = set()
        self.started: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.task: asyncio.Task[None] | None = None
        self.is_interrupted = False
        self._firsts: list[int] = []

    def add(self, events: Sequence[ChatEvent]) -> None:
        """Append events as bytes, and wake all readers."""
        if events:
            self._append(frames(events, self.last_number + 1), len(events))

    def end(self, last: bytes = b"") -> None:
        """Take the last event, if there is one, and let the readers go."""
        if last:
            self._append(last, 1)
        self.is_over = True
        self.ended_at = time.monotonic()
        for reader in self.readers:
            reader.wake()

    def read(self, index: int, number: int, most: int) -> tuple[bytes, int]:
        """Return what follows a place in the list, at most about so many bytes, and the next place.

        `number` is of the last event that the reader has, asked for only where it begins.
        """
        first = index - self.dropped
        if first < 0:
            # It fell behind what is kept: only the end is of use to it.
            if not self.is_over:
                return b"", index
            return after(self.batches[-1], number), self.dropped + len(self.batches)
        batches = self.batches
        if first == len(batches) - 1:
            return batches[first], index + 1
        size, end = 0, first
        while end < len(batches) and size < most:
            size += len(batches[end])
            end += 1
        return b"".join(batches[first:end]), self.dropped + end

    def since(self, index: int) -> tuple[int, bytes]:
        """Return what follows a place in the list, and the number of its first event."""
        first = max(0, index - self.dropped)
        if first >= len(self.batches):
            return self.last_number + 1, b""
        return self._firsts[first], b"".join(self.batches[first:])

    def append_at(self, first: int, last: int, batch: bytes) -> None:
        """Append events that another server numbered; what is missing before them stays missing."""
        if last <= self.last_number:
            return
        if first <= self.last_number:  # Written twice, because the first time seemed to fail.
            batch, first = after(batch, self.last_number), self.last_number + 1
        if first > self.last_number + 1:
            # A reader who wants what is missing gets the end, as one who fell behind.
            self.dropped += len(self.batches) + 1
            self.size, self.last_number = 0, first - 1
            self.batches.clear()
            self._firsts.clear()
        self._append(batch, last - first + 1)

    def place(self, number: int) -> tuple[int, bytes]:
        """Return where to go on after an event, and what of a batch comes before that."""
        if number >= self.last_number:
            return self.dropped + len(self.batches), b""
        if not self._firsts or number + 1 < self._firsts[0]:
            return (self.dropped - 1 if self.dropped else 0), b""
        index = max(i for i, first in enumerate(self._firsts) if first <= number + 1)
        if self._firsts[index] == number + 1:
            return self.dropped + index, b""
        return self.dropped + index + 1, after(self.batches[index], number)

    def _append(self, batch: bytes, count: int) -> None:
        self._firsts.append(self.last_number + 1)
        self.batches.append(batch)
        self.last_number += count
        self.size += len(batch)
        while self.size > MAX_TURN_BYTES and len(self.batches) > 1:
            self.size -= len(self.batches.pop(0))
            del self._firsts[0]
            self.dropped += 1
        for reader in self.readers:
            reader.wake()


class LiveTurns:
    """All turns of this process."""

    def __init__(
        self, store: Store, options: Options, observers: Sequence[TurnObserver] = ()
    ) -> None:
        self._store = store
        self._options = options
        self._observers = observers
        self._by_key: dict[str, LiveTurn] = {}
        self._by_message: dict[str, LiveTurn] = {}
        self._running: set[LiveTurn] = set()
        self._ticking: asyncio.Task[None] | None = None
        self._is_closed = False
        self.on_begun: Callable[[LiveTurn], None] | None = None

    def of_key(self, key: str) -> LiveTurn | None:
        """Return the turn that was begun under a key."""
        return self._by_key.get(key)

    def of_message(self, message_id: str) -> LiveTurn | None:
        """Return the turn that makes, or made, an answer."""
        return self._by_message.get(message_id)

    def is_running(self, session_id: str) -> bool:
        """Tell whether an answer of a session is being made here."""
        return any(run.session_id == session_id for run in self._running)

    @property
    def running_count(self) -> int:
        """Return how many answers are in progress."""
        return len(self._running)

    @property
    def reader_count(self) -> int:
        """Return how many readers they have."""
        return sum(len(run.readers) for run in self._running)

    def reserve(self, key: str) -> LiveTurn:
        """Return a turn that is about to begin, which holds its key from now on.

        Raises:
            WebError: As many turns as may run at once are running, or the server is stopping.
        """
        if refusal := self.refusal():
            raise refusal
        run = LiveTurn(key)
        self._running.add(run)
        self._by_key[key] = run
        if self._ticking is None:
            self._ticking = asyncio.create_task(self._tick())
        return run

    def refusal(self) -> WebError | None:
        """Return why no further turn would begin now, None if one would."""
        if self._is_closed:
            return stopping()
        if len(self._running) < self._options.max_answers:
            return None
        return WebError(
            503,
            "too many answers in progress: try again in 2 s",
            retry_after_seconds=2,
        )

    def forget(self, run: LiveTurn, error: BaseException) -> None:
        """Drop a turn that never started; whoever waits for it gets the error."""
        self._running.discard(run)
        self._by_key.pop(run.key, None)
        if not run.started.done():
            run.started.set_exception(error if isinstance(error, Exception) else stopping())
            run.started.exception()  # Nobody may be waiting.

    def begin(self, run: LiveTurn, batches: Batches) -> None:
        """Have a turn run by itself; `started` is done once its first events are there."""
        if run.started.done():  # The server stopped while the turn was prepared.
            return
        if self._observers:
            batches = watched(batches, self._observers)
        with patience():  # A turn outlasts its request, and so would the end of its patience.
            run.task = asyncio.create_task(self._run(run, batches))
        # Also of a task that is cancelled before its first step.
        run.task.add_done_callback(lambda _: self._finished(run))

    async def stop(self, run: LiveTurn) -> None:
        """End a turn now; what there is of the answer is kept."""
        if run.task is not None and not run.is_over:
            run.task.cancel()
            await asyncio.wait([run.task])

    async def stop_session(self, session_id: str) -> None:
        """End all turns of a session."""
        for run in [each for each in self._running if each.session_id == session_id]:
            await self.stop(run)

    async def drain(self, seconds: float) -> None:
        """Begin no more turns, and let those that run end within some seconds."""
        self._is_closed = True
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                while self._running:
                    # One that is being prepared has no task yet, and will have one.
                    await asyncio.wait([run.task or run.started for run in self._running])

    async def close(self) -> None:
        """Interrupt every turn, and let every reader go with the end of its answer."""
        self._is_closed = True
        # Cancelled while its question is kept, it would seem to be stopped by the user.
        if preparing := [run.started for run in self._running]:
            await asyncio.wait(preparing, timeout=PREPARE_SECONDS)
        tasks = []
        for run in [*self._running]:
            run.is_interrupted = True
            if run.task is None:
                self.forget(run, stopping())
                continue
            run.task.cancel()
            tasks.append(run.task)
        if tasks:
            await asyncio.wait(tasks)
        if self._ticking is not None:
            self._ticking.cancel()
            with suppress(asyncio.CancelledError):
                await self._ticking

    async def _run(self, run: LiveTurn, batches: Batches) -> None:
        try:
            async with aclosing(batches):
                async for batch in batches:
                    if not run.message_id:
                        self._began(run, batch)
                    run.add(batch)
                    if batch and type(batch[-1]) is TurnEnded:
                        run.end()
        except asyncio.CancelledError:
            if not run.message_id:
                raise
            await self._ended_early(run)
        except Exception as error:  # noqa: BLE001 - a task has nobody else to tell
            await self._failed(run, error)

    def _began(self, run: LiveTurn, batch: Sequence[ChatEvent]) -> None:
        for event in batch:
            if isinstance(event, TurnStarted):
                run.message_id, run.session_id = event.message_id, event.session_id
                self._by_message[run.message_id] = run
                if self.on_begun is not None:
                    self.on_begun(run)
        if not run.started.done():
            run.started.set_result(None)

    async def _failed(self, run: LiveTurn, error: Exception) -> None:
        if not run.message_id and isinstance(error, GroundwireError):
            self.forget(run, error)
            return
        _LOG.error("a turn failed: %s", redact(repr(error)), exc_info=error)
        message = f"internal error in this answer: see the log of the server{logged_as()}"
        run.add([TurnFailed(message=message, code="internal")])
        if not run.message_id:
            self.forget(run, WebError(500, message, code="internal"))
            return
        await self._ended_early(run)

    async def _ended_early(self, run: LiveTurn) -> None:
        """Tell the end that the turn itself could not tell any more."""
        try:
            message = await self._store.messages.get(run.message_id)
            if run.is_interrupted and message.status is Status.CANCELLED:
                # It was the server that stopped, and not the user who wanted no more.
                message = replace(message, status=Status.INTERRUPTED)
                await self._store.messages.save(message)
            elif message.status is Status.STREAMING:  # Its end could not be kept.
                message = replace(message, status=Status.INTERRUPTED)
        except StoreError as error:
            run.add([TurnFailed(message=str(error), code=error.code)])
            run.end()
            return
        run.end(done_frame(run.last_number + 1, message))

    def _finished(self, run: LiveTurn) -> None:
        self._running.discard(run)
        if not run.is_over:
            run.end()
        if not run.started.done():
            self.forget(run, stopping())

    async def _tick(self) -> None:
        while True:
            await asyncio.sleep(min(1.0, self._options.keep_alive_seconds / 3))
            now = time.monotonic()
            for run in [*self._by_key.values()]:
                for reader in [*run.readers]:
                    reader.watch(now)
            self._forget_old(now)

    def _forget_old(self, now: float) -> None:
        """Evict finished turns, the oldest first."""
        over = sorted(
            (run for run in self._by_key.values() if run.is_over), key=lambda run: run.ended_at
        )
        kept = sum(run.size for run in over)
        for run in over:
            is_old = now - run.ended_at > self._options.kept_seconds
            if run.readers or not (is_old or kept > MAX_KEPT_BYTES):
                continue
            kept -= run.size
            self._by_key.pop(run.key, None)
            if self._by_message.get(run.message_id) is run:
                del self._by_message[run.message_id]
