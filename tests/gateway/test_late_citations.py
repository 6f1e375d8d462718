"""Sources that a provider names when its words are over: all places arrive, as in a whole reply."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from groundwire.model import Json
from groundwire.sandbox import SandboxServer
from tests.gateway.asking import CLAUDE, WEATHER, Asked, SentEvent
from tests.gateway.citing import (
    GEMINI,
    PATHS,
    asking,
    cited,
    own_fields,
    streamed_checks,
    streamed_citations,
    streamed_text,
)
from tests.gateway.told_model import ToldModel

OPENAI = "openai/gpt-5-search-api"
LATE = (GEMINI, OPENAI)
WINDMILLS = "Windmills: cite rightly, invent a number, misquote, cite a missing page"
CLAIMS = [
    "In 1850 there were 450 windmills between the river and the sea.",
    "Some 97 of the windmills of the lower plain still turn.",
    "The miller wrote: “a mill that burns down in a winter is built again by spring”.",
    "A windmill of the plain was moved to the city in March.",
]
WIKI, NEWS = "wiki.example.net/windmill", "news.example.com/2026/03/no-such-windmill"


@pytest.fixture(scope="module")
def patient(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Asked]:
    """Return a gateway whose streams wait at their end until all is compared."""
    folder = tmp_path_factory.mktemp("patient")
    waits = {"check_seconds": 60, "stream_check_seconds": 60}
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GROUNDWIRE_HOME", str(folder))
        with (
            SandboxServer() as sandbox,
            Asked(sandbox, folder, checks={"pages": "all"}, gateway=waits) as asked,
        ):
            yield asked


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("model", [*LATE, CLAUDE, "openai-responses/gpt-5.5"])
def test_a_stream_has_the_citations_of_a_whole_reply_each_with_its_own_check(
    patient: Asked, model: str, path: str
) -> None:
    body = asking(patient, path, model, WINDMILLS)

    whole = patient.post(path, body).json()
    events = patient.sse(path, body)

    told = streamed_citations(path, events)
    assert [_source(one) for one in told] == [_source(one) for one in cited(path, whole)]
    assert [one["groundwire"]["number"] for one in told] == [1, 1, 1, 2]
    compared = streamed_checks(path, events)
    assert [one["check"] for one in compared] == [one["check"] for one in own_fields(path, whole)]
    assert [one["check"]["claim"] for one in compared] == CLAIMS


def _source(one: Json) -> Json:
    return one["url"], one["title"], one["groundwire"]["number"], one["groundwire"]["quote"]


@pytest.mark.parametrize("path", PATHS)
def test_a_late_citation_has_the_place_of_its_words(patient: Asked, path: str) -> None:
    events = patient.sse(path, asking(patient, path, GEMINI, WINDMILLS))

    assert _places(path, events) == CLAIMS


def _places(path: str, events: Sequence[SentEvent]) -> list[str]:
    """Return what the citations of a stream stand for in its text."""
    text, told = streamed_text(path, events), streamed_citations(path, events)
    placed = [one["groundwire"] if path == "/messages" else one for one in told]
    return [text[one["start_index"] : one["end_index"]] for one in placed]


@pytest.mark.parametrize("path", PATHS)
def test_a_late_citation_has_the_place_of_the_link_that_the_provider_wrote(
    patient: Asked, path: str
) -> None:
    events = patient.sse(path, asking(patient, path, OPENAI, WINDMILLS))

    pages = [("wiki.example.net", WIKI)] * 3 + [("news.example.com", NEWS)]
    links = [f"([{name}](https://{page}?utm_source=openai))" for name, page in pages]
    assert _places(path, events) == links


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("model", LATE)
def test_a_late_source_stands_once_in_a_line_at_the_end(
    patient: Asked, model: str, path: str
) -> None:
    text = streamed_text(path, patient.sse(path, asking(patient, path, model, WINDMILLS)))

    line = text.rpartition("\n\n")[2]
    assert line.startswith("Sources: [1](https://")
    assert (line.count("[1]("), line.count("[2](")) == (1, 1)


def test_a_whole_reply_has_a_marker_instead_of_the_providers_own_link(patient: Asked) -> None:
    body = asking(patient, "/chat/completions", OPENAI, WINDMILLS)

    text = patient.post("/chat/completions", body).json()["choices"][0]["message"]["content"]

    link = f"[1](https://{WIKI}?utm_source=openai)"
    assert f"{CLAIMS[0]} {link}\n- {CLAIMS[1]} {link}\n" in text


def test_late_citations_of_messages_belong_to_the_block_of_their_words(patient: Asked) -> None:
    events = patient.sse("/messages", asking(patient, "/messages", GEMINI, WINDMILLS))

    kinds = [
        (each.data["index"], each.data["content_block"]["type"])
        for each in events
        if each.name == "content_block_start"
    ]
    assert kinds == [
        (0, "text"),
        (1, "text"),
        (2, "server_tool_use"),
        (3, "web_search_tool_result"),
    ]
    deltas = [each.data for each in events if each.name == "content_block_delta"]
    places = {each["index"] for each in deltas if each["delta"]["type"] == "citations_delta"}
    words = "".join(each["delta"].get("text", "") for each in deltas if each["index"] == 0)
    assert places == {0}
    assert all(claim in words for claim in CLAIMS)


def test_late_annotations_of_responses_are_in_the_event_the_item_and_the_response(
    patient: Asked,
) -> None:
    events = patient.sse("/responses", asking(patient, "/responses", GEMINI, WINDMILLS))

    told = streamed_citations("/responses", events)
    done = [each.data["item"] for each in events if each.name == "response.output_item.done"]
    assert [item["type"] for item in done] == ["message", "web_search_call"]
    last = events[-1].data["response"]["output"]
    for item in (done[0], last[0]):
        annotations = item["content"][0]["annotations"]
        assert [_bare(one) for one in annotations] == [_bare(one) for one in told]


def _bare(one: Json) -> Json:
    return {name: value for name, value in one.items() if name != "groundwire"}


OTTERS = "Otters sleep. Otters swim."
GROUNDING: Json = {
    "webSearchQueries": ["otters"],
    "groundingChunks": [{"web": {"uri": "https://a.example/", "title": "A"}}],
    "groundingSupports": [
        {"segment": {"endIndex": 13, "text": "Otters sleep."}, "groundingChunkIndices": [0]},
    ],
}


@pytest.mark.parametrize("path", PATHS)
def test_late_sources_come_before_calls_of_the_clients_tools(
    sandbox: SandboxServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    monkeypatch.setenv("GROUNDWIRE_HOME", str(tmp_path))
    call = {"functionCall": {"name": "get_weather", "args": {"city": "Oslo"}}}
    tool = {"name": "get_weather", "description": "The weather.", "parameters": WEATHER}
    nested: dict[str, Json] = {
        "/messages": {"name": tool["name"], "input_schema": WEATHER},
        "/chat/completions": {"type": "function", "function": tool},
    }
    with (
        ToldModel() as model,
        Asked(sandbox, tmp_path, addresses={"gemini": model.url}) as gateway,
    ):
        model.begin()
        model.say(_chunk([{"text": OTTERS}]), _chunk([call]))
        model.say(_chunk([], finishReason="STOP", groundingMetadata=GROUNDING))
        model.end()
        body = asking(gateway, path, GEMINI)
        own = nested.get(path, {"type": "function", **tool})
        events = gateway.sse(path, {**body, "tools": [*body.get("tools", ()), own]})

    raw = [each.raw for each in events]
    first_call = next(at for at, each in enumerate(raw) if "get_weather" in each)
    sources = next(at for at, each in enumerate(raw) if "Sources: [1](https://a.example/)" in each)
    (cited,) = streamed_citations(path, events)
    assert sources < first_call
    assert cited["url"] == "https://a.example/"


def _chunk(parts: list[Json], **fields: Json) -> Json:
    content = {"role": "model", "parts": parts}
    return {"type": "", "candidates": [{"content": content, "index": 0, **fields}]}


@pytest.mark.parametrize("path", PATHS)
def test_each_place_has_the_passage_that_was_named_there(patient: Asked, path: str) -> None:
    body = asking(patient, path, CLAUDE, WINDMILLS)

    told = streamed_citations(path, patient.sse(path, body))

    quotes = [one["groundwire"]["quote"] for one in told]
    assert quotes[:2] == [CLAIMS[0], "Only 38 of them still turn."]
