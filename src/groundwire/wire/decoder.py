"""What decoders of models' replies share: JSON, errors, order of texts, unlinked sources."""

from __future__ import annotations

import json
from bisect import insort_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from operator import attrgetter
from typing import TYPE_CHECKING, TypeAlias

import orjson

from groundwire.errors import TruncatedError
from groundwire.events import (
    Citations,
    Done,
    Error,
    SearchSuggestions,
    StreamEvent,
    TextDelta,
    ToolCallDelta,
    ToolCallEnd,
    ToolCallStart,
    Usage,
    Warned,
    WebFetchResult,
    WebFetchStart,
    WebSearchResults,
    WebSearchStart,
)
from groundwire.model import Citation, SearchResult
from groundwire.redaction import redact
from groundwire.wire.errors import MAX_REASON_LENGTH, classify, message_of, retry_after_in, words_of
from groundwire.wire.http import MALFORMED
from groundwire.wire.text import parsed, whole

if TYPE_CHECKING:
    from groundwire.model import AssistantMessage, Json
    from groundwire.wire.sse import SseEvent

NOTHING: Sequence[StreamEvent] = ()
INCOMPLETE = "incomplete"
"""The code of the warning that a reply ended, but not where its model wanted to."""

_TEXTS: Mapping[type, tuple[str, ...]] = {
    ToolCallStart: ("tool_call_id", "tool_name"),
    ToolCallDelta: ("tool_call_id", "arguments_delta"),
    ToolCallEnd: ("tool_call_id",),
    Done: ("stop_reason",),
    WebSearchStart: ("query",),
    WebFetchStart: ("url",),
    WebFetchResult: ("url", "title", "error"),
    SearchSuggestions: ("html",),
    Citation: ("url", "title", "domain", "quote"),
    SearchResult: ("url", "title", "snippet", "published"),
}
_COUNTS = (
    *("input_tokens", "output_tokens", "cached_input_tokens", "cache_write_tokens"),
    *("thinking_tokens", "searches", "fetches"),
)
TOKEN_LIMITS = (
    *("length", "max_tokens", "MAX_TOKENS", "max_output_tokens"),
    "model_context_window_exceeded",
)
"""The providers' words for a reply that was cut where its tokens ended."""
REFUSALS = (
    *("refusal", "content_filter"),
    *("SAFETY", "PROHIBITED_CONTENT", "BLOCKLIST", "SPII", "RECITATION"),
)
"""The providers' words for a reply that their policy ended."""
MAX_NAME_LENGTH = 80
UNNAMED = "a document without a name"
_MOST = 1 << 53  # More is no count, and no database keeps it.

Place: TypeAlias = tuple[int, ...]
"""Where the wire says that a text belongs: the number of its item, then of its part."""


class JsonDecoder:
    """The base of every decoder whose events are JSON objects.

    A subclass writes `read` for one object of a stream and `read_body` for a whole reply, sets
    `is_done` when the provider's own end marker comes and counts `text_length` as it emits text:
    the spans of citations are in characters of that text.
    """

    service: str
    end_marker: str | None = None

    continuation: AssistantMessage | None = None
    text_length = 0
    is_done = False
    _has_failed = False

    def read(self, data: Json) -> Sequence[StreamEvent]:
        """Return what one object of the stream means."""
        raise NotImplementedError

    def read_end(self) -> Sequence[StreamEvent]:
        """Return what the end marker means, where the provider sends one that is not JSON."""
        return NOTHING

    def read_body(self, body: Json) -> Sequence[StreamEvent]:
        """Return what a whole reply means."""
        raise NotImplementedError

    def feed(self, event: SseEvent) -> Sequence[StreamEvent]:
        """Return what one event of the wire means; a damaged one is skipped with a warning."""
        return self.feed_data(event.data)

    def feed_data(self, text: str) -> Sequence[StreamEvent]:
        """Return what the data of one event means: all that a protocol in JSON has."""
        try:
            data = orjson.loads(text)
        except ValueError:
            if text == self.end_marker:
                return self.read_end()
            data = _mended(text)
        has_failed, is_done = self._has_failed, self.is_done
        try:
            events = self.read(data)
            # Nearly all are a piece of text, which a decoder counts and so knows to be one.
            is_plain = len(events) == 1 and type(events[0]) is TextDelta
            return events if is_plain else typed(events)
        except MALFORMED:
            # Of what is skipped nothing was told: neither a failure nor the end.
            self._has_failed, self.is_done = has_failed, is_done
            shown = redact(text[:80])
            message = f"skipped a malformed event of {self.service}: {shown!r}"
            return [Warned(message, "malformed_event")]

    def feed_body(self, body: Json) -> Sequence[StreamEvent]:
        """Return what a whole reply means, an error if it is not what the service documents."""
        try:
            return typed(self.read_body(body))
        except MALFORMED as error:
            return [self.fault({"message": f"the reply is malformed: {error!r}"})]

    def finish(self) -> Sequence[StreamEvent]:
        """Return an error if the body ended before the provider's end marker."""
        if self.is_done or self._has_failed or self.continuation is not None:
            return NOTHING
        self._has_failed = True
        message = f"the reply of {self.service} ended before it was complete"
        return [Error(message, TruncatedError.code)]

    def cut_off(self, reason: Json) -> list[StreamEvent]:
        """Return a warning if the provider's reason to stop is that no tokens were left."""
        if reason not in TOKEN_LIMITS:
            return []
        return [Warned(f"the reply of {self.service} reached its limit of tokens", INCOMPLETE)]

    def fault(self, error: Json, status: int = 200) -> Error:
        """Return the event for an error object inside a reply."""
        self._has_failed = True
        reason = message_of(error) or "the service gave no reason"
        kind = classify(status, words_of(error), reason=reason)
        failure = kind(
            self.service,
            redact(reason)[:MAX_REASON_LENGTH],
            retry_after_seconds=retry_after_in(error),
        )
        return Error(str(failure), failure.code, failure.retry_after_seconds)


def checked_text(value: Json) -> str:
    """Return a text of the wire.

    Raises:
        TypeError: It is something else.
    """
    if not isinstance(value, str):
        raise TypeError("a text was expected")
    return value


def _mended(text: str) -> Json:
    """Read JSON with half an emoji in it, which strict parsers refuse; None if it is not JSON."""
    value = parsed(text)
    return None if value is None else parsed(whole(json.dumps(value, ensure_ascii=False)))


def typed(events: Sequence[StreamEvent]) -> Sequence[StreamEvent]:
    """Return events whose fields hold what they declare, whatever JSON a service wrote there.

    An invalid text becomes "", an invalid number None; a source with an invalid field is dropped.
    """
    checked: list[StreamEvent] = []
    for event in events:
        match event:
            case Citations():
                event.citations = tuple(filter(_is_source, event.citations))
            case WebSearchResults():
                event.results = tuple(filter(_is_source, event.results))
            case Usage():
                for name in _COUNTS:
                    if not _is_count(getattr(event, name)):
                        event = replace(event, **{name: None})  # noqa: PLW2901 - frozen
            case WebSearchStart(query=None):
                pass
            case _:
                for name in _TEXTS.get(type(event), ()):
                    if type(getattr(event, name)) is not str:
                        setattr(event, name, "")
        checked.append(event)
    return checked


def _is_source(found: Citation | SearchResult) -> bool:
    for name in _TEXTS[type(found)]:
        if type(getattr(found, name)) is not str:
            return False
    return isinstance(found, SearchResult) or (_is_count(found.start) and _is_count(found.end))


def _is_count(value: Json) -> bool:
    return value is None or (type(value) is int and -_MOST < value < _MOST)


class TextPart:
    """A text that arrives in pieces.

    `start` and `end` are its place in the whole answer: None before its turn has come, and before
    it is closed. `notes` are the citations that came before its turn.
    """

    __slots__ = ("end", "is_open", "notes", "pieces", "place", "start")

    def __init__(self, place: Place) -> None:
        self.place = place
        self.pieces: list[str] = []
        self.notes: list[Json] = []
        self.start: int | None = None
        self.end: int | None = None
        self.is_open = True

    @classmethod
    def told(cls, place: Place, text: str, start: int) -> TextPart:
        """Return a part that was emitted and is closed."""
        part = cls(place)
        part.pieces, part.is_open = [text], False
        part.start, part.end = start, start + len(text)
        return part

    @property
    def text(self) -> str:
        """Return all that has arrived."""
        if len(self.pieces) > 1:
            self.pieces = ["".join(self.pieces)]
        return self.pieces[0] if self.pieces else ""

    def rest_of(self, whole: str) -> str:
        """Return what a whole text has beyond what has arrived, "" if it is another text."""
        text = self.text
        return whole[len(text) :] if whole.startswith(text) else ""


@dataclass(slots=True)
class TextOrder:
    """Decides which part is emitted now, so that texts are not interleaved.

    One part is emitted while it arrives. What arrives of another waits until that one is closed,
    and as long as a part that belongs before it is open.
    """

    _speaker: TextPart | None = None
    _queue: list[TextPart] = field(default_factory=list)  # Open or not yet emitted, by place.

    def begin(self, place: Place) -> TextPart:
        """Return a new part, which waits for its turn."""
        part = TextPart(place)
        self.enter(part)
        return part

    def enter(self, part: TextPart) -> None:
        """Let a part wait for its turn; of two at the same place the older comes first."""
        insort_right(self._queue, part, key=attrgetter("place"))

    def has_turn(self, part: TextPart) -> bool:
        """Tell whether what arrives of a part is emitted at once."""
        if self._speaker is None and self._queue and self._queue[0] is part:
            self._speaker = part
        return self._speaker is part

    def is_alone(self, part: TextPart) -> bool:
        """Tell whether a part has its turn and nothing else is open."""
        return self._speaker is part and len(self._queue) == 1

    def close(self, part: TextPart) -> list[TextPart]:
        """End a part; return those whose turn has come, in order."""
        part.is_open = False
        if self._speaker is part:
            self._speaker = None
            self._queue.remove(part)
        ready: list[TextPart] = []
        while self._queue and self._speaker is None:
            first = self._queue[0]
            if first.is_open and not first.pieces:
                break
            if first.is_open:
                self._speaker = first
            else:
                del self._queue[0]
            ready.append(first)
        return ready

    def open_parts(self) -> list[TextPart]:
        """Return the parts that are not closed, in order."""
        return [part for part in self._queue if part.is_open]


def is_link(address: Json) -> bool:
    """Tell whether a source's address leads to a web page."""
    return isinstance(address, str) and address.lower().startswith(("http://", "https://"))


@dataclass(slots=True)
class UnlinkedSources:
    """Sources of one reply that have no URL, each warned about once.

    They are warnings and no citations: a citation is a page that a reader can open.
    """

    service: str
    _told: set[str] = field(default_factory=set)

    def take(self, *names: Json) -> list[StreamEvent]:
        """Return a warning that the answer rests on something, under the first name that it has."""
        told = [name for name in names if isinstance(name, str) and name.strip()]
        name = repr(redact(told[0])[:MAX_NAME_LENGTH]) if told else UNNAMED
        if name in self._told:
            return []
        self._told.add(name)
        reason = "which has no web address and is not in the list of sources"
        return [Warned(f"{self.service} cites {name}, {reason}", "source_without_url")]
