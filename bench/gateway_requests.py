"""What bench.gateway asks, in which dialect, and which server answers it."""

from __future__ import annotations

from typing import Any

MODEL = "claude-sonnet-5-5"
QUESTION = "What do the pages say?"
TOOL = {"type": "web_search_20250305", "name": "web_search", "max_uses": 5}
_ASKED = [{"role": "user", "content": QUESTION}]
MESSAGES = {"model": MODEL, "max_tokens": 16_000, "messages": _ASKED, "stream": True}
_CHAT = {"model": MODEL, "messages": _ASKED, "stream": True}
DIALECTS: dict[str, tuple[str, dict[str, Any]]] = {
    "messages": ("/v1/messages", {**MESSAGES, "tools": [TOOL]}),
    "chat": ("/v1/chat/completions", {**_CHAT, "web_search_options": {}}),
    "responses": (
        "/v1/responses",
        {"model": MODEL, "input": QUESTION, "stream": True, "tools": [{"type": "web_search"}]},
    ),
}
UNCHECKED = "-unchecked"
PROXY = "litellm-"
BODIES: dict[str, tuple[str, dict[str, Any]]] = {
    "bare": ("/relay", {}),
    **DIALECTS,
    **{f"{name}{UNCHECKED}": asked for name, asked in DIALECTS.items()},
    **{f"{PROXY}{name}": DIALECTS[name] for name in ("messages", "chat")},
}
ENDS = {"messages": "message_stop", "chat": "[DONE]", "responses": "response.completed"}


def server_of(kind: str) -> str:
    """Return which server answers a kind of request."""
    if kind == "bare" or kind.startswith(PROXY):
        return kind.partition("-")[0]
    return "ours-off" if kind.endswith(UNCHECKED) else "ours-all"


def end_of(kind: str) -> str:
    """Return what is in the last event of a whole stream."""
    return ENDS.get(kind.removeprefix(PROXY).removesuffix(UNCHECKED), "message_stop")
