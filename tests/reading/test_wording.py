"""What the wording of a short text says."""

from __future__ import annotations

import pytest

from groundwire.reading.wording import NAMES, ends_a_sentence, has_price, measure_wording


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
    numbers = dict(zip(NAMES, measure_wording(text), strict=True))

    assert {name for name, number in numbers.items() if number} == found


def test_a_number_alone_is_no_price() -> None:
    assert has_price("12 €")
    assert not has_price("12")


@pytest.mark.parametrize("text", ["They swim.", 'He said: "They swim."', "Why (so)?", "泳ぐ。"])
def test_a_sentence_ends_with_its_mark_in_quotes_or_not(text: str) -> None:
    assert ends_a_sentence(text)


@pytest.mark.parametrize("text", ["Home", "v1.2", '")', "Otters (river)"])
def test_what_has_no_mark_at_its_end_is_no_sentence(text: str) -> None:
    assert not ends_a_sentence(text)
