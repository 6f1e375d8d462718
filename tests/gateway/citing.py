"""The citations of a reply in each dialect, whole or streamed, as a client reads them."""

from __future__ import annotations

from collections.abc import Sequence

from groundwire.model import Json
from tests.gateway.asking import SEARCH, Asked, SentEvent

GEMINI = "gemini/gemini-3.8-flash"
"""A model that names its sources when its words are over."""
PATHS = ("/messages", "/chat/completions", "/responses")
ASKING: dict[str, Json] = {
    "/messages": {"tools": [SEARCH]},
    "/chat/completions": {"web_search_options": {}},
    "/responses": {"tools": [{"type": "web_search"}]},
}


def asking(gateway: Asked, path: str, model: str, question: str = "") -> Json:
    """Return a request that asks for search."""
    make = {"/messages": gateway.messages, "/chat/completions": gateway.chat}
    body = make.get(path, gateway.responses)(**{"model": model, **ASKING[path]})
    if question:
        asked = question if path == "/responses" else [{"role": "user", "content": question}]
        body["input" if path == "/responses" else "messages"] = asked
    return body


def cited(path: str, body: Json) -> list[Json]:
    """Return all citations of a whole reply."""
    if path == "/messages":
        return [one for block in body["content"] for one in block.get("citations") or ()]
    if path == "/chat/completions":
        annotations = body["choices"][0]["message"]["annotations"]
        return [each["url_citation"] for each in annotations]
    items = [item for item in body["output"] if item["type"] == "message"]
    return [one for item in items for one in item["content"][0]["annotations"]]


def marker_or_words(one: Json, model: str, text: str) -> str:
    """Return what a citation of a stream covers: a marker, or the words if those were sent."""
    if model != GEMINI:
        return f"[{one['groundwire']['number']}]({one['url']})"
    words = text[one["start_index"] : one["end_index"]]
    assert words.endswith(".")
    assert "](" not in words
    return words


def own_fields(path: str, body: Json) -> list[Json]:
    """Return our fields of all citations of a whole reply."""
    return [one["groundwire"] for one in cited(path, body)]


def streamed_text(path: str, events: Sequence[SentEvent]) -> str:
    """Return the text of a stream."""
    if path == "/chat/completions":
        return "".join(delta.get("content") or "" for delta in _deltas(events))
    if path == "/messages":
        return "".join(each.get("text", "") for each in _block_deltas(events))
    kind = "response.output_text.delta"
    return "".join(each.data["delta"] for each in events if each.name == kind)


def streamed_citations(path: str, events: Sequence[SentEvent]) -> list[Json]:
    """Return the citations of a stream as they were told first."""
    if path == "/chat/completions":
        told = [delta["annotations"] for delta in _deltas(events) if "annotations" in delta]
        assert len(told) < 2, "some clients take only one piece with annotations"
        return [each["url_citation"] for annotations in told for each in annotations]
    if path == "/messages":
        return [each["citation"] for each in _block_deltas(events) if "citation" in each]
    kind = "response.output_text.annotation.added"
    return [each.data["annotation"] for each in events if each.name == kind]


def streamed_checks(path: str, events: Sequence[SentEvent]) -> list[Json]:
    """Return our fields of a stream's citations as they were at its end."""
    if path == "/messages":
        (last,) = [each.data for each in events if each.name == "message_delta"]
        found: list[Json] = last["groundwire"]["citations"]
        return found
    if path == "/responses":
        return own_fields(path, events[-1].data["response"])
    return [each["groundwire"] for each in streamed_citations(path, events)]


def _deltas(events: Sequence[SentEvent]) -> list[Json]:
    chunks = [each.data for each in events if isinstance(each.data, dict)]
    return [choice["delta"] for chunk in chunks for choice in chunk["choices"]]


def _block_deltas(events: Sequence[SentEvent]) -> list[Json]:
    return [each.data["delta"] for each in events if each.name == "content_block_delta"]
