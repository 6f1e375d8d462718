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
        ("It raised $1.5M", "It raised 1,500,000 dollars."),
        ("It raised $1.5bn", "It raised 1,500,000,000 dollars."),
        ("It raised 1.1 million", "It raised 1.1m."),
        ("It raised 1.5 million", "It raised $1,500K."),
        ("0.5 of it", "50 percent of it."),
        ("20 percent of it", "A fifth of it."),
        ("In the 1800s", "In the nineteenth century."),
        ("In the 19th century", "In the 1800s."),
        ("In the eighteenth century", "In the 1700s."),
        ("On 12 March 2020", "On 03/12/20 it was."),
        ("On 05.03.2020", "On 5 March 2020."),
        ("At 3 pm", "At 15:00 it was."),
        ("At 15:00", "At 3 p.m. it was."),
        ("At 12:00", "At noon it was."),
        ("With 1/2 cup", "With half a cup."),
        ("For 1.5 hours", "For an hour and a half."),
        ("In the 1990s", "In the nineties."),
        ("In his 30s", "In his thirties."),
        ("one hundred and twenty men", "There were 120 men."),
        ("a hundred and twenty men", "There were 120 men."),
        ("In 1984", "In nineteen eighty-four."),
        ("In 2010", "In twenty ten."),
        ("1 in 4 of them", "25% of them."),
        ("three out of four", "75 per cent of them."),
        (".5 of it", "0.5 of it."),
        ("10^6 of them", "1,000,000 of them."),
        ("6.02 \u00d7 10^23", "6.02e23 of them."),
        ("3 x 10^8", "300,000,000 of them."),
        ("In v2.0 it was", "In version two."),
        ("1.5 million", "A million and a half."),
        ("500,000 of them", "Half a million of them."),
        ("250,000 of them", "A quarter of a million."),
        ("0.75 of them", "Three fourths of them."),
        ("three fourths of the 20 men", "There were 20 men."),
        ("By April 2016, thousands came", "In 2016 people came."),
        ("Groups of two, three people", "Groups of 2 or 3."),
        ("two thousand, three hundred men", "There were 2,300 men."),
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
        ("It cost $1.5M", "It cost 1.6 million, or 15 million.", ("1.5M",)),
        ("a hundred and twenty men", "There were 100 men and 20 more.", ("hundred and twenty",)),
        ("several million men", "There were 3,400,000 men.", ()),
        ("On 05.03.2020", "On 6 April 2020.", ("05", "03")),
        ("3 x 10^8 of them", "There were 3 of them, or 10, or 8.", ("3 x 10^8",)),
        ("It has 2000 rooms", "There are 21 rooms.", ("2000",)),
        ("It has 1600 rooms", "There are 17 rooms, 3 of them large.", ("1600",)),
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


def test_what_is_far_from_a_number_does_not_round_to_it() -> None:
    assert check_claim("It cost 1 million", PageIndex("It cost 600,000.")).rounded_numbers == ()
    assert check_claim("It cost 1 million", PageIndex("It cost 1,400,000.")).rounded_numbers == ()


def test_a_number_that_stands_in_two_passages_is_not_elsewhere() -> None:
    between = "Nothing else is known of it.\n\n" * 4
    page = f"The tower has 42 floors and a garden.\n\n{between}The bridge is 42 metres long.\n"

    check = check_claim("The tower has 42 floors and a large garden", PageIndex(page))

    assert check.numbers_elsewhere == ()


def test_over_and_nearly_widen_one_way() -> None:
    assert check_claim("Over 500 came", PageIndex("There were 488.")).rounded_numbers == ()
    assert check_claim("Nearly 500 came", PageIndex("There were 512.")).rounded_numbers == ()


def test_a_number_of_another_passage_is_told_apart() -> None:
    between = "Nothing else is known of it.\n\n" * 4
    page = f"The tower has 42 floors and a garden.\n\n{between}The bridge is 99 metres long.\n"

    check = check_claim("The tower has 99 floors and a garden", PageIndex(page))

    assert (check.missing_numbers, check.numbers_elsewhere) == ((), ("99",))


@pytest.mark.parametrize("number", ["7 ", "\u00bd "])
def test_of_a_page_with_more_numbers_than_are_read_none_is_missing_or_elsewhere(
    number: str,
) -> None:
    check = check_claim("It has 450 rooms", PageIndex(f"The rooms. {number * 25_000}"))

    assert check.nearest is not None
    assert (check.missing_numbers, check.numbers_elsewhere) == ((), ())


def test_of_a_page_with_more_numbers_than_are_read_none_is_missing() -> None:
    assert _missing("It has 450 rooms", "7 " * 25_000) == ()


WORDS = {
    "0.1": "tenth", "0.125": "eighth", "0.2": "fifth", "0.25": "quarter", "0.5": "half semi",
    "1": "once single sole only", "3": "third thrice triple tripled treble threefold trio trilogy",
    "2": "twice double doubled doubles doubling twofold pair pairs couple both duo twin twins"
         " fortnight biennial",
    "4": "quadruple quadrupled quartet", "5": "quintet", "6": "sextet",
    "10": "tenfold decade decades tenth", "11": "eleventh", "12": "noon midnight dozen dozens",
    "12.5": "eighth", "14": "fortnight", "17": "sixth", "20": "fifth score twentieth twenties",
    "24": "midnight", "25": "quarter quarters", "33": "third thirds", "50": "half halves",
    "90": "ninetieth", "100": "doubling century centuries centenary hundred hundredth",
    "1000": "millennium thousand thousandth", "1820": "twenties", "1920": "twenties",
    "2020": "twenties", "100000": "lakh", "1000000": "million", "10000000": "crore",
    "1000000000": "billion", "1000000000000": "trillion",
}  # fmt: skip


@pytest.mark.parametrize(
    ("number", "word"), [(number, word) for number, all_ in WORDS.items() for word in all_.split()]
)
def test_a_word_of_the_page_stands_for_its_number_and_for_no_other(number: str, word: str) -> None:
    page = f"It was {word} of them."

    assert _missing(f"There were {number} of them", page) == ()
    assert _missing("There were 77 of them", page) == ("77",)


@pytest.mark.parametrize(
    ("sign", "number"),
    [
        *(("\u00bc", "0.25"), ("\u00bd", "0.5"), ("\u00be", "0.75"), ("\u2153", "0.33")),
        *(("\u2154", "0.67"), ("\u2155", "0.2"), ("\u215b", "0.125"), ("\u215c", "0.375")),
        *(("\u215d", "0.625"), ("\u215e", "0.875")),
    ],
)
def test_a_fraction_in_one_sign_is_its_number_and_no_other(sign: str, number: str) -> None:
    page = f"It took {sign} hours."

    assert _missing(f"It took {number} hours", page) == ()
    assert _missing("It took 0.99 hours", page) == ("0.99",)


@pytest.mark.parametrize(
    ("claim", "page", "missing"),
    [
        ("five men ate half", "Nobody came.", "five"),
        ("five ships a century", "It had 400 ships.", "five"),
        ("It had 2000 ships", "It had 21 ships.", "2000"),
    ],
)
def test_a_word_further_on_changes_no_number(claim: str, page: str, missing: str) -> None:
    assert _missing(claim, page) == (missing,)


@pytest.mark.parametrize("year", ["1815", "1915", "2015"])
def test_a_year_of_two_digits_is_one_of_any_century_since_1800(year: str) -> None:
    assert _missing("In '15 it closed", f"It closed in {year}.") == ()
    assert _missing("In '15 it closed", f"It closed in {int(year) + 1}.") == ("15",)
