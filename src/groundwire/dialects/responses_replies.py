"""Replies in OpenAI's Responses, as OpenAI, Codex, OpenRouter, xAI and local servers send them."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from groundwire.decoding import INCOMPLETE, NOTHING, checked_text
from groundwire.dialects import responses_items
from groundwire.dialects.openai_replies import OpenAIDecoder
from groundwire.dialects.responses_items import texts_of
from groundwire.errors import ToolFailedError
from groundwire.events import RawBlocks, TextDelta, ThinkingDelta, Warned

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from groundwire.events import StreamEvent
    from groundwire.model import Json

TEXT_DELTA = "response.output_text.delta"
BETWEEN_THOUGHTS = "\n\n"


class ResponsesDecoder(OpenAIDecoder):
    """Reads one reply.

    The wire tells everything two or three times: in pieces, in the item when it is done and in
    the whole response at the end. The first that comes is told, the others only fill gaps.
    Items come one after the other, so what was told since the last one was told of this one:
    their ids are no help, some servers change them from event to event.
    """

    def __init__(self, service: str) -> None:
        super().__init__(service)
        self._items: list[Json] = []
        self._item_start = 0
        self._part_start = 0
        self._part_starts: dict[tuple[Json, Json], int] = {}
        self._thought_length = 0
        self._item_thought_start = 0
        self._last_call = ""
        self._searches = 0
        self._opened: set[str] = set()

    def read(self, data: Json) -> Sequence[StreamEvent]:
        """Return what one event means; nearly all are a piece of text."""
        kind = data["type"]
        if kind == TEXT_DELTA:
            text = data["delta"]
            if text.__class__ is str and text:
                self.text_length += len(text)
                return [TextDelta(text)]
            return NOTHING
        handler = self._handlers.get(kind)
        return handler(self, data) if handler else NOTHING

    def read_body(self, body: Json) -> Sequence[StreamEvent]:
        """Return what a whole reply means."""
        if "output" in body:
            return self._close({"response": body})
        error = body.get("error") or body.get("detail")
        return self._failed(error or {"message": "the reply has no output"})

    def _read_refusal(self, data: Json) -> list[StreamEvent]:
        text = checked_text(data["delta"])
        self.text_length += len(text)
        return [TextDelta(text)]

    def _read_thought(self, data: Json) -> list[StreamEvent]:
        text = checked_text(data["delta"])
        self._thought_length += len(text)
        return [ThinkingDelta(text)]

    def _begin_thought(self, data: Json) -> list[StreamEvent]:
        return [ThinkingDelta(BETWEEN_THOUGHTS)] if data.get("summary_index") else []

    def _read_arguments(self, data: Json) -> list[StreamEvent]:
        item_id = data.get("item_id")
        is_known = self._calls.current(item_id) is not None
        return self._calls.add(item_id if is_known else self._last_call, data["delta"])

    def _read_annotation(self, data: Json) -> list[StreamEvent]:
        """Return a citation; its offsets count from its part, ours from the answer's start."""
        place = (data.get("item_id"), data.get("content_index"))
        start = self._part_starts.get(place, self._part_start)
        return self._citations.take([data["annotation"]], start=start, end=self.text_length)

    def _begin_part(self, data: Json) -> list[StreamEvent]:
        self._part_start = self.text_length
        self._part_starts[data.get("item_id"), data.get("content_index")] = self.text_length
        return []

    def _begin_item(self, data: Json) -> list[StreamEvent]:
        item = data["item"]
        self._mark_item()
        return self._begin_call(item) if item.get("type") == "function_call" else []

    def _mark_item(self) -> None:
        """Note where the next item begins."""
        self._item_start = self._part_start = self.text_length
        self._item_thought_start = self._thought_length

    def _begin_call(self, item: Json) -> list[StreamEvent]:
        self._last_call = item.get("id") or item["call_id"]
        return self._calls.start(self._last_call, item["call_id"], item["name"])

    def _finish_item(self, data: Json) -> list[StreamEvent]:
        item = data["item"]
        match item.get("type"):
            case "message":
                events = self._tell(item) if self.text_length == self._item_start else []
                events += self._cite(item, self._item_start)
            case "function_call":
                events = self._begin_call(item)
                events += self._calls.complete(self._last_call, item.get("arguments"))
            case "web_search_call":
                events = self._finish_search(item)
            case "reasoning" if self._thought_length == self._item_thought_start:
                texts = texts_of(item.get("summary")) or texts_of(item.get("content"))
                events = [ThinkingDelta(BETWEEN_THOUGHTS.join(texts))] if texts else []
            case _:
                events = []
        self._items.append(item)
        self._mark_item()
        return events

    def _tell(self, message: Json) -> list[StreamEvent]:
        texts = list(filter(None, texts_of(message.get("content"))))
        self.text_length += sum(map(len, texts))
        return [TextDelta(text) for text in texts]

    def _cite(self, message: Json, start: int) -> list[StreamEvent]:
        """Return the citations that a whole message adds; its text begins at `start`."""
        events = self._citations.settle(self.text_length)
        parts = message.get("content") or ()
        for part, text in zip(parts, texts_of(parts), strict=True):
            end = min(start + len(text), self.text_length)
            events += self._citations.take(part.get("annotations") or (), start=start, end=end)
            events += self._citations.settle(end)
            start += len(text)
        return events

    def _finish_search(self, item: Json) -> list[StreamEvent]:
        action = item.get("action") or {}
        if not responses_items.is_search(action):
            url = str(action.get("url"))
            is_new = url not in self._opened
            self._opened.add(url)
            return responses_items.fetch_events(item) if is_new else []
        self._searches += 1
        events = responses_items.search_events(action)
        if item.get("status") == "failed":
            events.append(Warned(f"a web search of {self.service} failed", ToolFailedError.code))
        return events + self._hits(action.get("sources") or ())

    def _read_error(self, data: Json) -> list[StreamEvent]:
        return self._failed(data.get("error") or data)

    def _close(self, data: Json) -> Sequence[StreamEvent]:
        """Return what the whole response adds to what was told, and the end."""
        if self.is_done:
            return NOTHING
        response = data["response"]
        output = response.get("output") or ()
        events = [] if self._items else self._read_output(output)
        self._stop_reason = responses_items.status_of(data)
        if self._stop_reason == "failed":
            events += self._failed(response.get("error") or {})
        events += self._spent(response.get("usage"), self._count_searches(response))
        # Codex leaves the output empty at the end.
        items = list(output) or self._items
        if self._stop_reason == "completed" and responses_items.are_worth_keeping(items):
            events.append(RawBlocks(items))
        if reason := (response.get("incomplete_details") or {}).get("reason"):
            message = f"the reply of {self.service} is incomplete: {reason}"
            events += self.cut_off(reason) or [Warned(message, INCOMPLETE)]
        return [*events, *self._end()]

    def _read_output(self, output: Sequence[Json]) -> list[StreamEvent]:
        """Return what a response says whose items did not come one by one."""
        has_told, has_thought = self.text_length > 0, self._thought_length > 0
        start = 0
        events: list[StreamEvent] = []
        for item in output:
            kind = item.get("type")
            if kind == "message" and has_told:
                events += self._cite(item, start)
                start += sum(map(len, texts_of(item.get("content"))))
            elif kind != "reasoning" or not has_thought:
                events += self._finish_item({"item": item})
        return events

    def _count_searches(self, response: Json) -> int | None:
        usage, tools = response.get("usage") or {}, response.get("tool_usage") or {}
        if "server_tool_use_details" in usage:
            return None  # OpenRouter counts them there.
        told = (tools.get("web_search") or {}).get("num_requests")
        return told if type(told) is int else self._searches or None

    _handlers: ClassVar[Mapping[str, Callable[[ResponsesDecoder, Json], Sequence[StreamEvent]]]] = {
        "response.refusal.delta": _read_refusal,
        "response.reasoning_summary_text.delta": _read_thought,
        "response.reasoning_text.delta": _read_thought,
        "response.reasoning_summary_part.added": _begin_thought,
        "response.function_call_arguments.delta": _read_arguments,
        "response.output_text.annotation.added": _read_annotation,
        "response.content_part.added": _begin_part,
        "response.output_item.added": _begin_item,
        "response.output_item.done": _finish_item,
        "error": _read_error,
        "response.completed": _close,
        "response.incomplete": _close,
        "response.failed": _close,
        "response.cancelled": _close,
        "response.done": _close,
    }
