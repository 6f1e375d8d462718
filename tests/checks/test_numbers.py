"""Numbers of a claim: on the page in any way of writing them, rounded there, or absent."""

from __future__ import annotations

import pytest

from groundwire.checks import PageIndex, check_claim


def _missing(claim: str, page: str) -> tuple[str, ...]:
    return check_claim(claim, PageIndex(page)).missing_numbers


@pytest.mark.parametrize(
    ("claim", "page"),
    [
        ("It has 1,234 rooms", "There are 1234 rooms."),
        ("It has 1234 rooms", "There are 1 234 rooms and 1.234 beds."),
        ("It cost 3 million", "The price was $3,000,000."),
        ("It cost 2,500,000", "The price was 2.5 million."),
        ("It cost 2 million", "Between 2 and 3 million were paid."),
        ("It cost 5bn", "It cost 5 billion."),
        ("100,000 people came", "One lakh people came: 1,00,000."),
        ("25 percent of them", "A quarter of them."),
        ("25 percent of them", "One in four of them."),
        ("In 1995 it closed", "It closed in '95."),
        ("In 2015 it closed", "It was open 2010-15."),
        ("In the 1960s", "It was built in the 60s."),
        ("In the 60s", "It was built in 1960."),
        ("The 21st time", "The twenty-first time."),
        ("twelve ships", "A dozen ships."),
        ("two hundred and five men", "There were 205 men."),
        ("World War 2 ended", "World War II ended."),
        ("6.5 hours", "six and a half hours"),
        ("At 15:30", "At 3:30 pm"),
        ("It has 4,000,000 atoms", "It has 4x10^6 atoms."),
        ("On 5 May 2015", "2015-05-05"),
        ("See doi:10.1000/182 and pp. 12-15", "Nothing at all is counted here."),
        ("In 20221 it closed", "It closed in 2022."),
    ],
)
def test_a_number_is_there_however_it_is_written(claim: str, page: str) -> None:
    assert _missing(claim, page) == ()


@pytest.mark.parametrize(
    ("claim", "page", "missing"),
    [
        ("It has 450 rooms", "There are 540 rooms, and 1,450 beds.", ("450",)),
        ("It closed in 2018 or 2019", "It closed in 2017, 2019 or so.", ("2018",)),
        ("It cost 3 million", "It cost 3 thousand, then a million.", ("3 million",)),
        ("seven ships", "Six ships and eight boats.", ("seven",)),
        ("It is 3.5 m long", "It is 3 m wide and 5 m long.", ("3.5",)),
    ],
)
def test_a_number_that_is_nowhere_is_missing(
    claim: str, page: str, missing: tuple[str, ...]
) -> None:
    assert _missing(claim, page) == missing


@pytest.mark.parametrize(
    ("claim", "page", "value"),
    [
        ("It weighs 450 kg", "It weighs 449.6 kg.", 449.6),
        ("It cost 1.2 million", "It cost 1,234,567.", 1234567),
        ("About 500 came", "Exactly 488 came.", 488),
    ],
)
def test_a_number_that_rounds_to_it_is_named(claim: str, page: str, value: float) -> None:
    check = check_claim(claim, PageIndex(page))

    assert (check.missing_numbers, [each.value for each in check.rounded_numbers]) == ((), [value])


def test_over_and_nearly_widen_one_way() -> None:
    assert check_claim("Over 500 came", PageIndex("There were 488.")).rounded_numbers == ()
    assert check_claim("Nearly 500 came", PageIndex("There were 512.")).rounded_numbers == ()


def test_a_number_of_another_passage_is_told_apart() -> None:
    between = "Nothing else is known of it.\n\n" * 4
    page = f"The tower has 42 floors and a garden.\n\n{between}The bridge is 99 metres long.\n"

    check = check_claim("The tower has 99 floors and a garden", PageIndex(page))

    assert (check.missing_numbers, check.numbers_elsewhere) == ((), ("99",))


def test_of_a_page_with_more_numbers_than_are_read_none_is_missing() -> None:
    assert _missing("It has 450 rooms", "7 " * 25_000) == ()
