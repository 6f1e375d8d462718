"""A judge who was told what to say: replies of Chat Completions, as their stream has them."""

from __future__ import annotations

import json

from tests import loopback


def said(says: str, words: str) -> str:
    """Return what a judge writes."""
    return json.dumps({"says": says, "words": words})


def completion(text: str) -> bytes:
    """Return the stream of a reply that has this text, and used 220 tokens."""
    head = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "gpt-5.5"}
    first = {"index": 0, "delta": {"role": "assistant", "content": text}, "finish_reason": None}
    last = {"index": 0, "delta": {}, "finish_reason": "stop"}
    usage = {"prompt_tokens": 200, "completion_tokens": 20, "total_tokens": 220}
    events = [
        {**head, "choices": [first]},
        {**head, "choices": [last]},
        {**head, "choices": [], "usage": usage},
    ]
    return (
        "".join(f"data: {json.dumps(each)}\n\n" for each in events) + "data: [DONE]\n\n"
    ).encode()


def played(*replies: str) -> list[loopback.Script]:
    """Return one reply after the other."""
    return [loopback.reply(completion(text), content_type="text/event-stream") for text in replies]
