"""Replies of the OpenAI family for tests: saved streams, and chunks written as Python."""

import json
from collections.abc import Sequence
from pathlib import Path

from groundwire.events import StreamEvent
from groundwire.model import Json
from groundwire.wire.contract import Decoder, HttpReply
from groundwire.wire.sse import SseParser

REPLIES = Path(__file__).parent / "replies"
URL = "https://otters.example/hands"
COMPLETED: Json = {"type": "response.completed", "response": {"status": "completed", "output": []}}


def replay(decoder: Decoder, name: str) -> list[StreamEvent]:
    """Return all that a saved stream says."""
    events = SseParser().feed((REPLIES / name).read_bytes())
    told = [told for event in events for told in decoder.feed_data(event.data)]
    return told + list(decoder.finish())


def feed(decoder: Decoder, objects: Sequence[Json]) -> list[StreamEvent]:
    """Return what objects of a stream say; the end of the body is not told."""
    texts = [thing if isinstance(thing, str) else json.dumps(thing) for thing in objects]
    return [told for text in texts for told in decoder.feed_data(text)]


def chunk(delta: Json, finish_reason: str | None = None, **fields: Json) -> Json:
    """Return one chunk of a Chat Completions stream."""
    choice = {"index": 0, "delta": delta, "finish_reason": finish_reason}
    return {"id": "chatcmpl-1", "object": "chat.completion.chunk", "choices": [choice], **fields}


def reply_of(status: int, body: Json, url: str = "", service: str = "openai") -> HttpReply:
    """Return a whole reply with a JSON body."""
    return HttpReply(status=status, body=json.dumps(body).encode(), url=url, service=service)


def delta(text: str) -> Json:
    """Return a piece of text in a Responses stream."""
    return {"type": "response.output_text.delta", "item_id": "m", "content_index": 0, "delta": text}


def message(*texts: str, annotations: Json = ()) -> Json:
    """Return a message item with a part per text."""
    parts = [{"type": "output_text", "text": text, "annotations": annotations} for text in texts]
    return {"type": "message", "id": "m", "role": "assistant", "content": parts}


def finished(item: Json) -> Json:
    """Return the event that ends an item."""
    return {"type": "response.output_item.done", "item": item}


def begun(item: Json) -> Json:
    """Return the event that begins an item."""
    return {"type": "response.output_item.added", "item": item}


def cited(start: int, end: int) -> Json:
    """Return a citation of the page at URL."""
    return {
        "type": "url_citation",
        "url": URL,
        "title": "T",
        "start_index": start,
        "end_index": end,
    }


def added(start: int, end: int, content_index: int = 0) -> Json:
    """Return the event of a citation."""
    return {
        "type": "response.output_text.annotation.added",
        "item_id": "m",
        "content_index": content_index,
        "annotation": cited(start, end),
    }


def search(status: str = "completed", **action: Json) -> Json:
    """Return a web search call."""
    return {"type": "web_search_call", "id": "ws", "status": status, "action": action}
