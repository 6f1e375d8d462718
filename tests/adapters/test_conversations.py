"""Turns of a conversation over a real socket: tools, thoughts, files and what is sent back."""

from __future__ import annotations

import pytest

from groundwire.events import RawBlocks, ToolCallDelta, ToolCallEnd, ToolCallStart
from groundwire.model import (
    Attachment,
    Json,
    Message,
    ToolDefinition,
    ToolResultMessage,
    UserMessage,
)
from tests.adapters.questions import (
    ASKED,
    CALLED,
    WAY,
    WAYS,
    WEATHER,
    Service,
    Way,
    calls_in,
    citations_in,
    errors_in,
    named_calls,
    queries_in,
    text_in,
    thoughts_in,
    turn_of,
    warnings_in,
)

# A picture of one pixel and a PDF with nothing in it.
PIXEL = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJg"
    "gg=="
)
PICTURE = Attachment(type="image", mime_type="image/png", base64_data=PIXEL, file_name="dot.png")
PAPER = Attachment(
    type="file", mime_type="application/pdf", base64_data="JVBERi0xLjQK", file_name="paper.pdf"
)
CLOCK = ToolDefinition(
    name="get_time",
    description="Tells the time.",
    parameters={"type": "object", "properties": {}},
)
TAKE_PAPERS = ("anthropic", "openai", "openai-responses", "gemini", "openrouter")

each_way = pytest.mark.parametrize("way", WAYS, ids=str)
each_thinker = pytest.mark.parametrize("way", [w for w in WAYS if w.thinking], ids=str)


@each_way
async def test_a_call_comes_as_start_pieces_and_end(service: Service, way: Way) -> None:
    events = await service.ask(way, "get_weather for Oslo, 3 days", tools=(WEATHER,))

    (call,) = calls_in(events)
    kinds = (ToolCallStart, ToolCallDelta, ToolCallEnd)
    told = [event for event in events if isinstance(event, kinds)]
    assert named_calls(events) == [("get_weather", {"city": "Oslo", "days": 3})]
    assert told[0] == ToolCallStart(call.id, "get_weather")
    assert told[-1] == ToolCallEnd(call.id)
    assert all(isinstance(event, ToolCallDelta) for event in told[1:-1])
    assert text_in(events) == ""


@each_way
async def test_a_call_without_arguments_is_an_empty_object(service: Service, way: Way) -> None:
    events = await service.ask(way, "Call get_time", tools=(CLOCK,))

    assert named_calls(events) == [("get_time", {})]
    assert errors_in(events) == warnings_in(events) == []


@each_way
async def test_parallel_calls_have_ids_of_their_own(service: Service, way: Way) -> None:
    events = await service.ask(way, CALLED, tools=(WEATHER,))

    first, second = calls_in(events)
    assert first.id != second.id
    assert named_calls(events) == [
        ("get_weather", {"city": "Zürich", "days": 7}),
        ("get_weather", {"city": "Paris", "days": 7}),
    ]


@each_way
@pytest.mark.parametrize("with_blocks", [True, False])
async def test_a_tool_loop_ends_in_an_answer(service: Service, way: Way, with_blocks: bool) -> None:
    asked = UserMessage(content=CALLED)
    first = await service.ask(way, asked, tools=(WEATHER,))
    turn = turn_of(way, first)
    if not with_blocks:
        # As another provider's turn: only text and calls, which everyone understands.
        turn = turn_of(WAY["openai"], [e for e in first if not isinstance(e, RawBlocks)])
    results = [
        ToolResultMessage(tool_call_id=call.id, content=f"{number}4 °C")
        for number, call in enumerate(turn.tool_calls, start=1)
    ]

    second = await service.ask(way, asked, turn, *results, tools=(WEATHER,))

    assert errors_in(second) == warnings_in(second) == []
    assert text_in(second) == (
        "The tool get_weather returned: 14 °C\nThe tool get_weather returned: 24 °C"
    )


@each_way
async def test_a_tool_that_failed_is_told_to_the_model(service: Service, way: Way) -> None:
    asked = UserMessage(content="get_weather for Oslo, 3 days")
    first = await service.ask(way, asked, tools=(WEATHER,))
    turn = turn_of(way, first)
    failed = ToolResultMessage(
        tool_call_id=turn.tool_calls[0].id, content="no such city", is_error=True
    )

    second = await service.ask(way, asked, turn, failed, tools=(WEATHER,))

    assert errors_in(second) == []
    assert "no such city" in text_in(second)


@each_way
async def test_a_cited_answer_is_accepted_back_by_the_strict_sandbox(
    service: Service, way: Way
) -> None:
    asked = UserMessage(content=ASKED)
    first = await service.ask(way, asked, web_search=True)

    second = await service.ask(way, asked, turn_of(way, first), "And the volcano?", web_search=True)

    assert errors_in(second) == warnings_in(second) == []
    assert "volcano" in text_in(second).lower()
    assert citations_in(second) != []


async def test_claudes_own_blocks_go_back_with_what_only_it_can_read(service: Service) -> None:
    way = WAY["anthropic"]
    asked = UserMessage(content=ASKED)
    first = await service.ask(way, asked, web_search=True)
    (raw,) = [event.blocks for event in first if isinstance(event, RawBlocks)]

    await service.ask(way, asked, turn_of(way, first), "Thanks", web_search=True)

    sent = service.sandbox.requests[1].body["messages"][1]
    kinds = [block["type"] for block in raw]
    assert sent == {"role": "assistant", "content": raw}
    assert kinds[:2] == ["server_tool_use", "web_search_tool_result"]
    assert all(hit["encrypted_content"] for hit in raw[1]["content"])


@each_way
async def test_an_answer_of_another_provider_goes_back_as_text(service: Service, way: Way) -> None:
    stranger = WAY["anthropic"] if way.provider != "anthropic" else WAY["openai-responses"]
    asked = UserMessage(content=ASKED)
    first = await service.ask(stranger, asked, web_search=True)
    service.sandbox.reset()

    second = await service.ask(way, asked, turn_of(stranger, first), "Thanks!")

    sent = str(service.sandbox.requests[0].body)
    assert errors_in(second) == []
    assert "densest fur" in sent
    assert "encrypted" not in sent.replace("reasoning.encrypted_content", "")


@each_thinker
async def test_thoughts_stream_apart_from_the_answer(service: Service, way: Way) -> None:
    events = await service.ask(way, ASKED, options=way.thinking)

    assert thoughts_in(events) == f"The question is: {ASKED}"
    assert text_in(events).startswith("This is the sandbox speaking.")


@each_thinker
async def test_thoughts_before_a_call_go_back_unchanged(service: Service, way: Way) -> None:
    asked = UserMessage(content="get_weather for Oslo, 3 days")
    first = await service.ask(way, asked, tools=(WEATHER,), options=way.thinking)
    turn = turn_of(way, first)
    result = ToolResultMessage(tool_call_id=turn.tool_calls[0].id, content="14 °C")

    second = await service.ask(way, asked, turn, result, tools=(WEATHER,), options=way.thinking)

    assert thoughts_in(first) != ""
    assert errors_in(second) == warnings_in(second) == []
    assert text_in(second) == "The tool get_weather returned: 14 °C"


async def test_older_claudes_think_within_a_budget(service: Service) -> None:
    events = await service.ask(
        WAY["anthropic"], ASKED, model="claude-haiku-4-5", options={"thinking": "on"}
    )

    assert service.sandbox.requests[0].body["thinking"]["type"] == "enabled"
    assert thoughts_in(events) == f"The question is: {ASKED}"


@each_way
async def test_a_picture_reaches_the_model(service: Service, way: Way) -> None:
    asked = UserMessage(content="What is this?", attachments=(PICTURE,))

    events = await service.ask(way, asked)

    assert errors_in(events) == []
    assert "I can see an attachment of type" in text_in(events)
    assert PIXEL in str(service.sandbox.requests[0].body)


@pytest.mark.parametrize("name", TAKE_PAPERS)
async def test_a_paper_reaches_the_model(service: Service, name: str) -> None:
    asked = UserMessage(content="What is this?", attachments=(PAPER,))

    events = await service.ask(WAY[name], asked)

    assert errors_in(events) == []
    assert "I can see an attachment of type" in text_in(events)


def _system_of(body: Json) -> str:
    """Return the system prompt of a request, wherever the provider wants it."""
    if "messages" in body and "system" not in body:
        (system,) = [m for m in body["messages"] if m["role"] in {"system", "developer"}]
        return str(system["content"])
    parts = body.get("systemInstruction", {}).get("parts", [{}])
    named = [body.get(name) for name in ("system", "instructions", "system_instruction")]
    return str(next(filter(None, named), parts[0].get("text")))


@each_way
async def test_the_system_prompt_is_where_the_provider_wants_it(service: Service, way: Way) -> None:
    events = await service.ask(way, "Hello", system_prompt="Speak like an otter.")

    assert errors_in(events) == []
    assert _system_of(service.sandbox.requests[0].body) == "Speak like an otter."


TAKES_TEMPERATURE = {
    "anthropic": ("claude-opus-4-6", "temperature"),
    "openai": ("gpt-4o", "temperature"),
    "openai-responses": ("gpt-4.1", "temperature"),
    "gemini": ("gemini-3.8-flash", "generationConfig"),
    "openrouter": ("openai/gpt-4.1-mini", "temperature"),
}


@pytest.mark.parametrize("name", TAKES_TEMPERATURE)
async def test_a_temperature_is_sent(service: Service, name: str) -> None:
    model, place = TAKES_TEMPERATURE[name]

    events = await service.ask(WAY[name], "Hello", temperature=0.5, model=model)

    sent = service.sandbox.requests[0].body[place]
    assert errors_in(events) == []
    assert sent in (0.5, {"temperature": 0.5})


@pytest.mark.parametrize(
    ("name", "options"), [("codex", {}), ("anthropic", {"api_version": "2026-10-21"})]
)
async def test_a_temperature_is_left_out_where_it_would_be_refused(
    service: Service, name: str, options: Json
) -> None:
    events = await service.ask(WAY[name], "Hello", temperature=0.5, options=options)

    assert errors_in(events) == []
    assert "temperature" not in service.sandbox.requests[0].body


@pytest.mark.parametrize("name", ["anthropic", "openai-responses", "gemini", "codex"])
async def test_search_and_tools_stand_side_by_side(service: Service, name: str) -> None:
    messages: list[Message | str] = [ASKED]

    events = await service.ask(WAY[name], *messages, web_search=True, tools=(WEATHER,))

    assert errors_in(events) == warnings_in(events) == []
    assert calls_in(events) == []
    assert len(queries_in(events)) == 1
    assert len(citations_in(events)) == 2
