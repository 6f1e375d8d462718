"""Replies of a provider that hold what strangers wrote, in the wire's own form."""

from __future__ import annotations

import json
from collections.abc import Sequence

from groundwire.model import Json

_MESSAGE: Json = {
    "id": "msg_1",
    "type": "message",
    "role": "assistant",
    "model": "claude-sonnet-5-5",
    "content": [],
    "stop_reason": None,
    "stop_sequence": None,
    "usage": {"input_tokens": 1, "output_tokens": 1},
}


def anthropic_reply(payloads: Sequence[str]) -> bytes:
    """Return a streamed answer with each payload as query, title, quote and words of its own."""
    results = [
        {
            "type": "web_search_result",
            "url": f"https://site.example.net/{number}",
            "title": payload,
            "encrypted_content": "x",
            "page_age": payload[:80],
        }
        for number, payload in enumerate(payloads)
    ]
    blocks = [
        _block(
            {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {}},
            {
                "type": "input_json_delta",
                "partial_json": json.dumps({"query": "\n".join(payloads)}),
            },
        ),
        _block({"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": results}),
        *(_claim(payload, result) for payload, result in zip(payloads, results, strict=True)),
    ]
    end = {"stop_reason": "end_turn", "stop_sequence": None}
    events: list[Json] = [{"type": "message_start", "message": _MESSAGE}]
    for index, block in enumerate(blocks):
        events += [{**event, "index": index} for event in block]
    events += [
        {"type": "message_delta", "delta": end, "usage": {"output_tokens": 2}},
        {"type": "message_stop"},
    ]
    return b"".join(f"event: {e['type']}\ndata: {json.dumps(e)}\n\n".encode() for e in events)


def _block(start: Json, *deltas: Json) -> list[Json]:
    return [
        {"type": "content_block_start", "content_block": start},
        *({"type": "content_block_delta", "delta": delta} for delta in deltas),
        {"type": "content_block_stop"},
    ]


def _claim(payload: str, result: Json) -> list[Json]:
    citation = {
        "type": "web_search_result_location",
        "url": result["url"],
        "title": payload,
        "encrypted_index": "x",
        "cited_text": payload,
    }
    return _block(
        {"type": "text", "text": "", "citations": []},
        {"type": "citations_delta", "citation": citation},
        {"type": "text_delta", "text": f"{payload}\n\n"},
    )
