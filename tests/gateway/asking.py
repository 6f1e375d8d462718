"""Asking the gateway as clients do, and reading what it sends byte by byte."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import httpx2

from groundwire.model import Json
from tests.web.server import Web

SEARCH = {"type": "web_search_20250305", "name": "web_search", "max_uses": 8}
WEATHER: Json = {
    "type": "object",
    "properties": {"city": {"type": "string"}},
    "required": ["city"],
}
CLAUDE = "anthropic/claude-sonnet-5-5"
LOCAL = "openai/gpt-5.5"
"""A model that the sandbox plays without search of its own in Chat Completions."""
QUESTION = "How do sea otters sleep?"


@dataclass(frozen=True, slots=True, kw_only=True)
class SentEvent:
    """One event as it was sent; `name` is "" where there is no `event:` line."""

    name: str
    data: Json
    raw: str


class Asked(Web):
    """A server whose gateway is asked."""

    _seen = 0

    def forget(self) -> None:
        """Have `asked_upstream` begin anew."""
        self._seen = len(self.sandbox.requests)

    def post(self, path: str, body: Json, **options: Json) -> httpx2.Response:
        """Return the whole reply to a body."""
        return self.client.post(f"/v1{path}", json=body, **options)

    def sse(self, path: str, body: Json, **options: Json) -> list[SentEvent]:
        """Return all events of a stream; comments are events without data."""
        with self.streaming(path, body, **options) as events:
            return list(events)

    @contextmanager
    def streaming(self, path: str, body: Json, **options: Json) -> Iterator[Iterator[SentEvent]]:
        """Give the events of a stream as they come."""
        sent = {**body, "stream": True}
        with self.client.stream("POST", f"/v1{path}", json=sent, **options) as reply:
            assert reply.status_code == 200, reply.read()
            yield sent_events(reply)

    def messages(self, **fields: Json) -> Json:
        """Return a Messages request."""
        asked = [{"role": "user", "content": QUESTION}]
        return {"model": CLAUDE, "max_tokens": 2_000, "messages": asked, **fields}

    def chat(self, **fields: Json) -> Json:
        """Return a Chat Completions request."""
        return {"model": LOCAL, "messages": [{"role": "user", "content": QUESTION}], **fields}

    def responses(self, **fields: Json) -> Json:
        """Return a Responses request."""
        return {"model": "openai-responses/gpt-5.5", "input": QUESTION, **fields}

    def asked_upstream(self, part: str = "") -> list[Json]:
        """Return the bodies that models were sent, those whose path has a part."""
        return [
            each.body
            for each in self.sandbox.requests[self._seen :]
            if part in each.path and isinstance(each.body, dict) and "model" in each.body
        ]


def sent_events(reply: httpx2.Response) -> Iterator[SentEvent]:
    """Read a stream line by line."""
    name, lines, raw = "", [], []
    for line in reply.iter_lines():
        if line:
            raw.append(line)
            if line.startswith("event: "):
                name = line.removeprefix("event: ")
            elif line.startswith("data: "):
                lines.append(line.removeprefix("data: "))
        elif raw:
            text = "\n".join(lines)
            data = json.loads(text) if text and text != "[DONE]" else text or None
            yield SentEvent(name=name, data=data, raw="\n".join(raw))
            name, lines, raw = "", [], []


def text_of(body: Json) -> str:
    """Return the text of a whole Messages reply."""
    return "".join(block["text"] for block in body["content"] if block["type"] == "text")
