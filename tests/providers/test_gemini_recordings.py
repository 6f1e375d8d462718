"""Gemini's real traffic, replayed: whole, in small pieces and byte by byte."""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence

import pytest

from groundwire.events import (
    Citations,
    Done,
    Error,
    SearchSuggestions,
    StreamEvent,
    TextDelta,
    ThinkingDelta,
    ToolCallDelta,
    ToolCallStart,
    Usage,
    Warned,
    WebFetchResult,
    WebSearchStart,
)
from groundwire.model import Citation, Json
from groundwire.providers.gemini import provider
from groundwire.wire.contract import HttpReply
from groundwire.wire.sse import SseParser
from tests.shared import SHARED, shared

INDEX = SHARED / "recordings" / "index.json"
WHOLE = 1 << 30

# A Claude reply, kept here upstream as the history of a Gemini one: for us it has no end.
NOT_GEMINI = "gemini/history_from_other_provider.pydantic.1.json"

CODE_OF_STATUS = {"INVALID_ARGUMENT": "auth", "RESOURCE_EXHAUSTED": "rate_limit"}


def recordings(folder: str) -> list[Json]:
    listed = json.loads(INDEX.read_bytes()) if INDEX.exists() else []
    return [entry for entry in listed if entry["file"].startswith(f"{folder}/")]


ANSWERS = [entry for entry in recordings("gemini") if entry["summary"] is not None]
MODEL_LISTS = [entry for entry in recordings("gemini") if entry["summary"] is None]
INTERACTIONS = recordings("gemini_interactions")


def name(entry: Json) -> str:
    return str(entry["file"])


def body_of(entry: Json) -> bytes:
    return shared(f"recordings/{entry['file']}").read_bytes()


def pieces(body: bytes, size: int) -> Iterator[bytes]:
    return (body[start : start + size] for start in range(0, len(body), size))


def replay(entry: Json, size: int) -> list[StreamEvent]:
    decoder = provider.answer_decoder()
    if not entry["stream"]:
        return [*decoder.feed_body(json.loads(body_of(entry))), *decoder.finish()]
    parser = SseParser()
    wire = [event for piece in pieces(body_of(entry), size) for event in parser.feed(piece)]
    events = [event for sent in wire for event in decoder.feed(sent)]
    return [*events, *decoder.finish()]


def text_of(events: Sequence[StreamEvent]) -> str:
    return "".join(event.text for event in events if isinstance(event, TextDelta))


def citations_of(events: Sequence[StreamEvent]) -> list[Citation]:
    return [
        citation for event in events if isinstance(event, Citations) for citation in event.citations
    ]


def usage_of(events: Sequence[StreamEvent]) -> dict[str, int | None]:
    usage = next((event for event in reversed(events) if isinstance(event, Usage)), Usage())
    return {
        "promptTokenCount": usage.input_tokens,
        "candidatesTokenCount": usage.output_tokens,
        "cachedContentTokenCount": usage.cached_input_tokens,
        "thoughtsTokenCount": usage.thinking_tokens,
    }


def summary_of(events: Sequence[StreamEvent]) -> dict[str, Json]:
    """Tell a reply in the words of the oracle."""
    text = text_of(events)
    thinking = (event.text for event in events if isinstance(event, ThinkingDelta))
    names = [event.tool_name for event in events if isinstance(event, ToolCallStart)]
    arguments = [event.arguments_delta for event in events if isinstance(event, ToolCallDelta)]
    calls = zip(names, map(json.loads, arguments), strict=True)
    return {
        "text_sha256": hashlib.sha256(text.encode()).hexdigest(),
        "text_len": len(text),
        "thinking_len": sum(map(len, thinking)),
        "cited": list(dict.fromkeys(citation.url for citation in citations_of(events))),
        "queries": [event.query for event in events if isinstance(event, WebSearchStart)],
        "tool_calls": [list(call) for call in calls],
        "stop": next((event.stop_reason for event in events if isinstance(event, Done)), None),
        "usage": usage_of(events),
        "error": next((event.code for event in events if isinstance(event, Error)), None),
    }


def expected_of(entry: Json) -> dict[str, Json]:
    oracle = entry["summary"]
    error, usage = oracle.get("error"), oracle.get("usage") or {}
    counts = usage_of([])
    ending = "truncated" if entry["file"] == NOT_GEMINI else None
    return {
        "text_sha256": oracle["text_sha256"],
        "text_len": oracle["text_len"],
        "thinking_len": oracle.get("thinking_len", 0),
        "cited": oracle["cited"],
        "queries": oracle["queries"],
        "tool_calls": oracle.get("tool_calls", []),
        "stop": oracle.get("stop"),
        "usage": {count: usage.get(count) for count in counts},
        "error": CODE_OF_STATUS[error["status"]] if error else ending,
    }


@pytest.mark.parametrize("size", [1, 17, WHOLE], ids=["1", "17", "whole"])
@pytest.mark.parametrize("entry", ANSWERS, ids=name)
def test_a_recording_says_what_the_oracle_says(entry: Json, size: int) -> None:
    events = replay(entry, size)

    assert summary_of(events) == expected_of(entry)
    assert not [event for event in events if isinstance(event, Warned)]


def supports_in(entry: Json) -> list[tuple[str, str]]:
    """Return each supported segment with the URL that supports it, as the wire has them."""
    lines = body_of(entry).decode().splitlines() if entry["stream"] else []
    chunks = [json.loads(line[5:]) for line in lines if line.startswith("data:")]
    grounding: Mapping[str, Json] = {}
    for chunk in chunks or [json.loads(body_of(entry))]:
        for candidate in chunk.get("candidates", ()):
            grounding = candidate.get("groundingMetadata") or grounding
    return [
        (support["segment"]["text"], grounding["groundingChunks"][index]["web"]["uri"])
        for support in grounding.get("groundingSupports", ())
        for index in support["groundingChunkIndices"]
    ]


@pytest.mark.parametrize("entry", ANSWERS, ids=name)
def test_every_span_cuts_out_exactly_its_segment(entry: Json) -> None:
    supports = supports_in(entry)

    events = replay(entry, WHOLE)

    text = text_of(events)
    cut = [(text[cited.start : cited.end], cited.url) for cited in citations_of(events)]
    assert cut == supports


@pytest.mark.parametrize("entry", ANSWERS + INTERACTIONS, ids=name)
def test_no_source_is_shown_under_the_host_of_the_redirect(entry: Json) -> None:
    events = replay(entry, WHOLE)

    shown = {text for cited in citations_of(events) for text in (cited.title, cited.domain)}
    assert "vertexaisearch.cloud.google.com" not in shown
    assert "" not in shown


@pytest.mark.parametrize("entry", MODEL_LISTS, ids=name)
def test_the_recorded_models_can_all_hold_a_conversation(entry: Json) -> None:
    body = body_of(entry)

    models = provider.models(HttpReply(status=200, body=body, service="gemini"))

    listed = {model.id for model in models}
    told = {
        model["name"].removeprefix("models/")
        for model in json.loads(body)["models"]
        if "generateContent" in model["supportedGenerationMethods"]
    }
    mute = ("tts", "image", "banana", "lyria")
    assert told - listed == {name for name in told if any(word in name for word in mute)}
    assert (models[0].id, models[0].title) == ("gemini-2.5-flash", "Gemini 2.5 Flash")


@pytest.mark.parametrize("size", [1, 17, WHOLE], ids=["1", "17", "whole"])
@pytest.mark.parametrize("entry", INTERACTIONS, ids=name)
def test_an_interaction_gives_the_same_events_as_generate_content(entry: Json, size: int) -> None:
    events = replay(entry, size)

    kinds = {type(event) for event in events}
    text = text_of(events)
    assert kinds >= {TextDelta, WebSearchStart, Citations, SearchSuggestions, Usage, Done}
    assert not kinds & {Error, Warned, WebFetchResult}
    assert events[-1] == Done("completed")
    # Sentences are cited: a span that is off by one would cut a word.
    for cited in citations_of(events):
        assert cited.start is not None
        assert cited.end is not None
        assert not text[cited.start - 1].isalnum()
        assert not text[cited.end].isalnum() if cited.end < len(text) else True
