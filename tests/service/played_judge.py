"""A judge who was told what to say: replies of Chat Completions, as their stream has them."""

from __future__ import annotations

import json

from tests import loopback


def said(says: str, words: str) -> str:
    """Return what a judge writes."""
    return json.dumps({"says": says, "words": words})


def played(*replies: str) -> list[loopback.Script]:
    """Return one reply after the other."""
    scripts = []
    for text in replies:
        head = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "gpt-5.5"}
        first = {"index": 0, "delta": {"role": "assistant", "content": text}, "finish_reason": None}
        last = {"index": 0, "delta": {}, "finish_reason": "stop"}
        usage = {"prompt_tokens": 200, "completion_tokens": 20, "total_tokens": 220}
        events = [{**head, "choices": [first]}, {**head, "choices": [last]},
                  {**head, "choices": [], "usage": usage}]  # fmt: skip
        body = "".join(f"data: {json.dumps(event)}\n\n" for event in events) + "data: [DONE]\n\n"
        scripts.append(loopback.reply(body.encode(), content_type="text/event-stream"))
    return scripts
