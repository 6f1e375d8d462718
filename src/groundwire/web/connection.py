"""One HTTP connection: uvicorn's, with deadlines and limits for what is sent only in part.

uvicorn waits for the rest of a request for ever, and takes any number of headers.
"""

from __future__ import annotations

import asyncio
from enum import Enum
from typing import TYPE_CHECKING

from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

from groundwire.web.error_responses import fault_response

if TYPE_CHECKING:
    from groundwire.web.options import Options

MAX_HEAD_BYTES = 32_768
MAX_HEADERS = 100
# What is sent after the reply to it (a refusal, say) is thrown away up to here.
MAX_UNREAD_BYTES = 30_000_000
LINGER_SECONDS = 2.0
# Framing that outweighs what it frames, as chunks of one byte or endless trailers.
_FREE_FRAMING_BYTES = 65_536
_MOST_FRAMING = 8


class _Part(Enum):
    """What of a request is to come next."""

    NOTHING = "nothing"
    HEAD = "head"
    BODY = "body"


class Connection(HttpToolsProtocol):
    """Closes, with a reply where one can still be sent, what is too slow or too much.

    The options of the app say how long a head may take, and a body for each megabyte begun.
    """

    _part = _Part.NOTHING
    _timer: asyncio.TimerHandle | None = None
    _timed: tuple[_Part, int] | None = None
    _number = 0
    _received = 0
    _framing_bytes = 0
    _body_bytes = 0
    _unread_bytes = 0
    _header_bytes = 0
    _body_began = 0.0
    _is_refused = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start the timeout for the headers of the first request."""
        super().connection_made(transport)
        self._watch(_Part.NOTHING)

    def connection_lost(self, exc: Exception | None) -> None:
        """Cancel the timeouts."""
        self._unwatch()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Take what comes, and look whether it is too much or what still has to come."""
        if self._is_over():
            return
        before = (self._part, self._number, self._body_bytes)
        self._received += len(data)
        super().data_received(data)
        if self._is_over():
            return
        if before[:2] == (_Part.BODY, self._number):
            self._framing_bytes += len(data) - (self._body_bytes - before[2])
        if self._part is _Part.HEAD and self._received > MAX_HEAD_BYTES:
            self._refuse(431, "the headers of the request are too large: send less")
        elif self._part is _Part.BODY and self._is_mostly_framing():
            self._refuse(400, "the body comes in too many small pieces: send larger ones")
        elif self._unread_bytes > MAX_UNREAD_BYTES:
            self.transport.close()
        elif self._part is _Part.NOTHING and self._is_answering():
            self._unwatch()
        else:
            self._watch(self._part)

    def on_message_begin(self) -> None:
        """Begin a head."""
        super().on_message_begin()
        self._part = _Part.HEAD
        self._number += 1
        self._header_bytes = self._body_bytes = self._unread_bytes = self._framing_bytes = 0

    def on_header(self, name: bytes, value: bytes) -> None:
        """Take a header; what stands after a body is not kept."""
        if self._part is _Part.BODY:
            return
        self._header_bytes += len(name) + len(value)
        if len(self.headers) < MAX_HEADERS:
            super().on_header(name, value)
        else:
            self._header_bytes = MAX_HEAD_BYTES + 1

    def on_headers_complete(self) -> None:
        """Begin to answer, unless the head is too large."""
        if self._is_over():
            return
        if self._header_bytes + len(self.url) > MAX_HEAD_BYTES:
            self._refuse(431, "the request has too many or too large headers: send fewer")
            return
        self._part = _Part.BODY
        self._body_began = self.loop.time()
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        """Take a piece of the body."""
        if self._is_over():
            return
        self._body_bytes += len(body)
        if self.cycle.response_complete:
            self._unread_bytes += len(body)
        super().on_body(body)

    def on_message_complete(self) -> None:
        """Wait for nothing more, or for the next request."""
        if self._is_over():
            return
        self._part, self._received = _Part.NOTHING, 0
        super().on_message_complete()

    @property
    def _options(self) -> Options:
        found: Options = self.config.app.state.site.options  # type: ignore[union-attr] # our app
        return found

    def _is_mostly_framing(self) -> bool:
        return self._framing_bytes > _FREE_FRAMING_BYTES + _MOST_FRAMING * self._body_bytes

    def _is_answering(self) -> bool:
        return self.cycle is not None and not self.cycle.response_complete

    def _watch(self, part: _Part) -> None:
        """Have a part be there in its time; more of the same part does not prolong it."""
        if self._timed == (part, self._number):
            return
        self._unwatch()
        is_body = part is _Part.BODY
        seconds = self._options.body_seconds if is_body else self._options.head_seconds
        self._timed = (part, self._number)
        self._timer = self.loop.call_later(seconds, self._late)

    def _unwatch(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = self._timed = None

    def _late(self) -> None:
        part, self._timer, self._timed = self._part, None, None
        if part is _Part.BODY and not self._is_body_late():
            self._watch(part)
        elif part is not _Part.BODY and self._is_answering():
            # The next request may wait for its turn: its head is small.
            self._watch(part)
        elif part is _Part.NOTHING:
            self.transport.close()
        else:
            self._refuse(408, f"the {part.value} of the request took too long")

    def _is_body_late(self) -> bool:
        allowed = self._options.body_seconds * (1 + self._body_bytes // 1_000_000)
        return self.loop.time() - self._body_began >= allowed

    def _refuse(self, status: int, message: str) -> None:
        """Answer and close; where a reply has begun or an earlier one is due, just close."""
        self._unwatch()
        is_body = self._part is _Part.BODY
        is_taken = self.cycle.response_started if is_body else self._is_answering()
        if self.pipeline or is_taken:
            self.transport.close()
            return
        reply = fault_response(status, message)
        lines = [b"%s: %s\r\n" % each for each in reply.raw_headers]
        head = [STATUS_LINE[status], *lines, b"connection: close\r\n\r\n"]
        self.transport.write(b"".join(head) + bytes(reply.body))
        self._linger()

    def _linger(self) -> None:
        """Discard input for a while, then close: closed at once, the reply might not arrive."""
        self._is_refused = True
        if self._part is _Part.BODY:
            self.cycle.disconnected = True
            self.cycle.message_event.set()
        self.flow.resume_reading()
        self.transport.write_eof()
        self._timer = self.loop.call_later(LINGER_SECONDS, self.transport.close)

    def _is_over(self) -> bool:
        return self._is_refused or self.transport.is_closing()
