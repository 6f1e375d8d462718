"""The official SDKs as clients: every citation that is sent arrives."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import anthropic
import openai
import pytest

from groundwire.model import Json
from tests.gateway.asking import CLAUDE, LOCAL, QUESTION, SEARCH, WEATHER, Asked
from tests.gateway.citing import GEMINI

MODELS = [CLAUDE, LOCAL, GEMINI, "openai-responses/gpt-5.5"]
ASKED: Json = [{"role": "user", "content": QUESTION}]
URLS = 2


@pytest.fixture
def claude(gateway: Asked) -> Iterator[anthropic.Anthropic]:
    with anthropic.Anthropic(base_url=gateway.url, api_key="any", max_retries=0) as client:
        yield client


@pytest.fixture
def gpt(gateway: Asked) -> Iterator[openai.OpenAI]:
    with openai.OpenAI(base_url=f"{gateway.url}/v1", api_key="any", max_retries=0) as client:
        yield client


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("streams", [False, True])
def test_anthropic_gets_searches_and_citations(
    claude: anthropic.Anthropic, model: str, streams: bool
) -> None:
    fields: Json = {"model": model, "max_tokens": 500, "messages": ASKED, "tools": [SEARCH]}
    seen = 0
    message: Json
    if streams:
        with claude.messages.stream(**fields) as stream:
            seen = sum(event.type == "citation" for event in stream)
            message = stream.get_final_message()
    else:
        message = claude.messages.create(**fields)

    cited = [one for block in message.content for one in getattr(block, "citations", None) or ()]
    kinds = [block.type for block in message.content]
    assert kinds.count("server_tool_use") == kinds.count("web_search_tool_result") == 1
    assert len({one.url for one in cited}) == URLS
    assert seen == (len(cited) if streams else 0)
    assert message.stop_reason == "end_turn"
    assert message.usage.input_tokens > 0


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("streams", [False, True])
def test_openai_chat_gets_annotations(gpt: openai.OpenAI, model: str, streams: bool) -> None:
    fields: Json = {"model": model, "messages": ASKED, "web_search_options": {}}
    if streams:
        with gpt.chat.completions.stream(**fields) as stream:
            for _ in stream:
                pass
            message: Json = stream.get_final_completion().choices[0].message
    else:
        message = gpt.chat.completions.create(**fields).choices[0].message

    links = [each.url_citation for each in message.annotations]
    assert len({link.url for link in links}) == URLS
    for link in links:
        # Gemini names its sources when the words are sent: then those are what is cited.
        end = "." if model == GEMINI and streams else f"({link.url})"
        assert message.content[link.start_index : link.end_index].endswith(end)


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("streams", [False, True])
def test_openai_responses_get_searches_and_annotations(
    gpt: openai.OpenAI, model: str, streams: bool
) -> None:
    fields: Json = {"model": model, "input": QUESTION, "tools": [{"type": "web_search"}]}
    if streams:
        with gpt.responses.stream(**fields) as stream:
            for _ in stream:
                pass
            response: Json = stream.get_final_response()
    else:
        response = gpt.responses.create(**fields)

    texts = [part for item in response.output if item.type == "message" for part in item.content]
    links = [link for part in texts for link in part.annotations]
    assert [item.type for item in response.output].count("web_search_call") == 1
    assert len({link.url for link in links}) == URLS
    assert response.output_text == "".join(part.text for part in texts)


def test_a_stream_that_breaks_raises_in_both_sdks(
    gateway: Asked, claude: anthropic.Anthropic, gpt: openai.OpenAI
) -> None:
    kept = gateway.program.chat.budgets
    gateway.program.chat.budgets = replace(kept, tokens=1)
    try:
        with pytest.raises(anthropic.APIStatusError):
            claude.messages.create(model=CLAUDE, max_tokens=500, messages=ASKED)
        with (
            pytest.raises(openai.APIError),
            gpt.chat.completions.stream(model=LOCAL, messages=ASKED) as stream,
        ):
            for _ in stream:
                pass
    finally:
        gateway.program.chat.budgets = kept


def test_models_are_listed_in_both(claude: anthropic.Anthropic, gpt: openai.OpenAI) -> None:
    assert CLAUDE in [model.id for model in claude.models.list()]
    assert CLAUDE in [model.id for model in gpt.models.list()]
    assert claude.models.retrieve(CLAUDE).id == gpt.models.retrieve(CLAUDE).id == CLAUDE
    counted = claude.messages.count_tokens(model=CLAUDE, messages=ASKED)
    assert counted.input_tokens > 0


def test_a_turn_with_the_clients_tool_in_both(
    claude: anthropic.Anthropic, gpt: openai.OpenAI
) -> None:
    asked: Json = [{"role": "user", "content": "Call get_weather and web_search, both, in Paris"}]
    tool: Json = {"name": "get_weather", "description": "x", "input_schema": WEATHER}
    function: Json = {
        "type": "function",
        "function": {"name": "get_weather", "parameters": WEATHER},
    }

    with claude.messages.stream(
        model=LOCAL,
        max_tokens=500,
        messages=asked,
        tools=[SEARCH, tool],  # type: ignore[list-item] # as JSON
    ) as messages:
        message = messages.get_final_message()
    with gpt.chat.completions.stream(model=LOCAL, messages=asked, tools=[function]) as chat:
        for _ in chat:
            pass
        choice = chat.get_final_completion().choices[0]

    assert [block.type for block in message.content][-1] == "tool_use"
    assert message.stop_reason == "tool_use"
    assert choice.finish_reason == "tool_calls"
