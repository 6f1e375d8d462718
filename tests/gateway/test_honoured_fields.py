"""Fields of a request: what changes the answer reaches the model, what only tunes does not."""

from __future__ import annotations

import base64
from collections.abc import Callable

import pytest

from groundwire.model import Json
from tests.gateway.asking import CLAUDE, LOCAL, QUESTION, SEARCH, WEATHER, Asked

GPT = "openai-responses/gpt-5.5"
GEMINI = "gemini/gemini-3.8-flash"
SCHEMA: Json = {
    "type": "object",
    "properties": {"answer": {"type": "string"}},
    "required": ["answer"],
    "additionalProperties": False,
}
FORM: Json = {"type": "json_schema", "json_schema": {"name": "x", "schema": SCHEMA}}
STRICT: Json = {**FORM, "json_schema": {**FORM["json_schema"], "strict": True}}
FLAT: Json = {"type": "json_schema", "name": "x", "schema": SCHEMA, "strict": True}


def _chosen(*path: str | int) -> Callable[[Json], Json]:
    def choose(body: Json) -> Json:
        for part in path:
            body = body[part]
        return body

    return choose


# What a client sends, to which model, where that looks for it, and what it finds there.
HONOURED: dict[str, tuple[str, str, Json, Callable[[Json], Json], Json]] = {
    "messages model": ("/messages", CLAUDE, {}, _chosen("model"), "claude-sonnet-5-5"),
    "messages max_tokens": (
        *("/messages", CLAUDE, {"max_tokens": 77}),
        *(_chosen("max_tokens"), 77),
    ),
    "messages system": (
        *("/messages", CLAUDE, {"system": "Be brief."}),
        *(_chosen("system"), "Be brief."),
    ),
    "messages system blocks": (
        *("/messages", CLAUDE, {"system": [{"type": "text", "text": t} for t in ("A.", "B.")]}),
        *(_chosen("system"), "A.\n\nB."),
    ),
    "messages temperature": (
        *("/messages", "anthropic/claude-haiku-4-5", {"temperature": 0.25}),
        *(_chosen("temperature"), 0.25),
    ),
    "messages stop_sequences": (
        *("/messages", CLAUDE, {"stop_sequences": ["X"]}),
        *(_chosen("stop_sequences"), ["X"]),
    ),
    "messages thinking on": (
        *("/messages", CLAUDE, {"thinking": {"type": "adaptive"}}),
        *(_chosen("thinking", "type"), "adaptive"),
    ),
    "messages thinking off": (
        *("/messages", GPT, {"thinking": {"type": "disabled"}}),
        *(_chosen("reasoning", "effort"), "none"),
    ),
    "messages effort": (
        *("/messages", GPT, {"output_config": {"effort": "low"}}),
        *(_chosen("reasoning", "effort"), "low"),
    ),
    "messages effort of thinking": (
        "/messages",
        *(CLAUDE, {"thinking": {"type": "adaptive"}, "output_config": {"effort": "low"}}),
        *(_chosen("output_config", "effort"), "low"),
    ),
    "messages form": (
        "/messages",
        *(GPT, {"output_config": {"format": {"type": "json_schema", "schema": SCHEMA}}}),
        *(_chosen("text", "format", "schema"), SCHEMA),
    ),
    "messages hosted search by name": (
        "/messages",
        *(CLAUDE, {"tools": [SEARCH], "tool_choice": {"type": "tool", "name": "web_search"}}),
        *(_chosen("tool_choice"), {"type": "tool", "name": "web_search"}),
    ),
    "messages most searches": (
        *("/messages", CLAUDE, {"tools": [{**SEARCH, "max_uses": 2}]}),
        *(_chosen("tools", 0, "max_uses"), 2),
    ),
    "chat max_tokens": (
        *("/chat/completions", LOCAL, {"max_tokens": 77}),
        *(_chosen("max_completion_tokens"), 77),
    ),
    "chat max_completion_tokens": (
        *("/chat/completions", CLAUDE, {"max_completion_tokens": 77}),
        *(_chosen("max_tokens"), 77),
    ),
    "chat stop": ("/chat/completions", LOCAL, {"stop": "X"}, _chosen("stop"), ["X"]),
    "chat response_format": (
        *("/chat/completions", LOCAL, {"response_format": FORM}),
        _chosen("response_format", "json_schema"),
        {"name": "reply", "strict": False, "schema": SCHEMA},
    ),
    "chat strict response_format": (
        *("/chat/completions", GPT, {"response_format": STRICT}),
        _chosen("text", "format"),
        {"type": "json_schema", "name": "reply", "strict": True, "schema": SCHEMA},
    ),
    "chat effort": (
        *("/chat/completions", GPT, {"reasoning_effort": "high"}),
        *(_chosen("reasoning", "effort"), "high"),
    ),
    "chat search_context_size": (
        "/chat/completions",
        *(GPT, {"web_search_options": {"search_context_size": "high"}}),
        *(_chosen("tools", 0, "search_context_size"), "high"),
    ),
    "responses instructions": (
        *("/responses", GPT, {"instructions": "Be brief."}),
        *(_chosen("instructions"), "Be brief."),
    ),
    "responses max_output_tokens": (
        *("/responses", GPT, {"max_output_tokens": 77}),
        *(_chosen("max_output_tokens"), 77),
    ),
    "responses effort": (
        *("/responses", GPT, {"reasoning": {"effort": "high"}}),
        *(_chosen("reasoning", "effort"), "high"),
    ),
    "responses text.format": (
        *("/responses", GPT, {"text": {"format": FLAT}}),
        *(_chosen("text", "format", "schema"), SCHEMA),
    ),
    "responses hosted search by name": (
        "/responses",
        *(GPT, {"tools": [{"type": "web_search"}], "tool_choice": {"type": "web_search"}}),
        *(_chosen("tool_choice"), {"type": "web_search"}),
    ),
    "responses hosted search required": (
        "/responses",
        *(CLAUDE, {"tools": [{"type": "web_search_preview"}], "tool_choice": "required"}),
        *(_chosen("tool_choice"), {"type": "any"}),
    ),
    "responses domains": (
        "/responses",
        *(
            GPT,
            {"tools": [{"type": "web_search", "filters": {"allowed_domains": ["example.net"]}}]},
        ),
        *(_chosen("tools", 0, "filters"), {"allowed_domains": ["example.net"]}),
    ),
}


def _body(gateway: Asked, path: str, fields: Json) -> Json:
    make = {"/messages": gateway.messages, "/chat/completions": gateway.chat}
    return make.get(path, gateway.responses)(**fields)


@pytest.mark.parametrize("name", HONOURED)
def test_what_changes_the_answer_reaches_the_model(gateway: Asked, name: str) -> None:
    path, model, fields, find, expected = HONOURED[name]

    reply = gateway.post(path, _body(gateway, path, {"model": model, **fields}))

    assert reply.status_code == 200, reply.text
    assert find(gateway.asked_upstream()[0]) == expected


@pytest.mark.parametrize("model", [CLAUDE, GEMINI])
@pytest.mark.parametrize(
    ("path", "fields"),
    [
        ("/messages", {"output_config": {"format": {"type": "json_schema", "schema": SCHEMA}}}),
        ("/chat/completions", {"response_format": FORM}),
        ("/responses", {"text": {"format": FLAT}}),
    ],
)
def test_the_form_of_a_reply_is_said_where_a_service_has_no_place_for_it(
    gateway: Asked, path: str, fields: Json, model: str
) -> None:
    assert gateway.post(path, _body(gateway, path, {"model": model, **fields})).status_code == 200

    said = str(gateway.sandbox.requests[-1].body)
    assert '"required":["answer"]' in said


TUNING: dict[str, Json] = {
    "/messages": {
        "metadata": {"user_id": "canary"},
        "context_management": {"edits": [{"type": "canary"}]},
        "thinking": {"type": "adaptive", "display": "canary", "block_binding": "canary"},
        "service_tier": "canary",
    },
    "/chat/completions": {
        "user": "canary",
        "store": True,
        "metadata": {"k": "canary"},
        "logprobs": True,
        "service_tier": "canary",
        "seed": 7,
        "parallel_tool_calls": False,
    },
    "/responses": {
        "store": True,
        "prompt_cache_key": "canary",
        "client_metadata": {"k": "canary"},
        "truncation": "canary",
        "text": {"verbosity": "canary"},
        "include": ["reasoning.encrypted_content", "canary"],
    },
}


@pytest.mark.parametrize("path", TUNING)
@pytest.mark.parametrize("model", [CLAUDE, LOCAL, GPT])
def test_what_only_tunes_is_left_out(gateway: Asked, path: str, model: str) -> None:
    reply = gateway.post(path, _body(gateway, path, {"model": model, **TUNING[path]}))

    assert reply.status_code == 200, reply.text
    assert "canary" not in str(gateway.asked_upstream())


IGNORED = {
    "anthropic-version": "2026-10-21",
    "anthropic-beta": ",".join(f"beta-{number}-2026-01-01" for number in range(9)),
    "x-stainless-lang": "python",
    "x-app": "cli",
    "x-claude-code-session-id": "canary",
    "x-session-affinity": "canary",
    "x-session-id": "canary",
    "session-id": "canary",
    "thread-id": "canary",
    "x-codex-turn-metadata": "canary",
    "originator": "codex_cli_rs",
}


@pytest.mark.parametrize("path", TUNING)
def test_headers_of_clients_are_taken_and_not_handed_on(gateway: Asked, path: str) -> None:
    reply = gateway.post(path, _body(gateway, path, {"model": CLAUDE}), headers=IGNORED)

    assert reply.status_code == 200
    assert "canary" not in str(gateway.sandbox.requests[-1])


ZIP = base64.b64encode(b"PK").decode()
FILES: dict[str, Json] = {
    "/messages": {
        "type": "document",
        "source": {"type": "base64", "media_type": "application/zip", "data": ZIP},
    },
    "/chat/completions": {
        "type": "file",
        "file": {"filename": "a.zip", "file_data": f"data:application/zip;base64,{ZIP}"},
    },
    "/responses": {
        "type": "input_file",
        "filename": "a.zip",
        "file_data": f"data:application/zip;base64,{ZIP}",
    },
}


@pytest.mark.parametrize("path", FILES)
@pytest.mark.parametrize("streams", [False, True])
def test_a_file_that_the_model_cannot_take_is_refused(
    gateway: Asked, path: str, streams: bool
) -> None:
    said = [{"role": "user", "content": [FILES[path]]}]
    field = "input" if path == "/responses" else "messages"
    body = _body(gateway, path, {"model": CLAUDE, field: said, "stream": streams})

    reply = gateway.post(path, body)

    assert reply.status_code == 400
    assert "application/zip" in reply.json()["error"]["message"]
    assert reply.headers["x-should-retry"] == "false"


@pytest.mark.parametrize("kind", ["web_search_preview", "web_search_preview_2025_03_11"])
def test_the_names_of_the_search_in_responses_are_alike(gateway: Asked, kind: str) -> None:
    body = gateway.responses(model=LOCAL, tools=[{"type": kind}])

    output = gateway.post("/responses", body).json()["output"]

    assert [item["type"] for item in output] == ["web_search_call", "message"]


def test_a_custom_tool_is_offered_with_its_grammar(gateway: Asked) -> None:
    form = {"type": "grammar", "syntax": "lark", "definition": "start: /canary/"}
    tool = {"type": "custom", "name": "apply_patch", "description": "Patches.", "format": form}
    body = gateway.responses(model=LOCAL, input="Call apply patch", tools=[tool])

    events = gateway.sse("/responses", body)

    offered = gateway.asked_upstream()[-1]["tools"][0]["function"]
    assert "start: /canary/" in offered["description"]
    done = next(e.data["item"] for e in events if e.name == "response.output_item.done")
    assert (done["type"], done["name"]) == ("custom_tool_call", "apply_patch")
    told = [e.data for e in events if e.name == "response.custom_tool_call_input.done"]
    assert told[0]["input"] == done["input"]


def test_a_place_and_a_question_are_all_that_a_plain_request_needs(gateway: Asked) -> None:
    asked = [{"role": "user", "content": QUESTION}]
    tool = {"type": "function", "function": {"name": "get_weather", "parameters": WEATHER}}
    body = {"model": LOCAL, "messages": asked, "tools": [tool], "tool_choice": "none"}

    assert gateway.post("/chat/completions", body).status_code == 200
    assert "tools" not in gateway.asked_upstream()[-1]
