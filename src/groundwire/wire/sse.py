"""Server-sent events: bytes in at any chunk borders, events out.

Follows the WHATWG interpretation to the letter: CR, LF and CRLF end a line and nothing else does,
bad UTF-8 is replaced and never raises, an event without data is none, and what is left when the
body ends is not an event. Providers' own decoders differ in each of these.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from groundwire.errors import EventTooLargeError

MAX_EVENT_BYTES = 1 << 20
MAX_KNOWN_BEGINNINGS = 64


@dataclass(slots=True)
class SseEvent:
    """One event. Not frozen because a stream makes thousands and freezing doubles their price."""

    type: str
    data: str
    last_event_id: str = ""


@dataclass(frozen=True, slots=True)
class IncompleteEvent:
    """What had arrived of an event when the body ended: half a JSON text, most likely.

    A type of its own, so that nobody can mistake it for an event.
    """

    type: str
    data: str


@dataclass(slots=True)
class SseParser:
    """Turns the chunks of one body into events.

    Works on whole blocks, the text between blank lines: each byte is searched and decoded once,
    so the cost is linear however the chunks are cut.
    """

    max_event_bytes: int = MAX_EVENT_BYTES
    retry_milliseconds: int | None = None
    _pending: list[bytes] = field(default_factory=list)
    _pending_size: int = 0
    _last_event_id: str = ""
    # What stands before the data in the two shapes that providers send: nothing, or an event
    # line that was seen before. Such a block need not be taken apart line by line.
    _beginnings: set[str] = field(default_factory=lambda: {""})
    _is_first_block: bool = True
    _ended_with_cr: bool = False
    _is_too_large: bool = False

    def feed(self, chunk: bytes) -> list[SseEvent]:
        """Take the next bytes and return the events they complete; see `feed_data`."""
        events = [self._interpret(block) for block in self._complete_blocks(chunk)]
        found = [event for event in events if event is not None]
        if not found:
            self._refuse_too_large()
        return found

    def feed_data(self, chunk: bytes) -> list[str]:
        """Take the next bytes and return the data of the events they complete.

        Most protocols say everything in the data, and an object for each event costs more than
        finding it.

        Raises:
            EventTooLargeError: An event is over the limit. Whole events before it in the same
                chunk are returned first; then every further call raises.
        """
        found: list[str] = []
        for block in self._complete_blocks(chunk):
            beginning, _, data = block.partition("data: ")
            if data and beginning in self._beginnings and "\n" not in data:
                found.append(data)
            elif (event := self._interpret(block)) is not None:
                found.append(event.data)
        if not found:
            self._refuse_too_large()
        return found

    def _refuse_too_large(self) -> None:
        if self._is_too_large:
            raise EventTooLargeError("an event of the stream", self.max_event_bytes)

    def close(self) -> IncompleteEvent | None:
        """Return what was cut off when the body ended, None if it ended between two events."""
        block = b"".join(self._pending).decode("utf-8", "replace")
        if self._is_first_block:
            block = block.removeprefix("\ufeff")
        event_type, data = self._fields(block)
        if not event_type and not data:
            return None
        return IncompleteEvent(event_type or "message", "\n".join(data))

    def _with_lf_only(self, chunk: bytes) -> bytes:
        """Make every line end LF, with a CRLF that two chunks share counted once."""
        if not self._ended_with_cr and chunk.endswith(b"\r\n\r\n") and chunk.count(b"\r") == 2:
            return chunk[:-4] + b"\n\n"  # One whole event, as Gemini sends them.
        if self._ended_with_cr and chunk:
            chunk = chunk.removeprefix(b"\n")
            self._ended_with_cr = False
        if chunk:
            self._ended_with_cr = chunk.endswith(b"\r")
        # Splitting and joining is twice as fast as replacing two bytes by one.
        chunk = b"\n".join(chunk.split(b"\r\n"))
        return chunk.replace(b"\r", b"\n") if b"\r" in chunk else chunk

    def _complete_blocks(self, chunk: bytes) -> list[str]:
        """Return the blocks that the chunk completes and keep the rest."""
        self._refuse_too_large()
        if self._ended_with_cr or b"\r" in chunk:
            chunk = self._with_lf_only(chunk)
        if not chunk.endswith(b"\n\n"):
            end = chunk.rfind(b"\n\n") + 2
            if end == 1:
                # No blank line in it, unless its first line feed follows one that is kept.
                kept = self._pending
                if not (kept and chunk.startswith(b"\n") and kept[-1].endswith(b"\n")):
                    self._keep(chunk)
                    return []
            chunk, rest = chunk[:end], chunk[end:]
        else:
            rest = b""
        if self._pending:
            chunk = b"".join(self._pending) + chunk
            self._pending.clear()
            self._pending_size = 0
        if rest:
            self._keep(rest)
        text = chunk.decode("utf-8", "replace")
        if self._is_first_block:
            self._is_first_block = False
            text = text.removeprefix("\ufeff")
        blocks = text.split("\n\n")
        blocks.pop()  # What follows the last border: nothing, or one more blank line.
        return blocks if len(chunk) <= self.max_event_bytes else self._up_to_limit(blocks, chunk)

    def _keep(self, rest: bytes) -> None:
        if rest:
            self._pending.append(rest)
            self._pending_size += len(rest)
            if self._pending_size > self.max_event_bytes:
                self._refuse_the_rest()

    def _up_to_limit(self, blocks: list[str], chunk: bytes) -> list[str]:
        # By the bytes that came: one that is no UTF-8 has become a character of three.
        for number, block in enumerate(chunk.split(b"\n\n")):
            if len(block) > self.max_event_bytes:
                self._refuse_the_rest()
                return blocks[:number]
        return blocks

    def _refuse_the_rest(self) -> None:
        self._is_too_large = True
        self._pending.clear()

    def _interpret(self, block: str) -> SseEvent | None:
        event_type, data = self._fields(block, is_complete=True)
        if not data:
            return None
        beginning = f"event: {event_type}\n"
        if block == f"{beginning}data: {data[0]}" and len(self._beginnings) < MAX_KNOWN_BEGINNINGS:
            self._beginnings.add(beginning)
        return SseEvent(event_type or "message", "\n".join(data), self._last_event_id)

    def _fields(self, block: str, *, is_complete: bool = False) -> tuple[str, list[str]]:
        """Read the fields of a block; id and retry count only if the block is complete.

        Blank lines can stand only at a block's ends, where they mean nothing.
        """
        event_type = ""
        data: list[str] = []
        for line in block.split("\n"):
            name, _, value = line.partition(":")
            value = value.removeprefix(" ")
            match name:
                case "data":
                    data.append(value)
                case "event":
                    event_type = value
                case "id" if is_complete and "\0" not in value:
                    self._last_event_id = value
                # More digits than a clock could need are no number but an attack on int().
                case "retry" if value.isascii() and value.isdigit() and len(value) < 16:
                    self.retry_milliseconds = int(value)
        return event_type, data
