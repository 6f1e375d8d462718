"""Anthropic's real traffic, replayed: whole, in small pieces and byte by byte."""

import hashlib
import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from groundwire.errors import ToolFailedError
from groundwire.events import (
    Citations,
    Done,
    Error,
    RawBlocks,
    StreamEvent,
    TextDelta,
    ThinkingDelta,
    ToolCallDelta,
    ToolCallEnd,
    ToolCallStart,
    Usage,
    Warned,
    WebFetchResult,
    WebFetchStart,
    WebSearchResults,
    WebSearchStart,
)
from groundwire.model import Citation, Json
from groundwire.providers.anthropic import provider
from groundwire.wire.anthropic.replies import MessagesDecoder
from groundwire.wire.errors import classify
from groundwire.wire.sse import SseParser
from tests.shared import SHARED, shared

INDEX = SHARED / "recordings" / "index.json"

# Written by hand upstream, and read otherwise by the oracle: a call that was cut off is no call.
DIFFERENT: dict[str, Json] = {
    "anthropic/spliced_message_start.vercel.sse": {
        "tool_calls": [["test-tool", {"value": "Sparkle Day"}]]
    },
}

# The oracle lists so many consulted pages and counts them all.
LISTED = 12

# Where the wire names no URL the oracle gives the document's title; we give its URL.
URL_OF_TITLE = {"Home - Docs by LangChain": "https://docs.langchain.com"}


def _recordings() -> list[Json]:
    listed = json.loads(INDEX.read_bytes()) if INDEX.exists() else []
    return [entry for entry in listed if entry["file"].startswith("anthropic/")]


RECORDINGS = _recordings()


def _pieces(body: bytes, size: int) -> Iterator[bytes]:
    return (body[start : start + size] for start in range(0, len(body), size))


def _replay(decoder: MessagesDecoder, path: Path, size: int) -> list[StreamEvent]:
    body = path.read_bytes()
    if path.suffix == ".json":
        return [*decoder.feed_body(json.loads(body)), *decoder.finish()]
    parser = SseParser()
    events: list[StreamEvent] = []
    for piece in _pieces(body, size or len(body)):
        for event in parser.feed(piece):
            events += decoder.feed(event)
    return [*events, *decoder.finish()]


def _text(events: Sequence[StreamEvent]) -> str:
    return "".join(event.text for event in events if isinstance(event, TextDelta))


def _citations(events: Sequence[StreamEvent]) -> list[Citation]:
    found = (event.citations for event in events if isinstance(event, Citations))
    return [citation for citations in found for citation in citations]


def _tool_calls(events: Sequence[StreamEvent]) -> list[Json]:
    """Return name and arguments of the calls that were completed."""
    names: dict[str, str] = {}
    arguments: dict[str, str] = {}
    calls = []
    for event in events:
        match event:
            case ToolCallStart():
                names[event.tool_call_id] = event.tool_name
                arguments[event.tool_call_id] = ""
            case ToolCallDelta():
                arguments[event.tool_call_id] += event.arguments_delta
            case ToolCallEnd():
                parsed = json.loads(arguments[event.tool_call_id])
                calls.append([names[event.tool_call_id], parsed])
    return calls


def _usage(report: Json) -> dict[str, int]:
    """Return the oracle's counts under our names."""
    tools = report.get("server_tool_use") or {}
    named = {
        "input_tokens": report.get("input_tokens"),
        "output_tokens": report.get("output_tokens"),
        "cached_input_tokens": report.get("cache_read_input_tokens"),
        "cache_write_tokens": report.get("cache_creation_input_tokens"),
        "thinking_tokens": report.get("output_tokens_details", {}).get("thinking_tokens"),
        "searches": tools.get("web_search_requests"),
        "fetches": tools.get("web_fetch_requests"),
    }
    return {name: count for name, count in named.items() if count is not None}


def _tool_errors(events: Sequence[StreamEvent]) -> list[str]:
    failed = [event.error for event in events if isinstance(event, WebFetchResult)]
    warned = [
        event.message.rpartition(" ")[2]
        for event in events
        if isinstance(event, Warned) and event.code == ToolFailedError.code
    ]
    return [code for code in failed if code] + warned


def _summary(decoder: MessagesDecoder, events: Sequence[StreamEvent]) -> Json:
    """Return what the oracle also says, in its words."""
    done = [event.stop_reason for event in events if isinstance(event, Done)]
    thoughts = (event.text for event in events if isinstance(event, ThinkingDelta))
    hits = (event.results for event in events if isinstance(event, WebSearchResults))
    pages = [e.url for e in events if isinstance(e, WebFetchResult) and not e.error]
    consulted = list(dict.fromkeys([hit.url for found in hits for hit in found] + pages))
    return {
        "text_sha256": hashlib.sha256(_text(events).encode()).hexdigest(),
        "text_len": len(_text(events)),
        "thinking_len": sum(map(len, thoughts)),
        "cited": list(dict.fromkeys(citation.url for citation in _citations(events))),
        "consulted": (consulted[:LISTED], len(consulted)),
        "queries": [event.query for event in events if isinstance(event, WebSearchStart)],
        "fetched": [event.url for event in events if isinstance(event, WebFetchStart)],
        "tool_calls": _tool_calls(events),
        "tool_errors": _tool_errors(events),
        "stop": ["pause_turn"] if decoder.continuation else done,
        "errors": [event.code for event in events if isinstance(event, Error)],
    }


def _expected(summary: Json) -> Json:
    error = summary.get("error")
    return {
        "text_sha256": summary["text_sha256"],
        "text_len": summary["text_len"],
        "thinking_len": summary.get("thinking_len", 0),
        "cited": [URL_OF_TITLE.get(cited, cited) for cited in summary["cited"]],
        "consulted": (summary["consulted"], summary["consulted_count"]),
        "queries": summary["queries"],
        "fetched": summary["fetched"],
        "tool_calls": summary.get("tool_calls", []),
        "tool_errors": summary.get("tool_errors", []),
        "stop": [summary["stop"]] if "stop" in summary else [],
        "errors": [classify(200, (error["type"],)).code] if error else [],
    }


@pytest.mark.skipif(not RECORDINGS, reason="needs the shared test data: no ../shared/recordings")
@pytest.mark.parametrize("size", [1, 17, 0], ids=["1 byte", "17 bytes", "whole"])
@pytest.mark.parametrize("entry", RECORDINGS, ids=[entry["file"] for entry in RECORDINGS])
def test_a_recording_says_what_the_oracle_says(entry: Json, size: int) -> None:
    expected = _expected(entry["summary"]) | DIFFERENT.get(entry["file"], {})
    decoder = provider.answer_decoder()

    events = _replay(decoder, SHARED / "recordings" / entry["file"], size)

    reports = [event for event in events if isinstance(event, Usage)]
    counts = _usage(entry["summary"].get("usage") or {})
    assert _summary(decoder, events) == expected
    assert {name: getattr(reports[-1], name) for name in counts} == counts


@pytest.mark.skipif(not RECORDINGS, reason="needs the shared test data: no ../shared/recordings")
@pytest.mark.parametrize("entry", RECORDINGS, ids=[entry["file"] for entry in RECORDINGS])
def test_a_span_cuts_out_the_text_of_the_block_that_was_cited(entry: Json) -> None:
    path = SHARED / "recordings" / entry["file"]

    events = _replay(provider.answer_decoder(), path, 0)

    pages = [event.url for event in events if isinstance(event, WebFetchResult)]
    cut = {
        (citation.url, _text(events)[citation.start : citation.end])
        for citation in _citations(events)
    }
    assert cut == {
        (url, text)
        for text, citations in _cited_blocks(path)
        for citation in citations
        for url in ([citation["url"]] if "url" in citation else pages)
    }


def _cited_blocks(path: Path) -> list[tuple[str, list[Json]]]:
    """Return text and citations of each text block, read without our decoder."""
    if path.suffix == ".json":
        blocks = json.loads(path.read_bytes()).get("content", [])
        return [(b.get("text", ""), b.get("citations") or []) for b in blocks]
    found: dict[int, tuple[list[str], list[Json]]] = {}
    for line in path.read_text(encoding="utf-8").split("\n"):
        data = json.loads(line[5:]) if line.startswith("data:") else {}
        if data.get("type") == "content_block_delta":
            texts, citations = found.setdefault(data["index"], ([], []))
            texts.append(data["delta"].get("text", ""))
            citations += [data["delta"]["citation"]] if "citation" in data["delta"] else []
    return [("".join(texts), citations) for texts, citations in found.values()]


@pytest.mark.parametrize("form", ["stream", "nonstream"])
def test_an_answer_that_paused_becomes_one_answer(form: str) -> None:
    suffix = "sse" if form == "stream" else "json"
    name = f"recordings/anthropic/web_search_pause_turn_{form}.pydantic"
    first, second = shared(f"{name}.1.{suffix}"), shared(f"{name}.2.{suffix}")
    request = json.loads(shared(f"{name}.2.meta.json").read_bytes())["request"]["body"]
    decoder = provider.answer_decoder()

    before = _replay(decoder, first, 17)
    paused = decoder.continuation
    events = before + _replay(decoder, second, 17)

    assert paused is not None
    assert _as_recorded(paused.raw_blocks) == _as_recorded(request["messages"][-1]["content"])
    assert paused.content == _text(before)
    assert [event for event in events if isinstance(event, Done)] == [Done("end_turn")]
    assert all(
        citation.end is not None and citation.end <= len(_text(events))
        for citation in _citations(events)
    )
    raw = [event.blocks for event in events if isinstance(event, RawBlocks)]
    calls = [block["id"] for block in raw[0] if block["type"] == "server_tool_use"]
    results = [block["tool_use_id"] for block in raw[0] if "tool_use_id" in block]
    assert calls == results
    assert len(calls) == 15
    usage = [event for event in events if isinstance(event, Usage)][-1]
    totals = {"stream": (404_500 + 482_529, 15), "nonstream": (401_468 + 494_549, 15)}
    assert (usage.input_tokens, usage.searches) == totals[form]


def _as_recorded(blocks: Json) -> Json:
    """Return blocks without what the recorded client left out and its recorder rewrote."""
    rewritten = {"caller": None, "title": None, "citations": None}
    return json.loads(
        json.dumps(blocks), object_hook=lambda thing: {**thing, **rewritten} if thing else thing
    )
