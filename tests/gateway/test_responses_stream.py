"""Every rule for event sequences in Responses, on the bytes that are sent."""

from __future__ import annotations

import pytest

from groundwire.events import Citations, TextDelta
from groundwire.model import Json
from groundwire.wire.openai.responses_replies import ResponsesDecoder
from tests.gateway.asking import CLAUDE, LOCAL, WEATHER, Asked, SentEvent
from tests.gateway.citing import marker_or_words

SEARCH: Json = {"type": "web_search"}
MODELS = [CLAUDE, LOCAL, "gemini/gemini-3.8-flash", "openai-responses/gpt-5.5"]
TOOL: Json = {"type": "function", "name": "get_weather", "parameters": WEATHER}


def _of(events: list[SentEvent], name: str) -> list[Json]:
    return [event.data for event in events if event.name == name]


def test_the_order_of_a_stream(gateway: Asked) -> None:
    events = gateway.sse("/responses", gateway.responses(tools=[SEARCH]))

    names = [event.name for event in events]
    once = [name for place, name in enumerate(names) if name not in names[:place]]
    assert once == [
        "response.created",
        "response.in_progress",
        "response.output_item.added",
        "response.web_search_call.in_progress",
        "response.web_search_call.searching",
        "response.web_search_call.completed",
        "response.output_item.done",
        "response.content_part.added",
        "response.output_text.delta",
        "response.output_text.annotation.added",
        "response.output_text.done",
        "response.content_part.done",
        "response.completed",
    ]
    assert names[-1] == "response.completed"
    assert [event.data["type"] for event in events] == names
    assert [event.data["sequence_number"] for event in events] == list(range(len(events)))


@pytest.mark.parametrize("model", MODELS)
def test_a_search_that_is_done_says_what_was_searched(gateway: Asked, model: str) -> None:
    events = gateway.sse("/responses", gateway.responses(model=model, tools=[SEARCH]))

    items = [each["item"] for each in _of(events, "response.output_item.done")]
    searches = [item for item in items if item["type"] == "web_search_call"]
    assert searches
    for item in searches:
        query = item["action"]["query"]
        assert "otter" in query
        assert item["action"] == {"type": "search", "query": query, "queries": [query]}
        assert item["status"] == "completed"


def test_sources_are_told_only_where_they_are_asked_for(gateway: Asked) -> None:
    include = ["web_search_call.action.sources"]
    body = gateway.responses(tools=[SEARCH], include=include)

    search = gateway.post("/responses", body).json()["output"][0]

    assert search["action"]["sources"]
    assert {each["type"] for each in search["action"]["sources"]} == {"url"}


@pytest.mark.parametrize("model", MODELS)
def test_annotations_are_flat_whole_and_in_all_three_places(gateway: Asked, model: str) -> None:
    events = gateway.sse("/responses", gateway.responses(model=model, tools=[SEARCH]))

    told = [e["annotation"] for e in _of(events, "response.output_text.annotation.added")]
    items = [each["item"] for each in _of(events, "response.output_item.done")]
    (done,) = [item["content"][0] for item in items if item["type"] == "message"]
    output = events[-1].data["response"]["output"]
    (completed,) = [item["content"][0] for item in output if item["type"] == "message"]
    assert told
    assert told == done["annotations"] == completed["annotations"]
    for one in told:
        assert one["type"] == "url_citation"
        span = done["text"][one["start_index"] : one["end_index"]]
        assert span == marker_or_words(one, model, done["text"])
        assert isinstance(one["title"], str)


def test_an_annotation_follows_the_piece_that_ends_its_marker(gateway: Asked) -> None:
    events = gateway.sse("/responses", gateway.responses(model=CLAUDE, tools=[SEARCH]))

    length, told = 0, []
    for event in events:
        if event.name == "response.output_text.delta":
            length += len(event.data["delta"])
        elif event.name == "response.output_text.annotation.added":
            told.append((event.data["annotation"]["end_index"], length))
    assert told
    assert all(end == so_far for end, so_far in told)


def test_the_last_event_has_the_whole_response(gateway: Asked) -> None:
    events = gateway.sse("/responses", gateway.responses(tools=[SEARCH]))
    whole = gateway.post("/responses", gateway.responses(tools=[SEARCH])).json()

    last = events[-1].data["response"]
    names = ("id", "object", "created_at", "status", "model", "output", "usage", "error")
    assert all(name in last for name in names)
    assert last["status"] == whole["status"] == "completed"
    assert [item["type"] for item in last["output"]] == ["web_search_call", "message"]
    assert last["usage"]["total_tokens"] > 0
    assert [item["type"] for item in whole["output"]] == ["web_search_call", "message"]
    text = "".join(each["delta"] for each in _of(events, "response.output_text.delta"))
    assert text == last["output"][-1]["content"][0]["text"]
    assert text == whole["output"][-1]["content"][0]["text"]


def test_without_the_declared_tool_there_is_no_search_item(gateway: Asked) -> None:
    for model in (f"{CLAUDE}:search", f"{LOCAL}:search"):
        events = gateway.sse("/responses", gateway.responses(model=model))

        assert not [event.name for event in events if "web_search_call" in event.name]
        output = events[-1].data["response"]["output"]
        assert [item["type"] for item in output] == ["message"]
        assert len(output[0]["content"][0]["annotations"]) == 2


def test_a_call_of_the_clients_tool(gateway: Asked) -> None:
    body = gateway.responses(input="What is the weather in Paris?", tools=[TOOL])
    events = gateway.sse("/responses", body)

    item = _of(events, "response.output_item.done")[0]["item"]
    assert item["type"] == "function_call"
    assert item["arguments"] == '{"city":"Paris"}'
    deltas = _of(events, "response.function_call_arguments.delta")
    assert "".join(each["delta"] for each in deltas) == item["arguments"]
    done = _of(events, "response.function_call_arguments.done")[0]
    assert done["arguments"] == item["arguments"]
    assert events[-1].data["response"]["output"] == [item]


def test_a_free_text_is_offered_as_a_function_and_comes_back_as_text(gateway: Asked) -> None:
    tool = {
        "type": "custom",
        "name": "run_python",
        "description": "Runs.",
        "format": {"type": "text"},
    }
    body = gateway.responses(model=LOCAL, input="Call run python", tools=[tool])

    item = gateway.post("/responses", body).json()["output"][0]

    assert item["type"] == "custom_tool_call"
    assert item["name"] == "run_python"
    assert isinstance(item["input"], str)
    sent = gateway.asked_upstream()[-1]["tools"][0]["function"]
    assert sent["parameters"]["properties"] == {"input": {"type": "string"}}


@pytest.mark.parametrize("model", MODELS)
def test_our_own_decoder_reads_what_the_gateway_writes(gateway: Asked, model: str) -> None:
    events = gateway.sse("/responses", gateway.responses(model=model, tools=[SEARCH]))

    decoder = ResponsesDecoder("gateway")
    read = [each for e in events for each in decoder.feed_data(e.raw.split("data: ", 1)[1])]

    said = "".join(each.text for each in read if isinstance(each, TextDelta))
    cited = [one for each in read if isinstance(each, Citations) for one in each.citations]
    messages = [i for i in events[-1].data["response"]["output"] if i["type"] == "message"]
    assert said == "".join(message["content"][0]["text"] for message in messages)
    assert len({one.url for one in cited}) == 2
