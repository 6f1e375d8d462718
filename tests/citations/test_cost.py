"""Ten times the work makes ten times the calls; what a call costs, `bench.citations` measures."""

import sys
from collections.abc import Callable
from dataclasses import replace
from types import FrameType
from typing import Any

import pytest
from bench.citations import TEXTS, WAYS, answer

from groundwire.citations import MarkerStream, place
from groundwire.model import Citation, Evidence


def calls_of(function: Callable[[], object]) -> int:
    """Count every call, of Python and of C, that a function makes."""
    count = 0

    def note(_frame: FrameType, event: str, _argument: Any) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(note)
    try:
        function()
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.parametrize("kind", TEXTS)
@pytest.mark.parametrize("way", WAYS)
def test_ten_times_the_text_and_citations_make_ten_times_the_calls(way: str, kind: str) -> None:
    small, large = answer(kind, 4_000), answer(kind, 40_000)

    few = calls_of(lambda: WAYS[way](*small))
    many = calls_of(lambda: WAYS[way](*large))

    assert many <= 11 * few


def half_removed(citations: list[Citation]) -> list[Citation]:
    """Return the citations with every second page removed, and the page that the links name."""
    return [
        replace(each, evidence=Evidence.REMOVED if index % 2 else Evidence.CITED)
        for index, each in enumerate(citations)
    ] + [Citation(url="https://example.org/a", evidence=Evidence.REMOVED)]


def placed_with_removals(text: str, citations: list[Citation]) -> None:
    place(text, half_removed(citations))


def streamed_with_lessons(text: str, citations: list[Citation]) -> None:
    """Cite and learn after every hundred characters, and ask for new sources after every four."""
    stream = MarkerStream({"2": Citation(url="https://example.org/two")})
    waiting = iter(half_removed(citations))
    for at in range(0, len(text), 4):
        stream.feed(text[at : at + 4])
        stream.sources.take_new()
        if at % 100 == 0:
            stream.cite([next(waiting)])
            page = Citation(url=f"https://example.org/{at}", evidence=Evidence.REMOVED)
            stream.learn({str(at): page})
    stream.finish()


@pytest.mark.parametrize("kind", ["links", "brackets"])
@pytest.mark.parametrize("way", [placed_with_removals, streamed_with_lessons])
def test_removals_and_lessons_keep_the_cost_linear(
    way: Callable[[str, list[Citation]], None], kind: str
) -> None:
    small, large = answer(kind, 4_000), answer(kind, 40_000)

    few = calls_of(lambda: way(*small))
    many = calls_of(lambda: way(*large))

    assert many <= 11 * few
