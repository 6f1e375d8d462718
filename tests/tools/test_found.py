"""Events of an answer, gathered into one with its sources."""

from __future__ import annotations

from groundwire.events import Citations, Error, StreamEvent, TextDelta, WebSearchResults
from groundwire.model import Citation, SearchResult
from groundwire.tools.websearch.found import Gathering, HostedAnswer

HIT = SearchResult(url="https://a.example/", title="A")


def gathered(*events: StreamEvent) -> HostedAnswer:
    gathering = Gathering()
    for event in events:
        gathering.take(event)
    return gathering.found()


def test_numbers_go_by_first_use_in_the_text_and_not_by_arrival() -> None:
    late = Citation(url="https://late.example/", title="Late", start=5, end=9)
    early = Citation(url="https://early.example/", title="Early", start=0, end=4)

    found = gathered(TextDelta("One. "), TextDelta("Two."), Citations((late, early)))

    assert found == HostedAnswer(
        text="One.[1] Two.[2]\n\n"
        "Sources:\n[1] Early (https://early.example/)\n[2] Late (https://late.example/)",
        sources=[
            {"web": {"title": "Early", "uri": "https://early.example/"}},
            {"web": {"title": "Late", "uri": "https://late.example/"}},
        ],
    )


def test_a_source_without_a_place_is_in_the_list_only() -> None:
    cited = Citation(url="https://a.example/", title="A")

    found = gathered(Citations((cited,)), TextDelta("One."))

    assert found.text == "One.\n\nSources:\n[1] A (https://a.example/)"


def test_what_was_only_found_is_listed_as_that_where_nothing_is_cited() -> None:
    found = gathered(WebSearchResults((HIT,)), TextDelta("One."))

    assert found == HostedAnswer(
        text="One.\n\nFound, not cited:\n[1] A (https://a.example/)",
        sources=[{"web": {"title": "A", "uri": "https://a.example/"}}],
    )


def test_what_was_only_found_is_left_out_beside_what_is_cited() -> None:
    cited = Citation(url="https://b.example/", title="B", start=0, end=4)

    found = gathered(WebSearchResults((HIT,)), TextDelta("One."), Citations((cited,)))

    assert found.text == "One.[1]\n\nSources:\n[1] B (https://b.example/)"


def test_a_part_of_an_answer_is_none() -> None:
    found = gathered(TextDelta("One."), Error("it broke", "truncated"), Error("again", "network"))

    assert found == HostedAnswer(failure="it broke")


def test_space_is_no_answer() -> None:
    assert gathered(WebSearchResults((HIT,)), TextDelta(" \n")) == HostedAnswer()
