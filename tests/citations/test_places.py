"""Places that touch or overlap: one marker, words that end before it, folds in order."""

from __future__ import annotations

import pytest

from groundwire.citations import Marked, place
from groundwire.model import Citation
from tests.citations.examples import removed

A, B, C = "https://a.example/", "https://b.example/page", "https://c.example"


def cite(text: str, words: str, url: str = A) -> Citation:
    start = text.index(words)
    return Citation(url=url, start=start, end=start + len(words))


def spans_of(marked: Marked) -> list[list[str]]:
    """Return of each source, by number, the words that rest on it."""
    return [[marked.text[start:end] for start, end in each.spans] for each in marked.sources]


def test_the_words_of_a_link_that_stay_are_words_that_rest_on_its_page() -> None:
    text = f"So [the Bee]({B}) dives. Then [the Ox]({C}) swims. End."
    bee, ox = f"So [the Bee]({B})", f"Then [the Ox]({C})"

    marked = place(text, [cite(text, bee, B), cite(text, ox, C), cite(text, " End.", A)])

    assert marked.text == "So the Bee[1] dives. Then the Ox[2] swims. End.[3]"
    assert spans_of(marked) == [["So the Bee"], ["Then the Ox"], [" End."]]


def test_words_up_to_the_end_of_a_link_that_another_citation_replaces_end_before_it() -> None:
    text = f"So [b.example]({B}) it is. And [a.example]({A}) too."
    link, other = f"[b.example]({B})", f"[a.example]({A})"

    marked = place(
        text,
        [
            cite(text, link, B),
            cite(text, f"So {link}", C),
            cite(text, f"{link} it is.", C),
            cite(text, other, A),
            cite(text, f"{other} too", B),
        ],
    )

    assert marked.text == "So [1][2] it is.[2] And [3] too[1]."
    assert spans_of(marked) == [[" too"], ["So ", " it is."], []]


@pytest.mark.parametrize(
    ("text", "span", "expected"),
    [
        ("See https://u.io/p[1] so", (0, 10), "See https://u.io/p [1][2] so"),
        ("```\nx\n```\n[1] so", (0, 5), "```\nx\n```\n[1][2]\n\n so"),
        ("So [1](b c) d", (0, 6), "So [1][2] (b c) d"),
        ("So[1] (b c) d", (0, 2), "So[1][2] (b c) d"),
        ("So [1] it is", (0, 3), "So[1] [2] it is"),
        ("So\ue203 it is", (0, 2), "So[1] it is"),
        ("So\ue203 it is", (0, 3), "So[1] it is"),
        ("\ue203\u0301 it is", (0, 1), "\u0301[1] it is"),
    ],
)
def test_a_marker_beside_one_of_the_models_own_is_one_marker_with_it(
    text: str, span: tuple[int, int], expected: str
) -> None:
    cited = Citation(url=B, start=span[0], end=span[1])

    marked = place(text, [cited], known={"1": Citation(url=C)})

    assert marked.text == expected
    assert marked.unmark() == text


def test_what_nobody_can_read_is_no_words_that_rest_on_a_page() -> None:
    marked = place("\ue203\u0301 So", [Citation(url=A, start=0, end=1)])

    assert marked.text == "\u0301[1] So"
    assert spans_of(marked) == [[]]


def test_at_one_place_the_citation_whose_span_ends_first_has_the_first_number() -> None:
    text = "Otters swim  \nfar"

    marked = place(text, [Citation(url=A, start=0, end=14), Citation(url=B, start=0, end=11)])

    assert marked.text == "Otters swim[1][2]  \nfar"
    assert [source.url for source in marked.sources] == [B, A]


@pytest.mark.parametrize(
    ("spans", "folded"),
    [
        # Page and span of what was removed, in the order that it came.
        ([("x", 10, 16), ("x", 0, 4)], [("One.", "x"), ("Three.", "x")]),
        ([("x", 0, 9), ("y", 0, 4)], [("One.[removed] Two.", "y x")]),
        ([("y", 0, 4), ("x", 0, 9)], [("One.[removed] Two.", "y x")]),
        ([("x", 0, 4), ("x", 10, 16), ("y", 10, 16)], [("One.", "x"), ("Three.", "x y")]),
        ([("x", 0, 9), ("y", 5, 9), ("x", 17, 22)], [("One. Two.", "x y"), ("Four.", "x")]),
        ([("x", 0, 16), ("y", 5, 9)], [("One. Two.[removed] Three.", "x y")]),
    ],
)
def test_folds_are_in_the_order_of_the_text_and_name_each_page_once(
    spans: list[tuple[str, int, int]], folded: list[tuple[str, str]]
) -> None:
    # Removed before it is cited anywhere, as a hit in a search is.
    hits = [removed(f"https://{page}.example/") for page in "xy"]
    cited = [removed(f"https://{page}.example/", start, end) for page, start, end in spans]

    marked = place("One. Two. Three. Four.", [*hits, *cited])

    assert [
        (marked.text[each.start : each.end], " ".join(domain[0] for domain in each.domains))
        for each in marked.folded
    ] == folded
