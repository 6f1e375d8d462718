"""Which values a number of a page or of a claim may mean: all of them, and none besides."""

from __future__ import annotations

import pytest

from groundwire.checks import PageIndex, check_claim
from groundwire.checks.claim_numbers import MAX_NUMBERS, claim_numbers
from groundwire.checks.numerals import value_key
from groundwire.checks.page_number_words import roman
from groundwire.checks.page_numbers import page_numbers
from groundwire.checks.words import words_of

THIRD, SIXTH = 0.333333333333, 0.166666666667


def _values(page: str) -> set[float]:
    return {*page_numbers(page, words_of(page)).places}


WORDS: dict[str, tuple[float, ...]] = {
    "half": (0.5, 50), "halves": (0.5, 50), "quarter": (0.25, 25), "quarters": (0.25, 25),
    "third": (THIRD, 3, 33), "thirds": (THIRD, 33), "fourth": (4,), "fourths": (),
    "fifth": (0.2, 5, 20), "fifths": (), "sixth": (SIXTH, 6, 17), "sixths": (),
    "eighth": (0.125, 8, 12.5), "eighths": (), "tenth": (0.1, 10), "tenths": (),
    "once": (1,), "single": (1,), "sole": (1,), "only": (1,), "semi": (0.5,),
    "twice": (2,), "double": (2,), "doubled": (2,), "doubles": (2,), "doubling": (2, 100),
    "twofold": (2,), "pair": (2,), "pairs": (2,), "couple": (2,), "both": (2,), "duo": (2,),
    "twin": (2,), "twins": (2,), "biennial": (2,), "fortnight": (2, 14),
    "thrice": (3,), "triple": (3,), "tripled": (3,), "treble": (3,), "threefold": (3,),
    "trio": (3,), "trilogy": (3,), "quadruple": (4,), "quadrupled": (4,), "quartet": (4,),
    "quintet": (5,), "sextet": (6,), "tenfold": (10,), "decade": (10,), "decades": (10,),
    "century": (100,), "centuries": (100,), "centenary": (100,), "millennium": (1000,),
    "noon": (12,), "midnight": (0, 12, 24),
    "twenties": (20, 1820, 1920, 2020), "thirties": (30, 1830, 1930, 2030),
    "forties": (40, 1840, 1940, 2040), "fifties": (50, 1850, 1950, 2050),
    "sixties": (60, 1860, 1960, 2060), "seventies": (70, 1870, 1970, 2070),
    "eighties": (80, 1880, 1980, 2080), "nineties": (90, 1890, 1990, 2090),
    "dozen": (12,), "dozens": (12,), "score": (20,), "hundredth": (100,), "thousandth": (1000,),
}  # fmt: skip
COUNTED = """
    zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen
    sixteen seventeen eighteen nineteen twenty
"""
TENS = "ten twenty thirty forty fifty sixty seventy eighty ninety"


@pytest.mark.parametrize(("word", "values"), WORDS.items(), ids=WORDS)
def test_a_word_of_a_page_means_these_values_and_no_others(
    word: str, values: tuple[float, ...]
) -> None:
    assert _values(f"It was {word} there") == {*values}


def test_a_number_in_words_is_what_one_counts() -> None:
    counted = {word: {float(number)} for number, word in enumerate(COUNTED.split())}
    counted |= {word: {10.0 * number} for number, word in enumerate(TENS.split(), 1)}
    # `first`, `second` and `third` are words of their own, and some others are parts as well.
    ordinals = {f"{word}th": values for word, values in counted.items() if word in (
        "seven", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
    )}  # fmt: skip
    ordinals |= {f"{word[:-1]}ieth": counted[word] for word in TENS.split()[1:]}
    ordinals |= {"zeroth": {0}, "first": {1}, "second": {2}, "ninth": {9}, "eleventh": {11}}
    told = {**counted, **ordinals, "twelfth": {12}}

    assert {word: _values(f"It was {word} there") for word in told} == told


SCALES: dict[float, str] = {
    1e2: "hundred hundreds", 1e3: "thousand thousands", 1e5: "lakh lakhs", 1e7: "crore crores",
    1e6: "million millions", 1e9: "billion billions", 1e12: "trillion trillions",
}  # fmt: skip
SHORT: dict[float, str] = {
    1e3: "k", 1e6: "m mm mn mio mil", 1e9: "b bn bln mrd", 1e12: "t tn trn",
}  # fmt: skip


@pytest.mark.parametrize(("scale", "words"), SCALES.items())
def test_a_word_that_multiplies_is_worth_as_much_in_the_plural(scale: float, words: str) -> None:
    for word in words.split():
        assert _values(f"It was {word} there") == {scale}
        assert _values(f"It was 3 {word} there") == {3, scale, 3 * scale}
        assert claim_numbers(f"It was 3 {word} there")[0].values == (3 * scale,)


@pytest.mark.parametrize(("scale", "words"), SHORT.items())
def test_letters_behind_a_number_may_multiply_it(scale: float, words: str) -> None:
    for word in words.split():
        assert _values(f"It was 1{word} there") == {1, scale}
        assert _values(f"It was 3{word} there") == {3, 3 * scale}
        assert _values(f"It was 3 {word} there") == {3, 3 * scale}
        assert claim_numbers(f"It was 3{word} there")[0].values[-1] == 3 * scale


READ: dict[str, tuple[float, ...]] = {
    # parts
    "a half million men": (0.5, 50, 5e5, 1e6),
    "a third of a million": (THIRD, 3, 33, 333333.333333, 1e6),
    "a quarter of an even million": (0.25, 25, 1e6),
    "two thirds of them": (0.666666666667, 2, THIRD, 33, 66, 66.7, 67),
    "two fourths of them": (0.5, 2, 50), "two fifths of them": (0.4, 2, 40),
    "two sixths of them": (THIRD, 2, 33, 33.3),
    "three eighths of them": (0.375, 3, 37, 37.5, 38), "seven tenths of them": (0.7, 7, 70),
    "three quarters of them": (0.25, 0.75, 3, 25, 75),
    "three halves of them": (0.5, 1.5, 3, 50, 150),
    "an hour and a half": (0.5, 1.5, 50), "and a half of a day is a million": (0.5, 1.5, 50, 1e6),
    "million and a quarter": (0.25, 25, 1e6, 1.25e6),
    "a million and a half": (0.5, 50, 1e6, 1000000.5, 1.5e6),
    "six and a half hours": (0.5, 1.5, 6, 6.5, 50),
    "six and a third": (THIRD, 1.33333333333, 3, 6, 33),
    "2 and a half million": (0.5, 1.5, 2, 2.5, 50, 5e5, 1e6, 2.5e6),
    # what follows
    "2 or 3 million": (2, 3, 1e6, 2e6, 3e6),
    "2 to 3 to 4 to 5 million": (2, 3, 4, 5, 1e6, 4e6, 5e6),
    "2 men and a million": (2, 1e6), "2 - - - - - - - - - - - - million": (2, 1e6),
    "2 million thousand men": (2, 1000, 1e6, 1001000, 2e6, 1e9, 2e9),
    "2.5 percent of them": (0.025, 2.5), "40 per cent of them": (0.4, 40),
    "40 pct of them": (0.4, 40), "40 % of them": (0.4, 40), "40% of them": (0.4, 40),
    "40, 50% of them": (0.5, 40, 50),
    "the 19th century": (19, 100, 1800), "the nineteenth century": (19, 100, 1800),
    "in 2.5 centuries": (2.5, 100),
    # ratios
    "3/4 of them": (0.75, 3, 4, 75), "1 in 4 of them": (0.25, 1, 4, 25),
    "3 out of 7 of them": (0.428571428571, 3, 7, 42, 42.9, 43),
    "three out of 4 of them": (0.75, 3, 4, 75), "1 in every 8 of them": (0.125, 1, 8, 12, 12.5),
    "2 1/2 cups": (0.5, 1, 2, 2.5, 50), "2 3/2 cups": (1.5, 2, 3, 150),
    "3 men or 4": (3, 4), "1 of 0 men": (0, 1),
    # years and dates
    "on 12/3/20 there": (0.15, 3, 4, 12, 12.15, 15, 20, 400, 1920, 2020),
    "on 3-12-20 there": (3, 12, 20, 1920, 2020), "on 3-32-20 there": (3, 20, 32),
    "on 31-31-20 there": (20, 31, 1920, 2020), "on 3-100-20 there": (3, 20, 100),
    "2010-15 was dry": (15, 2010, 2015), "2010 to 15 was dry": (15, 2010),
    "2010-155 was dry": (155, 2010), "3010-15 was dry": (15, 3010),
    "the '95 season": (95, 1995, 2095), "the '5 season": (5,),
    "the 60s again": (60, 1860, 1960, 2060),
    "the 100s again": (2, 100), "the 1900s again": (20, 1900), "the 1960s again": (1960,),
    "on 5.3.2020 there": (3, 3.202, 5, 2020),
    "Jan 5 there": (1, 5), "5 May there": (5,), "in May there": (), "Sep 2010 there": (9, 2010),
    "December 25": (12, 25), "May, the 5th": (5,), "June a 5": (5,), "5 rainy June": (5,),
    "7 January there": (1, 7), "rain January 7": (1, 7), "Jan rain 7": (7,), "7 rain Jan": (7,),
    "January": (), "7 in March": (7,), "March-7": (3, 7),
    # the clock
    "at 3 or 4 pm there": (3, 4, 16), "at 3 p.m": (3, 15), "at 3 the pm": (3,),
    "at 3 pm there": (3, 15), "at 12 pm there": (12,), "at 11 p.m.": (11, 23),
    "at 3 in the pm": (3,), "at 13:30 there": (1, 13, 30), "at 24:00 there": (0, 12, 24),
    "at 12:30 there": (12, 30), "at 25:00 there": (0, 25), "at 13-30 there": (13, 30),
    # runs of words
    "nineteen eighty-four": (4, 19, 80, 84, 103, 1984), "twenty ten": (10, 20, 30, 2010),
    "nineteen ninety ten": (10, 19, 90, 100, 119), "ten ten men": (10, 20, 1010),
    "nine nineteen men": (9, 19, 28),
    "thirty ten men": (10, 30, 40), "twenty one hundred": (1, 20, 100, 2100),
    "nineteen hundred men": (19, 100, 1900),
    "two hundred and five thousand men": (2, 5, 100, 200, 1000, 5000, 105000, 205000),
    "two thousand, three hundred men": (2, 3, 100, 300, 1000, 1300, 2000, 2300),
    "two, three men": (2, 3), "two and three men": (2, 3), "one hundred and men": (1, 100),
    "two hundred and": (2, 100, 200),
    "a hundred and twenty-first": (1, 20, 21, 100, 121), "twenty - one": (1, 20),
    "twenty -one": (1, 20, 21, 2001),
    "a 110^6 of it": (110, 6),
    "two -hundred": (2, 100, 200), "twenty, one": (1, 20),
    # digits
    ".5 of it": (0.5, 5), "a (.5 of it": (0.5, 5), "so.5 of it": (5,),
    "1 234 567 men": (1, 234, 567, 234567, 1234567),
    "1234 567 men": (567, 1234), "12 34 men": (12, 34), "1,234,567.89 men": (1234567.89,),
    "1.234.567,89 men": (1234567.89,), "1,23,456 men": (123456,),
    "1.23.456 men": (1, 23, 23.456, 456, 23456),
    "12.05 was it": (5, 12, 12.05), "31.05 was it": (5, 31, 31.05), "32.05 was it": (32.05,),
    "1'234 men": (1234,), "1.234 men": (1.234, 1234), "1,234 men": (1.234, 1234),
    "12,34 men": (12.34,), "1234,567 men": (1234.567, 1234567),
    "1,234k men": (1.234, 1234, 1234000),
    "12345678901234567890 men": (123456789012000000.0,), "007 men": (7,),
    "1,23.456 men": (1, 23, 23.456, 456, 23456), "1,234.567 men": (1234.567,),
    "12,345 678 men": (12.345, 12345, 678), "1 234,5 678 men": (1, 1234.5, 234.5, 678),
    "1,2345 men": (1.2345,),
    "999 999": (999, 999999),
    "12,3456,789": (12, 789, 3456, 3456.789, 3456789),
    "12.345.678.901.234.567.890.123 of it": (1.23456789012e22,),
    "12.345.678.901.234.567.890.123.456 of it": (456, 1.23456789012e22),
    "2 3rd to 4 million": (2, 3, 4, 1e6, 2e6, 3e6, 4e6),
    "2 to 3k men": (2, 3, 2000, 3000),
    "3 of 123456789012 men": (0, 2.43000002188e-11, 3, 123456789012),
    "3 of 1234567890123 men": (3, 1.23456789012e12),
    # letters and signs
    "110^6 of it": (110, 6), "10^6": (10, 6, 1e6), "10\u00b2 of it": (10, 100),
    "3,5 x 10^2 of it": (2, 3.5, 10, 350), "3.5x10\u00b2 of it": (3.5, 350),
    "2.5x103 of it": (2.5, 2500), "x10^3 of it": (3, 1000), "1.5e3 of it": (1.5, 1500),
    "World War II": (2,), "XIV kings": (14,), "MCMXC years": (1990,), "MDCLXVI": (1666,),
    "MDCCLXXI": (), "IL men": (), "iv men": (), "VIII IX XL CD men": (8, 9, 40, 400),
    "4x106 atoms": (4, 4e6), "4 x 10^6 atoms": (4, 6, 10, 4e6), "10^-3 of it": (0.001, 3, 10),
    "4e6 of it": (4, 4e6),
    "2 \u00bd cups": (0.5, 2, 2.5, 50), "\u2154 cups": (0.666666666667, 66.6666666667),
    "2\u00bd cups": (2.5,), "10\u00be-inch": (10.75,), "2\u00bd million": (2.5, 1e6, 2.5e6),
    "2\u00bdm wide": (2.5, 2.5e6), "7\u00bd% of it": (7.5,), "1,250\u00bc feet": (1, 1250.25),
    "2\u00bd\u20133\u00bd years": (2.5, 3.5),
    # at the beginning, at the end, and just beyond what belongs to a number
    "567 .5 of it": (0.5, 5, 567), "There came so very many: 1,234,567": (1234567,),
    "5 234k men": (5, 234, 5000, 5234, 234000, 5234000),
    "5.3.2020 1.5 men": (1.5, 3, 3.202, 5, 2020), "1234'567 men": (567, 1234),
    "1,23,456.7 men": (1, 7, 23, 456, 456.7, 23456.7), "90s May": (5, 90, 1890, 1990, 2090),
    "a half of a of million": (0.5, 50, 1e6), "40  % of them": (40,), "40%, they say": (0.4, 40),
    "2 million thousand": (2, 1000, 1e6, 1001000, 2e6, 1e9, 2e9),
}  # fmt: skip


@pytest.mark.parametrize(
    ("sign", "value"),
    [
        ("\u00bc", 1 / 4), ("\u00bd", 1 / 2), ("\u00be", 3 / 4), ("\u2150", 1 / 7),
        ("\u2151", 1 / 9), ("\u2152", 1 / 10), ("\u2153", 1 / 3), ("\u2154", 2 / 3),
        ("\u2155", 1 / 5), ("\u2156", 2 / 5), ("\u2157", 3 / 5), ("\u2158", 4 / 5),
        ("\u2159", 1 / 6), ("\u215a", 5 / 6), ("\u215b", 1 / 8), ("\u215c", 3 / 8),
        ("\u215d", 5 / 8), ("\u215e", 7 / 8),
    ],
)  # fmt: skip
def test_a_fraction_in_one_sign_adds_to_the_number_before_it(sign: str, value: float) -> None:
    text = f"It took 2{sign} hours"

    assert _values(text) == {value_key(2 + value)}
    assert [number.values for number in claim_numbers(text)] == [(value_key(2 + value),)]


@pytest.mark.parametrize(("page", "values"), READ.items(), ids=READ)
def test_a_page_says_these_values_and_no_others(page: str, values: tuple[float, ...]) -> None:
    assert _values(page) == {*values}


@pytest.mark.parametrize(
    ("words", "below"),
    [
        ("half", 2), ("third", 3), ("quarter", 4), ("fourth", 4), ("fifth", 5), ("sixth", 6),
        ("eighth", 8), ("tenth", 10),
    ],
)  # fmt: skip
def test_one_part_of_so_many_is_that_share_also_of_a_million(words: str, below: int) -> None:
    assert {value_key(1 / below), float(100 // below)} <= _values(f"one {words} of them")
    assert value_key(1e6 / below) in _values(f"a {words} of a million")


# Of each number what is written, its values, the worth of its last digit, and what rounds to it.
CLAIMED: dict[str, tuple[tuple[str, tuple[float, ...], float, float, float], ...]] = {
    "It has 1,234 rooms": (("1,234", (1234, 1.234), 1, 1233.5, 1234.5),),
    "It has 1.234 rooms": (("1.234", (1.234, 1234), 0.001, 1.2335, 1.2345),),
    "It has 1.50 rooms": (("1.50", (1.5,), 0.1, 1.45, 1.55),),
    "It took 2\u00bd hours": (("2\u00bd", (2.5,), 0.1, 2.45, 2.55),),
    "It took 2 \u00bd hours": (("2 \u00bd", (2.5,), 0.1, 2.45, 2.55),),
    "It cost 2\u00bd million": (("2\u00bd million", (2.5e6,), 1e5, 2.45e6, 2.55e6),),
    "It has 1,250\u00bd rooms": (("1,250\u00bd", (1250.5,), 0.1, 1250.45, 1250.55),),
    "It is 2\u00bdm wide": (("2\u00bdm", (2.5, 2.5e6), 0.1, 2.45, 2.55),),
    "\u00bd of them came": (("\u00bd", (0.5, 50), 0.1, 0.45, 0.55),),
    "It cost 3 million": (("3 million", (3e6,), 1e6, 2.5e6, 3.5e6),),
    "It cost 1.25 million": (("1.25 million", (1.25e6,), 1e4, 1.245e6, 1.255e6),),
    "It cost 5 k": (("5", (5,), 1, 4.5, 5.5),),
    "It cost 5 bn": (("5 bn", (5e9,), 1e9, 4.5e9, 5.5e9),),
    "It cost 5m": (("5m", (5, 5e6), 1, 4.5, 5.5),),
    "It cost 5, million": (("5", (5, 5e6), 1, 4.5, 5.5),),
    "about 500 came": (("500", (500,), 1, 475, 525),),
    "about the 500": (("500", (500,), 1, 475, 525),),
    "about all the 500": (("500", (500,), 1, 499.5, 500.5),),
    "over 500 came": (("500", (500,), 1, 499.5, 525),),
    "nearly 500 came": (("500", (500,), 1, 475, 500.5),),
    "about 520 came": (("520", (520,), 1, 515, 525),),
    "about 523 came": (("523", (523,), 1, 522.5, 523.5),),
    "about 20 came": (("20", (20,), 1, 19, 21),),
    "about 1.5 came": (("1.5", (1.5,), 0.1, 1.45, 1.55),),
    "about 0 came": (("0", (0,), 1, -0.5, 0.5),),
    "about two hundred came": (("two hundred", (200,), 0, 190, 210),),
    "two hundred and five men": (("two hundred and five", (205,), 0, 205, 205),),
    "a hundred and twenty men": (("hundred and twenty", (120,), 0, 120, 120),),
    "hundred and twenty men": (), "a hundred men": (), "a million and hundred men": (),
    "one man": (), "zero men": (), "one hundred men": (("one hundred", (100,), 0, 100, 100),),
    "one of the two men": (("two", (2,), 0, 2, 2),),
    "one man of a hundred": (), "two one man": (("two one", (3,), 0, 3, 3),),
    "three fourths of 20": (("20", (20,), 1, 19.5, 20.5),),
    "six and a half 7": (("7", (7,), 1, 6.5, 7.5),),
    "six and a third 7": (("six", (6,), 0, 6, 6), ("7", (7,), 1, 6.5, 7.5)),
    "nineteen eighty-four": (("nineteen eighty-four", (103, 1984), 0, 103, 103),),
    "the 19th century": (("19th", (19, 1800), 1, 18.5, 19.5),),
    "five centuries ago": (("five", (5, 400), 0, 5, 5),),
    "in the 60s": (("60s", (60, 1860, 1960, 2060), 1, 59.5, 60.5),),
    "in the 100s": (("100s", (100,), 1, 99.5, 100.5),),
    "in the 1000s": (("1000s", (1000, 11), 1, 999.5, 1000.5),),
    "in the 1960s": (("1960s", (1960,), 1, 1959.5, 1960.5),),
    "2010-15": (("2010", (2010,), 1, 2009.5, 2010.5), ("15", (15, 2015), 1, 14.5, 15.5)),
    "2010-155": (("2010", (2010,), 1, 2009.5, 2010.5), ("155", (155,), 1, 154.5, 155.5)),
    "2010-5s": (
        ("2010", (2010,), 1, 2009.5, 2010.5), ("5s", (5, 1805, 1905, 2005), 1, 4.5, 5.5),
    ),
    "2010 to 15": (("2010", (2010,), 1, 2009.5, 2010.5), ("15", (15,), 1, 14.5, 15.5)),
    "in 20221": (("20221", (20221, 2022), 1, 20220.5, 20221.5),),
    "in 202212": (("202212", (202212, 2022), 1, 202211.5, 202212.5),),
    "in 2022123": (("2022123", (2022123,), 1, 2022122.5, 2022123.5),),
    "in 30221": (("30221", (30221,), 1, 30220.5, 30221.5),),
    "2 to 3 million": (("2", (2, 2e6), 1, 1.5, 2.5), ("3 million", (3e6,), 1e6, 2.5e6, 3.5e6)),
    "In 1999 567 890 came": (
        ("1999", (1999,), 1, 1998.5, 1999.5), ("567 890", (567890,), 1, 567889.5, 567890.5),
    ),
    "2 big million": (("2", (2,), 1, 1.5, 2.5),),
    "1 in 4": (("1", (1, 0.25, 25), 1, 0.5, 1.5), ("4", (4, 0.25, 25), 1, 3.5, 4.5)),
    "on 05.03.2020": (
        ("05", (5,), 1, 4.5, 5.5), ("03", (3,), 1, 2.5, 3.5), ("2020", (2020,), 1, 2019.5, 2020.5),
    ),
    "at 15:00h": (("15", (15,), 1, 14.5, 15.5),),
    "at 15:00": (("15", (15,), 1, 14.5, 15.5),),
    "at 00:30": (("00", (0,), 1, -0.5, 0.5), ("30", (30,), 1, 29.5, 30.5)),
    "4e6 and 5": (("4e6", (4e6,), 0, 4e6, 4e6), ("5", (5,), 1, 4.5, 5.5)),
    "5 and 4e6": (("5", (5,), 1, 4.5, 5.5), ("4e6", (4e6,), 0, 4e6, 4e6)),
    ".5 of it": (("5", (0.5,), 0.1, 0.45, 0.55),),
    "v2.0, pp. 12-15, fig. 3, https://a.example/5, 6": (("6", (6,), 1, 5.5, 6.5),),
    "accessed 5 May 2020, it has 7": (("7", (7,), 1, 6.5, 7.5),),
    "two thousand, three hundred": (("two thousand, three hundred", (2300,), 0, 2300, 2300),),
    "12 dozen eggs": (("12 dozen", (144,), 12, 138, 150),),
    "MP3 files, 4abcdefghi": (),
    "In 1234\u00a013 234 came": (
        ("1234", (1234,), 1, 1233.5, 1234.5), ("13 234", (13234,), 1, 13233.5, 13234.5),
    ),
    "5.3.2020 1.5 men": (
        ("5", (5,), 1, 4.5, 5.5), ("3", (3,), 1, 2.5, 3.5), ("2020", (2020,), 1, 2019.5, 2020.5),
        ("1.5", (1.5,), 0.1, 1.45, 1.55),
    ),
    "5.3.20 123 men": (
        ("5", (5,), 1, 4.5, 5.5), ("3", (3,), 1, 2.5, 3.5), ("20", (20,), 1, 19.5, 20.5),
        ("123", (123,), 1, 122.5, 123.5),
    ),
    "4.32 of it": (("4.32", (4.32,), 0.01, 4.315, 4.325),),
    "three out of 4": (("three", (3, 0.75, 75), 0, 3, 3), ("4", (4, 0.75, 75), 1, 3.5, 4.5)),
    "3/4 of it": (("3", (3, 0.75, 75), 1, 2.5, 3.5), ("4", (4, 0.75, 75), 1, 3.5, 4.5)),
    "one good million men": (), ":00 was it": (),
    "a hundred twenty men": (("hundred twenty", (120,), 0, 120, 120),),
    "two quarters 24": (("24", (24,), 1, 23.5, 24.5),),
    "at 15:00 30 men": (("15", (15,), 1, 14.5, 15.5), ("30", (30,), 1, 29.5, 30.5)),
    ".5k of it": (("5k", (500,), 100, 450, 550),),
    "2m to 3 million": (("2m", (2, 2e6), 1, 1.5, 2.5), ("3 million", (3e6,), 1e6, 2.5e6, 3.5e6)),
    "the 2nd or 3rd million": (
        ("2nd", (2, 2e6), 1, 1.5, 2.5), ("3rd million", (3e6,), 1e6, 2.5e6, 3.5e6),
    ),
    "so it took 1\u00bd, 15 hours": (
        ("1\u00bd", (1.5,), 0.1, 1.45, 1.55), ("15", (15,), 1, 14.5, 15.5),
    ),
    "'95 was dry": (("95", (95, 1895, 1995, 2095), 1, 94.5, 95.5),),
    "the '99 season": (("99", (99, 1899, 1999, 2099), 1, 98.5, 99.5),),
    "the '100 season": (("100", (100,), 1, 99.5, 100.5),),
    "2010-15m": (
        ("2010", (2010,), 1, 2009.5, 2010.5), ("15m", (15, 2015, 15e6), 1, 14.5, 15.5),
    ),
}  # fmt: skip


@pytest.mark.parametrize(("claim", "numbers"), CLAIMED.items(), ids=CLAIMED)
def test_a_claim_states_these_numbers_and_no_others(
    claim: str, numbers: tuple[tuple[str, tuple[float, ...], float, float, float], ...]
) -> None:
    found = claim_numbers(claim)

    assert [(each.text, each.values) for each in found] == [each[:2] for each in numbers]
    rounding = [(each.unit, each.low, each.high) for each in found]
    assert [pytest.approx(each[2:]) for each in numbers] == rounding
    assert all(claim[each.start :].startswith(each.text) for each in found)


def test_of_a_claim_with_very_many_numbers_the_first_are_compared() -> None:
    found = claim_numbers(" ".join(f"{number} men," for number in range(100)))

    assert [each.values[0] for each in found] == [*range(MAX_NUMBERS)]


def test_a_date_with_points_on_a_page_has_its_day_month_and_year() -> None:
    check = check_claim("On 5 March 2020 it closed", PageIndex("It closed on 05.03.2020 there."))

    assert check.missing_numbers == ()


@pytest.mark.parametrize(
    ("claim", "page", "rounded"),
    [
        ("It has 450 rooms", "It has 449 rooms.", ()),
        ("It has 450 rooms", "It has 449.5 rooms.", (449.5,)),
        ("It has 450 rooms", "It has 450.5 rooms.", ()),
        ("It has about 450 rooms", "It has 449 or 452 rooms.", (449,)),
        ("It cost 1 million", "It cost 790,000.", ()),
        ("It cost 1 million", "It cost 810,000.", (810_000,)),
        ("It cost 1 million", "It cost 1,240,000.", (1_240_000,)),
        ("It cost 1 million", "It cost 1,260,000.", ()),
    ],
)
def test_what_rounds_to_a_number_is_at_most_a_quarter_off(
    claim: str, page: str, rounded: tuple[float, ...]
) -> None:
    check = check_claim(claim, PageIndex(page))

    assert tuple(each.value for each in check.rounded_numbers) == rounded


@pytest.mark.parametrize(
    ("written", "values"),
    [
        ("25%", {25, 0.25}), ("25 %", {25, 0.25}), ("25\u2030", {25}), ("25 x", {25}),
        ("5 * 10^3", {5, 10, 3, 5000}), ("5 \u00d7 10^3", {5, 10, 3, 5000}), ("5*2", {5, 2}),
    ],
)  # fmt: skip
def test_a_sign_behind_a_numeral_may_make_it_mean_more(written: str, values: set[float]) -> None:
    assert _values(f"It was {written} there") == values


@pytest.mark.parametrize(
    ("when", "missing"),
    [
        ("seit 2015", ("2015",)),
        ("seit 12/2015", ("2015",)),
        ("mit 2.015 Tieren", ()),
        ("zu 12", ()),
    ],
)
def test_in_other_languages_only_years_are_missed(when: str, missing: tuple[str, ...]) -> None:
    page = PageIndex("Der Seeotter lebt an der Küste und schläft im Tang, denn dort ist es ruhig.")

    found = check_claim(f"Der Seeotter lebt {when} an der Küste und schläft im Tang", page)

    assert (found.language, found.missing_numbers) == ("de", missing)


@pytest.mark.parametrize(
    ("claim", "is_about"),
    [
        ("500 came", False),
        ("two hundred came", False),
        ("about 500 came", True),
        ("nearly two hundred came", True),
        ("about 523 came", True),
        ("about 0 came", False),
        ("over 1.5 came", False),
        ("10^6 came", False),
    ],
)
def test_a_word_such_as_about_widens_a_round_number(claim: str, is_about: bool) -> None:
    assert [each.is_about for each in claim_numbers(claim)] == [is_about]


def test_a_word_that_multiplies_is_shared_by_two_numbers_and_not_by_more_words() -> None:
    assert claim_numbers("2 or 3 million men")[0].values == (2, 2e6)
    assert claim_numbers("2 or 3 or million men")[0].values == (2,)


def test_what_nobody_sees_ends_no_word() -> None:
    words = words_of("a\u00adb [3] \u00adc\u00ad d")

    assert words.folded == ("ab", "c", "d")
    assert ([*words.starts], [*words.ends]) == ([0, 9, 12], [3, 10, 13])


@pytest.mark.parametrize(("gap", "is_near"), [(24, True), (25, False)])
def test_a_word_multiplies_no_number_that_is_far_before_it(gap: int, is_near: bool) -> None:
    assert (2e6 in _values(f"2{'-'.center(gap)}million")) == is_near


def test_every_number_of_a_claim_has_its_place() -> None:
    claim = "4e6 and 5 and 10^6 and 7"

    assert [(each.text, each.start) for each in claim_numbers(claim)] == [
        ("4e6", 0),
        ("5", 8),
        ("10^6", 14),
        ("7", 23),
    ]


def test_words_have_their_places_where_small_letters_are_longer() -> None:
    text = "\u0130 otter"
    words = words_of(text)

    assert text[words.starts[1] : words.ends[1]] == words.folded[1] == "otter"


@pytest.mark.parametrize(
    ("word", "value"),
    [("MDCLXVI", 1666), ("XIV", 14), ("IL", 0), ("xiv", 0), ("MDCCLXXI", 0), ("Ma", 0)],
)
def test_a_word_that_is_no_roman_numeral_is_worth_nothing(word: str, value: int) -> None:
    assert roman(word) == value
