"""Gemini's own numbers: where its markers go, and its list."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundwire.model import Json
from groundwire.tools.websearch.found import HostedAnswer
from groundwire.tools.websearch.gemini_numbers import read_answer
from groundwire.wire.contract import HttpReply
from tests.shared import SHARED, shared

A: Json = {"web": {"uri": "https://a.example/", "title": "A"}}
B: Json = {"web": {"uri": "https://b.example/", "title": "B"}}
LISTED = "\n\nSources:\n[1] A (https://a.example/)\n[2] B (https://b.example/)"


def reply(*texts: Json, supports: Json = (), chunks: Json = (A, B)) -> HttpReply:
    """A whole reply; a part is a text or what else a part may be."""
    parts = [{"text": text} if isinstance(text, str) else text for text in texts]
    grounding: dict[str, Any] = {"groundingChunks": [*chunks], "groundingSupports": [*supports]}
    candidate = {"content": {"parts": parts}, "groundingMetadata": grounding}
    return HttpReply(status=200, body=json.dumps({"candidates": [candidate]}).encode())


def support(end: int | None, *indices: int) -> Json:
    segment = {} if end is None else {"endIndex": end}
    return {"segment": segment, "groundingChunkIndices": [*indices]}


def test_markers_are_unique_sorted_and_stand_at_byte_offsets() -> None:
    found = read_answer(reply("Größe. 新幹線!", supports=[support(8, 1, 0, 1), support(18, 1)]))

    assert found == HostedAnswer(text=f"Größe.[1][2] 新幹線[2]!{LISTED}", sources=[A, B])


def test_markers_at_one_place_are_merged() -> None:
    found = read_answer(reply("Both.", supports=[support(5, 1), support(5, 0), support(5, 1)]))

    assert found.text == f"Both.[1][2]{LISTED}"


def test_an_offset_past_the_end_is_the_end_and_meets_what_stands_there() -> None:
    found = read_answer(reply("Both.", supports=[support(5, 1), support(999, 0)]))

    assert found.text == f"Both.[1][2]{LISTED}"


def test_an_offset_inside_a_character_is_its_start() -> None:
    found = read_answer(reply("a🦦b", supports=[support(3, 0)]))

    assert found.text == f"a[1]🦦b{LISTED}"


@pytest.mark.parametrize("nowhere", [support(None, 0), support(0, 0), support(-3, 0), support(4)])
def test_what_is_no_place_or_no_source_leaves_no_marker(nowhere: Json) -> None:
    found = read_answer(reply("Text.", supports=[nowhere]))

    assert found.text == f"Text.{LISTED}"


def test_a_number_without_a_chunk_is_not_written() -> None:
    found = read_answer(reply("Text.", supports=[support(5, 7, 0, -1)]))

    assert found.text == f"Text.[1]{LISTED}"


def test_thoughts_are_no_part_of_the_text() -> None:
    parts: Json = ({"text": "Hm.", "thought": True}, "One, ", {"inlineData": {}}, "two.")

    found = read_answer(reply(*parts, supports=[support(9, 0)]))

    assert found.text == f"One, two.[1]{LISTED}"


def test_an_answer_without_grounding_has_no_list_and_no_sources() -> None:
    assert read_answer(reply("Just so.", chunks=())) == HostedAnswer(text="Just so.", sources=[])


def test_a_blocked_question_is_an_empty_answer() -> None:
    body = {"promptFeedback": {"blockReason": "SAFETY"}}

    assert read_answer(HttpReply(status=200, body=json.dumps(body).encode())) == HostedAnswer()


@pytest.mark.parametrize(
    ("chunk", "line"),
    [
        ({"web": {"uri": "https://a.example/x"}}, "a.example (https://a.example/x)"),
        (
            {"web": {"uri": "https://vertexaisearch.cloud.google.com/r/1"}},
            "Untitled (https://vertexaisearch.cloud.google.com/r/1)",
        ),
        ({"web": {"title": "A page"}}, "A page (no address)"),
        ({"retrievedContext": {}}, "Untitled (no address)"),
        (
            {"web": {"uri": "https://a.example/", "title": "A\n[2] Bank\n(https://b.example)"}},
            "A [2] Bank (https://b.example) (https://a.example/)",
        ),
    ],
)
def test_every_chunk_is_one_line_of_the_list_and_keeps_its_place(chunk: Json, line: str) -> None:
    found = read_answer(reply("Text.", chunks=[chunk, B]))

    assert found.text == f"Text.\n\nSources:\n[1] {line}\n[2] B (https://b.example/)"
    assert found.sources == [chunk, B]


def test_control_characters_of_a_title_do_not_reach_the_list() -> None:
    chunk = {"web": {"uri": "https://a.example/\x1b", "title": "A\x1b]8;;x\x07 \u202eB"}}

    found = read_answer(reply("Text.", chunks=[chunk]))

    assert found.text == "Text.\n\nSources:\n[1] A]8;;x B (https://a.example/)"


def test_what_a_proxy_sends_as_null_is_absent() -> None:
    chunk = {"web": {"uri": "https://a.example/", "title": None}, "maps": None}

    found = read_answer(reply("Text.", chunks=[chunk]))

    assert found.sources == [{"web": {"uri": "https://a.example/"}}]


@given(
    text=st.text(alphabet=st.characters(codec="utf-8", exclude_characters="[]")),
    places=st.lists(st.tuples(st.integers(-5, 200), st.lists(st.integers(-2, 3)))),
)
def test_without_its_markers_a_text_is_what_it_was(
    text: str, places: list[tuple[int, list[int]]]
) -> None:
    supports = [support(end, *indices) for end, indices in places]

    found = read_answer(reply(text, supports=supports))

    marked = found.text.removesuffix(LISTED)
    assert re.sub(r"\[[12]\]", "", marked) == (text if text.strip() else "")


def grounded_recordings() -> list[str]:
    """The names of whole replies that rest on pages."""
    return sorted(
        path.name
        for path in SHARED.glob("recordings/gemini/*google_search*.json")
        if '"groundingSupports"' in path.read_text(encoding="utf-8")
        and json.loads(path.read_bytes()).get("candidates")
    )


@pytest.mark.parametrize("name", grounded_recordings())
def test_in_recordings_every_marker_stands_at_the_end_of_its_segment(name: str) -> None:
    body = shared(f"recordings/gemini/{name}").read_bytes()
    candidate = json.loads(body)["candidates"][0]
    grounding = candidate["groundingMetadata"]
    parts = [part for part in candidate["content"]["parts"] if not part.get("thought")]
    expected = "".join(part.get("text", "") for part in parts).encode()
    by_end = sorted(grounding["groundingSupports"], key=lambda each: -each["segment"]["endIndex"])
    for each in by_end:
        end = each["segment"]["endIndex"]
        numbers = [index + 1 for index in sorted(each["groundingChunkIndices"])]
        marker = "".join(f"[{number}]" for number in numbers)
        expected = expected[:end] + marker.encode() + expected[end:]

    found = read_answer(HttpReply(status=200, body=body))

    assert found.text.partition("\n\nSources:\n")[0] == expected.decode()
    assert found.sources == grounding["groundingChunks"]
