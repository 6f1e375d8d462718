"""Replies in Chat Completions, as a gateway writes them."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from groundwire.events import ThinkingDelta, ToolCallDelta, ToolCallEnd, ToolCallStart
from groundwire.text.plural import plural
from groundwire.wire.openai.errors_outbound import error_object
from groundwire.wire.openai.replies import END_MARKER
from groundwire.wire.outbound import (
    Compared,
    Ended,
    OwnFields,
    PageRead,
    Remark,
    SearchBegan,
    SearchEnded,
    Stop,
    Template,
    Text,
    Writer,
    comment,
    new_id,
    plain_event,
    total_of,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groundwire.model import Json, Usage
    from groundwire.wire.outbound import OutboundEvent, Refusal, SentCitation

KEEP_ALIVE = comment("keep-alive")
DONE = f"data: {END_MARKER}\n\n".encode()
_STOPS = {
    Stop.END: "stop",
    Stop.LENGTH: "length",
    Stop.TOOLS: "tool_calls",
    Stop.REFUSAL: "content_filter",
}


class ChatWriter(Writer):
    """Writes one reply: text as it comes, all annotations in one piece at the end.

    Searches are comments. With `shows_status` they are also told as Open WebUI hands them to its
    page, in chunks without choices, which some clients would trip over; and because that page shows
    every annotation as a source, there is one for each page.
    """

    def __init__(
        self, model: str, *, includes_usage: bool = False, shows_status: bool = False
    ) -> None:
        self.id = new_id("chatcmpl-")
        self._model = model
        self._created = int(time.time())
        self._includes_usage = includes_usage
        self._shows_status = shows_status
        self._text: list[str] = []
        self._thoughts: list[str] = []
        self._annotations: list[Json] = []
        self._cited: set[str] = set()
        self._own = OwnFields()
        self._calls: dict[str, Json] = {}
        self._arguments: dict[str, list[str]] = {}
        self._finish_reason: str | None = None
        self._usage: Json = None
        self._pieces = Template(lambda text: self._chunk({"content": text}))

    def start(self) -> bytes:
        """Return the first chunk."""
        return self._chunk({"role": "assistant", "content": ""})

    def keep_alive(self) -> bytes:
        """Return a comment."""
        return KEEP_ALIVE

    def fail(self, refusal: Refusal) -> bytes:
        """Return the error and the end marker."""
        return plain_event({"error": error_object(refusal)}) + DONE

    def body(self) -> Json:
        """Return the whole reply."""
        calls = [self._call_json(id_) for id_ in self._calls]
        text = "".join(self._text)
        message: Json = {"role": "assistant", "content": text if text or not calls else None}
        message["refusal"] = None
        message["annotations"] = self._annotations
        if self._thoughts:
            message["reasoning_content"] = "".join(self._thoughts)
        if calls:
            message["tool_calls"] = calls
        choice = {
            "index": 0,
            "message": message,
            "finish_reason": self._finish_reason,
            "logprobs": None,
        }
        return {
            "id": self.id,
            "object": "chat.completion",
            "created": self._created,
            "model": self._model,
            "choices": [choice],
            "usage": self._usage,
        }

    def _written(self, event: OutboundEvent) -> bytes:
        sent = b""
        match event:
            case Text(text, citations):
                sent = self._spoken(text, citations)
            case ThinkingDelta(text):
                self._thoughts.append(text)
                sent = self._chunk({"reasoning_content": text})
            case ToolCallStart() | ToolCallDelta() | ToolCallEnd():
                sent = self._call(event)
            case Compared():
                self._own.take(event)
            case Ended():
                sent = self._ended(event)
            case SearchBegan(query=query):
                sent = comment(f"searching {query}") + self._status(f"Searching: {query}")
            case SearchEnded(pages=pages):
                sent = self._status(f"Found {plural(len(pages), 'page')}", is_done=True)
            case PageRead(url=url):
                sent = comment(f"reading {url}") + self._status(f"Reading {url}", is_done=True)
            case Remark(text=text):
                sent = comment(text)
        return sent

    def _spoken(self, text: str, citations: Sequence[SentCitation]) -> bytes:
        self._text.append(text)
        for one in citations:
            if not (self._shows_status and one.url in self._cited):
                self._annotations.append(annotation(one, self._own.of(one)))
            self._cited.add(one.url)
        return self._pieces.filled(text) if text else b""

    def _status(self, words: str, *, is_done: bool = False) -> bytes:
        if not self._shows_status:
            return b""
        event = {"type": "status", "data": {"description": words, "done": is_done}}
        return plain_event({**self._head(), "choices": [], "event": event})

    def _call(self, event: ToolCallStart | ToolCallDelta | ToolCallEnd) -> bytes:
        if isinstance(event, ToolCallEnd):
            return b""
        function: Json
        if isinstance(event, ToolCallStart):
            function = {"name": event.tool_name, "arguments": ""}
            call = {"index": len(self._calls), "id": event.tool_call_id, "type": "function"}
            self._calls[event.tool_call_id] = {**call, "function": function}
            self._arguments[event.tool_call_id] = []
            return self._chunk({"tool_calls": [self._calls[event.tool_call_id]]})
        self._arguments[event.tool_call_id].append(event.arguments_delta)
        index = self._calls[event.tool_call_id]["index"]
        return self._chunk(
            {"tool_calls": [{"index": index, "function": {"arguments": event.arguments_delta}}]}
        )

    def _call_json(self, id_: str) -> Json:
        name = self._calls[id_]["function"]["name"]
        arguments = "".join(self._arguments[id_])
        return {"id": id_, "type": "function", "function": {"name": name, "arguments": arguments}}

    def _ended(self, event: Ended) -> bytes:
        self._finish_reason = _STOPS[event.stop]
        self._usage = _usage(event.usage)
        sent = b""
        if self._annotations:
            # Once: two such pieces make one client throw and another keep only the last.
            sent = self._chunk({"content": "", "annotations": self._annotations})
        sent += self._chunk({}, self._finish_reason)
        if self._includes_usage:
            sent += plain_event({**self._head(), "choices": [], "usage": self._usage})
        return sent + DONE

    def _chunk(self, delta: Json, finish_reason: str | None = None) -> bytes:
        choice = {"index": 0, "delta": delta, "finish_reason": finish_reason}
        return plain_event({**self._head(), "choices": [choice]})

    def _head(self) -> Json:
        return {
            "id": self.id,
            "object": "chat.completion.chunk",
            "created": self._created,
            "model": self._model,
        }


def annotation(one: SentCitation, own: Json) -> Json:
    """Return a source as Chat Completions nest it."""
    return {"type": "url_citation", "url_citation": citation_fields(one, own)}


def citation_fields(one: SentCitation, own: Json) -> Json:
    """Return a source with its place in the text: four fields that clients insist on, and ours."""
    return {
        "url": one.url,
        "title": one.title or one.url,
        "start_index": one.start,
        "end_index": one.end,
        "groundwire": own,
    }


def _usage(usage: Usage) -> Json:
    read, written = total_of(usage)
    return {"prompt_tokens": read, "completion_tokens": written, "total_tokens": read + written}
