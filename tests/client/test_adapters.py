"""The adapter over a server whose every byte is ours, and over a provider without requests."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Sequence
from dataclasses import asdict

import pytest

from groundwire.client import Client, ModelApiAdapter
from groundwire.config.settings import NetworkSettings
from groundwire.errors import ConfigError, GroundwireError, OverloadedError
from groundwire.events import Done, Error, StreamEvent, TextDelta
from groundwire.model import ModelInfo, ToolDefinition, UserMessage
from groundwire.wire.contract import Access, Endpoint, Provider, Question
from groundwire.wire.openai.chat_provider import ChatCompletions
from tests.loopback import Loopback, raw, serve, stream

HELLO = (UserMessage(content="Hello"),)
QUESTION = Question(model="m", messages=HELLO)
TOOL = ToolDefinition(name="tide", description="Tells the tide.", parameters={"type": "object"})


class Answering(ChatCompletions):
    """A clone."""

    title = "Acme"
    base_url = "https://acme.example"


class Direct(Provider):
    """Answers without a request, and then fails where it is told to."""

    title, base_url = "Acme", "https://acme.example"

    def __init__(self, failure: Exception | None = None) -> None:
        self.failure = failure

    async def answer(
        self, question: Question, access: Access
    ) -> AsyncGenerator[Sequence[StreamEvent], None]:
        del question, access
        yield [TextDelta("Hel"), TextDelta("lo.")]
        if self.failure:
            raise self.failure
        yield [Done("end_turn")]

    async def list_models(self, access: Access) -> list[ModelInfo]:
        del access
        return [
            ModelInfo(id="gpt-4o", shutdown_date="2031-01-01"),
            ModelInfo(id="gpt-4o-mini"),
            ModelInfo(id="own"),
        ]


def direct(client: Client, failure: Exception | None = None) -> ModelApiAdapter:
    access = Access(base_url="https://acme.example")
    return ModelApiAdapter(Endpoint(name="acme", provider=Direct(failure), access=access), client)


def adapter(server: Loopback, client: Client, *, names_address: bool = False) -> ModelApiAdapter:
    endpoint = Endpoint(name="acme", provider=Answering(), access=Access(base_url=server.url))
    if names_address:
        return ModelApiAdapter(endpoint, client, names_address=True)
    return ModelApiAdapter(endpoint, client)


def said(*texts: str) -> bytes:
    """Return a piece of a stream with these texts, each an event."""
    events = [{"choices": [{"index": 0, "delta": {"content": text}}]} for text in texts]
    return b"".join(b"data: %b\n\n" % json.dumps(event).encode() for event in events)


END = b'data: {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}\n\ndata: [DONE]\n\n'


async def text_of(events: AsyncGenerator[StreamEvent, None]) -> str:
    return "".join([event.text async for event in events if isinstance(event, TextDelta)])


@pytest.mark.parametrize(
    "pieces",
    [
        (said("a"), said("b"), said("c"), said("d"), END),
        (said("a", "b"), said("c", "d"), END),
        (said("a", "b", "c"), said("d") + END),
        (said("a", "b", "c", "d") + END,),
    ],
    ids=["one by one", "in pairs", "in threes", "at once"],
)
async def test_a_text_is_the_same_however_its_pieces_arrive(pieces: tuple[bytes, ...]) -> None:
    async with serve(stream(*pieces)) as server, Client() as client:
        assert await text_of(adapter(server, client).answer(QUESTION)) == "abcd"


async def test_a_message_is_sent_without_search_unless_that_is_asked_for() -> None:
    async with serve(stream(said("a") + END)) as server, Client() as client:
        text = await text_of(adapter(server, client).send_message_stream("gpt-4o", HELLO))

    assert text == "a"
    assert "web_search" not in server.requests[0].body.decode()


@pytest.mark.parametrize("names_address", [True, False])
async def test_only_the_owner_is_told_where_a_service_was_asked(*, names_address: bool) -> None:
    async with serve(raw(b"")) as server:
        pass
    async with Client(NetworkSettings(retries=0)) as client:
        asked = adapter(server, client, names_address=names_address)
        (event,) = [event async for event in asked.answer(QUESTION)]

    assert isinstance(event, Error)
    assert ("127.0.0.1" in event.message) is names_address


async def test_a_provider_without_requests_streams_what_it_says() -> None:
    async with Client() as client:
        events = [event async for event in direct(client).answer(QUESTION)]

    assert events == [TextDelta("Hel"), TextDelta("lo."), Done("end_turn")]


@pytest.mark.parametrize(
    ("failure", "code"),
    [
        (OverloadedError("acme", "full", retry_after_seconds=3), "overloaded"),
        (ZeroDivisionError("oh"), "provider_bug"),
    ],
)
async def test_what_came_before_its_failure_is_kept(failure: Exception, code: str) -> None:
    async with Client() as client:
        events = [event async for event in direct(client, failure).answer(QUESTION)]

    *before, last = events
    assert before == [TextDelta("Hel"), TextDelta("lo.")]
    assert isinstance(last, Error)
    assert last.code == code
    assert last.retry_after_seconds == getattr(failure, "retry_after_seconds", None)


async def test_what_is_no_failure_of_a_service_is_raised_as_it_is() -> None:
    async with Client() as client:
        with pytest.raises(ConfigError, match="not like this"):
            await text_of(direct(client, ConfigError("not like this")).answer(QUESTION))


async def test_a_completion_of_a_provider_without_requests_is_its_text_or_its_failure() -> None:
    async with Client() as client:
        text = await direct(client).generate_simple_completion("m", "Hello")
        failing = direct(client, OverloadedError("acme", "full", retry_after_seconds=3))
        with pytest.raises(OverloadedError) as caught:
            await failing.generate_simple_completion("m", "Hello")

    assert text == "Hello."
    assert caught.value.retry_after_seconds == 3


async def test_tools_of_a_provider_without_requests_are_spelled_as_ours() -> None:
    async with Client() as client:
        assert direct(client).format_tool_definitions([TOOL]) == [asdict(TOOL)]


async def test_the_day_that_a_service_names_for_a_models_end_wins_over_ours() -> None:
    async with Client() as client:
        models = await direct(client).list_models()
        tested = await direct(client).test_connection()

    assert models[0].shutdown_date == "2031-01-01"
    assert models[2] == ModelInfo(id="own")
    assert (tested.success, tested.model_count, tested.code, tested.error) == (True, 3, "", None)


async def test_why_a_connection_does_not_work_is_kept_with_the_result() -> None:
    async with serve(raw(b"")) as server:
        pass
    async with Client(NetworkSettings(retries=0)) as client:
        tested = await adapter(server, client).test_connection()

    assert (tested.success, tested.model_count, tested.code) == (False, 0, "connect")
    assert isinstance(tested.error, GroundwireError)
    assert "127.0.0.1" in tested.message
