"""The extractive model as a provider: events like any other's, and the five operations."""

from __future__ import annotations

import json

import pytest

from groundwire import registry
from groundwire.client import Client, ConnectionTestResult, ModelApiAdapter
from groundwire.config.settings import Settings
from groundwire.errors import OverloadedError
from groundwire.events import (
    Done,
    Error,
    StreamEvent,
    TextDelta,
    ToolCallDelta,
    ToolCallEnd,
    ToolCallStart,
    Usage,
)
from groundwire.extractive import NEEDS_SOURCES
from groundwire.model import (
    AssistantMessage,
    Message,
    ModelInfo,
    ToolCall,
    ToolDefinition,
    ToolResultMessage,
    UserMessage,
)
from groundwire.providers.extractive import MODEL, Extractive, provider
from groundwire.wire.contract import Access, Answers, AnswersDirectly, Endpoint, Question, abilities
from tests.extractive.pages import PUMP
from tests.extractive.test_steps import PUMP_URL, opened

SEARCH = ToolDefinition(name="web_search", description="Searches.", parameters={"type": "object"})
OPEN = ToolDefinition(name="open_page", description="Opens.", parameters={"type": "object"})
ASKED = UserMessage(content="How do I reset the pump?")
NOTHING_USED = Usage(input_tokens=0, output_tokens=0, cost_usd=0.0)


async def told(*messages: Message, tools: tuple[ToolDefinition, ...] = ()) -> list[StreamEvent]:
    question = Question(model="extractive", messages=messages, tools=tools)
    stream = provider.answer(question, Access(base_url=""))
    return [event async for batch in stream for event in batch]


def called(name: str, content: str, *, is_error: bool = False) -> tuple[Message, Message]:
    """Return a call of a tool and its result."""
    call = ToolCall(id="extractive-1", name=name, arguments="{}")
    result = ToolResultMessage(tool_call_id=call.id, content=content, is_error=is_error)
    return AssistantMessage(content="", tool_calls=(call,)), result


def test_it_answers_and_needs_neither_key_nor_address() -> None:
    assert [*abilities(provider)] == ["answer"]
    assert isinstance(provider, AnswersDirectly)
    assert not isinstance(provider, Answers)
    assert (provider.key_variable, provider.base_url, provider.is_local) == (None, "", True)


async def test_a_question_becomes_a_call_of_the_search() -> None:
    events = await told(ASKED, tools=(SEARCH, OPEN))

    arguments = '{"query": "reset pump", "limit": 10}'
    assert events == [
        ToolCallStart("extractive-1", "web_search"),
        ToolCallDelta("extractive-1", arguments),
        ToolCallEnd("extractive-1"),
        NOTHING_USED,
        Done("tool_calls"),
    ]


async def test_a_page_becomes_an_answer_in_pieces() -> None:
    page = opened((3, PUMP_URL, PUMP))

    events = await told(ASKED, *called("open_page", page.text), tools=(SEARCH, OPEN))

    pieces = [event.text for event in events if isinstance(event, TextDelta)]
    assert len(pieces) > 5
    assert "five seconds:” [3]" in "".join(pieces)
    assert events[-2:] == [NOTHING_USED, Done("stop")]


async def test_the_same_question_gets_the_same_events() -> None:
    page = called("open_page", opened((3, PUMP_URL, PUMP)).text)

    assert await told(ASKED, *page) == await told(ASKED, *page)


async def test_a_search_that_failed_is_an_error_with_its_reason() -> None:
    failed = called("web_search", "Error: no network", is_error=True)

    assert await told(ASKED, *failed, tools=(SEARCH, OPEN)) == [
        Error("no network", "search_failed")
    ]


async def test_only_what_came_after_the_last_question_counts() -> None:
    earlier = called("open_page", opened((3, PUMP_URL, PUMP)).text)
    again = UserMessage(content="What is a sediment filter?")

    events = await told(
        ASKED, *earlier, AssistantMessage(content="Hold it."), again, tools=(SEARCH,)
    )

    assert isinstance(events[1], ToolCallDelta)
    assert json.loads(events[1].arguments_delta)["query"] == "sediment filter"


async def test_a_question_that_goes_on_has_the_words_of_the_one_before() -> None:
    on = UserMessage(content="And quietly?")

    events = await told(ASKED, AssistantMessage(content="Hold it."), on, tools=(SEARCH,))

    assert isinstance(events[1], ToolCallDelta)
    assert json.loads(events[1].arguments_delta)["query"] == "quietly reset pump"


def adapter(client: Client, chosen: Extractive = provider) -> ModelApiAdapter:
    endpoint = Endpoint(name="extractive", provider=chosen, access=Access(base_url=""))
    return ModelApiAdapter(endpoint, client)


async def test_the_five_operations_are_those_of_every_model() -> None:
    async with Client(Settings().network) as client:
        asked = adapter(client)
        stream = asked.send_message_stream("extractive", [ASKED], tools=[SEARCH])
        events = [event async for event in stream]
        models = await asked.list_models()
        tested = await asked.test_connection()
        definitions = asked.format_tool_definitions([SEARCH])
        text = await asked.generate_simple_completion("extractive", "Say something.")

    assert events[0] == ToolCallStart("extractive-1", "web_search")
    assert models == [MODEL]
    assert tested == ConnectionTestResult(
        success=True, message="extractive works: it offers 1 model", model_count=1
    )
    assert definitions == [
        {"name": "web_search", "description": "Searches.", "parameters": {"type": "object"}}
    ]
    assert text == NEEDS_SOURCES


class Failing(Extractive):
    """Breaks off after its first words."""

    async def answer(self, question, access):  # type: ignore[no-untyped-def]  # As its parent.
        yield [TextDelta("So ")]
        raise OverloadedError("extractive", f"too much for {question.model} at {access.base_url!r}")

    async def list_models(self, access: Access) -> list[ModelInfo]:
        raise OverloadedError("extractive", f"nobody is at {access.base_url!r}")


async def test_a_provider_that_fails_on_its_own_is_told_as_an_error() -> None:
    async with Client(Settings().network) as client:
        asked = adapter(client, Failing())
        events = [event async for event in asked.send_message_stream("m", [ASKED])]
        tested = await asked.test_connection()

    assert events == [
        TextDelta("So "),
        Error("extractive: too much for m at ''; try again later", "overloaded"),
    ]
    assert (tested.success, tested.code) == (False, "overloaded")


@pytest.mark.parametrize("name", registry.names())
def test_nobody_answers_in_two_ways(name: str) -> None:
    found = registry.get(name)

    assert not (isinstance(found, Answers) and isinstance(found, AnswersDirectly))
