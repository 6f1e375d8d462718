"""Bodies with one thing in them that is not what it should be: 400 in the dialect, or an answer."""

from __future__ import annotations

import pytest

from groundwire.model import Json
from tests.gateway.asking import LOCAL, QUESTION, SEARCH, WEATHER, Asked
from tests.gateway.mutation import changed, places

ODD: tuple[Json, ...] = (None, True, -1, 1e300, "", "\ud7ff\u0000", [], {}, [[]], [None], {"a": 1})
BODIES: dict[str, Json] = {
    "/messages": {
        "model": LOCAL,
        "max_tokens": 100,
        "system": [{"type": "text", "text": "Be brief."}],
        "tools": [SEARCH, {"name": "get_weather", "input_schema": WEATHER}],
        "tool_choice": {"type": "auto"},
        "thinking": {"type": "enabled", "budget_tokens": 50},
        "messages": [
            {"role": "user", "content": QUESTION},
            {
                "role": "assistant",
                "content": [
                    {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {}},
                    {
                        "type": "web_search_tool_result",
                        "tool_use_id": "s1",
                        "content": [
                            {
                                "type": "web_search_result",
                                "url": "https://a.example/",
                                "title": "A",
                                "encrypted_content": "x",
                            }
                        ],
                    },
                    {"type": "text", "text": "So."},
                    {"type": "tool_use", "id": "t1", "name": "get_weather", "input": {"city": "P"}},
                ],
            },
            {
                "role": "user",
                "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "14 C"}],
            },
        ],
    },
    "/chat/completions": {
        "model": LOCAL,
        "max_completion_tokens": 100,
        "web_search_options": {
            "search_context_size": "low",
            "user_location": {"type": "approximate", "approximate": {"city": "Paris"}},
        },
        "tools": [{"type": "function", "function": {"name": "get_weather", "parameters": WEATHER}}],
        "tool_choice": "auto",
        "messages": [
            {"role": "developer", "content": "Be brief."},
            {"role": "user", "content": [{"type": "text", "text": QUESTION}]},
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [
                    {
                        "id": "t1",
                        "type": "function",
                        "function": {"name": "get_weather", "arguments": "{}"},
                    }
                ],
            },
            {"role": "tool", "tool_call_id": "t1", "content": "14 C"},
        ],
    },
    "/responses": {
        "model": LOCAL,
        "instructions": "Be brief.",
        "max_output_tokens": 100,
        "reasoning": {"effort": "low"},
        "text": {"format": {"type": "text"}},
        "include": ["web_search_call.action.sources"],
        "tools": [
            {"type": "web_search", "filters": {"allowed_domains": ["example.net"]}},
            {"type": "function", "name": "get_weather", "parameters": WEATHER},
        ],
        "input": [
            {"role": "user", "content": [{"type": "input_text", "text": QUESTION}]},
            {"type": "web_search_call", "id": "ws_1", "action": {"type": "search", "query": "q"}},
            {"type": "item_reference", "id": "ws_2"},
            {"type": "function_call", "call_id": "t1", "name": "get_weather", "arguments": "{}"},
            {"type": "function_call_output", "call_id": "t1", "output": "14 C"},
        ],
    },
}


@pytest.mark.parametrize("path", BODIES)
def test_the_body_that_is_changed_is_taken(gateway: Asked, path: str) -> None:
    assert gateway.post(path, BODIES[path]).status_code == 200


@pytest.mark.parametrize("path", BODIES)
def test_a_strange_value_is_refused_in_the_dialect_or_taken(gateway: Asked, path: str) -> None:
    wrong = []
    for place in places(BODIES[path]):
        for odd in ODD:
            reply = gateway.post(path, changed(BODIES[path], place, odd))
            if reply.status_code == 400:
                body = reply.json()
                assert body["error"]["message"], (place, odd)
                assert (body.get("type") == "error") is (path == "/messages")
                assert reply.headers["x-should-retry"] == "false"
            elif reply.status_code != 200:
                wrong.append((place, odd, reply.status_code, reply.text[:200]))

    assert wrong == []
