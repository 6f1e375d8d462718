"""The sandbox's events have the fields that recorded ones have."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import Any

import orjson
import pytest

from groundwire.sandbox import SandboxServer
from tests.sandbox.calls import ASKED, PROVIDERS, WEATHER, body, call, stream
from tests.shared import shared

FOLDERS = {"openai": "openai_chat", "openai-responses": "openai_responses"}
# What callers write themselves, and the tokens of pictures that nobody here draws.
FREE_FORM = {"input", "args", "arguments", "tools", "metadata", "image_gen"}
USUAL = 0.6


def _fields(value: Any, where: str = "") -> Iterator[str]:
    if isinstance(value, list):
        for item in value:
            kind = item.get("type", "") if isinstance(item, dict) else ""
            yield from _fields(item, f"{where}[{kind}]")
    elif isinstance(value, dict):
        for key, item in value.items():
            if key not in FREE_FORM:
                yield f"{where}.{key}"
                yield from _fields(item, f"{where}.{key}")


def _kind(event: Any) -> str:
    delta, block = event.get("delta"), event.get("content_block") or event.get("item") or {}
    inner = delta.get("type", "") if isinstance(delta, dict) else block.get("type", "")
    return f"{event.get('type') or event.get('object') or 'chunk'} {inner}"


def _counted(raw: bytes) -> Iterator[tuple[str, set[str]]]:
    for line in raw.replace(b"\r\n", b"\n").split(b"\n"):
        if line.startswith(b"data: {"):
            try:
                event = orjson.loads(line.removeprefix(b"data: "))
            except orjson.JSONDecodeError:
                continue  # Some recordings are damaged.
            yield _kind(event), set(_fields(event))


def _with_tools(provider: str) -> dict[str, Any]:
    function = {"name": "get_weather", "description": "Weather.", "parameters": WEATHER}
    fields: dict[str, dict[str, Any]] = {
        "anthropic": {
            "tools": [{"name": "get_weather", "input_schema": WEATHER}],
            "thinking": {"type": "enabled", "budget_tokens": 1024},
        },
        "gemini": {"tools": [{"functionDeclarations": [function]}]},
        "openai": {
            "tools": [{"type": "function", "function": function}],
            "stream_options": {"include_usage": True},
        },
        "openrouter": {"tools": [{"type": "function", "function": function}]},
    }
    responses: dict[str, Any] = {
        "tools": [{"type": "function", **function}],
        "reasoning": {"summary": "auto"},
    }
    return body(provider, "get_weather in Paris", stream=True) | fields.get(provider, responses)


@pytest.mark.parametrize("provider", PROVIDERS)
async def test_no_field_is_missing_that_recorded_events_usually_have(
    sandbox: SandboxServer, provider: str
) -> None:
    usual: dict[str, Counter[str]] = defaultdict(Counter)
    seen: Counter[str] = Counter()
    for file in shared(f"recordings/{FOLDERS.get(provider, provider)}").glob("*.sse"):
        for kind, fields in _counted(file.read_bytes()):
            seen[kind] += 1
            usual[kind].update(fields)

    searched = await stream(sandbox, provider, ASKED)
    headers = {"x-sandbox-stream": "1"}
    called = await call(sandbox, provider, _with_tools(provider), headers=headers)
    ours: dict[str, set[str]] = defaultdict(set)
    for kind, fields in (*_counted(searched.raw), *_counted(called.raw)):
        ours[kind] |= fields

    missing = {
        f"{kind}: {field}"
        for kind, fields in ours.items()
        for field, count in usual[kind].items()
        if count > USUAL * seen[kind] and field not in fields
    }
    assert missing == set()
