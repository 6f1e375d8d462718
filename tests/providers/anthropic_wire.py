"""Events of Anthropic's wire in their real shape, to be put together in tests."""

import json

from groundwire.events import Citations, StreamEvent
from groundwire.model import Citation, Json
from groundwire.wire.anthropic.replies import MessagesDecoder
from groundwire.wire.sse import SseEvent

START: Json = {"type": "message_start", "message": {"id": "msg_1", "content": []}}
STOP: Json = {"type": "message_stop"}
OTTER: Json = {
    "type": "web_search_result_location",
    "url": "https://example.org/otter",
    "title": None,
    "cited_text": "Otters hold hands.",
    "encrypted_index": "T25l",
}


def feed(decoder: MessagesDecoder, *objects: Json) -> list[StreamEvent]:
    events: list[StreamEvent] = []
    for data in objects:
        events += decoder.feed(SseEvent(str(data.get("type")), json.dumps(data)))
    return events


def opening(index: int, block: Json) -> Json:
    return {"type": "content_block_start", "index": index, "content_block": block}


def growing(index: int, kind: str, **content: Json) -> Json:
    delta = {"type": kind, **content}
    return {"type": "content_block_delta", "index": index, "delta": delta}


def closing(index: int) -> Json:
    return {"type": "content_block_stop", "index": index}


def ending(reason: str, **usage: Json) -> list[Json]:
    delta = {"stop_reason": reason, "stop_sequence": None}
    return [{"type": "message_delta", "delta": delta, "usage": usage}, STOP]


def text(index: int, text: str, *citations: Json) -> list[Json]:
    return [
        opening(index, {"type": "text", "text": ""}),
        *(growing(index, "citations_delta", citation=citation) for citation in citations),
        growing(index, "text_delta", text=text),
        closing(index),
    ]


def fetched(number: int, url: str, title: str | None, text: str) -> list[Json]:
    """Return a page fetched in blocks 2n and 2n + 1; without text it is a PDF."""
    plain = {"type": "text", "media_type": "text/plain", "data": text}
    pdf = {"type": "base64", "media_type": "application/pdf", "data": "cGRm"}
    document = {"type": "document", "source": plain if text else pdf, "title": title}
    page = {"type": "web_fetch_result", "url": url, "content": document}
    id_ = f"srvtoolu_{number}"
    call = {"type": "server_tool_use", "id": id_, "name": "web_fetch", "input": {"url": url}}
    result = {"type": "web_fetch_tool_result", "tool_use_id": id_, "content": page}
    return [
        opening(2 * number, call),
        closing(2 * number),
        opening(2 * number + 1, result),
        closing(2 * number + 1),
    ]


def passage(index: int, quote: str, title: str | None) -> Json:
    return {
        "type": "char_location",
        "cited_text": quote,
        "document_index": index,
        "document_title": title,
        "start_char_index": 0,
        "end_char_index": len(quote),
    }


def cited(events: list[StreamEvent]) -> list[Citation]:
    found = (event.citations for event in events if isinstance(event, Citations))
    return [citation for citations in found for citation in citations]
