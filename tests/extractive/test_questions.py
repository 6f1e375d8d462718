"""What a question is understood to ask."""

from __future__ import annotations

import pytest

from groundwire.extractive import QuestionKind, understand
from groundwire.extractive.questions import MAX_TERMS
from groundwire.text.words import stem


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("How do I reset the pump?", QuestionKind.HOW),
        ("Why is it loud?", QuestionKind.WHY),
        ("when is a filter rinsed", QuestionKind.WHEN),
        ("What is a sediment filter?", QuestionKind.DEFINITION),
        ("What does --quiet do?", QuestionKind.DEFINITION),
        ("filter.max_age", QuestionKind.DEFINITION),
        ("Which pressure is allowed?", QuestionKind.FACT),
        ("However it may be", QuestionKind.FACT),
    ],
)
def test_the_first_words_say_which_kind_of_answer_is_wanted(
    question: str, kind: QuestionKind
) -> None:
    assert understand(question).kind is kind


def test_words_that_only_ask_are_left_out_of_a_search() -> None:
    asked = understand("How can I see which filters are used in the pump right now?")

    assert asked.query == "see filters used pump right now"
    assert asked.core == "filters pump"


@pytest.mark.parametrize(
    ("question", "query"),
    [
        ("Why doesn't the pump start?", "not pump start"),
        ("I can’t and won't rinse the filter", "not rinse filter"),
        ("What's the pressure that I've set, and who'd change it?", "pressure set change"),
        ("What does the pump's filter actually do for somebody?", "pump filter"),
        ("What is a filter here, and how did she rinse it for him?", "filter rinse"),
    ],
)
def test_shortened_words_and_fillers_are_not_looked_for(question: str, query: str) -> None:
    assert understand(question).query == query


@pytest.mark.parametrize(
    "name",
    ["filter.max_age", "--dry-run", "-q", "asyncio.CancelledError", "shared_buffers", "\\copy"],
)
def test_a_name_is_kept_whole_and_counts_more_than_a_word(name: str) -> None:
    (word, term) = understand(f"pressure of {name}").terms

    assert (term.text, term.is_name) == (name, True)
    assert term.weight > word.weight


def test_what_stands_in_backticks_is_a_name() -> None:
    assert [term.is_name for term in understand("Is `reset` a command?").terms] == [True, False]


def test_a_keyword_in_capitals_is_no_small_word() -> None:
    assert understand("What does EXPLAIN show?").core == "EXPLAIN"


@pytest.mark.parametrize("text", ["", "  ", "?", "How do I do this?", "```"])
def test_a_question_without_words_asks_nothing(text: str) -> None:
    assert understand(text).terms == ()


def test_of_an_endless_question_the_beginning_counts() -> None:
    asked = understand(" ".join(f"word{number}" for number in range(1_000)))

    assert len(asked.terms) == MAX_TERMS


@pytest.mark.parametrize(
    "forms",
    [
        ("query", "queries"),
        ("create", "creates", "created", "creating", "creation"),
        ("stop", "stops", "stopped", "stopping"),
        ("box", "boxes"),
    ],
)
def test_the_forms_of_a_word_have_one_stem(forms: tuple[str, ...]) -> None:
    assert len({stem(form) for form in forms}) == 1


@pytest.mark.parametrize("word", ["bus", "this", "class", "is", "3.11", "max_age"])
def test_what_is_no_ending_stays(word: str) -> None:
    assert stem(word) == word


def test_a_single_digit_is_asked_for_and_a_single_letter_is_not() -> None:
    assert [term.text for term in understand("What is stage 1 of plan b?").terms] == [
        "stage",
        "1",
        "plan",
    ]


def test_the_plural_of_capitals_is_a_word_and_no_name() -> None:
    (term,) = understand("PDFs").terms

    assert (term.stem, term.is_name) == ("pdf", False)


def test_names_of_several_words_and_numbers_are_known() -> None:
    asked = understand("When did the European Parliament meet in Strasbourg in 1979?")

    assert [asked.terms[place].text for place in asked.name_pairs] == ["European"]
    assert [asked.terms[place].text for place in asked.numbers] == ["1979"]
