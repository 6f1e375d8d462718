"""What the wording of a short text says."""

from __future__ import annotations

import pytest

from groundwire.reader.phrases import NAMES, ends_a_sentence, measure_wording, words_of


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Otters of the river", set()),
        ("Updated 12 March 2024", {"date"}),
        ("Seen at 18:45", {"date"}),
        ("three hours ago", {"date"}),
        ("A chapter of 2024 pages at 3 kr", {"date", "money"}),
        ("From $ 39", {"money"}),
        ("All Rights Reserved", {"legal"}),
        ("READ MORE about otters", {"call"}),
        ("Readers write", set()),
    ],
)
def test_a_short_text_is_told_by_its_words(text: str, found: set[str]) -> None:
    numbers = dict(zip(NAMES, measure_wording(text, has_digit=True), strict=True))

    assert {name for name, number in numbers.items() if number} == found


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Sea_Otters, 2 of them!", ["sea_otters", "2", "of", "them"]),
        ("L’été à l'Ouest", ["l", "été", "à", "l", "ouest"]),
        ("–", []),
    ],
)
def test_words_are_the_same_in_ascii_and_beyond(text: str, words: list[str]) -> None:
    assert words_of(text) == words


@pytest.mark.parametrize("text", ["They swim.", 'He said: "They swim."', "Why (so)?", "泳ぐ。"])
def test_a_sentence_ends_with_its_mark_in_quotes_or_not(text: str) -> None:
    assert ends_a_sentence(text)


@pytest.mark.parametrize("text", ["Home", "v1.2", '")', "Otters (river)"])
def test_what_has_no_mark_at_its_end_is_no_sentence(text: str) -> None:
    assert not ends_a_sentence(text)
