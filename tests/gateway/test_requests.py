"""Shapes that clients send: none crashes, what changes the answer reaches the model."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable

import orjson
import pytest
import zstandard

from groundwire.model import Json
from tests.gateway.asking import CLAUDE, LOCAL, QUESTION, SEARCH, WEATHER, Asked, text_of

PIXEL = "R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7"
TOOL: Json = {"name": "get_weather", "input_schema": WEATHER}
USER: Json = {"role": "user", "content": QUESTION}
_TOOL_TURN: list[Json] = [
    USER,
    {
        "role": "assistant",
        "content": [
            {"type": "thinking", "thinking": "Hm.", "signature": ""},
            {"type": "text", "text": "Let me see."},
            {"type": "tool_use", "id": "toolu_1", "name": "get_weather", "input": {"city": "Rom"}},
        ],
    },
]

MESSAGES: dict[str, Json] = {
    "system as blocks": {"system": [{"type": "text", "text": "Be brief.", "cache_control": {}}]},
    "system inside messages": {
        "messages": [
            {"role": "system", "content": "Be kind."},
            USER,
            {"role": "system", "content": [{"type": "text", "text": "Now."}]},
            USER,
        ]
    },
    "no tools": {"tools": []},
    "explicit nulls in the tool": {
        "tools": [
            {
                **SEARCH,
                "max_uses": None,
                "allowed_domains": None,
                "blocked_domains": None,
                "user_location": None,
            }
        ]
    },
    "unknown fields in the tool": {
        "tools": [{**SEARCH, "search_profile": "x", "allowed_callers": ["direct"]}]
    },
    "deferred tools": {
        "tools": [
            {**TOOL, "defer_loading": True},
            {"name": "ToolSearch", "input_schema": {"type": "object"}},
        ]
    },
    "deferred tools that Anthropic would find": {
        "tools": [
            {**TOOL, "defer_loading": True},
            {"type": "tool_search_tool_regex_20251119", "name": "tool_search"},
        ]
    },
    "a tool reference": {
        "tools": [{**TOOL, "defer_loading": True}],
        "messages": [
            *_TOOL_TURN,
            {
                "role": "user",
                "content": [
                    {
                        "type": "tool_result",
                        "tool_use_id": "toolu_1",
                        "content": [{"type": "tool_reference", "tool_name": "get_weather"}],
                    }
                ],
            },
        ],
    },
    "results beside words": {
        "tools": [TOOL],
        "messages": [
            *_TOOL_TURN,
            {
                "role": "user",
                "content": [
                    {
                        "type": "tool_result",
                        "tool_use_id": "toolu_1",
                        "content": "9 C",
                        "is_error": False,
                    },
                    {"type": "text", "text": "Go on."},
                ],
            },
        ],
    },
    "a picture": {
        "messages": [
            {
                "role": "user",
                "content": [
                    {
                        "type": "image",
                        "source": {"type": "base64", "media_type": "image/gif", "data": PIXEL},
                    },
                    {"type": "text", "text": "What is it?"},
                ],
            }
        ]
    },
    "adaptive thinking": {"thinking": {"type": "adaptive"}, "output_config": {"effort": "low"}},
    "enabled thinking": {"thinking": {"type": "enabled", "budget_tokens": 1024}},
    "disabled thinking": {"thinking": {"type": "disabled"}},
    "what only tunes": {
        "metadata": {"user_id": "x"},
        "context_management": {"edits": []},
        "service_tier": "auto",
        "top_k": 3,
        "unheard_of": 1,
    },
}

CHAT: dict[str, Json] = {
    "a developer first": {"messages": [{"role": "developer", "content": "Be brief."}, USER]},
    "content null and calls": {
        "messages": [
            USER,
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [
                    {
                        "id": "c1",
                        "type": "function",
                        "function": {"name": "get_weather", "arguments": "{}"},
                    }
                ],
            },
            {"role": "tool", "tool_call_id": "c1", "content": [{"type": "text", "text": "9 C"}]},
        ],
        "tools": [{"type": "function", "function": {"name": "get_weather", "parameters": WEATHER}}],
    },
    "content as parts": {
        "messages": [
            USER,
            {"role": "assistant", "content": [{"type": "text", "text": "Yes."}]},
            USER,
        ]
    },
    "what only tunes": {
        "user": "x",
        "store": False,
        "metadata": {},
        "logprobs": True,
        "seed": 1,
        "service_tier": "auto",
        "parallel_tool_calls": False,
        "n": 1,
    },
    "a place to search from": {
        "web_search_options": {
            "search_context_size": "low",
            "user_location": {"type": "approximate", "approximate": {"city": "Bern"}},
        }
    },
}

RESPONSES: dict[str, Json] = {
    "items without a type": {
        "input": [
            {"role": "developer", "content": "Be brief."},
            {"role": "user", "content": QUESTION},
        ]
    },
    "parts": {
        "input": [
            {
                "type": "message",
                "role": "user",
                "content": [{"type": "input_text", "text": QUESTION}],
            }
        ]
    },
    "a reference that nobody knows": {
        "input": [
            {"role": "user", "content": QUESTION},
            {"type": "item_reference", "id": "ws_unknown"},
        ]
    },
    "a search call that comes back": {
        "input": [
            {"role": "user", "content": QUESTION},
            {
                "type": "web_search_call",
                "id": "ws_1",
                "status": "completed",
                "action": {"type": "search", "query": "x"},
            },
            {
                "type": "message",
                "id": "msg_1",
                "role": "assistant",
                "content": [{"type": "output_text", "text": "So.", "annotations": []}],
            },
            {"role": "user", "content": "And?"},
        ]
    },
    "reasoning that comes back": {
        "input": [
            {"role": "user", "content": QUESTION},
            {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "x"},
        ]
    },
    "a custom tool that was called": {
        "input": [
            {"role": "user", "content": QUESTION},
            {"type": "custom_tool_call", "call_id": "c1", "name": "shell", "input": "ls"},
            {"type": "custom_tool_call_output", "call_id": "c1", "output": "a b"},
        ],
        "tools": [
            {
                "type": "custom",
                "name": "shell",
                "format": {"type": "grammar", "syntax": "lark", "definition": "start: x"},
            }
        ],
    },
    "tools of other services": {
        "tools": [{"type": "tool_search", "execution": "client"}, {"type": "image_generation"}]
    },
    "a dated search tool": {
        "tools": [
            {
                "type": "web_search_2025_08_26",
                "filters": None,
                "external_web_access": True,
                "search_content_types": ["text"],
            }
        ]
    },
    "what only tunes": {
        "store": False,
        "prompt_cache_key": "x",
        "client_metadata": {},
        "truncation": "auto",
        "text": {"verbosity": "low"},
        "include": ["reasoning.encrypted_content"],
        "reasoning": {"effort": "low", "summary": "auto"},
    },
}

_CASES = [
    *(("/messages", name) for name in MESSAGES),
    *(("/chat/completions", name) for name in CHAT),
    *(("/responses", name) for name in RESPONSES),
]


def _body(gateway: Asked, path: str, name: str) -> Json:
    if path == "/messages":
        return gateway.messages(**MESSAGES[name])
    return (
        gateway.chat(**CHAT[name]) if path != "/responses" else gateway.responses(**RESPONSES[name])
    )


@pytest.mark.parametrize(("path", "name"), _CASES)
@pytest.mark.parametrize("model", [CLAUDE, LOCAL])
def test_what_clients_send_is_taken(gateway: Asked, path: str, name: str, model: str) -> None:
    reply = gateway.post(path, {**_body(gateway, path, name), "model": model})

    assert reply.status_code == 200, reply.text


REFUSED: dict[tuple[str, str], Json] = {
    ("/messages", "both domain lists"): {
        "tools": [{**SEARCH, "allowed_domains": ["a.org"], "blocked_domains": ["b.org"]}]
    },
    ("/messages", "a result without its call"): {
        "messages": [
            USER,
            {
                "role": "assistant",
                "content": [{"type": "web_search_tool_result", "tool_use_id": "x", "content": []}],
            },
            USER,
        ]
    },
    ("/messages", "a picture by URL"): {
        "messages": [
            {
                "role": "user",
                "content": [
                    {"type": "image", "source": {"type": "url", "url": "http://127.0.0.1/x"}}
                ],
            }
        ]
    },
    ("/messages", "a domain with a path"): {"tools": [{**SEARCH, "allowed_domains": ["a.org/b"]}]},
    ("/messages", "an unknown role"): {"messages": [{"role": "robot", "content": "x"}]},
    ("/chat/completions", "two answers"): {"n": 2},
    ("/chat/completions", "audio"): {
        "modalities": ["text", "audio"],
        "audio": {"voice": "x", "format": "wav"},
    },
    ("/chat/completions", "audio in"): {
        "messages": [{"role": "user", "content": [{"type": "input_audio", "input_audio": {}}]}]
    },
    ("/chat/completions", "no words"): {"messages": []},
    ("/chat/completions", "search options that are none"): {"web_search_options": True},
    ("/chat/completions", "half a stream"): {"stream": "yes"},
    ("/responses", "background"): {"background": True},
    ("/responses", "a conversation that OpenAI keeps"): {"conversation": "conv_1"},
    ("/responses", "a prompt that OpenAI keeps"): {"prompt": {"id": "pmpt_1"}},
    ("/responses", "a reply that nobody remembers"): {"previous_response_id": "resp_x"},
    ("/responses", "nothing"): {"input": []},
}


@pytest.mark.parametrize(("path", "name"), REFUSED)
def test_what_would_be_silently_wrong_is_refused(gateway: Asked, path: str, name: str) -> None:
    make = {"/messages": gateway.messages, "/chat/completions": gateway.chat}
    reply = gateway.post(path, make.get(path, gateway.responses)(**REFUSED[path, name]))

    assert reply.status_code == 400, reply.text
    assert reply.headers["x-should-retry"] == "false"


def test_what_changes_the_answer_reaches_the_model(gateway: Asked) -> None:
    asked = [{"role": "system", "content": "In verse."}, USER]
    body = gateway.messages(model=LOCAL, system="Be brief.", messages=asked, max_tokens=77)

    assert gateway.post("/messages", body).status_code == 200

    sent = gateway.asked_upstream()[-1]
    assert sent["messages"][0] == {"role": "system", "content": "Be brief.\n\nIn verse."}
    assert sent["max_completion_tokens"] == 77


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("deferred tools", ["ToolSearch"]),
        ("a tool reference", ["get_weather"]),
        ("deferred tools that Anthropic would find", ["get_weather"]),
    ],
)
def test_deferred_tools_are_offered_once_they_were_found(
    gateway: Asked, name: str, expected: list[str]
) -> None:
    body = gateway.messages(model=LOCAL, **MESSAGES[name])

    assert gateway.post("/messages", body).status_code == 200
    tools = gateway.asked_upstream()[-1].get("tools", [])
    assert [tool["function"]["name"] for tool in tools] == expected


def test_a_tool_that_was_found_is_described_where_it_was(gateway: Asked) -> None:
    body = gateway.messages(model=LOCAL, **MESSAGES["a tool reference"])

    assert gateway.post("/messages", body).status_code == 200
    told = gateway.asked_upstream()[-1]["messages"][-1]
    assert told["role"] == "tool"
    assert json.dumps(WEATHER) in told["content"]


def test_a_replayed_answer_goes_upstream_without_citation_fields(gateway: Asked) -> None:
    first = gateway.post("/messages", gateway.messages(tools=[SEARCH])).json()
    asked = [
        USER,
        {"role": "assistant", "content": first["content"]},
        {"role": "user", "content": "More"},
    ]

    reply = gateway.post("/messages", gateway.messages(messages=asked, tools=[SEARCH]))

    assert reply.status_code == 200
    assert "citations" not in orjson.dumps(gateway.asked_upstream()[-1]["messages"]).decode()


@pytest.mark.parametrize("path", ["/messages", "/messages?beta=true"])
def test_beta_requests_are_the_same(gateway: Asked, path: str) -> None:
    headers = {"anthropic-version": "2026-10-21", "anthropic-beta": "a,b,c-2026-01-01"}
    assert gateway.post(path, gateway.messages(), headers=headers).status_code == 200


def test_tokens_are_counted(gateway: Asked) -> None:
    small = gateway.post("/messages/count_tokens?beta=true", gateway.messages()).json()
    large = gateway.post("/messages/count_tokens", gateway.messages(system="x" * 4_000)).json()

    picture = gateway.messages(**MESSAGES["a picture"])
    source = {"type": "base64", "media_type": "image/gif", "data": PIXEL * 10_000}
    picture["messages"][0]["content"][0] = {"type": "image", "source": source}
    pictured = gateway.post("/messages/count_tokens", picture).json()

    assert set(small) == {"input_tokens"}
    assert 1_500 < pictured["input_tokens"] < 2_000
    assert large["input_tokens"] - small["input_tokens"] == 1_000


PACKINGS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "zstd": zstandard.compress,
}


@pytest.mark.parametrize("encoding", PACKINGS)
def test_a_packed_body_is_unpacked(gateway: Asked, encoding: str) -> None:
    packed = PACKINGS[encoding](orjson.dumps(gateway.messages(system="Be brief. " * 10_000)))
    headers = {"content-encoding": encoding, "content-type": "application/json"}

    reply = gateway.client.post("/v1/messages", content=packed, headers=headers)

    assert "sandbox" in text_of(reply.json())


@pytest.mark.parametrize(
    ("encoding", "body", "status"),
    [
        ("br", b"x", 415),
        ("deflate", b"x", 415),
        ("gzip", b"no gzip", 400),
        ("gzip", gzip.compress(b"{}", mtime=0)[:-3], 400),
        ("zstd", b"no zstd", 400),
        ("zstd", zstandard.compress(b"{}")[:-1], 400),
        ("zstd", zstandard.compress(b"{}") * 2, 400),
        ("zstd", b"", 400),
        ("gzip, zstd", b"x", 415),
    ],
)
def test_other_packings_are_refused(
    gateway: Asked, encoding: str, body: bytes, status: int
) -> None:
    headers = {"content-encoding": encoding}
    reply = gateway.client.post("/v1/messages", content=body, headers=headers)

    assert reply.status_code == status
    assert reply.json()["type"] == "error"


def test_32_megabytes_are_the_most_packed_or_not(gateway: Asked) -> None:
    large = orjson.dumps(gateway.messages(system="x" * 32_000_000))

    plain = gateway.client.post("/v1/messages", content=large)
    packed = [
        gateway.client.post(
            "/v1/messages", content=pack(large), headers={"content-encoding": encoding}
        )
        for encoding, pack in PACKINGS.items()
    ]

    for reply in (plain, *packed):
        assert reply.status_code == 413
        assert "32 MB" in reply.json()["error"]["message"]
        assert reply.json()["error"]["type"] == "request_too_large"


def test_many_small_values_are_refused_before_they_become_objects(gateway: Asked) -> None:
    body = b'{"model":"x","messages":[' + b"[]," * 2_100_000 + b"[]]}"

    reply = gateway.client.post("/v1/messages", content=body)

    assert reply.status_code == 400
    assert "too many values" in reply.json()["error"]["message"]
