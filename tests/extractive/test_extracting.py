"""Which sentences are chosen, and how they are written down."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from groundwire.extractive import LEAD, NOT_ANSWERED, Extract, Quote, SourceText, extract, write
from groundwire.extractive.selection import MAX_QUOTES
from tests.extractive.pages import BOAT, FILTER, PUMP

SOURCES = [
    SourceText(id="1", title="Pump P-7", text=PUMP),
    SourceText(id="2", title="Filters", text=FILTER),
    SourceText(id="3", title="Rowing boats", text=BOAT),
]


@pytest.mark.parametrize(
    ("question", "source", "beginning"),
    [
        ("How do I reset the pump?", "1", "To reset the pump, hold the green button"),
        ("Why does resetting clear the hour counter?", "1", "Resetting clears the hour counter"),
        ("What does --dry-run do?", "1", "Shows what `pumpctl` would do"),
        ("--quiet", "1", "Prints errors only."),
        ("What is the highest pressure?", "1", "pressure | The highest pressure is 6 bar."),
        ("What is a sediment filter?", "2", "A *sediment filter* is a sieve"),
        ("filter.max_age", "2", "The setting `filter.max_age` limits"),
        ("How are rowing boats stored?", "3", "Rowing boats are stored upside down"),
    ],
)
def test_the_sentence_that_answers_comes_first(question: str, source: str, beginning: str) -> None:
    first = extract(question, SOURCES).quotes[0]

    assert first.source == source
    assert first.text.startswith(beginning)


@pytest.mark.parametrize(
    "question",
    ["How do I bake sourdough bread?", "Who wrote Hamlet?", "filter.min_age_of_captain", "?", ""],
)
def test_what_no_page_answers_is_not_answered(question: str) -> None:
    found = extract(question, SOURCES)

    assert found.quotes == ()
    assert write(found).startswith(NOT_ANSWERED)


def test_words_that_stand_nowhere_are_named() -> None:
    found = extract("How do I bake sourdough bread?", SOURCES)

    assert write(found) == f"{NOT_ANSWERED} None of them mentions “bake”, “sourdough” or “bread”."


def test_a_word_in_a_title_or_in_code_is_not_said_to_be_missing() -> None:
    page = SourceText(id="1", title="Bread", text="Some words.\n\n```\nbake --hot\n```\n")

    assert extract("How do I bake sourdough bread?", [page]).missing == ("sourdough",)


def test_without_pages_nothing_is_answered() -> None:
    assert extract("How do I reset the pump?", []).quotes == ()


def test_code_goes_with_the_words_that_lead_to_it() -> None:
    text = write(extract("How do I reset the pump?", SOURCES[:1]))

    assert text == (
        f"{LEAD}\n\n"
        "**Pump P-7 › Resetting**\n\n"
        "- “To reset the pump, hold the green button for five seconds:” [1]\n"
        "\n```\npumpctl reset --force\n```\n\n[1]"
    )


def test_what_looks_like_a_marker_is_never_quoted() -> None:
    page = SourceText(id="1", text="The pump counts in arr[1] and nowhere else.")

    assert extract("Where does the pump count?", [page]).quotes == ()


def test_the_same_words_are_quoted_once() -> None:
    twins = [SourceText(id="1", text=BOAT), SourceText(id="2", text=BOAT)]

    assert len(extract("How are rowing boats stored?", twins).quotes) == 1


def test_code_with_a_fence_in_it_gets_a_longer_one() -> None:
    text = write(Extract(quotes=(Quote(source="1", text="```\na\n```", is_code=True),)))

    assert "\n````\n```\na\n```\n````\n" in text


def test_addresses_of_links_are_no_words_of_a_page() -> None:
    page = SourceText(id="1", text="Read [the manual](https://example.org/reset-the-pump) first.")

    assert extract("How do I reset the pump?", [page]).quotes == ()


def test_a_name_is_found_with_the_backslashes_of_markdown() -> None:
    page = SourceText(id="1", text="Set max\\_age to limit how long a cartridge is used.")

    assert extract("max_age", [page]).quotes[0].text == page.text


def test_letters_that_grow_in_lower_case_move_nothing() -> None:
    page = SourceText(id="1", text="İ" * 50 + " is here. The pump is reset by hand.")

    assert extract("How is the pump reset?", [page]).quotes[0].text.endswith("reset by hand.")


@pytest.mark.parametrize("name", ["Céloron", "Celoron", "Celeron", "Seloron"])
def test_a_name_is_found_without_its_accents_and_with_a_slip_of_the_pen(name: str) -> None:
    page = SourceText(
        id="1",
        title="The expedition",
        text="Céloron led the expedition along the river.\n\nThe river was high that year.",
    )

    is_found = extract(f"Who was {name}?", [page]).missing == ()

    assert is_found == (name != "Seloron")


def test_a_common_word_is_not_mistaken_for_another() -> None:
    page = SourceText(id="1", text="The plane flies over the Plain of Jars.")

    assert extract("Which planet is it?", [page]).missing == ("planet",)


def test_a_quote_that_points_back_comes_with_what_it_points_to() -> None:
    page = SourceText(
        id="1",
        title="Empire",
        text="Seeley and Froude spoke for imperialism. Other influential spokesmen were Cromer, "
        "Milner and the writer Rudyard Kipling.",
    )

    (quote, *_) = extract(
        "Which influential spokesmen were there beside Rudyard Kipling?", [page]
    ).quotes

    assert quote.text == page.text


def test_yes_or_no_comes_with_what_explains_it() -> None:
    page = SourceText(
        id="1",
        title="Help",
        text="## Can I run the pump at night?\n\n"
        "Yes. At night the pump runs at half of its speed.\n",
    )

    (quote,) = extract("Does the pump run at night?", [page]).quotes

    assert quote.text == "Yes. At night the pump runs at half of its speed."


def test_a_row_is_written_as_a_table_below_the_names_of_its_columns() -> None:
    page = SourceText(
        id="1",
        title="Limits",
        text="| what | where | most |\n|---|---|---|\n| heat | | 60 °C |\n"
        "| | inlet valve of the pump | 6 bar |\n",
    )

    written = write(extract("What is the most at the inlet valve of the pump?", [page]))

    assert "\n| what | where | most |\n|---|---|---|\n" in written
    assert written.endswith("\n| | inlet valve of the pump | 6 bar |\n\n[1]")


def test_a_row_without_names_of_columns_is_a_table_all_the_same() -> None:
    page = SourceText(id="1", title="Limits", text="| inlet valve of the pump | 6 bar |\n")

    written = write(extract("What is the limit of the inlet valve of the pump?", [page]))

    assert written.endswith("\n|  |  |\n|---|---|\n| inlet valve of the pump | 6 bar |\n\n[1]")


def test_code_takes_no_place_from_another_quote() -> None:
    pages = [
        SourceText(
            id=str(number),
            title=f"Pump {number}",
            text=f"To reset the pump of type {number}, run this:\n\n```\nreset {number}\n```\n",
        )
        for number in range(1, 4)
    ]

    quotes = extract("How do I reset the pump?", pages).quotes

    assert [quote.is_code for quote in quotes] == [False, True] * 3


@settings(max_examples=60)
@given(
    question=st.text(alphabet="resetpumph? `.-_\\İ", max_size=40),
    text=st.text(alphabet="resetpump. A()[]`#|-*>\n\\1İ…", max_size=300),
)
def test_whatever_is_asked_of_whatever_page_quotes_are_its_own_words(
    question: str, text: str
) -> None:
    quotes = extract(question, [SourceText(id="1", text=text)]).quotes

    assert all(quote.text in text for quote in quotes)
    assert len([quote for quote in quotes if not quote.is_code]) <= MAX_QUOTES
