"""What every decoder of a model's reply does alike: JSON, damage, errors and the end."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

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
from groundwire.wire.contract import MALFORMED
from groundwire.wire.faults import MAX_REASON_LENGTH, classify, message_of, retry_after_in, words_of
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
_MOST = 1 << 53  # More is no count, and no database keeps it.


class JsonDecoder:
    """The base of every decoder whose events are JSON objects.

    A subclass writes `read` for one object of a stream and `read_body` for a whole reply, sets
    `is_done` when the provider's own end marker comes and counts `text_length` as it emits text:
    the spans of citations are in characters of that text.
    """

    service: str
    end_marker: str | None = None

    def __init__(self) -> None:
        self.continuation: AssistantMessage | None = None
        self.text_length = 0
        self.is_done = False
        self._has_failed = False

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
        try:
            events = self.read(data)
            # Nearly all are a piece of text, which a decoder counts and so knows to be one.
            is_plain = len(events) == 1 and type(events[0]) is TextDelta
            return events if is_plain else typed(events)
        except MALFORMED:
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
        """Return an error if the body ended before the provider said that it is complete."""
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
        kind = classify(status, words_of(error))
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

    Text that is none becomes "", a number that is none None; a source without a URL goes.
    """
    return [_typed(event) for event in events]


def _typed(event: StreamEvent) -> StreamEvent:
    match event:
        case Citations(citations):
            event.citations = tuple(each for each in citations if _is_source(each))
        case WebSearchResults(results):
            event.results = tuple(each for each in results if _is_source(each))
        case Usage():
            wrong = [name for name in _COUNTS if not _is_count(getattr(event, name))]
            return replace(event, **dict.fromkeys(wrong)) if wrong else event
        case WebSearchStart(query) if query is None:
            pass
        case _:
            for name in _TEXTS.get(type(event), ()):
                if type(getattr(event, name)) is not str:
                    setattr(event, name, "")
    return event


def _is_source(found: Citation | SearchResult) -> bool:
    if any(type(getattr(found, name)) is not str for name in _TEXTS[type(found)]):
        return False
    return isinstance(found, SearchResult) or (_is_count(found.start) and _is_count(found.end))


def _is_count(value: Json) -> bool:
    return value is None or (type(value) is int and -_MOST < value < _MOST)
