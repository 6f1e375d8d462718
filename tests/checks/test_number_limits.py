"""From where on a number is another one: long digits, long runs of words, and what rounds."""

from __future__ import annotations

import pytest

from groundwire.checks import PageIndex, check_claim
from groundwire.checks.claim_numbers import claim_numbers
from groundwire.checks.number_words import run_value, year_value
from groundwire.checks.page_numbers import PageNumbers, page_numbers
from groundwire.checks.words import words_of


def _values(page: str) -> set[float]:
    return {*page_numbers(page, words_of(page)).places}


_DAY = (0.25, 0.6, 3, 3.6, 12, 20, 25, 60, 1920, 2020)
TWOS = "two " * 12
PAGES: dict[str, tuple[float, ...]] = {
    # years of two digits, also right at the beginning of a page
    "'95 was dry": (95, 1995, 2095), "'5 was dry": (5,), "95' was it": (95,), "-15 was it": (15,),
    "the '99 season": (99, 1999, 2099), "the '100 season": (100,),
    "'95-96 was dry": (95, 96, 1995, 2095), "15-20 was dry": (15, 20),
    "60s of 2010-15s": (15, 60, 1815, 1860, 1915, 1960, 2010, 2015, 2060),
    "on 3/012/20 there": (0.25, 0.6, 3, 3.6, 12, 20, 25, 60),
    "2010-15m deep": (15, 2010, 2015, 15e6, 2.01e9),
    "3/12/20 was dry": _DAY, "on 3/12/20 there": _DAY,
    # very long digits
    "1234567890123456789 men": (1.23456789012e17,),
    "12345678901 3/4 of it": (0.75, 3, 4, 75, 12345678901, 12345678901.8),
    "123456789012 3/4 of it": (0.75, 3, 4, 75, 123456789012),
    # parts, and what stands before or behind
    ".5k of it": (0.5, 5, 5000), "2 4/4 cups": (1, 2, 4, 100), "at pm 3 in there": (3,),
    f"six and a{' ' * 30}half hours": (0.5, 1.5, 6, 6.5, 50),
    f"six and a{' ' * 30}quarter hours": (0.25, 1.25, 6, 25),
    # runs of words
    "nineteen ninety-nine": (9, 19, 90, 99, 118, 1999), "nineteen zero": (0, 19),
    "two hundred and, five": (2, 5, 100, 105, 200, 205),
}  # fmt: skip


@pytest.mark.parametrize(("page", "values"), PAGES.items(), ids=PAGES)
def test_a_page_means_these_values_alone(page: str, values: tuple[float, ...]) -> None:
    assert _values(page) == {*values}


@pytest.mark.parametrize(
    ("claim", "numbers"),
    [
        (TWOS, {TWOS.strip(): (24,)}),
        (f"So {TWOS}two", {TWOS.strip(): (24,), "two": (2,)}),
        (f"So {TWOS[4:]}and two", {TWOS[4:].strip(): (22,), "two": (2,)}),
        # A run that is not full yet takes `and` with the word behind it.
        (f"So {TWOS[8:]}hundred and five men", {f"{TWOS[8:]}hundred and five": (2005,)}),
        ("two hundred and, five men", {"two hundred and, five": (205,)}),
        ("nineteen ninety-nine", {"nineteen ninety-nine": (118, 1999)}),
    ],
)
def test_a_number_in_words_has_twelve_words_at_most(
    claim: str, numbers: dict[str, tuple[float, ...]]
) -> None:
    assert {each.text: each.values for each in claim_numbers(claim)} == numbers


@pytest.mark.parametrize(
    ("words", "value", "year"),
    [
        ("nineteen eighty four", 103, 1984), ("nineteen ninety nine", 118, 1999),
        ("nineteen ninety ten", 119, None), ("nineteen one", 20, 1901), ("nineteen zero", 19, None),
        ("nineteen", 19, None), ("ten ten", 20, 1010), ("nine ten", 19, None),
        ("twenty ten", 30, 2010), ("thirty ten", 40, None), ("nineteen hundred", 1900, None),
        ("first ten", 11, None), ("hundred", 100, None), ("two hundred and five", 205, None),
        ("two hundred and five thousand", 205_000, None), ("thousand and one", 1001, None),
        ("two million three thousand", 2_003_000, None), ("hundred twenty first", 121, None),
    ],
)  # fmt: skip
def test_a_run_of_number_words_is_a_value_and_may_be_a_year(
    words: str, value: float, year: float | None
) -> None:
    run = words.split()

    assert (run_value(run), year_value(run)) == (value, year)


def test_the_digits_of_a_page_count_wherever_they_stand() -> None:
    page = PageNumbers(text="See https://a.example/2015/007x or 0, but not 1.5 or 1,234.")

    assert page.runs == {"2015", "7", "0"}
    assert "2015" not in repr(page)


@pytest.mark.parametrize(
    ("claim", "missing"),
    [
        ("In 2015 it closed", ()),
        ("In 2016 it closed", ("2016",)),
        ("It cost 2.015 there", ()),
        ("It cost 2.5 there", ("2.5",)),
    ],
)
def test_a_number_in_an_address_is_on_the_page(claim: str, missing: tuple[str, ...]) -> None:
    page = PageIndex("It closed long ago, see [it](https://a.example/2015/x) there.")

    assert check_claim(claim, page).missing_numbers == missing


@pytest.mark.parametrize(
    ("claim", "page", "rounded"),
    [
        ("It has 1,234 rooms", "It has 1233.7 rooms.", (1233.7,)),
        ("It cost 1 million", "It cost 1,250,000.", (1_250_000,)),
        ("It cost 1 million", "It cost 1,250,001.", ()),
        ("It cost 1 million", "It cost 800,000.", (800_000,)),
        ("It cost 1 million", "It cost 799,999.", ()),
        ("It cost 1 million", "It cost 900,000 or 1,050,000 or 1,100,000.", (1_050_000,)),
        ("It cost 1 million", "It cost 960,000 or 1,050,000.", (960_000,)),
        ("About 500 came", "There were 499 or 501.", (499,)),
    ],
)
def test_the_nearest_value_within_a_quarter_rounds_to_a_number(
    claim: str, page: str, rounded: tuple[float, ...]
) -> None:
    check = check_claim(claim, PageIndex(page))

    assert tuple(each.value for each in check.rounded_numbers) == rounded


def test_words_that_are_no_numbers_are_not_counted_for_their_limit() -> None:
    page = PageIndex(f"{'otters sleep ' * 10_001}12 times")

    assert page.numbers.is_whole
    assert check_claim("Otters sleep 99 times", page).missing_numbers == ("99",)


@pytest.mark.parametrize(("times", "is_whole"), [(20_000, True), (20_001, False)])
def test_a_page_of_twenty_thousand_numbers_is_read_for_them(times: int, is_whole: bool) -> None:
    page = "7 " * times

    assert page_numbers(page, words_of(page)).is_whole is is_whole


@pytest.mark.parametrize(("times", "is_whole"), [(6_666, True), (6_667, False)])
def test_every_meaning_of_a_sign_is_counted_for_the_limit(times: int, is_whole: bool) -> None:
    # Half a thousand, a half, and fifty percent.
    page = "\u00bdk " * times

    assert page_numbers(page, words_of(page)).is_whole is is_whole


@pytest.mark.parametrize(
    ("claim", "page", "missing"),
    [
        ("It grew by 1 234", "It grew by 1 234 567 men.", ()),
        ("It grew by 1 234", "So it grew by 1 234 567 men.", ("1 234",)),
        ("It grew by 1.5", "It grew by 1.55 so far.", ("1.5",)),
    ],
)
def test_of_words_that_stand_there_to_the_letter_no_number_is_missing(
    claim: str, page: str, missing: tuple[str, ...]
) -> None:
    assert check_claim(claim, PageIndex(page)).missing_numbers == missing
