"""Replies in OpenAI's Responses, as OpenAI, Codex, OpenRouter, xAI and local servers send them."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from groundwire.errors import ToolFailedError
from groundwire.events import RawBlocks, TextDelta, Warned
from groundwire.wire.decoder import INCOMPLETE, NOTHING, checked_text
from groundwire.wire.openai import responses_items
from groundwire.wire.openai.responses_items import texts_of
from groundwire.wire.openai.responses_output import OutputItems
from groundwire.wire.openai.responses_texts import CONTENT, SUMMARY, ResponsesTexts, Thoughts

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from groundwire.events import StreamEvent
    from groundwire.model import Json
    from groundwire.wire.openai.responses_output import Item

TEXT_DELTA = "response.output_text.delta"
# Parts of an item that are told as text; a server may also number those of its reasoning.
_TEXT_PARTS = ("output_text", "refusal", None)


class ResponsesDecoder(ResponsesTexts):
    """Reads one reply.

    The wire tells everything two or three times: in pieces, in the part and the item when they are
    done and in the whole response at the end. The first that comes is told, the others only fill
    gaps. Items may overlap, in any order: what was told is kept for each.
    """

    def __init__(self, service: str) -> None:
        super().__init__(service)
        self._items = OutputItems()
        self._thoughts = Thoughts()
        self._searches = 0
        self._opened: set[str] = set()

    def read(self, data: Json) -> Sequence[StreamEvent]:
        """Return what one event means; nearly all are a piece of text."""
        kind = data["type"]
        if kind == TEXT_DELTA:
            text = data["delta"]
            if text.__class__ is not str or not text:
                return NOTHING
            part = self._speaker
            if (
                part is not None
                and data.get("output_index") == self._speaker_item
                and data.get("content_index") == self._speaker_number
            ):
                part.pieces.append(text)
                self.text_length += len(text)
                return [TextDelta(text)]
            return self._add_text(self._items.claim("message", data), data, text)
        handler = self._handlers.get(kind)
        return handler(self, data) if handler else NOTHING

    def read_body(self, body: Json) -> Sequence[StreamEvent]:
        """Return what a whole reply means."""
        if "output" in body:
            return self._close({"response": body})
        error = body.get("error") or body.get("detail")
        return self._failed(error or {"message": "the reply has no output"})

    def finish(self) -> Sequence[StreamEvent]:
        """Return what has waited in a reply that was cut off, then the error."""
        failure = super().finish()
        return [*self._release(), *failure] if failure else failure

    def _release(self) -> list[StreamEvent]:
        return [*self._thoughts.close(), *self._close_parts()]

    def _read_refusal(self, data: Json) -> list[StreamEvent]:
        return self._add_text(self._items.claim("message", data), data, checked_text(data["delta"]))

    def _read_summary(self, data: Json) -> list[StreamEvent]:
        return self._add_thought(data, SUMMARY, data.get("summary_index"))

    def _read_thought(self, data: Json) -> list[StreamEvent]:
        return self._add_thought(data, CONTENT, data.get("content_index"))

    def _add_thought(self, data: Json, group: str, number: Json) -> list[StreamEvent]:
        text = checked_text(data["delta"])
        return self._thoughts.add(self._items.claim("reasoning", data), group, number, text)

    def _begin_thought(self, data: Json) -> list[StreamEvent]:
        item = self._items.claim("reasoning", data)
        return self._thoughts.begin(item, SUMMARY, data.get("summary_index"))

    def _finish_thought(self, data: Json) -> list[StreamEvent]:
        """End a part of the reasoning, so that another item's may follow."""
        item = self._items.find("reasoning", data)
        group = CONTENT if "content_index" in data else SUMMARY
        number = data.get(f"{group}_index")
        if item is None or type(number) is not int:
            return []
        return self._thoughts.end(item, group, number, checked_text(data.get("text") or ""))

    def _read_arguments(self, data: Json) -> list[StreamEvent]:
        item = self._items.find("function_call", data)
        return self._calls.add(item.call_id if item else "", data["delta"])

    def _read_annotation(self, data: Json) -> list[StreamEvent]:
        item = self._items.find_any("message", data) or self._items.claim("message", data)
        part = self._known_part(item, data.get("content_index"))
        return self._annotate(part, [data["annotation"]])

    def _read_part(self, data: Json) -> list[StreamEvent]:
        if _kind_of(data.get("part")) not in _TEXT_PARTS:
            return []
        return self._begin_part(self._items.claim("message", data), data.get("content_index"))

    def _finish_part(self, data: Json) -> list[StreamEvent]:
        """End a text; what did not come in pieces is in here."""
        part = data.get("part") or data
        item = self._items.find("message", data)
        if item is None or _kind_of(data.get("part")) not in _TEXT_PARTS:
            return []
        known = self._known_part(item, data.get("content_index"))
        [text] = texts_of([part])
        events = self._tell(known, known.rest_of(text)) if known.is_open else []
        return events + self._close_part(known)

    def _begin_item(self, data: Json) -> list[StreamEvent]:
        whole = data["item"]
        kind = whole.get("type")
        before = self._items.find(kind, data)
        item = self._items.begin(kind, data)
        events: list[StreamEvent] = []
        if before is not None and before.is_bare:
            events += self._close_parts(before.parts.values())
        if kind == "message":
            events += self._begin_part(item, 0)
        elif kind == "function_call":
            events += self._begin_call(item, whole)
        return events

    def _begin_call(self, item: Item, whole: Json) -> list[StreamEvent]:
        item.call_id = whole["call_id"]
        return self._calls.start(item.call_id, item.call_id, whole["name"])

    def _finish_item(self, data: Json) -> list[StreamEvent]:
        return self._finish(self._items.finish(data), data["item"])

    def _finish(self, item: Item, whole: Json) -> list[StreamEvent]:
        """Return what a whole item adds to what was told of it."""
        match whole.get("type"):
            case "message":
                events = self._finish_message(item, whole.get("content") or ())
            case "function_call":
                events = self._begin_call(item, whole)
                events += self._calls.complete(item.call_id, whole.get("arguments"))
            case "web_search_call":
                events = self._finish_search(item, whole)
            case "reasoning":
                texts = {group: texts_of(whole.get(group)) for group in (SUMMARY, CONTENT)}
                events = self._thoughts.finish(item, texts)
            case _:
                events = []
        self._items.settle(item, whole)
        return events

    def _finish_search(self, item: Item, whole: Json) -> list[StreamEvent]:
        action = whole.get("action") or {}
        if not responses_items.is_search(action):
            url = str(action.get("url"))
            is_new = url not in self._opened
            self._opened.add(url)
            return responses_items.fetch_events(whole) if is_new else []
        hits = self._hits(action.get("sources") or ())
        if item.whole is not None:
            return hits
        self._searches += 1
        events = responses_items.search_events(action)
        if whole.get("status") == "failed":
            events.append(Warned(f"a web search of {self.service} failed", ToolFailedError.code))
        return events + hits

    def _read_error(self, data: Json) -> list[StreamEvent]:
        return [*self._release(), *self._failed(data.get("error") or data)]

    def _close(self, data: Json) -> Sequence[StreamEvent]:
        """Return what the whole response adds to what was told, and the end."""
        if self.is_done:
            return NOTHING
        response = data["response"]
        output = response.get("output") or ()
        events = [*self._read_output(output), *self._release()]
        self._stop_reason = responses_items.status_of(data)
        if self._stop_reason == "failed":
            events += self._failed(response.get("error") or {})
        events += self._spent(response.get("usage"), self._count_searches(response))
        # Codex leaves the output empty at the end.
        items = list(output) or self._items.wholes()
        if self._stop_reason == "completed" and responses_items.are_worth_keeping(items):
            events.append(RawBlocks(items))
        if reason := (response.get("incomplete_details") or {}).get("reason"):
            message = f"the reply of {self.service} is incomplete: {reason}"
            events += self.cut_off(reason) or [Warned(message, INCOMPLETE)]
        return [*events, *self._end()]

    def _read_output(self, output: Sequence[Json]) -> list[StreamEvent]:
        """Return what a whole response adds to what came one by one."""
        messages = [whole for whole in output if _kind_of(whole) == "message"]
        bare = self._items.bare_message()
        if bare is not None and messages:  # Text that came without items is all of them.
            content = [part for each in messages for part in each.get("content") or ()]
            whole = {**messages[0], "content": content}
            output = [each for each in output if each not in messages]
            return [*self._finish(bare, whole), *self._read_output(output)]
        return [
            event
            for item, whole in self._items.pairs(output)
            for event in self._finish(item, whole)
        ]

    def _count_searches(self, response: Json) -> int | None:
        usage, tools = response.get("usage") or {}, response.get("tool_usage") or {}
        if "server_tool_use_details" in usage:
            return None  # OpenRouter counts them there.
        told = (tools.get("web_search") or {}).get("num_requests")
        return told if type(told) is int else self._searches or None

    _handlers: ClassVar[Mapping[str, Callable[[ResponsesDecoder, Json], Sequence[StreamEvent]]]] = {
        "response.refusal.delta": _read_refusal,
        "response.reasoning_summary_text.delta": _read_summary,
        "response.reasoning_text.delta": _read_thought,
        "response.reasoning_summary_part.added": _begin_thought,
        "response.reasoning_summary_text.done": _finish_thought,
        "response.reasoning_text.done": _finish_thought,
        "response.function_call_arguments.delta": _read_arguments,
        "response.output_text.annotation.added": _read_annotation,
        "response.content_part.added": _read_part,
        "response.output_text.done": _finish_part,
        "response.refusal.done": _finish_part,
        "response.content_part.done": _finish_part,
        "response.output_item.added": _begin_item,
        "response.output_item.done": _finish_item,
        "error": _read_error,
        "response.completed": _close,
        "response.incomplete": _close,
        "response.failed": _close,
        "response.cancelled": _close,
        "response.done": _close,
    }


def _kind_of(thing: Json) -> Json:
    return thing.get("type") if isinstance(thing, dict) else None
