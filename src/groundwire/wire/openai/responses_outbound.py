"""Replies in OpenAI's Responses, as a gateway writes them."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING

from groundwire.events import ToolCallDelta, ToolCallEnd, ToolCallStart
from groundwire.wire.openai.chat_outbound import citation_fields
from groundwire.wire.openai.errors_outbound import error_object, failure_code
from groundwire.wire.outbound import (
    Compared,
    Ended,
    NumberedTemplate,
    OwnFields,
    PageRead,
    SearchBegan,
    SearchEnded,
    Stop,
    Text,
    Writer,
    named_event,
    new_id,
    total_of,
)
from groundwire.wire.text import parsed

if TYPE_CHECKING:
    from collections.abc import Collection

    from groundwire.model import Json, Usage
    from groundwire.wire.outbound import OutboundEvent, Refusal


class ResponsesWriter(Writer):
    """Writes one reply: items one after the other, each begun and done.

    Searches are items for a client that declared the hosted tool (`shows_searches`); what they
    found is told only if the client asks for it (`includes_sources`). A call of one of the
    `custom_tools` is a free text.
    """

    def __init__(
        self,
        model: str,
        *,
        shows_searches: bool = False,
        includes_sources: bool = False,
        custom_tools: Collection[str] = (),
    ) -> None:
        self.id = new_id("resp_")
        self._model = model
        self._created = int(time.time())
        self._shows_searches = shows_searches
        self._includes_sources = includes_sources
        self._custom_tools = custom_tools
        self._output: list[Json] = []
        self._number = -1
        self._text: list[str] = []
        self._annotations: list[Json] = []
        self._own = OwnFields()
        self._message: Json = None
        self._text_start = 0
        self._calls: dict[str, tuple[int, Json, list[str]]] = {}
        self._searches: dict[str, int] = {}
        self._searching = ""
        self._status = "in_progress"
        self._usage: Json = None
        self._reason: str | None = None
        self._error: Json = None

    def start(self) -> bytes:
        """Return the first two events."""
        return self._event("response.created", response=self.body()) + self._in_progress()

    def keep_alive(self) -> bytes:
        """Return an event that says nothing new: Codex does not count a comment."""
        if self._searching:
            index = self._searches[self._searching]
            return self._call_event("searching", self._searching, index)
        return self._in_progress()

    def fail(self, refusal: Refusal) -> bytes:
        """Return the failure twice, because no client takes both forms."""
        self._status = "failed"
        self._error = {"code": failure_code(refusal), "message": refusal.message}
        told = {**error_object(refusal), "code": self._error["code"]}
        return self._event("error", error=told) + self._event(
            "response.failed", response=self.body()
        )

    def body(self) -> Json:
        """Return the whole reply."""
        details = {"reason": self._reason} if self._reason else None
        return {
            "id": self.id,
            "object": "response",
            "created_at": self._created,
            "status": self._status,
            "model": self._model,
            "output": [*self._output],
            "usage": self._usage,
            "error": self._error,
            "incomplete_details": details,
            "instructions": None,
            "metadata": {},
            "parallel_tool_calls": True,
            "temperature": None,
            "tool_choice": "auto",
            "tools": [],
            "top_p": None,
        }

    def _written(self, event: OutboundEvent) -> bytes:
        match event:
            case Text():
                return self._spoken(event)
            case SearchBegan() | SearchEnded() | PageRead():
                return self._searched(event) if self._shows_searches else b""
            case ToolCallStart() | ToolCallDelta() | ToolCallEnd():
                return self._called(event)
            case Compared():
                # No event of our own: it is in the item and in the response, as far as it is known.
                self._own.take(event)
                return b""
            case Ended():
                return self._ended(event)
            case _:
                return b""

    def _spoken(self, event: Text) -> bytes:
        if not event.text and not event.citations:
            return b""
        sent = [] if self._message else [self._message_begun()]
        if event.text:
            self._text.append(event.text)
            self._number += 1
            sent.append(self._pieces.filled(self._number, event.text))
        for one in event.citations:
            told = {"type": "url_citation", **citation_fields(one, self._own.of(one))}
            # A client's text begins anew with every message of a reply.
            for name in ("start_index", "end_index"):
                told[name] -= self._text_start
            self._annotations.append(told)
            sent.append(
                self._part_event(
                    "response.output_text.annotation.added",
                    annotation_index=len(self._annotations) - 1,
                    annotation=told,
                )
            )
        return b"".join(sent)

    def _message_begun(self) -> bytes:
        self._message = {"id": new_id("msg_"), "type": "message", "role": "assistant"}
        begun = {**self._message, "status": "in_progress", "content": []}
        self._output.append(begun)
        self._pieces = NumberedTemplate(self._piece)
        part = {"type": "output_text", "text": "", "annotations": [], "logprobs": []}
        return self._item_event("added", len(self._output) - 1) + self._part_event(
            "response.content_part.added", part=part
        )

    def _piece(self, number: str, text: str) -> bytes:
        kind = "response.output_text.delta"
        named = {"type": kind, "sequence_number": number, **self._place()}
        return named_event({**named, "delta": text, "logprobs": []})

    def _place(self) -> Json:
        index = len(self._output) - 1
        return {"item_id": self._message["id"], "output_index": index, "content_index": 0}

    def _message_done(self) -> bytes:
        if self._message is None:
            return b""
        text = "".join(self._text)
        part = {
            "type": "output_text",
            "text": text,
            "annotations": [*self._annotations],
            "logprobs": [],
        }
        sent = self._part_event("response.output_text.done", text=text, logprobs=[])
        sent += self._part_event("response.content_part.done", part=part)
        self._output[-1] = {**self._message, "status": "completed", "content": [part]}
        sent += self._item_event("done", len(self._output) - 1)
        self._message = None
        self._text_start += len(text)
        self._text.clear()
        self._annotations.clear()
        return sent

    def _searched(self, event: SearchBegan | SearchEnded | PageRead) -> bytes:
        if isinstance(event, SearchBegan):
            self._searching = event.id
            return self._message_done() + self._search_begun(event.id)
        begun = b""
        if isinstance(event, PageRead):
            begun = self._message_done() + self._search_begun(event.id)
            action: Json = {"type": "open_page", "url": event.url}
        else:
            self._searching = ""
            action = {"type": "search", "query": event.query, "queries": [event.query]}
            if self._includes_sources:
                action["sources"] = [{"type": "url", "url": page.url} for page in event.pages]
        index = self._searches[event.id]
        status = "failed" if event.error else "completed"
        self._output[index] = {**self._output[index], "status": status, "action": action}
        ended = self._call_event("completed", event.id, index)
        return begun + ended + self._item_event("done", index)

    def _search_begun(self, id_: str) -> bytes:
        index = self._searches[id_] = len(self._output)
        self._output.append({"id": id_, "type": "web_search_call", "status": "in_progress"})
        return b"".join(
            [
                self._item_event("added", index),
                self._call_event("in_progress", id_, index),
                self._call_event("searching", id_, index),
            ]
        )

    def _called(self, event: ToolCallStart | ToolCallDelta | ToolCallEnd) -> bytes:
        match event:
            case ToolCallStart():
                return self._message_done() + self._call_begun(event)
            case ToolCallDelta(id_, arguments):
                index, item, pieces = self._calls[id_]
                pieces.append(arguments)
                if item["type"] != "function_call":
                    return b""  # A free text comes as JSON, of which half is no text.
                return self._event(
                    "response.function_call_arguments.delta",
                    item_id=item["id"],
                    output_index=index,
                    delta=arguments,
                )
            case ToolCallEnd(id_):
                return self._call_done(*self._calls[id_])

    def _call_begun(self, event: ToolCallStart) -> bytes:
        index = len(self._output)
        item: Json = {"id": new_id("fc_"), "type": "function_call"}
        item |= {"status": "in_progress", "call_id": event.tool_call_id, "name": event.tool_name}
        item["arguments"] = ""
        if event.tool_name in self._custom_tools:
            item = {"id": new_id("ctc_"), "type": "custom_tool_call", "status": "in_progress"}
            item |= {"call_id": event.tool_call_id, "name": event.tool_name, "input": ""}
        self._calls[event.tool_call_id] = (index, item, [])
        self._output.append(item)
        return self._item_event("added", index)

    def _call_done(self, index: int, item: Json, pieces: list[str]) -> bytes:
        whole = "".join(pieces)
        if item["type"] == "function_call":
            done = {**item, "status": "completed", "arguments": whole}
            kind, told = "response.function_call_arguments.done", {"arguments": whole}
        else:
            given = parsed(whole)
            text = given.get("input", "") if isinstance(given, dict) else whole
            said = text if isinstance(text, str) else json.dumps(text)
            done = {**item, "status": "completed", "input": said}
            kind, told = "response.custom_tool_call_input.done", {"input": said}
        self._output[index] = done
        sent = self._event(kind, item_id=item["id"], output_index=index, **told)
        return sent + self._item_event("done", index)

    def _ended(self, event: Ended) -> bytes:
        sent = self._message_done()
        is_cut = event.stop is Stop.LENGTH
        self._status = "incomplete" if is_cut else "completed"
        self._reason = "max_output_tokens" if is_cut else None
        self._usage = _usage(event.usage)
        return sent + self._event(f"response.{self._status}", response=self.body())

    def _in_progress(self) -> bytes:
        return self._event("response.in_progress", response=self.body())

    def _part_event(self, kind: str, **fields: Json) -> bytes:
        return self._event(kind, **self._place(), **fields)

    def _item_event(self, what: str, index: int) -> bytes:
        kind = f"response.output_item.{what}"
        return self._event(kind, output_index=index, item=self._output[index])

    def _call_event(self, what: str, id_: str, index: int) -> bytes:
        return self._event(f"response.web_search_call.{what}", item_id=id_, output_index=index)

    def _event(self, kind: str, **fields: Json) -> bytes:
        self._number += 1
        return named_event({"type": kind, "sequence_number": self._number, **fields})


def _usage(usage: Usage) -> Json:
    read, written = total_of(usage)
    return {
        "input_tokens": read,
        "input_tokens_details": {"cached_tokens": usage.cached_input_tokens or 0},
        "output_tokens": written,
        "output_tokens_details": {"reasoning_tokens": usage.thinking_tokens or 0},
        "total_tokens": read + written,
    }
