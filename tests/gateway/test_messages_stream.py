"""Every rule for event sequences in Messages, on the bytes that are sent."""

from __future__ import annotations

import pytest

from groundwire.events import Citations, Done, TextDelta
from groundwire.model import Json
from groundwire.wire.anthropic.replies import MessagesDecoder
from tests.gateway.asking import CLAUDE, LOCAL, QUESTION, SEARCH, Asked, SentEvent, text_of

TOOL: Json = {
    "name": "get_weather",
    "description": "Weather.",
    "input_schema": {"type": "object", "properties": {"city": {"type": "string"}}},
}
KELP = "Resting sea otters wrap themselves in kelp so that the current does not carry them away."
RIVER = "River otters were counted at nine places along the valley this spring."
MODELS = [CLAUDE, LOCAL, "gemini/gemini-3.8-flash", "openai-responses/gpt-5.5"]


def _blocks(events: list[SentEvent]) -> list[Json]:
    return [e.data["content_block"] for e in events if e.name == "content_block_start"]


def _deltas(events: list[SentEvent], kind: str) -> list[Json]:
    deltas = [e.data["delta"] for e in events if e.name == "content_block_delta"]
    return [delta for delta in deltas if delta["type"] == kind]


def test_every_event_line_is_the_events_type(gateway: Asked) -> None:
    events = gateway.sse("/messages", gateway.messages(tools=[SEARCH]))

    assert [event.name for event in events] == [event.data["type"] for event in events]
    assert events[0].name == "message_start"
    assert [event.name for event in events[-2:]] == ["message_delta", "message_stop"]


def test_the_start_is_whole_and_says_nothing_yet(gateway: Asked) -> None:
    message = gateway.sse("/messages", gateway.messages())[0].data["message"]

    assert message.pop("id").startswith("msg_")
    assert message == {
        "type": "message",
        "role": "assistant",
        "model": CLAUDE,
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": {"input_tokens": 0, "output_tokens": 0},
    }


def test_no_two_replies_have_one_id(gateway: Asked) -> None:
    bodies = [gateway.post("/messages", gateway.messages()).json() for _ in range(3)]

    assert len({body["id"] for body in bodies}) == 3


def test_every_block_event_has_an_index_and_blocks_do_not_overlap(gateway: Asked) -> None:
    events = gateway.sse("/messages", gateway.messages(tools=[SEARCH]))

    open_now, begun = None, []
    for event in events:
        if event.name == "content_block_start":
            assert open_now is None
            open_now = event.data["index"]
            begun.append(open_now)
        elif event.name.startswith("content_block"):
            assert event.data["index"] == open_now
            open_now = None if event.name.endswith("stop") else open_now
    assert begun == list(range(len(begun)))
    assert open_now is None


def test_the_last_usage_has_tokens_both_ways(gateway: Asked) -> None:
    events = gateway.sse("/messages", gateway.messages(tools=[SEARCH]))

    usage = events[-2].data["usage"]
    assert usage["input_tokens"] > 0
    assert usage["output_tokens"] > 0
    # Claude Code adds a cent for each, so they are told only where the settings say so.
    assert usage["server_tool_use"] == {"web_search_requests": 0, "web_fetch_requests": 0}


@pytest.mark.parametrize("model", MODELS)
def test_a_result_has_the_texts_that_clients_insist_on(gateway: Asked, model: str) -> None:
    events = gateway.sse("/messages", gateway.messages(model=model, tools=[SEARCH]))

    results = [block for block in _blocks(events) if block["type"] == "web_search_tool_result"]
    pages = [page for block in results for page in block["content"]]
    assert pages
    for page in pages:
        assert page["type"] == "web_search_result"
        assert all(isinstance(page[name], str) for name in ("url", "title", "encrypted_content"))


@pytest.mark.parametrize("model", MODELS)
def test_a_citation_has_the_texts_that_clients_insist_on(gateway: Asked, model: str) -> None:
    events = gateway.sse("/messages", gateway.messages(model=model, tools=[SEARCH]))

    cited = [delta["citation"] for delta in _deltas(events, "citations_delta")]
    assert cited
    for citation in cited:
        texts = ("url", "title", "cited_text", "encrypted_index")
        assert all(isinstance(citation[name], str) for name in texts)


@pytest.mark.parametrize("model", MODELS)
def test_calls_and_results_come_in_pairs_with_the_query_in_a_delta(
    gateway: Asked, model: str
) -> None:
    events = gateway.sse("/messages", gateway.messages(model=model, tools=[SEARCH]))

    blocks = _blocks(events)
    calls = [block for block in blocks if block["type"] == "server_tool_use"]
    results = [block for block in blocks if block["type"] == "web_search_tool_result"]
    assert calls
    assert [call["id"] for call in calls] == [result["tool_use_id"] for result in results]
    assert all(call["id"].startswith("srvtoolu_") and call["input"] == {} for call in calls)
    assert '"query"' in _deltas(events, "input_json_delta")[0]["partial_json"]


def test_citations_come_by_deltas_after_their_words_and_never_with_a_start(gateway: Asked) -> None:
    events = gateway.sse("/messages", gateway.messages(tools=[SEARCH]))

    assert all(not block.get("citations") for block in _blocks(events))
    kinds: dict[int, list[str]] = {}
    for event in events:
        if event.name == "content_block_delta":
            kinds.setdefault(event.data["index"], []).append(event.data["delta"]["type"])
    cited = [each for each in kinds.values() if "citations_delta" in each]
    assert cited
    assert all(each == ["text_delta", "citations_delta"] for each in cited)


def test_there_is_no_type_of_our_own(gateway: Asked) -> None:
    body = gateway.messages(tools=[SEARCH, TOOL])
    body["messages"][0]["content"] = "Call get_weather and web_search, both, in Paris"
    events = gateway.sse("/messages", {**body, "model": LOCAL})

    known = {"text", "tool_use", "server_tool_use", "web_search_tool_result"}
    assert {block["type"] for block in _blocks(events)} <= known
    assert {event.name for event in events} <= {
        *("message_start", "message_delta", "message_stop", "ping"),
        *("content_block_start", "content_block_delta", "content_block_stop"),
    }


def test_a_cited_sentence_is_a_block_of_its_own_where_the_tool_was_declared(
    gateway: Asked,
) -> None:
    body = gateway.post("/messages", gateway.messages(tools=[SEARCH])).json()

    cited = [block for block in body["content"] if block.get("citations")]
    assert [block["text"] for block in cited] == [
        f"- {KELP}[1](https://wiki.example.net/sea-otter)",
        f"- {RIVER}[2](https://news.example.com/2026/05/otters-return)",
    ]


def test_without_the_declared_tool_there_is_one_block_with_all_citations(gateway: Asked) -> None:
    for model in (f"{CLAUDE}:search", f"{LOCAL}:search"):
        body = gateway.post("/messages", gateway.messages(model=model)).json()

        assert [block["type"] for block in body["content"]] == ["text"]
        assert len(body["content"][0]["citations"]) == 2


def test_calls_of_the_clients_tools_come_last(gateway: Asked) -> None:
    asked = [{"role": "user", "content": "Call get_weather and web_search, both, in Paris"}]
    fields = {"model": LOCAL, "messages": asked, "tools": [SEARCH, TOOL]}

    body = gateway.post("/messages", gateway.messages(**fields)).json()

    kinds = [block["type"] for block in body["content"]]
    assert kinds == ["server_tool_use", "web_search_tool_result", "tool_use"]
    assert body["stop_reason"] == "tool_use"


@pytest.mark.parametrize("tools", [[], [SEARCH]])
def test_the_whole_reply_has_the_blocks_and_citations_of_the_stream(
    gateway: Asked, tools: list[Json]
) -> None:
    whole = gateway.post("/messages", gateway.messages(tools=tools))
    events = gateway.sse("/messages", gateway.messages(tools=tools))

    body = whole.json()
    assert [block["type"] for block in body["content"]] == [b["type"] for b in _blocks(events)]
    assert text_of(body) == "".join(d["text"] for d in _deltas(events, "text_delta"))
    cited = [c["url"] for b in body["content"] for c in b.get("citations") or ()]
    assert cited == [d["citation"]["url"] for d in _deltas(events, "citations_delta")]
    assert whole.headers["x-groundwire-citations"] == str(len(cited))


@pytest.mark.parametrize("model", MODELS)
def test_our_own_decoder_reads_what_the_gateway_writes(gateway: Asked, model: str) -> None:
    events = gateway.sse("/messages", gateway.messages(model=model, tools=[SEARCH]))

    decoder = MessagesDecoder([])
    read = [each for e in events for each in decoder.feed_data(e.raw.split("data: ", 1)[1])]

    text = "".join(each.text for each in read if isinstance(each, TextDelta))
    cited = [one for each in read if isinstance(each, Citations) for one in each.citations]
    assert text == "".join(d["text"] for d in _deltas(events, "text_delta"))
    assert [one.url for one in cited] == [
        d["citation"]["url"] for d in _deltas(events, "citations_delta")
    ]
    assert read[-1] == Done("end_turn")


def test_words_pass_untouched_where_nobody_searches(gateway: Asked) -> None:
    asked = [{"role": "user", "content": f"{QUESTION} See a[0] and [1] and 【2†x】."}]

    body = gateway.post("/messages", gateway.messages(messages=asked)).json()

    assert f"You said: “{asked[0]['content']}”." in text_of(body)
