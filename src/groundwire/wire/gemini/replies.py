"""Reads what Gemini's generateContent answers, streamed or whole."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from groundwire.events import (
    Citations,
    Done,
    RawBlocks,
    SearchSuggestions,
    StreamEvent,
    TextDelta,
    ThinkingDelta,
    Usage,
    Warned,
    WebFetchResult,
    WebSearchResults,
    WebSearchStart,
)
from groundwire.text.plural import plural
from groundwire.wire.decoder import NOTHING, JsonDecoder, UnlinkedSources, typed
from groundwire.wire.gemini.calls import FunctionCalls, now_in_milliseconds
from groundwire.wire.gemini.groundings import field, read_grounding
from groundwire.wire.gemini.interactions import Interaction
from groundwire.wire.http import MALFORMED

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from groundwire.model import Json

# What a message of text and tool calls can say; a part with anything else is kept as it came.
_PLAIN_FIELDS = {"text", "thought", "functionCall", "function_call"}
_FETCHED = "URL_RETRIEVAL_STATUS_SUCCESS"
_COUNTS = {
    "input_tokens": "promptTokenCount",
    "output_tokens": "candidatesTokenCount",
    "cached_input_tokens": "cachedContentTokenCount",
    "thinking_tokens": "thoughtsTokenCount",
}


class GeminiDecoder(JsonDecoder):
    """Reads one reply. What may still change is said at the end, by `finish`.

    Every chunk repeats the usage, and grounding counts bytes of the whole text, so citations,
    usage, raw parts and Done wait for the end of the body. A question that Gemini refuses to
    read is no failure of the service: a warning, then Done("blocked: SAFETY").

    Queries are taken from the grounding metadata only: the `toolCall` parts of Gemini 3 repeat
    them, in another order, and also where no answer came of them.
    """

    service = "gemini"

    def __init__(
        self,
        now: Callable[[], int] = now_in_milliseconds,
        numbers: Iterator[int] | None = None,
    ) -> None:
        self._calls = FunctionCalls(now, numbers)
        self._texts: list[str] = []
        # Parts that are not plain text: how many texts there were before and after, and the part.
        self._others: list[tuple[int, int, Json]] = []
        # The last report only: each is complete, and a count that is absent is zero again.
        self._usage: Json = {}
        self._grounding: dict[str, Json] = {}
        self._queries: set[str] = set()
        self._pages: set[str] = set()
        self._stop_reason = ""
        self._is_closed = False
        self._interaction: Interaction | None = None

    def read(self, data: Json) -> Sequence[StreamEvent]:
        """Return what one chunk means; what is damaged in it does not cost the rest."""
        candidates = data.get("candidates") if data else None
        if not candidates or candidates[0].get("index"):
            return self._read_bare(data)
        events: list[StreamEvent] = []
        candidate = candidates[0]
        content = candidate.get("content")
        try:
            if content is not None:
                for part in content.get("parts", ()):
                    if len(part) == 1 and type(text := part.get("text")) is str:
                        if text:
                            self._texts.append(text)
                            self.text_length += len(text)
                            events.append(TextDelta(text))
                    else:
                        self._read_part(part, events)
        except MALFORMED:
            events.append(self._damage("content"))
        try:
            if (usage := data.get("usageMetadata")) is not None:
                self._usage = usage
            # Most chunks hold the content, an index and, with search, grounding that is empty.
            usual = 3 if candidate.get("groundingMetadata") == {} else 2
            if len(candidate) != usual or "index" not in candidate or content is None:
                self._read_ending(data, candidate, events)
        except MALFORMED:
            events.append(self._damage("metadata"))
        return events

    def read_body(self, body: Json) -> Sequence[StreamEvent]:
        """Return what a whole reply means: one object, or the array that `alt=json` streams."""
        chunks = body if isinstance(body, list) else [body]
        if "steps" in body:
            self._interaction = Interaction()
            chunks = self._interaction.retell_body(body)
        events: list[StreamEvent] = []
        for chunk in chunks:
            events += self.read(chunk)
        events += self.finish()
        return events

    def finish(self) -> Sequence[StreamEvent]:
        """Return what had to wait for the end, then Done, or an error if there was no end."""
        if self._is_closed or self._has_failed:
            return NOTHING
        events = self._close()
        if not self.is_done:
            return [*events, *super().finish()]
        events += self._calls.end_all()
        if self._interaction is not None:
            events.append(RawBlocks({"steps": self._interaction.steps}))
        elif not all(part.keys() <= _PLAIN_FIELDS for _, _, part in self._others):
            events.append(RawBlocks(self._raw_parts()))
        events += self.cut_off(self._stop_reason)
        events.append(Done(self._stop_reason))
        return typed(events)

    def _read_bare(self, data: Json) -> Sequence[StreamEvent]:
        if not isinstance(data, dict):
            if self.is_done:
                return NOTHING  # The [DONE] of a proxy.
            raise TypeError(data)
        if data.get("candidates") or "event_type" in data:
            return self.read(self._retold(data))
        if error := data.get("error"):
            if self._has_failed:
                return NOTHING
            status = error.get("code") if isinstance(error, dict) else None
            events = self._close()
            events.append(self.fault(error, status if isinstance(status, int) else 200))
            return events
        if usage := field(data, "usageMetadata"):
            self._usage = usage
        feedback = field(data, "promptFeedback")
        if feedback and (reason := field(feedback, "blockReason")):
            self.is_done = True
            self._stop_reason = f"blocked: {reason}"
            return [Warned(f"{self.service} refuses the question: {reason}", "blocked")]
        return NOTHING

    def _retold(self, data: Json) -> Json:
        """Return a chunk that has only the first answer, or that says what an event says."""
        if candidates := data.get("candidates"):
            first = [each for each in candidates if not each.get("index")]
            return {**data, "candidates": first}
        self._interaction = self._interaction or Interaction()
        return self._interaction.retell(data)

    def _read_part(self, part: Json, events: list[StreamEvent]) -> None:
        text = part.get("text")
        texts_before = len(self._texts)
        if field(part, "functionCall") is not None:
            told, part = self._calls.take(part)
            events += told
        elif isinstance(text, str) and text:
            if part.get("thought"):
                events.append(ThinkingDelta(text))
            else:
                self._texts.append(text)
                self.text_length += len(text)
                events.append(TextDelta(text))
        if part:
            self._others.append((texts_before, len(self._texts), part))

    def _read_ending(self, data: Json, candidate: Json, events: list[StreamEvent]) -> None:
        if usage := data.get("usage_metadata"):
            self._usage = usage
        if reason := field(candidate, "finishReason"):
            self.is_done = True
            self._stop_reason = reason
        if grounding := field(candidate, "groundingMetadata"):
            self._grounding.update({name: value for name, value in grounding.items() if value})
            for query in field(grounding, "webSearchQueries") or ():
                if query and query not in self._queries:
                    self._queries.add(query)
                    events.append(WebSearchStart(query))
        if context := field(candidate, "urlContextMetadata"):
            for page in field(context, "urlMetadata") or ():
                url, status = field(page, "retrievedUrl"), field(page, "urlRetrievalStatus")
                if url and url not in self._pages:
                    self._pages.add(url)
                    error = "" if status == _FETCHED else status or ""
                    events.append(WebFetchResult(url, error=error))

    def _damage(self, what: str) -> Warned:
        return Warned(f"skipped malformed {what} of {self.service}", "malformed_event")

    def _close(self) -> list[StreamEvent]:
        """Return what the reply came to, complete or not."""
        self._is_closed = True
        events: list[StreamEvent] = []
        if self._interaction is not None:
            events += self.read(self._interaction.release())
        if self._grounding:
            try:
                events += self._grounded()
            except MALFORMED:
                events.append(self._damage("grounding"))
        if counts := self._counts():
            events.append(Usage(**counts))
        return events

    def _counts(self) -> dict[str, int]:
        usage = self._usage if isinstance(self._usage, dict) else {}
        counts: dict[str, int] = {
            name: value
            for name, theirs in _COUNTS.items()
            if isinstance(value := field(usage, theirs), int)
        }
        if self._queries:
            counts["searches"] = len(self._queries)
        if self._pages:
            counts["fetches"] = len(self._pages)
        return counts

    def _grounded(self) -> list[StreamEvent]:
        events: list[StreamEvent] = []
        grounding = read_grounding(self._grounding, "".join(self._texts))
        if grounding.dangling:
            dangling = plural(grounding.dangling, "source")
            message = f"{self.service} cites {dangling} that it does not name"
            events.append(Warned(message, "dangling_citation"))
        unlinked = UnlinkedSources(self.service)
        for name in grounding.unlinked:
            events += unlinked.take(name)
        if grounding.found:
            events.append(WebSearchResults(grounding.found))
        if grounding.citations:
            events.append(Citations(grounding.citations))
        entry = field(self._grounding, "searchEntryPoint") or {}
        if html := field(entry, "renderedContent"):
            events.append(SearchSuggestions(html))
        return events

    def _raw_parts(self) -> list[Json]:
        """Return the parts as they came; only runs of plain text become one part."""
        parts: list[Json] = []
        done = 0
        for before, after, part in self._others:
            if text := "".join(self._texts[done:before]):
                parts.append({"text": text})
            parts.append(part)
            done = after
        if text := "".join(self._texts[done:]):
            parts.append({"text": text})
        return parts
