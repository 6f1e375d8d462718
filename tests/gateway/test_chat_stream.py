"""Every rule for event sequences in Chat Completions, on the bytes that are sent."""

from __future__ import annotations

import pytest

from groundwire.events import Citations, Done, TextDelta
from groundwire.model import Json
from groundwire.wire.openai.chat_replies import ChatDecoder
from tests.gateway.asking import CLAUDE, LOCAL, WEATHER, Asked, SentEvent
from tests.gateway.citing import GEMINI, marker_or_words

SEARCHING: Json = {"web_search_options": {}}
MODELS = [CLAUDE, LOCAL, GEMINI, "openai-responses/gpt-5.5"]
TOOL: Json = {
    "type": "function",
    "function": {"name": "get_weather", "description": "Weather.", "parameters": WEATHER},
}


def _chunks(events: list[SentEvent]) -> list[Json]:
    return [event.data for event in events if isinstance(event.data, dict)]


def _deltas(events: list[SentEvent]) -> list[Json]:
    return [chunk["choices"][0]["delta"] for chunk in _chunks(events) if chunk["choices"]]


def _text(events: list[SentEvent]) -> str:
    return "".join(delta.get("content") or "" for delta in _deltas(events))


def test_the_order_of_a_stream(gateway: Asked) -> None:
    body = gateway.chat(**SEARCHING, stream_options={"include_usage": True})
    events = gateway.sse("/chat/completions", body)

    deltas = _deltas(events)
    assert all(event.name == "" for event in events)
    assert deltas[0] == {"role": "assistant", "content": ""}
    assert [name for delta in deltas for name in delta][-2:] == ["content", "annotations"]
    assert deltas[-1] == {}
    reasons = [chunk["choices"][0]["finish_reason"] for chunk in _chunks(events)[:-1]]
    assert reasons == [None] * (len(reasons) - 1) + ["stop"]
    assert _chunks(events)[-1]["choices"] == []
    assert _chunks(events)[-1]["usage"]["total_tokens"] > 0
    assert events[-1].raw == "data: [DONE]"


def test_every_chunk_says_what_it_is(gateway: Asked) -> None:
    chunks = _chunks(gateway.sse("/chat/completions", gateway.chat(**SEARCHING)))

    assert {chunk["object"] for chunk in chunks} == {"chat.completion.chunk"}
    assert len({(chunk["id"], chunk["created"], chunk["model"]) for chunk in chunks}) == 1


def test_usage_comes_only_where_it_is_asked_for(gateway: Asked) -> None:
    chunks = _chunks(gateway.sse("/chat/completions", gateway.chat()))

    assert all("usage" not in chunk for chunk in chunks)


@pytest.mark.parametrize("model", MODELS)
def test_all_annotations_come_once_and_are_whole(gateway: Asked, model: str) -> None:
    events = gateway.sse("/chat/completions", gateway.chat(model=model, **SEARCHING))

    found = [delta for delta in _deltas(events) if "annotations" in delta]
    assert len(found) == 1
    assert found[0]["content"] == ""
    text = _text(events)
    for annotation in found[0]["annotations"]:
        assert annotation["type"] == "url_citation"
        inner = annotation["url_citation"]
        span = text[inner["start_index"] : inner["end_index"]]
        assert span == marker_or_words(inner, model, text)
        assert isinstance(inner["title"], str)


def test_searches_are_comments(gateway: Asked) -> None:
    events = gateway.sse("/chat/completions", gateway.chat(**SEARCHING))

    assert [e.raw for e in events if e.data is None] == [": searching How do sea otters sleep?"]


def test_searches_are_told_to_open_webui_as_its_page_shows_them(gateway: Asked) -> None:
    headers = {"x-groundwire-status": "on"}
    events = gateway.sse("/chat/completions", gateway.chat(**SEARCHING), headers=headers)

    told = [chunk for chunk in _chunks(events) if "event" in chunk]
    assert [chunk["event"] for chunk in told] == [
        {
            "type": "status",
            "data": {"description": "Searching: How do sea otters sleep?", "done": False},
        },
        {"type": "status", "data": {"description": "Found 2 pages", "done": True}},
    ]
    assert all(chunk["choices"] == [] for chunk in told)
    assert not [
        c for c in _chunks(gateway.sse("/chat/completions", gateway.chat())) if "event" in c
    ]


def test_open_webui_is_told_of_every_page_once(gateway: Asked) -> None:
    asked = [{"role": "user", "content": "Call web_search, both times: otters"}]
    body = gateway.chat(messages=asked, **SEARCHING, tools=[TOOL])

    plain = gateway.post("/chat/completions", body).json()["choices"][0]["message"]
    headers = {"x-groundwire-status": "on"}
    shown = gateway.post("/chat/completions", body, headers=headers).json()["choices"][0]["message"]

    urls = [each["url_citation"]["url"] for each in shown["annotations"]]
    assert len(urls) == len(set(urls))
    assert set(urls) == {each["url_citation"]["url"] for each in plain["annotations"]}
    assert len(plain["annotations"]) > len(urls)


@pytest.mark.parametrize("model", MODELS)
def test_our_own_decoder_reads_what_the_gateway_writes(gateway: Asked, model: str) -> None:
    events = gateway.sse("/chat/completions", gateway.chat(model=model, **SEARCHING))

    decoder = ChatDecoder("gateway")
    data = [e.raw.removeprefix("data: ") for e in events if e.raw.startswith("data: ")]
    read = [each for text in data for each in decoder.feed_data(text)]

    cited = [one for each in read if isinstance(each, Citations) for one in each.citations]
    said = "".join(each.text for each in read if isinstance(each, TextDelta))
    assert said == _text(events)
    assert len({one.url for one in cited}) == 2
    # Gemini names them when the words are sent, and then they are what is cited.
    ends = "." if model == GEMINI else ")"
    assert all(said[one.start or 0 : one.end].endswith(ends) for one in cited)
    assert read[-1] == Done("stop")


@pytest.mark.parametrize("fields", [{}, SEARCHING])
def test_the_whole_reply_says_what_the_stream_says(gateway: Asked, fields: Json) -> None:
    whole = gateway.post("/chat/completions", gateway.chat(**fields)).json()
    events = gateway.sse("/chat/completions", gateway.chat(**fields))

    message = whole["choices"][0]["message"]
    # Fences have another word each time.
    assert len(message["content"]) == len(_text(events))
    told = [each for delta in _deltas(events) for each in delta.get("annotations", ())]
    assert message["annotations"] == told
    assert whole["object"] == "chat.completion"
    assert whole["usage"]["prompt_tokens"] > 0


def test_a_call_of_the_clients_tool_is_told_in_pieces(gateway: Asked) -> None:
    asked = [{"role": "user", "content": "What is the weather in Paris?"}]
    events = gateway.sse("/chat/completions", gateway.chat(messages=asked, tools=[TOOL]))

    calls = [call for delta in _deltas(events) for call in delta.get("tool_calls", ())]
    assert calls[0]["id"].startswith("call_")
    assert {call["index"] for call in calls} == {0}
    assert calls[0]["function"] == {"name": "get_weather", "arguments": ""}
    assert len(calls) > 2
    assert "".join(call["function"]["arguments"] for call in calls) == '{"city":"Paris"}'
    assert _chunks(events)[-1]["choices"][0]["finish_reason"] == "tool_calls"


def test_markers_are_written_as_the_client_wants_them(gateway: Asked) -> None:
    def text(style: str) -> str:
        headers = {"x-groundwire-markers": style}
        body = gateway.chat(model=CLAUDE, **SEARCHING)
        reply = gateway.post("/chat/completions", body, headers=headers).json()
        return str(reply["choices"][0]["message"]["content"])

    assert "away.[1](https://wiki.example.net/sea-otter)\n" in text("links")
    assert "away.[1]\n" in text("numbers")
    assert "Sources:" not in text("numbers")
    assert text("numbers+list").endswith(
        "\n\nSources:\n[1] Sea otter (https://wiki.example.net/sea-otter)"
        "\n[2] Otters return to the river (https://news.example.com/2026/05/otters-return)"
    )


@pytest.mark.parametrize("streams", [False, True])
def test_sources_that_are_named_last_stand_in_their_places_or_in_a_line_at_the_end(
    gateway: Asked, streams: bool
) -> None:
    body = gateway.chat(model=GEMINI, **SEARCHING)
    if streams:
        events = gateway.sse("/chat/completions", body)
        notes = [note for delta in _deltas(events) for note in delta.get("annotations") or ()]
        text = _text(events)
    else:
        message = gateway.post("/chat/completions", body).json()["choices"][0]["message"]
        text, notes = message["content"], message["annotations"]

    links = [each["url_citation"] for each in notes]
    shown = [text[each["start_index"] : each["end_index"]] for each in links]
    if not streams:
        assert shown == [f"[{number}]({each['url']})" for number, each in enumerate(links, 1)]
    assert len(links) == 2
    # What was sent cannot be written into any more.
    assert ("\n\nSources: [1](http" in text) is streams
    assert ("carry them away.[1](http" in text) is not streams


def test_a_reply_in_a_form_carries_no_marker_in_its_text(gateway: Asked) -> None:
    form = {"type": "json_schema", "json_schema": {"name": "x", "schema": {"type": "object"}}}
    body = gateway.chat(model=CLAUDE, response_format=form, **SEARCHING)

    message = gateway.post("/chat/completions", body).json()["choices"][0]["message"]

    assert "](http" not in message["content"]
    assert len(message["annotations"]) == 2


@pytest.mark.parametrize("streams", [False, True])
@pytest.mark.parametrize("model", [CLAUDE, LOCAL])
def test_citations_arrive_in_fields_where_the_text_carries_none(
    gateway: Asked, model: str, streams: bool
) -> None:
    headers = {"x-groundwire-markers": "none"}
    asked = gateway.messages(model=model, tools=[{"type": "web_search_20250305"}])
    given = gateway.responses(model=model, tools=[{"type": "web_search"}])
    if streams:
        events = gateway.sse("/messages", asked, headers=headers)
        deltas = [e.data["delta"] for e in events if e.name == "content_block_delta"]
        cited = [each["citation"] for each in deltas if each["type"] == "citations_delta"]
        text = "".join(each.get("text", "") for each in deltas)
        events = gateway.sse("/responses", given, headers=headers)
        name = "response.output_text.annotation.added"
        links = [e.data["annotation"] for e in events if e.name == name]
    else:
        blocks = gateway.post("/messages", asked, headers=headers).json()["content"]
        cited = [one for block in blocks for one in block.get("citations") or ()]
        text = "".join(block.get("text", "") for block in blocks)
        output = gateway.post("/responses", given, headers=headers).json()["output"]
        links = output[-1]["content"][0]["annotations"]

    assert "](http" not in text
    assert len({one["url"] for one in cited}) == len({one["url"] for one in links}) == 2
