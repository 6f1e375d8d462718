"""Sources without a web address: a warning that names them, on every wire, never nothing."""

import json

import pytest

from groundwire import registry
from groundwire.events import Citations, TextDelta, Warned
from groundwire.model import Json
from groundwire.wire.contract import Answers, Decoder
from tests.providers.openai_wire import chunk
from tests.providers.overlaps import told_by

CODE = "source_without_url"


def responses(annotation: Json) -> list[Json]:
    place = {"output_index": 0, "item_id": "m", "content_index": 0}
    part = {"type": "output_text", "text": "Otters.", "annotations": [annotation]}
    item = {"type": "message", "id": "m", "content": [part]}
    return [
        {"type": "response.output_item.added", **place, "item": {**item, "content": []}},
        {"type": "response.output_text.delta", **place, "delta": "Otters."},
        {"type": "response.output_text.annotation.added", **place, "annotation": annotation},
        {"type": "response.output_item.done", **place, "item": item},
        {"type": "response.completed", "response": {"status": "completed", "output": [item]}},
    ]


def chat(annotation: Json) -> list[Json]:
    return [
        chunk({"content": "Otters."}),
        chunk({"annotations": [annotation]}, "stop"),
        chunk({"annotations": [annotation]}, "stop"),
    ]


def anthropic(citation: Json) -> list[Json]:
    grown = {"type": "content_block_delta", "index": 0}
    return [
        {"type": "message_start", "message": {"id": "m", "content": []}},
        {
            "type": "content_block_start",
            "index": 0,
            "content_block": {"type": "text", "text": "", "citations": []},
        },
        {**grown, "delta": {"type": "citations_delta", "citation": citation}},
        {**grown, "delta": {"type": "text_delta", "text": "Otters."}},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": "end_turn"}},
        {"type": "message_stop"},
    ]


def gemini(source: Json) -> list[Json]:
    metadata = {
        "groundingChunks": [source, source],
        "groundingSupports": [{"segment": {"endIndex": 7}, "groundingChunkIndices": [0, 1]}],
    }
    candidate = {
        "content": {"parts": [{"text": "Otters."}]},
        "finishReason": "STOP",
        "groundingMetadata": metadata,
    }
    return [{"candidates": [candidate]}]


def interactions(annotation: Json) -> list[Json]:
    delta = {"type": "text_annotation_delta", "annotations": [annotation, annotation]}
    return [
        {"event_type": "step.start", "index": 0, "step": {"type": "model_output"}},
        {"event_type": "step.delta", "index": 0, "delta": {"type": "text", "text": "Otters."}},
        {"event_type": "step.delta", "index": 0, "delta": delta},
        {"event_type": "step.stop", "index": 0},
        {"event_type": "interaction.completed", "interaction": {"status": "completed"}},
    ]


PASSAGE = {"cited_text": "Otters", "document_index": 0, "document_title": "otters.pdf"}
NAMED = {
    "responses file_citation": (
        "openai-responses",
        responses,
        {"type": "file_citation", "index": 3, "file_id": "file-1", "filename": "otters.pdf"},
    ),
    "responses container_file_citation": (
        "openai-responses",
        responses,
        {
            "type": "container_file_citation",
            "container_id": "c",
            "file_id": "f",
            "filename": "otters.pdf",
            "start_index": 0,
            "end_index": 3,
        },
    ),
    "codex file_citation": (
        "codex",
        responses,
        {"type": "file_citation", "file_id": "f", "filename": "otters.pdf"},
    ),
    "chat file_citation": (
        "openai",
        chat,
        {"type": "file_citation", "file_citation": {"file_id": "f", "filename": "otters.pdf"}},
    ),
    "openrouter file_citation": (
        "openrouter",
        chat,
        {"type": "file_citation", "file_citation": {"filename": "otters.pdf"}},
    ),
    "anthropic char_location": ("anthropic", anthropic, {"type": "char_location", **PASSAGE}),
    "anthropic page_location": ("anthropic", anthropic, {"type": "page_location", **PASSAGE}),
    "anthropic content_block_location": (
        "anthropic",
        anthropic,
        {"type": "content_block_location", **PASSAGE},
    ),
    "anthropic search_result_location": (
        "anthropic",
        anthropic,
        {
            "type": "search_result_location",
            "cited_text": "Otters",
            "source": "shelf-12",
            "title": "otters.pdf",
        },
    ),
    "gemini retrievedContext": ("gemini", gemini, {"retrievedContext": {"title": "otters.pdf"}}),
    "gemini retrievedContext in a bucket": (
        "gemini",
        gemini,
        {"retrievedContext": {"uri": "gs://bucket/o.pdf", "title": "otters.pdf"}},
    ),
    "vertex retrieved_context": (
        "gemini",
        gemini,
        {"retrieved_context": {"document_name": "otters.pdf"}},
    ),
    "interactions file_citation": (
        "gemini",
        interactions,
        {"type": "file_citation", "file_name": "otters.pdf", "start_index": 0, "end_index": 6},
    ),
}


def decoder_of(provider: str) -> Decoder:
    found = registry.get(provider)
    assert isinstance(found, Answers)
    return found.answer_decoder()


@pytest.mark.parametrize("case", NAMED)
def test_a_source_without_a_web_address_is_a_warning_that_names_it_once(case: str) -> None:
    provider, stream, cited = NAMED[case]

    events = told_by(decoder_of(provider), stream(cited))

    warned = [event for event in events if isinstance(event, Warned)]
    assert warned == [
        Warned(
            f"{provider} cites 'otters.pdf', which has no web address and is not in the list of "
            "sources",
            CODE,
        )
    ]
    assert [event.text for event in events if isinstance(event, TextDelta)] == ["Otters."]
    assert not [event for event in events if isinstance(event, Citations)]


def test_every_provider_that_answers_is_in_the_table() -> None:
    wires = {provider for provider, _, _ in NAMED.values()}
    answering = {name for name in registry.names() if isinstance(registry.get(name), Answers)}

    assert wires == answering - {"extractive"}


def test_a_source_with_a_web_address_of_another_kind_is_a_citation() -> None:
    found: Json = {"retrievedContext": {"uri": "https://otters.example/a", "title": "A"}}
    place: Json = {"type": "place_citation", "url": "https://maps.example/a", "name": "A"}
    pages = [
        told_by(decoder_of("gemini"), gemini(found)),
        told_by(decoder_of("gemini"), interactions(place)),
        told_by(
            decoder_of("anthropic"),
            anthropic({"type": "search_result_location", "source": "https://otters.example/a"}),
        ),
    ]

    cited = [
        each.url
        for events in pages
        for event in events
        if isinstance(event, Citations)
        for each in event.citations
    ]

    assert cited == [
        "https://otters.example/a",
        "https://maps.example/a",
        "https://otters.example/a",
    ]
    assert not [event for events in pages for event in events if isinstance(event, Warned)]


def test_a_name_cannot_carry_a_key_or_a_control_sequence() -> None:
    name = "sk-ant-api03-" + "a" * 40 + "\x1b[2J"

    events = told_by(decoder_of("anthropic"), anthropic({**PASSAGE, "document_title": name}))

    [said] = [event.message for event in events if isinstance(event, Warned)]
    assert "a" * 40 not in said
    assert "\x1b" not in json.loads(json.dumps(said))
