"""What is shown when."""

import pytest

from groundwire.citations import MarkerShown, MarkerStream, TextShown
from groundwire.model import Citation
from tests.citations.examples import screen

A, B = "https://a.example", "https://b.example/page"


def test_partial_markers_are_held_back() -> None:
    stream = MarkerStream({"1": Citation(url=A), "t": Citation(url=B)})

    pieces = [stream.feed(piece) for piece in ("Go [", "1", "]", " on\ue200", "cite\ue202t\ue201")]

    assert pieces == [
        [TextShown(text="Go ")],
        [],
        [],
        [MarkerShown(position=3, numbers=(1,)), TextShown(text=" on")],
        [],
    ]
    assert stream.feed(".") == [MarkerShown(position=6, numbers=(2,)), TextShown(text=".")]


def test_half_a_bracket_that_is_no_marker_is_shown_as_soon_as_that_is_clear() -> None:
    stream = MarkerStream({})

    pieces = [stream.feed(piece) for piece in ("an array [", "a", "] of")]

    assert pieces == [[TextShown(text="an array ")], [], [TextShown(text="[a] of")]]


def test_a_citation_after_its_words_is_placed_in_the_text_already_shown() -> None:
    stream = MarkerStream()
    stream.feed("One. Two. ")

    first = stream.cite([Citation(url=A, start=0, end=4)])
    second = stream.cite([Citation(url=B, start=0, end=4)])

    assert first == [MarkerShown(position=4, numbers=(1,))]
    assert second == [MarkerShown(position=4, numbers=(1, 2))]
    assert stream.finish().marked.text == "One.[1][2] Two. "


def test_a_citation_whose_words_are_there_does_not_wait_for_one_whose_words_are_not() -> None:
    stream = MarkerStream()
    stream.feed("One. Two. ")

    pieces = stream.cite([Citation(url=A, start=0, end=4), Citation(url=B, start=5, end=100)])

    assert pieces == [MarkerShown(position=4, numbers=(1,))]


def test_what_follows_a_long_piece_is_part_of_the_answer() -> None:
    stream = MarkerStream()
    long = "Otters sleep. " * 400

    pieces = [*stream.feed(long), *stream.feed("They eat. ")]
    pieces += stream.cite([Citation(url=A, start=len(long), end=len(long) + 9)])

    finished = stream.finish()
    assert screen([*pieces, *finished.pieces]) == f"{long}They eat.[1] "
    assert finished.marked.text == f"{long}They eat.[1] "


def test_a_marker_waits_until_its_place_cannot_change() -> None:
    stream = MarkerStream()
    stream.feed("cafe")

    assert stream.cite([Citation(url=A, start=0, end=4)]) == []
    assert stream.feed("\u0301") == [TextShown(text="\u0301")]
    assert stream.feed(".") == [MarkerShown(position=5, numbers=(1,)), TextShown(text=".")]


def test_a_number_that_was_shown_stays_even_if_an_earlier_place_is_cited_later() -> None:
    stream = MarkerStream()
    stream.feed("One. Two. ")
    stream.cite([Citation(url=B, start=5, end=9)])

    late = stream.cite([Citation(url=A, start=0, end=4)])

    assert late == [MarkerShown(position=4, numbers=(2,))]
    assert stream.finish().marked.text == "One.[2] Two.[1] "


def test_a_link_becomes_the_marker_if_its_citation_comes_before_more_text() -> None:
    stream = MarkerStream()
    text = "So. ([b.example](https://b.example/page)) "

    held = stream.feed(text)
    cited = stream.cite([Citation(url=B, start=4, end=len(text) - 1)])

    assert held == [TextShown(text="So. ")]
    assert cited == [MarkerShown(position=4, numbers=(1,)), TextShown(text=" ")]
    assert stream.finish().marked.text == "So. [1] "


def test_a_link_that_is_on_the_screen_stays_there_and_the_marker_follows_it() -> None:
    stream = MarkerStream()
    link = "([b.example](https://b.example/page))"
    stream.feed(f"{link} More")
    shown = stream.feed(" text")

    late = stream.cite([Citation(url=B, start=0, end=len(link))])

    assert shown == [TextShown(text=f"{link} More text")]
    assert late == [MarkerShown(position=len(link), numbers=(1,))]
    assert stream.finish().marked.text == "[1] More text"


@pytest.mark.parametrize(
    ("text", "cited", "shown"),
    [
        ("```\nx = 1\n```", (4, 9), "```\nx = 1\n```\n[1]"),
        ("See https://u.com/p", (4, 19), "See https://u.com/p [1]"),
    ],
)
def test_a_marker_stands_apart_from_code_and_addresses(
    text: str, cited: tuple[int, int], shown: str
) -> None:
    stream = MarkerStream()
    start, end = cited

    pieces = [*stream.feed(text), *stream.cite([Citation(url=A, start=start, end=end)])]
    pieces += stream.finish().pieces

    assert screen(pieces) == shown
