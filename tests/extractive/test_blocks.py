"""How a page comes apart: every sentence is a slice of it, under its headings and label."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from groundwire.extractive.blocks import TextBlock, blocks_of
from groundwire.text.span import Span
from tests.extractive.pages import FILTER, PUMP


def said(text: str) -> list[str]:
    return [text[one.start : one.end] for block in blocks_of(text) for one in block.sentences]


def words(text: str, span: Span | None) -> str:
    return text[span.start : span.end] if span else ""


def block_with(text: str, start: str) -> TextBlock:
    return next(one for one in blocks_of(text) if text[one.start : one.end].startswith(start))


def test_sentences_end_where_people_end_them() -> None:
    text = "Use e.g. `a. B` (see Fig. 3. Or not). It costs 3.5 units. Really? Yes!"

    assert said(text) == [
        "Use e.g. `a. B` (see Fig. 3. Or not).",
        "It costs 3.5 units.",
        "Really?",
        "Yes!",
    ]


def test_a_sentence_may_go_over_lines() -> None:
    assert "It is rinsed once\na week." in said(FILTER)


def test_code_stands_below_the_words_that_lead_to_it() -> None:
    block = block_with(PUMP, "To reset")

    assert words(PUMP, block.code) == "pumpctl reset --force"
    assert [words(PUMP, one) for one in block.headings] == ["Pump P-7", "Resetting"]


def test_short_lines_above_a_paragraph_are_its_label() -> None:
    block = block_with(PUMP, "Prints errors")

    assert words(PUMP, block.label) == "-q\n\n--quiet"
    assert block.opens


def test_a_cell_is_quoted_alone_and_named_by_its_row() -> None:
    block = block_with(PUMP, "The highest")

    assert words(PUMP, block.label) == "pressure"
    assert said(PUMP).count("The highest pressure is 6 bar.") == 1


def test_marks_of_lists_and_quotations_are_not_part_of_what_is_said() -> None:
    assert said("- One is here.\n2. Two is there.\n\n> Three is gone.\n") == [
        "One is here.",
        "Two is there.",
        "Three is gone.",
    ]


def test_code_and_headings_are_no_sentences() -> None:
    assert said("# Head\n\n~~~\nNot. This.\n~~~\n\n## Tail\n") == []


def test_a_fence_that_never_ends_goes_to_the_end() -> None:
    assert said("Before it.\n\n```\nin. Side.\n") == ["Before it."]


@given(st.text(alphabet="aA.!?()[]`#|-*> \n\\1…。", max_size=200))
def test_whatever_a_page_holds_its_sentences_are_slices_in_order(text: str) -> None:
    spans = [one for block in blocks_of(text) for one in block.sentences]

    assert all(0 <= one.start < one.end <= len(text) for one in spans)
    assert all(a.end <= b.start for a, b in pairwise(spans))
    assert all(text[one.start : one.end].strip() for one in spans)
