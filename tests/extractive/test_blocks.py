"""How a page comes apart: every sentence is a slice of it, under its headings and label."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from groundwire.extractive.blocks import MAX_CODE, TextBlock, blocks_of
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


def test_bold_words_at_the_beginning_of_a_paragraph_are_its_label() -> None:
    text = "**When it leaks.** Close the valve.\n\n- **Noise**, mostly air.\n\nA **bold** word."

    assert [words(text, one.label) for one in blocks_of(text)] == ["When it leaks.", "Noise", ""]


def test_short_lines_above_a_paragraph_are_its_label() -> None:
    block = block_with(PUMP, "Prints errors")

    assert words(PUMP, block.label) == "-q\n\n--quiet"
    assert block.opens


def test_a_row_is_quoted_whole_and_named_by_its_first_cell() -> None:
    block = block_with(PUMP, "pressure")

    assert words(PUMP, block.label) == "pressure"
    assert said(PUMP).count("pressure | The highest pressure is 6 bar.") == 1


def test_a_row_knows_what_names_its_columns_and_that_is_not_quoted() -> None:
    text = "| a | b |\n|---|---|\n| one | two |\n\nSo it is.\n\n| bare | row |\n"
    first, prose, last = blocks_of(text)

    assert first.head is not None
    assert text[first.head.start : first.head.end] == "| a | b |"
    assert prose.head is None
    assert last.head == Span(last.start, last.start)


def test_marks_of_lists_and_quotations_are_not_part_of_what_is_said() -> None:
    assert said("- One is here.\n2. Two is there.\n\n> Three is gone.\n") == [
        "One is here.",
        "Two is there.",
        "Three is gone.",
    ]


def test_headings_are_not_quoted_and_code_is_not_cut_at_full_stops() -> None:
    text = "# Head\n\n~~~\nNot. This.\n~~~\n\n## Tail\n"

    assert said(text) == ["Not. This."]
    assert [block.is_code for block in blocks_of(text)] == [True]


def test_long_code_is_cut_between_lines_and_a_line_too_long_left_out() -> None:
    lines = [f"line {number} of the code" for number in range(40)]
    text = "```\n" + "\n".join([*lines, "x" * (MAX_CODE + 1), "last"]) + "\n```\n"

    pieces = said(text)

    assert "\n".join(pieces) == "\n".join([*lines, "last"])
    assert 1 < len(pieces) < 8
    assert all(len(piece) <= MAX_CODE for piece in pieces)


def test_a_fence_that_never_ends_goes_to_the_end() -> None:
    assert said("Before it.\n\n```\nin. Side.\n") == ["Before it.", "in. Side."]


@given(st.text(alphabet="aA.!?()[]`#|-*> \n\\1…。", max_size=200))
def test_whatever_a_page_holds_its_sentences_are_slices_in_order(text: str) -> None:
    spans = [one for block in blocks_of(text) for one in block.sentences]

    assert all(0 <= one.start < one.end <= len(text) for one in spans)
    assert all(a.end <= b.start for a, b in pairwise(spans))
    assert all(text[one.start : one.end].strip() for one in spans)
