"""Every recording of the OpenAI family, cut three ways, against the independent summary."""

import hashlib
import json
from pathlib import Path

import pytest

from groundwire import registry
from groundwire.events import (
    Citations,
    Done,
    Error,
    StreamEvent,
    TextDelta,
    ToolCallDelta,
    ToolCallEnd,
    ToolCallStart,
    WebFetchStart,
    WebSearchResults,
    WebSearchStart,
)
from groundwire.model import Citation, Json, Usage
from groundwire.wire.contract import Answers, HttpReply
from groundwire.wire.sse import SseParser
from tests.shared import SHARED, shared

PROVIDER_OF = {
    "openai_chat": "openai",
    "openai_responses": "openai-responses",
    "openrouter": "openrouter",
    "codex": "codex",
    "perplexity": "openai",
    "other": "openai-responses",
}

MAX_LISTED = 12  # The index names no more of the consulted pages than that.

# The summary was read from the output of the final `response.completed`, which the ChatGPT backend
# leaves empty; the text and the call are in the events before it.
EMPTY_AT_THE_END: dict[str, Json] = {
    "codex/oauth_tool_loop.opencode.1.sse": {
        "tool_calls": [["get_weather", {"city": "Paris"}]],
    },
    "codex/oauth_tool_loop.opencode.2.sse": {
        "text_len": len("Paris is sunny."),
        "text_sha256": hashlib.sha256(b"Paris is sunny.").hexdigest(),
    },
}


def recordings() -> list[Json]:
    index = SHARED / "recordings" / "index.json"
    entries = json.loads(index.read_bytes()) if index.exists() else []
    return [
        entry
        for entry in entries
        if entry["file"].partition("/")[0] in PROVIDER_OF and entry["summary"]
    ]


def replay(file: str, chunk_size: int | None) -> list[StreamEvent]:
    provider = registry.get(PROVIDER_OF[file.partition("/")[0]])
    assert isinstance(provider, Answers)
    decoder = provider.answer_decoder()
    body = shared(f"recordings/{file}").read_bytes()
    if Path(file).suffix == ".json":
        return list(decoder.feed_body(json.loads(body)))
    parser = SseParser()
    size = chunk_size or len(body)
    chunks = [body[start : start + size] for start in range(0, len(body), size)]
    sent = [data for chunk in chunks for data in parser.feed_data(chunk)]
    return [told for data in sent for told in decoder.feed_data(data)] + list(decoder.finish())


def text_in(events: list[StreamEvent]) -> str:
    return "".join(event.text for event in events if isinstance(event, TextDelta))


def citations_in(events: list[StreamEvent]) -> list[Citation]:
    found = [event.citations for event in events if isinstance(event, Citations)]
    return [citation for citations in found for citation in citations]


def calls_in(events: list[StreamEvent]) -> list[list[Json]]:
    names: dict[str, str] = {}
    arguments: dict[str, str] = {}
    ended = []
    for event in events:
        match event:
            case ToolCallStart(call_id, name):
                names[call_id], arguments[call_id] = name, ""
            case ToolCallDelta(call_id, piece):
                arguments[call_id] += piece
            case ToolCallEnd(call_id):
                ended.append(call_id)
    assert ended == list(names)
    return [[names[call_id], json.loads(arguments[call_id] or "{}")] for call_id in ended]


def usage_in(events: list[StreamEvent]) -> Json:
    reports = [event for event in events if isinstance(event, Usage)]
    if not reports:
        return None
    last = reports[-1]
    return (
        last.input_tokens,
        last.output_tokens,
        last.cached_input_tokens,
        last.thinking_tokens,
        last.cost_usd,
    )


def usage_of(summary: Json) -> Json:
    usage = summary.get("usage")
    if not usage:
        return None
    read = usage.get("prompt_tokens_details") or usage.get("input_tokens_details") or {}
    written = usage.get("completion_tokens_details") or usage.get("output_tokens_details") or {}
    return (
        usage.get("prompt_tokens", usage.get("input_tokens")),
        usage.get("completion_tokens", usage.get("output_tokens")),
        read.get("cached_tokens"),
        written.get("reasoning_tokens"),
        usage.get("cost"),
    )


def told(events: list[StreamEvent]) -> Json:
    """Return events in the words of the summary."""
    text = text_in(events)
    stops = [event.stop_reason for event in events if isinstance(event, Done)]
    found = [event.results for event in events if isinstance(event, WebSearchResults)]
    consulted = [result.url for results in found for result in results]
    assert len(stops) <= 1
    return {
        "text_len": len(text),
        "text_sha256": hashlib.sha256(text.encode()).hexdigest(),
        "cited": list(dict.fromkeys(citation.url for citation in citations_in(events))),
        "consulted": consulted[:MAX_LISTED],
        "consulted_count": len(consulted),
        "queries": [
            event.query for event in events if isinstance(event, WebSearchStart) and event.query
        ],
        "fetched": [event.url for event in events if isinstance(event, WebFetchStart)],
        "tool_calls": calls_in(events),
        "stop": stops[0] if stops else None,
        "usage": usage_in(events),
        "errors": sum(isinstance(event, Error) for event in events),
    }


def expected(entry: Json) -> Json:
    summary = entry["summary"] | EMPTY_AT_THE_END.get(entry["file"], {})
    return {
        "text_len": summary["text_len"],
        "text_sha256": summary["text_sha256"],
        "cited": summary["cited"],
        "consulted": summary["consulted"],
        "consulted_count": summary["consulted_count"],
        "queries": summary["queries"],
        "fetched": list(dict.fromkeys(summary.get("fetched", []))),
        "tool_calls": summary.get("tool_calls", []),
        "stop": summary.get("stop"),
        "usage": usage_of(summary),
        "errors": 1 if summary.get("error") else 0,
    }


@pytest.mark.parametrize("chunk_size", [1, 17, None])
@pytest.mark.parametrize("entry", recordings(), ids=lambda entry: entry["file"])
def test_a_recording_says_what_its_summary_says(entry: Json, chunk_size: int | None) -> None:
    events = replay(entry["file"], chunk_size)

    assert told(events) == expected(entry)


@pytest.mark.parametrize("entry", recordings(), ids=lambda entry: entry["file"])
def test_every_span_lies_in_the_text_and_an_inline_link_is_cut_out_whole(entry: Json) -> None:
    events = replay(entry["file"], None)

    text = text_in(events)
    for citation in citations_in(events):
        assert (citation.start is None) == (citation.end is None)
        if citation.start is not None and citation.end is not None:
            assert 0 <= citation.start < citation.end <= len(text)
            # OpenAI's span is the link that the model wrote, and so has the URL in it.
            assert citation.url in text[citation.start : citation.end]


@pytest.mark.parametrize(
    "entry",
    [entry for entry in recordings() if entry["summary"].get("error")],
    ids=lambda entry: entry["file"],
)
def test_an_error_keeps_the_words_of_the_service(entry: Json) -> None:
    events = replay(entry["file"], None)

    error = entry["summary"]["error"]
    reason = error.get("message") or error["detail"]
    [fault] = [event for event in events if isinstance(event, Error)]
    assert reason.rstrip(".") in fault.message


def test_the_recorded_list_of_openrouter_is_read() -> None:
    provider = registry.get("openrouter")
    assert isinstance(provider, Answers)
    body = shared("recordings/openrouter/models_list.llm_openrouter.json").read_bytes()

    models = provider.models(HttpReply(status=200, body=body, service="openrouter"))

    assert [model.id for model in models] == [entry["id"] for entry in json.loads(body)["data"]]
    assert models[0].title == "Anthropic: Claude Sonnet 4"


def test_the_recordings_are_there() -> None:
    shared("recordings/index.json")

    assert len(recordings()) > 50
