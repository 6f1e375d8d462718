"""One streamed reply: bytes to events, with an idle timeout, a total timeout and a size limit."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING

from groundwire.client.bodies import Unpacker
from groundwire.client.failures import LIBRARY_ERRORS, translate
from groundwire.errors import NetworkError, TimedOutError, TooLargeError
from groundwire.wire.sse import IncompleteEvent, SseParser

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    import aiohttp

    from groundwire.client.read_batching import ReadBatching
    from groundwire.config.settings import NetworkSettings
    from groundwire.wire.contract import HttpReply

CHECKS_PER_IDLE_TIMEOUT = 10
FAST_BYTES = 8_192  # Fast streams are not delayed: a chunk of this size is read at once.


class ReplyBody:
    """The body of a reply, stopped when it is silent for too long, takes too long or is too large.

    Its timer runs until `close`.
    """

    def __init__(
        self, response: aiohttp.ClientResponse, limits: NetworkSettings, *, service: str
    ) -> None:
        self.status = response.status
        self.headers = {name.lower(): value for name, value in response.headers.items()}
        self._content = response.content
        self._service = service
        self._limits = limits
        self._loop = asyncio.get_running_loop()
        self._began = self._last_heard = self._loop.time()
        self._heard = self._content.total_bytes
        self._watch: asyncio.TimerHandle | None = None
        self._room = limits.max_reply_bytes
        self._failure: NetworkError | None = None
        self._look_again()

    def close(self) -> None:
        """Cancel the timer of the timeouts."""
        if self._watch is not None:
            self._watch.cancel()

    async def read(self) -> bytes:
        """Return the next bytes, still in their content encoding; none at the end.

        A coroutine and no generator, as is `EventStream.read_events`: each generator between the
        socket and whoever asks is paid for at every chunk.

        Raises:
            TruncatedError: The connection broke. Here as below, what had come is returned first.
            TimedOutError: Nothing came for too long, or the whole took too long.
            TooLargeError: The whole is over the limit.
        """
        if self._failure is not None:
            raise self._failure
        try:
            chunk = await self._content.readany()
        except LIBRARY_ERRORS as error:
            self._failure = translate(error, self._service)
            chunk = self._left_over()
        except TimedOutError as error:
            self._failure = error
            chunk = self._left_over()
        self._room -= len(chunk)
        return chunk if self._room >= 0 and self._failure is None else self._last_of(chunk)

    def _left_over(self) -> bytes:
        """Return what had arrived when the reply broke, which the library would keep for itself."""
        return self._content._read_nowait(-1)  # noqa: SLF001 - what is public raises first

    def _last_of(self, chunk: bytes) -> bytes:
        """Return what of a chunk is within the limit; the next call, or none at all, raises."""
        if self._room < 0:
            chunk = chunk[: self._room]
            self._failure = TooLargeError(
                f"the reply of {self._service}", self._limits.max_reply_bytes
            )
        if not chunk and self._failure is not None:
            raise self._failure
        return chunk

    def _look_again(self) -> None:
        """Stop a reply at its idle or total timeout, else check again before it could be reached.

        What has come is counted where it arrives, so that silence is the service's and not that
        of a slow reader; and moving a timer at every chunk would cost more than parsing it.
        """
        limits, now = self._limits, self._loop.time()
        if self._heard != self._content.total_bytes:
            self._heard, self._last_heard = self._content.total_bytes, now
        total_until = self._began + limits.total_timeout_seconds
        if now >= total_until:
            self._stop("total", limits.total_timeout_seconds)
        elif now >= self._last_heard + limits.idle_timeout_seconds:
            self._stop("idle", limits.idle_timeout_seconds)
        else:
            soon = now + limits.idle_timeout_seconds / CHECKS_PER_IDLE_TIMEOUT
            self._watch = self._loop.call_at(min(soon, total_until), self._look_again)

    def _stop(self, phase: str, seconds: float) -> None:
        self._content.set_exception(TimedOutError(self._service, phase, seconds))


class EventStream(ReplyBody):
    """A reply as the data of its events: all that came together, or one by one in a loop.

    A server that ignores the wish for a stream sends its reply in one piece: then that is in
    `whole` and there are no events.
    """

    def __init__(
        self,
        response: aiohttp.ClientResponse,
        limits: NetworkSettings,
        batching: ReadBatching,
        whole: HttpReply | None = None,
        *,
        service: str,
    ) -> None:
        # None was offered for a stream, but some servers compress all the same.
        encoding = response.headers.get("Content-Encoding", "")
        self._unpacker = Unpacker(encoding, limits.max_reply_bytes, service) if encoding else None
        super().__init__(response, limits, service=service)
        self.whole = whole
        self._batching = batching
        self._may_wait = False
        self._response = response
        self._parser = SseParser(limits.max_event_bytes)
        self._first: list[str] = []
        _resume_only_if_paused(response)
        batching.streams.add(self)

    def close(self) -> None:
        """End the stream; its connection is closed at once."""
        super().close()
        self._batching.streams.discard(self)
        # Closed, not released: a reply that nobody finished reading must not go on.
        self._response.close()

    @property
    def incomplete(self) -> IncompleteEvent | None:
        """Return what the body ended in the middle of, None if it ended between two events."""
        return self._parser.close()

    async def first_event(self, is_opening: Callable[[str], bool]) -> str:
        """Wait for the first event that is not an opening one; return its data, "" if none came.

        It stays in the stream: `read_events` returns it again.
        """
        heard: list[str] = []
        while events := await self.read_events():
            heard += events
            for data in events:
                if not is_opening(data):
                    self._first = heard
                    return data
        self._first = heard
        return ""

    async def read_events(self) -> list[str]:
        """Return the data of the next events, all that arrived together; none at the end.

        Raises:
            EventTooLargeError: One event is over the limit; see `read` for the rest.
        """
        if self._first:
            events, self._first = self._first, []
            return events
        if self._may_wait and len(self._batching.streams) >= self._batching.many:
            await self._batching.wait(self._response)
        while chunk := await self.read():
            self._may_wait = len(chunk) < FAST_BYTES
            if self._unpacker is not None:
                chunk = self._unpacker.unpack(chunk)
            if events := self._parser.feed_data(chunk):
                return events
        # An event over the limit, after whole ones in the last chunk, raises at the next call.
        return self._parser.feed_data(b"")

    async def __aiter__(self) -> AsyncIterator[str]:
        while events := await self.read_events():
            for data in events:
                yield data


def _resume_only_if_paused(response: aiohttp.ClientResponse) -> None:
    """Keep the library from waking its parser after every chunk, as if it had always been paused.

    A stream is mostly small chunks that nothing was paused for, and the needless round through
    the parser costs as much as the needed one. A connection may be used again, by another stream
    or by a whole reply: it holds for those as well, and to say it twice is to say it once.
    """
    connection = response.connection
    protocol = connection.protocol if connection is not None else None
    if protocol is None:  # The whole reply has come already.
        return
    resume = partial(type(protocol).resume_reading, protocol)

    def resume_if_paused(resume_parser: bool = True) -> None:
        if protocol._reading_paused:  # noqa: SLF001 - nothing public tells
            resume(resume_parser)

    protocol.resume_reading = resume_if_paused  # type: ignore[method-assign]
