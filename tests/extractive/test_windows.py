"""Which stretches are quoted, and what of a page looks like the words of a question."""

from __future__ import annotations

import pytest

from groundwire.extractive import SourceText, extract, understand
from groundwire.extractive.matches import is_alike, match

OTTERS = """# Sea otters

Sea otters sleep on their backs. They wrap themselves in kelp so that the current does not carry \
them away while they sleep. Their fur is the densest of all animals.

## Why do sea otters hold hands?

So that they do not drift apart.

## Food

Otters eat urchins, crabs and clams, as a guide to hands-on otter watching says.
"""


def first(question: str, text: str = OTTERS) -> str:
    """Return the first quote of a page."""
    return extract(question, [SourceText(id="1", title="Sea otters", text=text)]).quotes[0].text


def test_sentences_that_answer_together_are_quoted_together() -> None:
    quoted = first("How do sea otters sleep, and why does no current carry them away?")

    assert quoted.startswith("Sea otters sleep on their backs. They wrap themselves in kelp")


def test_a_sentence_that_points_back_comes_with_the_one_it_points_to() -> None:
    quoted = first("Why does the current not carry otters away in kelp?")

    assert quoted.startswith("Sea otters sleep on their backs. They wrap")


def test_a_heading_that_asks_the_question_has_its_answer_below() -> None:
    assert first("Why do otters hold hands?") == "So that they do not drift apart."


def test_a_long_paragraph_is_quoted_in_part() -> None:
    many = " ".join(f"Otter {number} of the bay sleeps in kelp." for number in range(100))

    assert len(first("Which otter sleeps in kelp?", f"# Otters\n\n{many}\n")) <= 720


def test_what_adds_no_chance_is_not_quoted_again() -> None:
    page = SourceText(id="1", title="Sea otters", text=OTTERS)
    quotes = [quote.text for quote in extract("How do sea otters sleep?", [page]).quotes]

    assert len(quotes) == len(set(quotes))
    assert not [one for one in quotes for other in quotes if one != other and one in other]


def test_a_heading_that_repeats_the_title_is_named_once() -> None:
    page = SourceText(id="1", title="Sea otters — a guide", text=OTTERS)
    quote = extract("How do sea otters sleep?", [page]).quotes[0]

    assert quote.heading == "Sea otters — a guide"


@pytest.mark.parametrize(
    ("one", "other", "alike"),
    [
        ("revok", "revocat", True),
        ("scrutiniz", "scrutinis", True),
        ("bouregoi", "bourgeoi", True),
        ("otter", "outer", False),
        ("compar", "competent", False),
        ("sea", "seal", False),
    ],
)
def test_forms_of_a_word_and_slips_of_the_pen_are_alike(one: str, other: str, alike: bool) -> None:
    assert is_alike(one, other) is alike
    assert is_alike(other, one) is alike


def test_words_that_look_alike_are_found_apart_from_the_words_themselves() -> None:
    text = "The revocation came. It was revoked."
    found = match(text, understand("When was it revoked?"))

    assert found.alike == [[text.index("revocation")]]
    assert found.places == [[text.index("revoked")]]


def test_the_order_of_the_question_counts() -> None:
    text = "Dogs bite men. Men bite dogs."
    found = match(text, understand("Do dogs bite men?"))

    assert (found.in_order(0, 14), found.in_order(15, len(text))) == (3, 1)


PUMP = """# The pump

A pump that is slow needs a new filter.

| option | what it does |
|---|---|
| `slow` | a byte every second |
| `--quiet` | no sound of the pump |
"""


@pytest.mark.parametrize(
    ("question", "quoted"),
    [
        ("Why is the pump so slow?", ["A pump that is slow needs a new filter."]),
        ("What does --quiet do?", ["`--quiet` | no sound of the pump"]),
    ],
)
def test_a_row_answers_who_names_it_and_not_who_has_a_word_of_it(
    question: str, quoted: list[str]
) -> None:
    quotes = extract(question, [SourceText(id="1", title="The pump", text=PUMP)]).quotes

    assert [quote.text for quote in quotes] == quoted
