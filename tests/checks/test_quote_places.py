"""Where the search for a quote begins and ends: words that repeat, gaps, and limits of work."""

from __future__ import annotations

import pytest

from groundwire.checks import Fit, PageIndex, QuoteMatch, find_in
from groundwire.checks.quotes import NOWHERE

TEN = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]


def _found(quote: str, page: str) -> tuple[Fit, str]:
    match = find_in(PageIndex(page), quote)
    return match.fit, page[match.start : match.end] if match.start is not None else ""


def test_what_is_found_nowhere_has_no_places() -> None:
    assert QuoteMatch(fit=Fit.NONE).places == 0
    assert find_in(PageIndex("Otters sleep in kelp."), "whales") == NOWHERE


@pytest.mark.parametrize(("quote", "places"), [("O, O", 3), ("O, O, O", 2), ("O, O, O, O", 1)])
def test_places_of_a_quote_may_overlap(quote: str, places: int) -> None:
    assert find_in(PageIndex("The board shows O O O O at last."), quote).places == places


def test_the_first_five_thousand_characters_of_a_quote_are_looked_for() -> None:
    page = "otters " * 1_000

    assert find_in(PageIndex(page), page.strip()) == QuoteMatch(
        fit=Fit.LETTER, start=0, end=5_000, places=1
    )


@pytest.mark.parametrize(
    ("quote", "page", "place"),
    [
        # The first part may begin inside of a word, the last may end inside of one.
        ("ters sleep \u2026 eat crabs", "Otters sleep well. They eat crabs.",
         "Otters sleep well. They eat crabs"),
        ("Otters sleep \u2026 eat cra", "Otters sleep well. They eat crabs.",
         "Otters sleep well. They eat crabs"),
        # Each part follows the one before, however often it stands elsewhere.
        ("eat crabs \u2026 sleep", "They sleep. They eat crabs. They sleep.",
         "eat crabs. They sleep"),
        ("sleep \u2026 eat \u2026 dive", "They sleep. They eat. They dive.",
         "sleep. They eat. They dive"),
        ("sleep \u2026 dive \u2026 eat", "They sleep. They eat. They dive.", ""),
        ("Otters sleep \u2026 whales sing", "Otters sleep. They dive.", ""),
        ("dive \u2026 eat", "They sleep, eat, dive.", ""),
        ("sleep \u2026 plan B", "They sleep. The plan B works.", "sleep. The plan B"),
    ],
)  # fmt: skip
def test_the_parts_of_a_cut_quote_stand_one_after_the_other(
    quote: str, page: str, place: str
) -> None:
    assert _found(quote, page) == (Fit.LETTER if place else Fit.NONE, place)


@pytest.mark.parametrize(("letters", "is_there"), [(2_998, True), (2_999, False)])
def test_a_part_is_looked_for_behind_three_thousand_characters(
    letters: int, is_there: bool
) -> None:
    page = f"The otters sleep {'x' * letters} and they eat crabs."

    found = find_in(PageIndex(page), "otters sleep \u2026 and they eat crabs")

    assert (found.fit is Fit.LETTER) is is_there


@pytest.mark.parametrize(
    ("page", "fit", "differing"),
    [
        # A single word may stand three words before or behind all others.
        (["one", *"abc", *TEN[1:]], Fit.CLOSE, ()),
        (["one", *"abcd", *TEN[1:]], Fit.CLOSE, ("one",)),
        ([*TEN[:9], *"abc", "ten"], Fit.CLOSE, ()),
        ([*TEN[:9], *"abcd", "ten"], Fit.CLOSE, ("ten",)),
        # Two halves are one quote up to seven words apart.
        ([*TEN[:5], *"abcdefg", *TEN[5:]], Fit.CLOSE, ()),
        ([*TEN[:5], *"abcdefgh", *TEN[5:]], Fit.NONE, ()),
    ],
)
def test_words_of_a_close_quote_may_be_so_far_apart(
    page: list[str], fit: Fit, differing: tuple[str, ...]
) -> None:
    found = find_in(PageIndex(" ".join(("so", "it", "is", *page, "and", "so"))), " ".join(TEN))

    assert (found.fit, found.differing) == (fit, differing)


@pytest.mark.parametrize(("times", "fit"), [(200, Fit.CLOSE), (201, Fit.NONE)])
def test_where_all_words_of_a_quote_are_everywhere_no_close_place_is_looked_for(
    times: int, fit: Fit
) -> None:
    page = PageIndex("Otters eat crabs now. " * times)

    assert find_in(page, "Otters eat crabs here").fit is fit


TWENTY = [f"otter{letter}" for letter in "abcdefghijklmnopqrst"]


@pytest.mark.parametrize(
    ("page", "differing"),
    [
        # The last four words are seven or eight words further on, right from the beginning.
        ([*TWENTY[:16], *"abcdefg", *TWENTY[16:]], ()),
        ([*TWENTY[:16], *"abcdefgh", *TWENTY[16:]], tuple(TWENTY[16:])),
        (["so", *TWENTY[:16], *"abcdefg", *TWENTY[16:]], ()),
        (["so", *TWENTY[:16], *"abcdefgh", *TWENTY[16:]], tuple(TWENTY[16:])),
        # Where the page lacks the first word, the place begins with the page.
        ([*TWENTY[1:16], *"abcdefgh", *TWENTY[16:]], (TWENTY[0],)),
        ([*TWENTY[1:16], *"abcdefghi", *TWENTY[16:]], (TWENTY[0], *TWENTY[16:])),
        # Words that stand far before the place are none of it, even four of them.
        ([*TWENTY[:4], *("so",) * 30, *TWENTY[4:]], tuple(TWENTY[:4])),
        # A run that lies apart is left off, and not the next one with it.
        ([*TWENTY[:2], *"abcd", *TWENTY[2:9], "x", *TWENTY[10:]], (*TWENTY[:2], TWENTY[9])),
        ([*TWENTY[:9], "x", *TWENTY[10:18], *"abcd", *TWENTY[18:]], (TWENTY[9], *TWENTY[18:])),
        ([*TWENTY[4:6], *"abcd", *TWENTY[6:]], tuple(TWENTY[:6])),
        # At the very beginning of a page one word may stand alone, too.
        ([TWENTY[0], *"a", *TWENTY[1:]], ()),
        ([TWENTY[0], *"ab", *TWENTY[1:]], ()),
        ([TWENTY[0], *"abc", *TWENTY[1:]], ()),
        ([TWENTY[0], *"abcd", *TWENTY[1:]], (TWENTY[0],)),
    ],
)
def test_a_long_quote_is_close_without_what_lies_apart(
    page: list[str], differing: tuple[str, ...]
) -> None:
    found = find_in(PageIndex(" ".join(page)), " ".join(TWENTY))

    assert (found.fit, found.differing) == (Fit.CLOSE, differing)


THE = ["the", *TWENTY[1:]]
MANY = f"{'the of in ' * 201}{' '.join(f'gull{number}' for number in range(20))}"


def _halved(words: list[str], place: int) -> str:
    return " ".join((*words[:place], *"abcdefgh", *words[place:]))


@pytest.mark.parametrize(
    ("quote", "page", "fit"),
    [
        # A word that is everywhere is taken to stand there, too, and once.
        ("otters eat the crabs here", f"{MANY} otters eat the crabs now", Fit.CLOSE),
        # Thirteen words of twenty are too few to look further, wherever the others stand.
        (" ".join(TWENTY), _halved(TWENTY, 13), Fit.NONE),
        (" ".join(TWENTY), _halved(TWENTY, 14), Fit.CLOSE),
        (" ".join(THE), f"{MANY} {_halved(THE, 13)}", Fit.NONE),
        (" ".join(THE), f"{MANY} {_halved(THE, 14)}", Fit.CLOSE),
        # Where no two words stand as in the quote, nearly all have to be everywhere.
        ("otters the kelp of crabs rocks gulls",
         f"{MANY} otters the x y of crabs z z gulls", Fit.NONE),
        ("otters the kelp of crabs in gulls",
         f"{MANY} otters the x y of crabs z in gulls", Fit.CLOSE),
        # Two words and two words are a quote of four.
        ("sea otters eat crabs", "so sea otters often eat crabs", Fit.CLOSE),
        # A word that stands further on is no sign of shuffled words where there are two runs.
        ("sea otters often eat crabs", "so sea otters now eat crabs often", Fit.CLOSE),
        # Three runs of six words are none.
        ("otters often eat crabs near rocks", "otters often now eat crabs by rocks", Fit.NONE),
    ],
    ids=range(10),
)  # fmt: skip
def test_so_many_words_in_so_many_runs_are_close(quote: str, page: str, fit: Fit) -> None:
    assert find_in(PageIndex(page), quote).fit is fit


@pytest.mark.parametrize(
    ("quote", "page", "place"),
    [
        # What stands there as it is begins and ends with its signs.
        ("(x) is even", "So f(x) is even then.", "(x) is even"),
        ("the otter(s)", "See the otter(s)and go.", "the otter(s)"),
        ("alpha beta gamma delta epsilon zeta", "An xalpha beta gamma delta epsilon zetay",
         "alpha beta gamma delta epsilon zeta"),
        # Of the same words with other signs, all words are the place.
        ("The plan, B", "So the plan B works.", "the plan B"),
        ("alpha, beta, gamma, delta, epsilon, zeta", "An xalpha beta gamma delta epsilon zetay",
         "xalpha beta gamma delta epsilon zetay"),
        ("one plan, a good one, of B", "So one plan a good one of B works.",
         "one plan a good one of B"),
    ],
)  # fmt: skip
def test_the_place_of_a_quote_is_that_of_its_own_words(quote: str, page: str, place: str) -> None:
    assert _found(quote, page)[1] == place


def test_just_enough_words_are_taken_as_they_are_found() -> None:
    page = "one five one so seven two five six seven eight nine ten"

    found = find_in(PageIndex(page), " ".join(TEN))

    assert (page[found.start : found.end], found.differing) == (
        "two five six seven eight nine ten",
        ("one", "three", "four"),
    )


def test_of_several_places_with_the_same_words_the_first_is_shown() -> None:
    found = find_in(PageIndex("OTTERS, sleep. Otters, Sleep."), "Otters sleep")

    assert found == QuoteMatch(fit=Fit.WORDS, start=0, end=13, places=2)
