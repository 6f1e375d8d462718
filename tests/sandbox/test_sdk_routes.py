"""The newer routes and shapes, as the official SDKs see them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from groundwire.sandbox import SandboxServer
from tests.sandbox.calls import ASKED, BEARER, CALLED, WEATHER, ClientFor, call, planned, sdk

FUNCTION = {"name": "get_weather", "description": "Weather.", "parameters": WEATHER}
both_ways = pytest.mark.parametrize("is_streaming", [False, True])


# --- Gemini Interactions


def _interact(client: Any, *, is_streaming: bool, **fields: Any) -> tuple[Any, list[Any]]:
    """Return the interaction at its end and the steps, put together from events if streamed."""
    fields = {"model": "gemini-3.8-flash", "store": False} | fields
    if not is_streaming:
        made = client.interactions.create(**fields)
        return made, [step.model_dump(exclude_none=True) for step in made.steps]
    steps: dict[int, Any] = {}
    made = None
    for event in client.interactions.create(stream=True, **fields):
        match event.event_type:
            case "step.start":
                steps[event.index] = event.step.model_dump(exclude_none=True)
            case "step.delta":
                _grow(steps[event.index], event.delta.model_dump(exclude_none=True))
            case "interaction.completed":
                made = event.interaction
    for step in steps.values():
        if "pieces" in step:
            step["arguments"] = json.loads(step.pop("pieces"))
    return made, [steps[index] for index in sorted(steps)]


def _grow(step: Any, delta: Any) -> None:
    match delta["type"]:
        case "text":
            [block] = step.setdefault("content", [{"type": "text", "text": ""}])
            block["text"] += delta["text"]
        case "text_annotation_delta":
            step["content"][0]["annotations"] = delta["annotations"]
        case "thought_summary":
            step.setdefault("summary", []).append(delta["content"])
        case "arguments_delta":
            step["pieces"] = step.get("pieces", "") + delta["arguments"]
        case _:
            step |= delta | {"type": step["type"]}


@both_ways
def test_an_interaction_has_the_planned_text_and_citations_in_bytes(
    client_for: ClientFor, is_streaming: bool
) -> None:
    sdk("google.genai")
    plan = planned(ASKED, searches=True)

    made, steps = _interact(
        client_for("gemini"),
        is_streaming=is_streaming,
        input=ASKED,
        tools=[{"type": "google_search"}],
        generation_config={"thinking_summaries": "auto"},
    )

    kinds = [step["type"] for step in steps]
    [output] = [step for step in steps if step["type"] == "model_output"]
    [block] = output["content"]
    cited = [
        block["text"].encode()[note["start_index"] : note["end_index"]].decode()
        for note in block["annotations"]
    ]
    assert kinds == ["thought", "model_output", "google_search_call", "google_search_result"]
    assert steps[0]["summary"][0]["text"] == f"The question is: {ASKED}"
    assert block["text"] == plan.text
    assert cited == [segment.text for segment in plan.segments if segment.page]
    assert steps[2]["arguments"] == {"queries": [plan.searches[0].query]}
    assert made.status == "completed"
    assert made.usage.total_input_tokens > 0


@both_ways
def test_an_interaction_calls_tools_and_then_answers(
    client_for: ClientFor, is_streaming: bool
) -> None:
    sdk("google.genai")
    client = client_for("gemini")
    tools = [{"type": "function", **FUNCTION}]
    given: list[Any] = [{"type": "user_input", "content": [{"type": "text", "text": CALLED}]}]

    first, steps = _interact(client, is_streaming=is_streaming, input=given, tools=tools)
    asked = [step for step in steps if step["type"] == "function_call"]
    results = [
        {"type": "function_result", "call_id": step["id"], "name": step["name"], "result": "14 °C"}
        for step in asked
    ]
    again = [*given, *asked, *results]
    second, answer = _interact(client, is_streaming=is_streaming, input=again, tools=tools)

    wanted = planned(CALLED, calls=True).calls
    assert [(step["name"], step["arguments"]) for step in asked] == [
        (each.name, each.arguments) for each in wanted
    ]
    assert (first.status, second.status) == ("requires_action", "completed")
    assert answer[-1]["content"][0]["text"].startswith("The tool get_weather returned: 14 °C")


INTERACTION = {"model": "gemini-3.8-flash", "input": ASKED}
WRONG = [
    ({"glow": 1}, 400, "Unknown parameter 'glow'"),
    ({"input": ""}, 400, "'input' parameter is required"),
    ({"model": "gemini-1"}, 404, "models/gemini-1 is not found"),
    ({"tools": [{"type": "glow"}]}, 400, "tools[0].type"),
    (
        {"input": [{"type": "function_result", "call_id": "x", "result": "y"}]},
        400,
        "No function call found",
    ),
]


@pytest.mark.parametrize(("change", "status", "said"), WRONG)
async def test_an_interaction_that_google_would_not_take_is_refused(
    sandbox: SandboxServer, change: dict[str, Any], status: int, said: str
) -> None:
    reply = await call(sandbox, "gemini", INTERACTION | change, path="/interactions")

    assert reply.status == status
    assert said in reply.json()["error"]["message"]


@pytest.mark.parametrize("fault", ["error_in_200", "end_without_terminal", "cut_in_event"])
async def test_faults_hold_for_interactions_too(sandbox: SandboxServer, fault: str) -> None:
    sent = INTERACTION | {"stream": True}
    headers = {"x-sandbox-fault": fault}

    reply = await call(sandbox, "gemini", sent, path="/interactions", headers=headers)

    kinds = [event["event_type"] for event in reply.events()]
    assert reply.status == 200
    assert "interaction.completed" not in kinds
    assert kinds


# --- Token counting


def test_anthropic_counts_what_it_then_bills(client_for: ClientFor) -> None:
    client = client_for("anthropic")
    asked: Any = {"model": "claude-sonnet-5-5", "messages": [{"role": "user", "content": ASKED}]}
    asked["system"] = "Be brief."

    counted = client.messages.count_tokens(**asked)
    message = client.messages.create(max_tokens=100, **asked)

    assert counted.input_tokens == message.usage.input_tokens
    with pytest.raises(sdk("anthropic").NotFoundError):
        client.messages.count_tokens(**asked | {"model": "claude-1"})


@pytest.mark.parametrize("version", ["v1", "v1beta"])
def test_gemini_counts_what_it_then_bills(client_for: ClientFor, version: str) -> None:
    client = client_for("gemini", version=version)

    counted = client.models.count_tokens(model="gemini-2.5-flash", contents=ASKED)
    reply = client.models.generate_content(model="gemini-2.5-flash", contents=ASKED)

    assert counted.total_tokens == reply.usage_metadata.prompt_token_count
    with pytest.raises(sdk("google.genai").errors.ClientError):
        client.models.count_tokens(model="gemini-1", contents=ASKED)


async def test_gemini_counts_a_whole_request(sandbox: SandboxServer) -> None:
    contents = [{"parts": [{"text": ASKED}]}]
    whole = {"model": "models/gemini-2.5-flash", "contents": contents}
    sent = {"generateContentRequest": whole | {"tools": [{"googleSearch": {}}]}}
    path = "/models/gemini-2.5-flash:countTokens"

    alone = await call(sandbox, "gemini", {"contents": contents}, path=path)
    reply = await call(sandbox, "gemini", sent, path=path)

    assert reply.json()["totalTokens"] > alone.json()["totalTokens"] > 0


def test_openai_counts_what_it_then_bills(client_for: ClientFor) -> None:
    client = client_for("openai")
    asked: Any = {"model": "gpt-5", "input": ASKED, "instructions": "Be brief."}

    counted = client.responses.input_tokens.count(**asked)
    response = client.responses.create(**asked)

    assert counted.object == "response.input_tokens"
    assert counted.input_tokens == response.usage.input_tokens
    with pytest.raises(sdk("openai").APIStatusError):
        client.responses.input_tokens.count(**asked | {"model": "gpt-0"})


async def test_a_count_needs_a_key_and_a_sound_body(sandbox: SandboxServer) -> None:
    stranger = {"x-api-key": "bad-key"}
    sent = {"model": "claude-sonnet-5-5", "messages": [{"role": "user", "content": "hi"}]}
    path = "/messages/count_tokens"

    refused = await call(sandbox, "anthropic", sent, path=path, headers=stranger)
    wrong = await call(sandbox, "anthropic", sent | {"messages": []}, path=path)

    assert (refused.status, wrong.status) == (401, 400)


# --- Code around the newer web tools

FETCHED = "What does https://wiki.example.net/de/umlaut say?"


def _ask(client: Any, *, is_streaming: bool, **fields: Any) -> Any:
    fields = {"model": "claude-sonnet-5-5", "max_tokens": 2000} | fields
    if not is_streaming:
        return client.messages.create(**fields)
    with client.messages.stream(**fields) as stream:
        return stream.get_final_message()


@both_ways
@pytest.mark.parametrize(
    ("tool", "asked"),
    [
        ({"type": "web_search_20260209", "name": "web_search"}, ASKED),
        ({"type": "web_search_20260318", "name": "web_search"}, ASKED),
        ({"type": "web_fetch_20260209", "name": "web_fetch"}, FETCHED),
    ],
)
def test_code_runs_around_the_newer_web_tools_and_its_text_has_no_citations(
    client_for: ClientFor, tool: Any, asked: str, is_streaming: bool
) -> None:
    client = client_for("anthropic")
    messages: list[Any] = [{"role": "user", "content": asked}]

    message = _ask(client, is_streaming=is_streaming, messages=messages, tools=[tool])

    code, inner, result, ran, *texts = message.content
    assert [block.type for block in (code, inner, result, ran)] == [
        "server_tool_use",
        "server_tool_use",
        f"{tool['name']}_tool_result",
        "code_execution_tool_result",
    ]
    assert (code.name, inner.name, code.caller.type) == (
        "code_execution",
        tool["name"],
        "direct",
    )
    assert (inner.caller.type, inner.caller.tool_id) == ("code_execution_20260120", code.id)
    assert result.caller == inner.caller
    assert (ran.tool_use_id, ran.content.return_code) == (code.id, 0)
    assert tool["name"] in code.input["code"]
    assert inner.input
    assert texts
    assert not any(getattr(block, "citations", None) for block in texts)
    assert message.container.id.startswith("container_")


@pytest.mark.parametrize(
    ("model", "more"),
    [
        ("claude-haiku-4-5", {}),
        ("claude-sonnet-5-5", {"allowed_callers": ["direct"]}),
    ],
)
def test_no_code_runs_where_a_tool_is_called_directly(
    client_for: ClientFor, model: str, more: dict[str, Any]
) -> None:
    tool = {"type": "web_search_20260318", "name": "web_search"} | more

    message = client_for("anthropic").messages.create(
        model=model, max_tokens=2000, tools=[tool], messages=[{"role": "user", "content": ASKED}]
    )

    assert [block.type for block in message.content[:2]] == [
        "server_tool_use",
        "web_search_tool_result",
    ]
    assert any(block.citations for block in message.content[2:])
    assert message.container is None


def test_what_code_has_used_up_can_be_left_out_and_blocks_can_go_back(
    client_for: ClientFor,
) -> None:
    client = client_for("anthropic")
    tool = {"type": "web_search_20260318", "name": "web_search"}
    messages: list[Any] = [{"role": "user", "content": ASKED}]

    brief = _ask(
        client,
        is_streaming=False,
        messages=messages,
        tools=[tool | {"response_inclusion": "excluded"}],
    )
    whole = _ask(client, is_streaming=False, messages=messages, tools=[tool])
    sent_back = [block.model_dump(exclude_none=True) for block in whole.content]
    messages += [{"role": "assistant", "content": sent_back}, {"role": "user", "content": "Thanks"}]
    later = _ask(client, is_streaming=False, messages=messages)

    assert [block.type for block in brief.content[:2]] == [
        "server_tool_use",
        "code_execution_tool_result",
    ]
    assert later.stop_reason == "end_turn"


# --- What Responses repeats of a request


@both_ways
async def test_responses_repeats_tools_with_their_defaults(
    sandbox: SandboxServer, is_streaming: bool
) -> None:
    place = {"type": "approximate", "city": "Oslo"}
    filters = {"allowed_domains": ["example.org"]}
    sent = {
        "model": "gpt-5",
        "input": ASKED,
        "stream": is_streaming,
        "tool_choice": "auto",
        "tools": [
            {"type": "web_search"},
            {"type": "web_search", "filters": filters, "user_location": place},
            {"type": "web_search_preview", "search_context_size": "low"},
            {"type": "function", **FUNCTION},
            {"type": "function", **FUNCTION, "name": "other", "strict": False},
        ],
    }

    reply = await call(sandbox, "openai-responses", sent, headers=BEARER)

    told = [event["response"] for event in reply.events() if "response" in event]
    shown = {"type": "approximate", "city": None, "region": None, "timezone": None}
    for response in told if is_streaming else [reply.json()]:
        assert response["tool_choice"] == "auto"
        assert response["tools"] == [
            {
                "type": "web_search",
                "filters": None,
                "search_context_size": "medium",
                "user_location": shown | {"country": "US"},
            },
            {
                "type": "web_search",
                "filters": filters,
                "search_context_size": "medium",
                "user_location": shown | {"country": None, "city": "Oslo"},
            },
            {
                "type": "web_search_preview",
                "search_context_size": "low",
                "user_location": shown | {"country": "US"},
            },
            {
                "type": "function",
                "description": "Weather.",
                "name": "get_weather",
                "parameters": WEATHER | {"additionalProperties": False},
                "strict": True,
            },
            {
                "type": "function",
                "description": "Weather.",
                "name": "other",
                "parameters": WEATHER,
                "strict": False,
            },
        ]
