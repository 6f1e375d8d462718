"""One streamed reply: bytes to events, with a watch on silence, on time and on size."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, TypeVar

from groundwire.client.bodies import Unpacker
from groundwire.client.translation import LIBRARY_ERRORS, translate
from groundwire.errors import GroundwireError, TimedOutError, TooLargeError
from groundwire.sse import IncompleteEvent, SseParser

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterator, Callable
    from types import TracebackType
    from typing import Self

    import aiohttp

    from groundwire.contract import HttpReply
    from groundwire.settings import NetworkSettings


T = TypeVar("T")


class ReplyBody:
    """The body of a reply that has begun, stopped when it falls silent, lasts or grows too long."""

    def __init__(self, response: aiohttp.ClientResponse, limits: NetworkSettings) -> None:
        self.status = response.status
        self.headers = {name.lower(): value for name, value in response.headers.items()}
        self._content = response.content
        self._host = response.url.host or ""
        self._limits = limits
        self._loop = asyncio.get_running_loop()
        self._began = self._last_heard = self._loop.time()
        self._watch: asyncio.TimerHandle | None = None

    def __enter__(self) -> Self:
        self._look_again()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._watch is not None:
            self._watch.cancel()

    def chunks(self) -> AsyncIterator[bytes]:
        """Yield the bytes as they come, still in their content encoding.

        Raises:
            TruncatedError: The connection broke.
            TimedOutError: Nothing came for too long, or the whole took too long.
            TooLargeError: The whole is over the limit.
        """
        return self._read(bytes)

    async def _read(
        self, understand: Callable[[bytes], T], first: T | None = None
    ) -> AsyncGenerator[T, None]:
        """Yield what is known already, then what the chunks mean, unless that is nothing.

        One generator and not one on top of another: each layer is paid for at every chunk.
        """
        if first:
            yield first
        failure: GroundwireError | None = None
        received = 0
        try:
            while chunk := await self._content.readany():
                self._last_heard = self._loop.time()
                received += len(chunk)
                over = received - self._limits.max_reply_bytes
                if meaning := understand(chunk[:-over] if over > 0 else chunk):
                    yield meaning
                if over > 0:
                    raise TooLargeError(f"the reply of {self._host}", self._limits.max_reply_bytes)
        except LIBRARY_ERRORS as error:
            failure = translate(error, self._host)
        if failure is not None:
            raise failure
        understand(b"")

    def _look_again(self) -> None:
        """Stop a reply that is silent or endless; else look again when it could next be so.

        Moving a timer at every chunk would cost more than parsing it.
        """
        limits, now = self._limits, self._loop.time()
        idle_until = self._last_heard + limits.idle_timeout_seconds
        total_until = self._began + limits.total_timeout_seconds
        if now >= total_until:
            self._stop("total", limits.total_timeout_seconds)
        elif now >= idle_until:
            self._stop("idle", limits.idle_timeout_seconds)
        else:
            self._watch = self._loop.call_at(min(idle_until, total_until), self._look_again)

    def _stop(self, phase: str, seconds: float) -> None:
        self._content.set_exception(TimedOutError(self._host, phase, seconds))


class EventStream(ReplyBody):
    """A reply as the data of its events, one by one, or in `batches`, all that came together.

    A server that ignores the wish for a stream sends its reply in one piece: then that is in
    `whole` and there are no events.
    """

    def __init__(
        self,
        response: aiohttp.ClientResponse,
        limits: NetworkSettings,
        whole: HttpReply | None = None,
    ) -> None:
        super().__init__(response, limits)
        self.whole = whole
        self._response = response
        self._parser = SseParser(limits.max_event_bytes)
        # None was offered for a stream, but some servers compress all the same.
        encoding = self.headers.get("content-encoding", "")
        self._unpacker = Unpacker(encoding, limits.max_reply_bytes, self._host)
        self._first: list[str] = []

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        super().__exit__(kind, error, traceback)
        # Closed, not released: a reply that nobody finished reading must not go on.
        self._response.close()

    @property
    def incomplete(self) -> IncompleteEvent | None:
        """Return what the body ended in the middle of, None if it ended between two events."""
        return self._parser.close()

    async def first_event(self) -> str:
        """Wait for the first event and return its data, "" if none came; it is not used up."""
        batches = self._read(self._understand)
        self._first = await anext(batches, [])
        await batches.aclose()
        return self._first[0] if self._first else ""

    def batches(self) -> AsyncGenerator[list[str], None]:
        """Yield the data of events that arrived together, which is cheaper than one by one.

        Raises:
            EventTooLargeError: One event is over the limit; see `chunks` for the rest.
        """
        return self._read(self._understand, self._first)

    @property
    def _understand(self) -> Callable[[bytes], list[str]]:
        feed, unpack = self._parser.feed_data, self._unpacker.unpack
        return (lambda chunk: feed(unpack(chunk))) if self._unpacker.is_packed else feed

    async def __aiter__(self) -> AsyncIterator[str]:
        async for batch in self.batches():
            for data in batch:
                yield data
