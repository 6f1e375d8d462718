"""What the sandbox refuses, in each provider's own shape."""

from __future__ import annotations

from typing import Any

import aiohttp
import orjson
import pytest

from groundwire.sandbox import SandboxServer
from tests.sandbox.calls import PATHS, PROVIDERS, body, call

SEARCH = {"type": "web_search_20250305", "name": "web_search"}
USE = {"type": "tool_use", "id": "t1", "name": "find", "input": {}}
TOOL_CALL = {"id": "c1", "type": "function", "function": {"name": "find", "arguments": "{}"}}


def _user(*blocks: Any) -> dict[str, Any]:
    return {"role": "user", "content": list(blocks)}


def _result(identifier: str) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": identifier, "content": "x"}


FORGED = {"type": "thinking", "thinking": "x", "signature": "no base64!"}
HELLO = _user({"type": "text", "text": "hi"})
ASKING = {"role": "assistant", "content": [USE]}
WIDE = {"type": "web_search", "filters": {"allowed_domains": ["a.org"], "blocked_domains": ["b"]}}
FUNCTIONS = {"functionDeclarations": [{"name": "find"}]}

REFUSED: list[tuple[str, dict[str, Any], str]] = [
    ("anthropic", {"glow": 1}, "glow: Extra inputs are not permitted"),
    ("anthropic", {"model": "claude-sonnet-4-20250514"}, "model: claude-sonnet-4-20250514"),
    ("anthropic", {"messages": [_user({"type": "text", "text": ""})]}, "must be non-empty"),
    ("anthropic", {"messages": [HELLO, ASKING]}, "without `tool_result` blocks immediately after"),
    ("anthropic", {"messages": [HELLO, ASKING, _user(_result("t2"))]}, "without `tool_result`"),
    ("anthropic", {"messages": [_user(_result("t9"))]}, "unexpected `tool_use_id` found"),
    (
        "anthropic",
        {"tools": [SEARCH | {"allowed_domains": ["a.org"], "blocked_domains": ["b.org"]}]},
        "Only one of `allowed_domains` and `blocked_domains`",
    ),
    ("anthropic", {"tools": [SEARCH | {"glow": 1}]}, "tools.0.web_search_20250305.glow: Extra"),
    (
        "anthropic",
        {"model": "claude-opus-4-7", "thinking": {"type": "enabled", "budget_tokens": 1024}},
        '"thinking.type.enabled" is not supported for this model',
    ),
    ("anthropic", {"thinking": {"type": "enabled", "budget_tokens": 9000}}, "must be greater than"),
    (
        "anthropic",
        {
            "messages": [HELLO, ASKING, _user(_result("t1"))],
            "thinking": {"type": "enabled", "budget_tokens": 1024},
        },
        "Expected `thinking` or `redacted_thinking`, but found `tool_use`.",
    ),
    (
        "anthropic",
        {"messages": [HELLO, {"role": "assistant", "content": [FORGED]}, HELLO]},
        "Invalid `signature` in `thinking` block",
    ),
    ("openai", {"glow": 1}, "Unknown parameter: 'glow'."),
    ("openai", {"model": "gpt-0"}, "The model `gpt-0` does not exist"),
    ("openai", {"model": "gpt-4o", "web_search_options": {}}, "Web search options not supported"),
    ("openai", {"max_tokens": 5}, "Use 'max_completion_tokens' instead."),
    (
        "openai",
        {"messages": [{"role": "assistant", "content": None, "tool_calls": [TOOL_CALL]}]},
        "did not have response messages: c1",
    ),
    (
        "openai",
        {"messages": [{"role": "tool", "tool_call_id": "c1", "content": "x"}]},
        "must be a response to a preceeding message",
    ),
    ("openai-responses", {"glow": 1}, "Unknown parameter: 'glow'."),
    ("openai-responses", {"model": "gpt-0"}, "The requested model 'gpt-0' does not exist."),
    ("openai-responses", {"tools": [WIDE]}, "Only one of 'allowed_domains'"),
    (
        "openai-responses",
        {"input": [{"type": "function_call_output", "call_id": "c1", "output": "x"}]},
        "No tool call found for function call output with call_id c1.",
    ),
    ("gemini", {"glow": 1}, 'Unknown name "glow": Cannot find field.'),
    (
        "gemini",
        {"generationConfig": {"glow": 1}},
        "Unknown name \"glow\" at 'generation_config': Cannot find field.",
    ),
    (
        "gemini",
        {"tools": [{"googleSearch": {}}, FUNCTIONS]},
        "Tool use with function calling is unsupported",
    ),
    (
        "gemini",
        {"contents": [{"role": "model", "parts": [{"functionCall": {"name": "find"}}]}]},
        "function call turn is followed by a function response turn",
    ),
    ("gemini", {"contents": []}, "contents is not specified"),
    ("openrouter", {"glow": 1}, 'Unrecognized key: "glow"'),
    ("openrouter", {"model": "openai/gpt-0"}, "openai/gpt-0 is not a valid model ID"),
    ("codex", {"glow": 1}, "Unknown parameter: 'glow'."),
    ("codex", {"store": True}, "Store must be set to false"),
    ("codex", {"stream": False}, "Stream must be set to true"),
    ("codex", {"instructions": ""}, "Instructions are required"),
    ("codex", {"input": [{"role": "system", "content": "x"}]}, "System messages are not allowed"),
]


def _message(provider: str, refusal: Any) -> str:
    if provider == "codex":
        return str(refusal["detail"])
    return str(refusal["error"]["message"])


@pytest.mark.parametrize(("provider", "fields", "message"), REFUSED)
async def test_a_body_is_refused_in_the_words_of_the_service(
    sandbox: SandboxServer, provider: str, fields: dict[str, Any], message: str
) -> None:
    reply = await call(sandbox, provider, body(provider, "hi") | fields)

    assert reply.status in {400, 404}
    assert message in _message(provider, reply.json())


@pytest.mark.parametrize("field", ["temperature", "top_p", "top_k"])
async def test_the_new_version_of_messages_takes_no_sampling(
    sandbox: SandboxServer, field: str
) -> None:
    sent = body("anthropic", "hi") | {field: 1}

    old = await call(sandbox, "anthropic", sent)
    new = await call(sandbox, "anthropic", sent, headers={"anthropic-version": "2026-10-21"})

    assert (old.status, new.status) == (200, 400)


async def test_consecutive_messages_of_one_role_are_one_turn(sandbox: SandboxServer) -> None:
    messages = [HELLO, ASKING, _user(_result("t1")), HELLO]

    reply = await call(sandbox, "anthropic", body("anthropic", "hi") | {"messages": messages})

    assert reply.status == 200
    assert reply.json()["content"][0]["text"] == "The tool find returned: x"


async def test_changed_encrypted_content_is_refused(sandbox: SandboxServer) -> None:
    sent = body("anthropic", "sea otters", search=True)
    first = (await call(sandbox, "anthropic", sent)).json()["content"]
    history = [*sent["messages"], {"role": "assistant", "content": first}, HELLO]

    kept = await call(sandbox, "anthropic", sent | {"messages": history})
    page = first[1]["content"][0]
    page["encrypted_content"] = page["encrypted_content"][:-4]
    changed = await call(sandbox, "anthropic", sent | {"messages": history})

    assert (kept.status, changed.status) == (200, 400)


@pytest.mark.parametrize("provider", PROVIDERS)
async def test_a_bad_key_is_refused(sandbox: SandboxServer, provider: str) -> None:
    bad = {"authorization": "Bearer bad-key", "x-api-key": "bad-key", "x-goog-api-key": "bad-key"}

    reply = await call(sandbox, provider, body(provider, "hi"), headers=bad)

    refusal = reply.json()
    assert reply.status == (400 if provider == "gemini" else 401)
    assert ("detail" in refusal) == (provider == "codex")
    if provider == "gemini":
        assert refusal["error"]["details"][0]["reason"] == "API_KEY_INVALID"


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("raw", [b"", b"{", b"[]", b'{"messages": 3, "input": 3, "contents": 3}'])
async def test_a_body_that_is_no_request_is_a_400(
    sandbox: SandboxServer, provider: str, raw: bytes
) -> None:
    url = sandbox.base_url(provider) + PATHS[provider]
    keys = {"authorization": "Bearer k", "x-goog-api-key": "k", "anthropic-version": "2023-06-01"}

    async with aiohttp.ClientSession() as session, session.post(url, data=raw, headers=keys) as got:
        refusal = orjson.loads(await got.read())

    assert got.status == 400
    assert set(refusal) & {"error", "detail"}


async def test_gemini_3_takes_functions_and_search_together(sandbox: SandboxServer) -> None:
    path = "/models/gemini-3.8-flash:generateContent"
    sent = body("gemini", "sea otters") | {"tools": [{"googleSearch": {}}, FUNCTIONS]}
    shown = {"toolConfig": {"includeServerSideToolInvocations": True}}

    refused = await call(sandbox, "gemini", sent, path=path)
    taken = await call(sandbox, "gemini", sent | shown, path=path)

    parts = taken.json()["candidates"][0]["content"]["parts"]
    assert refused.status == 400
    assert [next(iter(part)) for part in parts] == ["toolCall", "toolResponse", "text"]
