"""How much a heading is the question, and other words for the same."""

from __future__ import annotations

import pytest

from groundwire.extractive import SourceText, extract
from groundwire.extractive.forms import is_history
from groundwire.extractive.headings import HeadingLikeness
from groundwire.extractive.matches import match
from groundwire.extractive.questions import understand


def test_a_heading_is_like_a_question_by_all_of_its_words() -> None:
    otter = HeadingLikeness(understand("What is an otter?"))

    assert otter.of("What is an otter?") == 1
    assert otter.of("How does an otter eat?") < otter.of("What is the otter?") < 1
    assert otter.of("") == 0


def test_a_heading_with_the_same_things_is_more_alike_than_one_with_the_same_small_words() -> None:
    pump = HeadingLikeness(understand("How do I reset the pump?"))

    assert pump.of("Reset of a pump") > pump.of("How do I paint the boat?")


def test_a_word_that_many_headings_have_tells_little() -> None:
    headings = ["Can I run Pumpware in Docker?", *(f"Does Pumpware do {n}?" for n in range(40))]
    asked = understand("How do I run it with Docker?")

    known = HeadingLikeness(asked, headings).of(headings[0])

    assert known > HeadingLikeness(asked).of(headings[0])
    assert known > HeadingLikeness(asked, headings).of("How do I give a Docker secret?")


def test_a_heading_that_asks_in_several_ways_is_as_like_as_the_one_that_comes_nearest() -> None:
    phone = HeadingLikeness(understand("Is there an app?"))
    heading = "Can I reach the pump from my desk: is there an app, and what does it cost?"

    assert phone.of(heading) == phone.of("Is there an app?") == 1
    assert phone.of("Can I reach the pump from my desk, or by an app?") < 0.5
    assert phone.of(heading.rstrip("?")) < 0.5


@pytest.mark.parametrize(
    ("question", "text", "word"),
    [
        ("Where are my chats?", "A conversation is kept here.", "conversation"),
        ("How do I delete it?", "To uninstall it, press this.", "uninstall"),
        ("How do I get rid of it?", "It is removed at once.", "removed"),
    ],
)
def test_another_word_for_the_same_is_found_and_counts_less(
    question: str, text: str, word: str
) -> None:
    found = match(text, understand(question))
    met = found.within(0, len(text))

    assert [places for places in found.places if places] == [[text.index(word)]]
    assert word == "removed" or 0 < max(met) < 1


def test_a_heading_in_other_words_asks_the_same() -> None:
    chats = HeadingLikeness(understand("Where are my chats stored?"))

    assert chats.of("Where are my conversations saved?") > chats.of("Where are my keys?")


def test_a_question_in_other_words_is_answered_below_its_heading() -> None:
    page = SourceText(
        id="1",
        title="Help",
        text="## How is a conversation deleted?\n\nOpen the list and press the bin.\n\n"
        "## How is a key made?\n\nOpen the list of keys and press plus.\n",
    )

    (quote, *_) = extract("How do I erase a chat?", [page]).quotes

    assert quote.text == "Open the list and press the bin."


def test_what_a_definition_names_is_said_of_its_first_words() -> None:
    errors = "## Errors\n\nexception PumpError\n\nRaised when the water runs out.\n"
    other = "If the valve of the garden is stuck, a `PumpError` may come from it.\n"
    pages = [
        SourceText(id="1", title="Reference", text=errors),
        SourceText(id="2", title="Valves", text=other),
    ]

    assert extract("PumpError", pages).quotes[0].text == "Raised when the water runs out."


@pytest.mark.parametrize(
    ("title", "is_one"),
    [
        ("Index — Python 3.11 documentation", True),
        ("Python Module Index", True),
        ("What's New In Python 3.11", True),
        ("11.9. Index-Only Scans and Covering Indexes", False),
        ("Index types", False),
    ],
)
def test_an_index_is_a_page_of_links_and_what_is_about_indexes_is_not(
    title: str, is_one: bool
) -> None:
    assert is_history(title) is is_one


def test_a_heading_that_asks_much_the_same_counts_more_than_one_that_names_it() -> None:
    said = "It lets water in and keeps air out."
    certainties = [
        extract(
            "What is a valve good for?", [SourceText(id="1", text=f"{head}\n\n{said}")]
        ).certainty
        for head in ("## What is the valve?", "## What is the valve")
    ]

    assert certainties[0] > certainties[1]


def test_what_stands_between_look_and_up_makes_no_other_verb() -> None:
    assert understand("Can it look things up?").query == understand("Can it search?").query
