"""How far a claim and its context reach: lines, words, characters, and blocks of code."""

from __future__ import annotations

import pytest

from groundwire.checks import REACH, Claim, claim_at, line_outside_code
from groundwire.checks.claims import sentence_end, without_code


@pytest.mark.parametrize(
    ("text", "position", "claim"),
    [
        ("Otters sleep.", -5, Claim(text="", start=0, end=0)),
        ("Otters sleep.", 0, Claim(text="", start=0, end=0)),
        ("Otters sleep.", 13, Claim(text="Otters sleep.", start=0, end=13)),
        ("Otters sleep.", 99, Claim(text="Otters sleep.", start=0, end=13)),
        ("A", 1, Claim(text="A", start=0, end=1)),
        (" A ", 3, Claim(text="A", start=0, end=2)),
        ("Otters sleep in kelp", 20, Claim(text="Otters sleep in kelp", start=0, end=20)),
    ],
)
def test_a_claim_ends_at_its_marker_and_within_its_text(
    text: str, position: int, claim: Claim
) -> None:
    assert claim_at(text, position) == claim


@pytest.mark.parametrize(
    ("start", "claim"),
    [
        (0, "They dive. Sea otters hold hands"),
        (10, "Sea otters hold hands"),
        (15, "otters hold hands"),
        (22, "Sea otters hold hands"),
        (-1, "Sea otters hold hands"),
        (32, "Sea otters hold hands"),
    ],
)
def test_a_span_with_three_words_is_the_claim_wherever_it_begins(start: int, claim: str) -> None:
    text = "They dive. Sea otters hold hands"

    assert claim_at(text, len(text), start=start).text == claim


@pytest.mark.parametrize(
    ("after", "claim", "context"),
    [
        ("kg", "and eat urchins", "They weigh 45 kg"),
        ("kg and", "They weigh 45 kg and eat urchins", ""),
        ("", "They weigh 45 kg and eat urchins", ""),
    ],
)
def test_a_clause_of_three_words_is_a_claim_of_its_own(
    after: str, claim: str, context: str
) -> None:
    text = "They weigh 45 kg and eat urchins"

    found = claim_at(text, len(text), after=text.index(after) + len(after) if after else 0)

    assert (found.text, found.context) == (claim, context)


def test_a_context_has_exactly_six_hundred_characters_where_there_are_more() -> None:
    long = "x" * 700
    told = f"{'x' * 599}."

    behind = f"{long}. They hold hands."
    above = f"{long}.\n\nThey hold hands."
    within = f"{long}, and they hold hands"

    assert claim_at(behind, len(behind)).context == told
    assert claim_at(above, len(above)).context == told
    assert claim_at(within, len(within), after=700).context == "x" * 600


def test_a_paragraph_is_read_two_hundred_lines_back() -> None:
    text = "ox\n" * 300

    assert claim_at(text, len(text)).start == 3 * (299 - 200)


@pytest.mark.parametrize(("items", "context"), [(199, "Food:"), (200, "Food:"), (201, "")])
def test_a_line_above_a_list_is_looked_for_two_hundred_lines_up(items: int, context: str) -> None:
    text = "Food:\n" + "- ox\n" * items

    assert claim_at(text, len(text)).context == context


def test_no_more_of_a_text_than_its_reach_decides_what_a_claim_is() -> None:
    text = "They rest here. " * 600

    for place in range(7_000, 7_020):
        whole, part = claim_at(text, place), claim_at(text[place - REACH : place], REACH)
        assert (whole.text, whole.context) == (part.text, part.context)
    assert REACH == 6_000


@pytest.mark.parametrize(
    ("text", "claim", "context"),
    [
        # The rule of a table may be its first line, or stand between its rows.
        ("|---|---|\n| A | B |\n| One | two", "One two", "A B"),
        ("| A | B |\n|---|---|\n| C | D |\n|---|---|\n| One | two", "One two", "A B"),
        ("Seen:\n\n| One | two", "One two", ""),
    ],
)
def test_the_head_of_a_table_is_its_topmost_row(text: str, claim: str, context: str) -> None:
    found = claim_at(text, len(text))

    assert (found.text, found.context) == (claim, context)


@pytest.mark.parametrize(("length", "end"), [(3, 6), (1_000, 1_003), (3_000, 2_005)])
def test_a_row_is_read_to_its_end_or_for_two_thousand_characters(length: int, end: int) -> None:
    text = f"| A {'x' * (length - 1)}"

    found = claim_at(text, 5)

    assert (found.start, found.end) == (0, end)


@pytest.mark.parametrize(
    ("text", "end"),
    [
        ("They sleep (all. Some) now. They eat.", "They sleep (all. Some) now."),
        ("They sleep `a. B` now. They eat.", "They sleep `a. B` now."),
        ("They sleep (all. Some", "They sleep (all. Some"),
    ],
)
def test_a_sentence_closes_what_it_opens(text: str, end: str) -> None:
    assert sentence_end(text, 0) == len(end)


@pytest.mark.parametrize(
    ("words", "since", "end"),
    [
        ("They sleep.", 0, "They sleep."),
        ("They sleep. They", 0, "They sleep. They eat."),
        ("They sleep. They eat.", 12, "They sleep. They eat."),
        ("They", 0, "They sleep."),
        ("They sleep", None, "They sleep."),
        ("They sleep.", None, "They sleep. They eat."),
    ],
)
def test_a_sentence_may_end_right_at_a_place(words: str, since: int | None, end: str) -> None:
    text = "They sleep. They eat.\n\nThey dive."

    assert sentence_end(text, len(words), since=since) == len(end)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Otters ``` sleep", "Otters ``` sleep"),
        ("Otters\n```\nx y\n```\nsleep", "Otters\n   \n   \n   \nsleep"),
        ("Otters\n~~~\nx y\n~~~\nsleep", "Otters\n   \n   \n   \nsleep"),
        ("Otters\n~~~ sh\nx y", "Otters\n      \n   "),
        ("````\n```\nx\n````\nsleep", "    \n   \n \n    \nsleep"),
        ("```\nx\n  ```\nsleep", "   \n \n     \nsleep"),
        ("> ```\n> x\n> ```\nsleep", "     \n   \n     \nsleep"),
        ("```\n~~~\nx\n```\nsleep", "   \n   \n \n   \nsleep"),
        ("```py\nx\n```\nsleep\n```\ny\n```", "     \n \n   \nsleep\n   \n \n   "),
    ],
)
def test_blocks_of_code_are_blank_and_all_else_stays(text: str, shown: str) -> None:
    assert without_code(text) == shown


CODE = "Otters sleep.\n```py\nx = 1\ny = 2\n```\nThey eat.\n~~~\nz"


@pytest.mark.parametrize(
    ("words", "begins"),
    [
        ("Otters", "Otters"),
        ("Otters sleep.", "Otters"),
        ("Otters sleep.\n", "```py"),
        ("Otters sleep.\n`", "```py"),
        ("Otters sleep.\n```py\nx =", "```py"),
        ("Otters sleep.\n```py\nx = 1\ny", "```py"),
        ("Otters sleep.\n```py\nx = 1\ny = 2\n``", "```py"),
        ("Otters sleep.\n```py\nx = 1\ny = 2\n```\n", "They"),
        ("Otters sleep.\n```py\nx = 1\ny = 2\n```\nThey eat.", "They"),
        ("Otters sleep.\n```py\nx = 1\ny = 2\n```\nThey eat.\n~~~\n", "~~~"),
    ],
)
def test_a_line_in_a_block_of_code_is_the_first_of_the_block(words: str, begins: str) -> None:
    assert CODE.startswith(words)
    assert line_outside_code(CODE, len(words)) == CODE.index(begins)


def test_a_text_without_code_has_its_own_lines() -> None:
    text = "\nOne.\nTwo."

    assert [line_outside_code(text, place) for place in range(len(text) + 1)] == [
        0, *[1] * 5, *[6] * 5,
    ]  # fmt: skip
