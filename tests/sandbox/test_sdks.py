"""The official SDKs accept every reply and see what was planned."""

from __future__ import annotations

import json
from typing import Any

import pytest

from groundwire.sandbox.answers import AnswerPlan
from groundwire.sandbox.openai_service import linked_answer
from tests.sandbox.calls import ASKED, CALLED, WEATHER, ClientFor, planned, sdk

FUNCTION = {"name": "get_weather", "description": "Weather.", "parameters": WEATHER}
FUNCTION_KEYS = {"name", "arguments"}
SEARCH = {"type": "web_search_20250305", "name": "web_search"}
CUSTOM = {"name": "get_weather", "description": "Weather.", "input_schema": WEATHER}


def _calls(plan: AnswerPlan) -> list[tuple[str, Any]]:
    return [(wanted.name, wanted.arguments) for wanted in plan.calls]


def _spans(plan: AnswerPlan) -> list[tuple[str, int, int]]:
    return [(link.url, link.start, link.end) for link in linked_answer(plan)[1]]


def _ask_anthropic(client: Any, *, is_streaming: bool, **fields: Any) -> Any:
    fields = {"model": "claude-sonnet-5-5", "max_tokens": 2000} | fields
    if not is_streaming:
        return client.messages.create(**fields)
    with client.messages.stream(**fields) as stream:
        return stream.get_final_message()


@pytest.mark.parametrize("is_streaming", [False, True])
def test_anthropic_sees_the_planned_text_and_citations(
    client_for: ClientFor, is_streaming: bool
) -> None:
    plan = planned(ASKED, searches=True, limit=10)
    messages = [{"role": "user", "content": ASKED}]

    message = _ask_anthropic(
        client_for("anthropic"), is_streaming=is_streaming, messages=messages, tools=[SEARCH]
    )

    texts = [block for block in message.content if block.type == "text"]
    cited = [(b.text, c.url, c.cited_text) for b in texts for c in b.citations or ()]
    assert "".join(block.text for block in texts) == plan.text
    assert cited == [(s.text, s.page.url, s.quote) for s in plan.segments if s.page]
    assert message.content[0].input == {"query": plan.searches[0].query}
    assert message.usage.server_tool_use.web_search_requests == 1
    assert message.stop_reason == "end_turn"


@pytest.mark.parametrize("is_streaming", [False, True])
def test_anthropic_sees_parallel_calls_and_then_the_answer(
    client_for: ClientFor, is_streaming: bool
) -> None:
    client = client_for("anthropic")
    messages: list[Any] = [{"role": "user", "content": CALLED}]

    first = _ask_anthropic(client, is_streaming=is_streaming, messages=messages, tools=[CUSTOM])
    results = [
        {"type": "tool_result", "tool_use_id": block.id, "content": "14 °C"}
        for block in first.content
    ]
    messages += [
        {"role": "assistant", "content": first.content},
        {"role": "user", "content": results},
    ]
    second = _ask_anthropic(client, is_streaming=is_streaming, messages=messages, tools=[CUSTOM])

    assert [(b.name, b.input) for b in first.content] == _calls(planned(CALLED, calls=True))
    assert [b.input for b in first.content] == [
        {"city": "Zürich", "days": 7},
        {"city": "Paris", "days": 7},
    ]
    assert first.stop_reason == "tool_use"
    assert second.content[0].text == "\n".join(["The tool get_weather returned: 14 °C"] * 2)


@pytest.mark.parametrize("is_streaming", [False, True])
def test_anthropic_continues_a_paused_turn(client_for: ClientFor, is_streaming: bool) -> None:
    client = client_for("anthropic")
    messages: list[Any] = [{"role": "user", "content": "Pause, then tell me about tides"}]

    first = _ask_anthropic(client, is_streaming=is_streaming, messages=messages, tools=[SEARCH])
    messages.append({"role": "assistant", "content": first.content})
    second = _ask_anthropic(client, is_streaming=is_streaming, messages=messages, tools=[SEARCH])

    assert first.stop_reason == "pause_turn"
    assert [block.type for block in first.content] == ["server_tool_use"]
    assert second.content[0].type == "web_search_tool_result"
    assert second.content[0].tool_use_id == first.content[0].id
    assert second.stop_reason == "end_turn"


@pytest.mark.parametrize("is_streaming", [False, True])
def test_anthropic_sees_a_fetched_page_with_places_in_it(
    client_for: ClientFor, is_streaming: bool
) -> None:
    tool = {"type": "web_fetch_20260209", "name": "web_fetch", "citations": {"enabled": True}}
    asked = "What does https://wiki.example.net/de/umlaut say?"

    message = _ask_anthropic(
        client_for("anthropic"),
        is_streaming=is_streaming,
        messages=[{"role": "user", "content": asked}],
        tools=[tool],
        thinking={"type": "adaptive"},
    )

    document = message.content[2].content.content.source.data
    places = [c for block in message.content[3:] for c in block.citations or ()]
    assert [block.type for block in message.content[:3]] == [
        "thinking",
        "server_tool_use",
        "web_fetch_tool_result",
    ]
    assert len(places) == 3
    assert all(
        document[place.start_char_index : place.end_char_index] == place.cited_text
        for place in places
    )


def test_anthropic_lists_models_and_reports_a_refusal(client_for: ClientFor) -> None:
    anthropic = sdk("anthropic")
    client = client_for("anthropic")

    with pytest.raises(anthropic.NotFoundError) as error:
        client.messages.create(
            model="claude-1", max_tokens=9, messages=[{"role": "user", "content": "hi"}]
        )
    models = [model.id for model in client.models.list()]

    assert error.value.body["error"] == {"type": "not_found_error", "message": "model: claude-1"}
    assert "claude-haiku-4-5" in models


@pytest.mark.parametrize("is_streaming", [False, True])
def test_openai_chat_sees_the_planned_text_and_citations(
    client_for: ClientFor, is_streaming: bool
) -> None:
    plan = planned(ASKED, searches=True)
    client = client_for("openai")
    fields: Any = {"model": "gpt-5-search-api", "messages": [{"role": "user", "content": ASKED}]}

    if is_streaming:
        options = {"include_usage": True}
        chunks = list(client.chat.completions.create(**fields, stream=True, stream_options=options))
        choices = [choice for chunk in chunks for choice in chunk.choices]
        text = "".join(choice.delta.content or "" for choice in choices)
        inner = [a["url_citation"] for a in choices[-1].delta.annotations]
        usage = chunks[-1].usage
    else:
        reply = client.chat.completions.create(**fields)
        text = reply.choices[0].message.content
        inner = [a.url_citation.model_dump() for a in reply.choices[0].message.annotations]
        usage = reply.usage

    assert text == linked_answer(plan)[0]
    assert [(a["url"], a["start_index"], a["end_index"]) for a in inner] == _spans(plan)
    assert usage.total_tokens == usage.prompt_tokens + usage.completion_tokens


@pytest.mark.parametrize("provider", ["openai", "openrouter"])
@pytest.mark.parametrize("is_streaming", [False, True])
def test_openai_chat_sees_parallel_calls_and_then_the_answer(
    client_for: ClientFor, provider: str, is_streaming: bool
) -> None:
    client = client_for(provider)
    model = "gpt-5" if provider == "openai" else "openai/gpt-5"
    messages: list[Any] = [{"role": "user", "content": CALLED}]
    tools = [{"type": "function", "function": FUNCTION}]

    if is_streaming:
        with client.chat.completions.stream(model=model, messages=messages, tools=tools) as stream:
            stream.until_done()
            first = stream.get_final_completion().choices[0]
    else:
        completion = client.chat.completions.create(model=model, messages=messages, tools=tools)
        first = completion.choices[0]
    calls = first.message.tool_calls
    # OpenRouter repeats the role in every delta and this SDK joins them, so it is not taken over.
    wanted = [
        {"id": c.id, "type": "function", "function": c.function.model_dump(include=FUNCTION_KEYS)}
        for c in calls
    ]
    messages.append({"role": "assistant", "content": None, "tool_calls": wanted})
    messages += [{"role": "tool", "tool_call_id": c.id, "content": "14 °C"} for c in calls]
    second = client.chat.completions.create(model=model, messages=messages, tools=tools)

    seen = [(c.function.name, json.loads(c.function.arguments)) for c in calls]
    assert seen == _calls(planned(CALLED, calls=True))
    assert first.finish_reason == "tool_calls"
    assert second.choices[0].message.content.startswith("The tool get_weather returned: 14 °C")


@pytest.mark.parametrize("is_streaming", [False, True])
def test_openrouter_through_the_openai_sdk_cites_pages_without_places(
    client_for: ClientFor, is_streaming: bool
) -> None:
    plan = planned(ASKED, searches=True)
    client = client_for("openrouter")
    fields: Any = {"model": "openai/gpt-5", "messages": [{"role": "user", "content": ASKED}]}
    fields["extra_body"] = {"plugins": [{"id": "web"}]}

    if is_streaming:
        chunks = list(client.chat.completions.create(**fields, stream=True))
        deltas = [choice.delta for chunk in chunks for choice in chunk.choices]
        text = "".join(delta.content or "" for delta in deltas)
        notes = [a for delta in deltas for a in getattr(delta, "annotations", None) or ()]
    else:
        message = client.chat.completions.create(**fields).choices[0].message
        text = message.content
        notes = [a.model_dump() for a in message.annotations]

    assert text == plan.text
    assert [a["url_citation"]["url"] for a in notes] == [page.url for page in plan.pages]
    assert {a["url_citation"]["end_index"] for a in notes} == {0}


def _respond(client: Any, *, is_streaming: bool, **fields: Any) -> tuple[Any, list[Any]]:
    if not is_streaming:
        return client.responses.create(**fields), []
    with client.responses.stream(**fields) as stream:
        events = list(stream)
        return stream.get_final_response(), events


@pytest.mark.parametrize("is_streaming", [False, True])
def test_openai_responses_sees_the_planned_text_and_citations(
    client_for: ClientFor, is_streaming: bool
) -> None:
    plan = planned(ASKED, searches=True)

    response, events = _respond(
        client_for("openai"),
        is_streaming=is_streaming,
        model="gpt-5",
        input=ASKED,
        tools=[{"type": "web_search"}],
        include=["web_search_call.action.sources"],
        reasoning={"effort": "low", "summary": "auto"},
    )

    thought, search, message = response.output
    notes = message.content[0].annotations
    added = [e for e in events if e.type == "response.output_text.annotation.added"]
    assert response.output_text == linked_answer(plan)[0]
    assert [(a.url, a.start_index, a.end_index) for a in notes] == _spans(plan)
    assert search.action.query == plan.searches[0].query
    assert [source.url for source in search.action.sources] == [
        hit.page.url for hit in plan.searches[0].hits
    ]
    assert thought.summary[0].text == f"The question is: {ASKED}"
    assert len(added) == (len(notes) if is_streaming else 0)


@pytest.mark.parametrize("is_streaming", [False, True])
def test_openai_responses_sees_parallel_calls_and_then_the_answer(
    client_for: ClientFor, is_streaming: bool
) -> None:
    client = client_for("openai")
    tools = [{"type": "function", "strict": False, **FUNCTION}]
    given: list[Any] = [{"role": "user", "content": CALLED}]

    first, _ = _respond(client, is_streaming=is_streaming, model="gpt-5", input=given, tools=tools)
    for item in first.output:
        given.append(item.model_dump(include={"type", "call_id", "name", "arguments"}))
        given.append({"type": "function_call_output", "call_id": item.call_id, "output": "14 °C"})
    given.sort(key=lambda item: str(item.get("type", "")))
    second, _ = _respond(client, is_streaming=is_streaming, model="gpt-5", input=given, tools=tools)

    seen = [(item.name, json.loads(item.arguments)) for item in first.output]
    assert seen == _calls(planned(CALLED, calls=True))
    assert second.output_text.startswith("The tool get_weather returned: 14 °C")


def test_openai_reads_codex_as_responses(client_for: ClientFor) -> None:
    plan = planned(ASKED, searches=True)
    client = client_for("codex")

    events = list(
        client.responses.create(
            model="gpt-5.5",
            input=[{"role": "user", "content": ASKED}],
            instructions="Answer with sources.",
            tools=[{"type": "web_search"}],
            store=False,
            stream=True,
        )
    )

    assert events[-1].type == "response.completed"
    assert events[-1].response.output_text == linked_answer(plan)[0]


def test_openai_lists_models_and_reports_a_refusal(client_for: ClientFor) -> None:
    openai = sdk("openai")
    client = client_for("openai")

    with pytest.raises(openai.BadRequestError) as error:
        client.chat.completions.create(
            model="gpt-4o", messages=[{"role": "user", "content": "hi"}], web_search_options={}
        )
    models = [model.id for model in client.models.list()]

    assert "Web search options not supported with this model." in error.value.message
    assert error.value.param == "web_search_options"
    assert "gpt-5" in models


@pytest.mark.parametrize("version", ["v1", "v1beta"])
@pytest.mark.parametrize("is_streaming", [False, True])
def test_gemini_sees_the_planned_text_and_citations(
    client_for: ClientFor, is_streaming: bool, version: str
) -> None:
    plan = planned(ASKED, searches=True)
    client = client_for("gemini", version=version)
    fields: Any = {"model": "gemini-2.5-flash", "contents": ASKED}
    fields["config"] = {"tools": [{"google_search": {}}]}

    if is_streaming:
        chunks = list(client.models.generate_content_stream(**fields))
    else:
        chunks = [client.models.generate_content(**fields)]

    text = "".join(chunk.text or "" for chunk in chunks)
    grounding = chunks[-1].candidates[0].grounding_metadata
    segments = [support.segment for support in grounding.grounding_supports]
    assert text == plan.text
    assert [segment.text for segment in segments] == [s.text for s in plan.segments if s.page]
    assert all(
        text.encode()[segment.start_index or 0 : segment.end_index].decode() == segment.text
        for segment in segments
    )
    assert [c.web.title for c in grounding.grounding_chunks] == [p.host for p in plan.pages]
    assert grounding.web_search_queries == [plan.searches[0].query]


@pytest.mark.parametrize("model", ["gemini-2.5-flash", "gemini-3.8-flash"])
@pytest.mark.parametrize("is_streaming", [False, True])
def test_gemini_sees_parallel_calls_and_then_the_answer(
    client_for: ClientFor, is_streaming: bool, model: str
) -> None:
    client = client_for("gemini")
    config = {
        "tools": [{"function_declarations": [FUNCTION | {"parameters": _upper(WEATHER)}]}],
        "automatic_function_calling": {"disable": True},
    }
    contents: list[Any] = [{"role": "user", "parts": [{"text": CALLED}]}]

    if is_streaming:
        stream = client.models.generate_content_stream(
            model=model, contents=contents, config=config
        )
        content = next(iter(stream)).candidates[0].content
        list(stream)
    else:
        reply = client.models.generate_content(model=model, contents=contents, config=config)
        content = reply.candidates[0].content
    calls = [part.function_call for part in content.parts if part.function_call]
    answers = [
        {"function_response": {"id": c.id, "name": c.name, "response": {"output": "14 °C"}}}
        for c in calls
    ]
    contents += [content, {"role": "user", "parts": answers}]
    second = client.models.generate_content(model=model, contents=contents, config=config)

    assert [(c.name, c.args) for c in calls] == _calls(planned(CALLED, calls=True))
    assert second.text.startswith("The tool get_weather returned: 14 °C")


def test_gemini_lists_models_and_reports_a_bad_key(client_for: ClientFor) -> None:
    genai = sdk("google.genai")
    stranger = client_for("gemini", key="bad-key")

    with pytest.raises(genai.errors.ClientError) as error:
        stranger.models.generate_content(model="gemini-2.5-flash", contents="hi")
    client = client_for("gemini")
    models = [model.name for model in client.models.list()]

    assert (error.value.code, error.value.status) == (400, "INVALID_ARGUMENT")
    assert "models/gemini-2.5-flash" in models


def _upper(schema: Any) -> Any:
    """Return a schema with Google's own spelling of the types."""
    if not isinstance(schema, dict):
        return schema
    return {k: v.upper() if k == "type" else _upper(v) for k, v in schema.items()}
