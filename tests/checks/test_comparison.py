"""A claim held against a page: facts in words, names, the nearest passage, or why not."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundwire.checks import CheckState, NotCompared, PageIndex, check_claim, state_of

PAGE = """# Sea otters

Sea otters live along the coast of California. They wrap themselves in kelp to rest.

## Food

Sea otters eat sea urchins and crabs. An adult eats a quarter of its weight each day.
"""


def test_the_nearest_passage_has_its_heading_and_what_stands_around_it() -> None:
    nearest = check_claim("An adult otter eats a quarter of its weight", PageIndex(PAGE)).nearest

    assert nearest is not None
    assert nearest.exact == PAGE[nearest.start : nearest.end]
    assert "An adult eats a quarter" in nearest.exact
    assert nearest.heading == "Food"
    assert PAGE[: nearest.start].endswith(nearest.prefix)
    assert PAGE[nearest.end :].startswith(nearest.suffix)


def test_a_heading_is_told_in_its_words() -> None:
    page = PageIndex(
        "## 1. The **old** *mill* of [Ede](https://a.example/) and `gear`\n\nIt turns."
    )

    assert page.passage(70, 79).heading == "1. The old mill of Ede and gear"


@pytest.mark.parametrize("claim", ["California", "crabs and", "kelp"])
def test_a_word_or_two_that_are_there_are_no_quotation(claim: str) -> None:
    check = check_claim(claim, PageIndex(PAGE))

    assert (check.quote, state_of(check)) == (None, CheckState.PLAIN)


def test_a_script_without_spaces_is_quoted_by_its_letters() -> None:
    said = "\u6d77\u736d\u7761\u89ba\u6642\u6703\u624b\u727d\u8457\u624b\u4e00\u8d77"

    check = check_claim(said, PageIndex(f"{said}\u3002 {said}\u3002"))

    assert check.quote is not None


@pytest.mark.parametrize(
    ("claim", "missing"),
    [
        ("Otters live near Monterey", ("Monterey",)),
        ("Otters live in California", ()),
        ("Californian otters eat crabs", ()),
        ("The Monterey Bay Aquarium feeds otters", ("Monterey Bay Aquarium",)),
        ("Kelp is where they rest", ()),
    ],
)
def test_a_name_is_missing_only_if_no_word_of_it_is_there(
    claim: str, missing: tuple[str, ...]
) -> None:
    assert check_claim(claim, PageIndex(PAGE)).missing_names == missing


@pytest.mark.parametrize(
    ("claim", "page", "missing"),
    [
        ("It reads with Crawl4AI", "Pages are read by Crawl4AI or by our own reader.", ()),
        ("It plays MP3 files", "The player knows MP3 and other formats.", ()),
        ("It plays MP3 files", "The player knows MP 3 and other formats.", ()),
        ("It plays MP3 files", "The player knows one format.", ("MP3",)),
    ],
)
def test_a_name_with_digits_in_it_is_one_name(
    claim: str, page: str, missing: tuple[str, ...]
) -> None:
    assert check_claim(claim, PageIndex(page)).missing_names == missing


@pytest.mark.parametrize(
    ("name", "page"),
    [
        ("United States", "It has the U.S. Senate in it."),
        ("United States and Canada", "It is an American house."),
        ("British", "It is in Britain."),
        ("Italian", "It is in Italy."),
        ("TFGM", "It is Transport for Greater Manchester that has a house."),
        ("Transport for Greater Leeds", "It is TfGL that has a house."),
        ("HS2", "It is on the line HS 2 there."),
        ("Macintosh", "It is the house of Mackintosh."),
        ("Kubrik", "It is the house of Kubrick."),
        ("Peru", "It is a Peruvian house."),
        ("NPCs", "It is an NPC that has a house."),
        ("Arthur M. Sackler", "It is the house of the Sackler family."),
        ("Book of Psalms", "It is in the house of books."),
        ("the 7UP", "It is the house of 7UP."),
    ],
)
def test_a_name_is_there_in_any_spelling(name: str, page: str) -> None:
    assert check_claim(f"There the house of {name} is", PageIndex(page)).missing_names == ()


@pytest.mark.parametrize(
    "name", ["Miles", "Las Vegas", "A.V. Club", "Smith Thompson", "G20", "Ray"]
)
def test_a_name_that_is_nowhere_is_named_whole(name: str) -> None:
    page = PageIndex("Milan has rayon, a lasting million, and Thomas the smitten grandmother.")

    assert check_claim(f"There the house of {name} is", page).missing_names == (name,)


@pytest.mark.parametrize(
    ("page", "reason"),
    [
        ("", NotCompared.UNREADABLE),
        ("  \n", NotCompared.UNREADABLE),
        ("Access denied. Please verify you are a human.", NotCompared.BLOCKED),
    ],
)
def test_a_page_that_cannot_be_compared_says_why_and_nothing_else(
    page: str, reason: NotCompared
) -> None:
    check = check_claim("Otters sleep in 1999", PageIndex(page))

    assert check.not_compared is reason
    assert (check.missing_numbers, check.missing_names, check.nearest) == ((), (), None)


def test_a_claim_without_words_is_not_compared() -> None:
    assert check_claim("—", PageIndex(PAGE)).not_compared is NotCompared.NOTHING_CLAIMED


def test_more_of_a_claim_on_the_page_is_a_higher_score() -> None:
    page = PageIndex(PAGE)
    claims = [
        "Sea otters wrap themselves in kelp to rest",
        "Sea otters wrap themselves in seaweed to rest",
        "Sea otters wrap themselves in 1999 blankets to rest",
        "Wolves hunt deer in Canada",
    ]

    scores = [check_claim(claim, page).score for claim in claims]

    assert all(one > other for one, other in pairwise(scores))


@given(st.text(max_size=300), st.text(max_size=120))
def test_whatever_is_compared_places_lie_inside_the_page(page: str, claim: str) -> None:
    check = check_claim(claim, PageIndex(page))

    assert 0 <= check.score <= 1
    assert 0 <= check.coverage <= 1.0000001
    if check.nearest is not None:
        assert page[check.nearest.start : check.nearest.end] == check.nearest.exact


HOSTILE = (
    *("](", "[]()", "](a", "<a", "&amp;", "[1", "1", "1,", "1.", "1 ", "12,345,", "A ", "- "),
    *("hundred and ", "one ", "a", ".", ". A", "\n", "# a\n", "I", "X ", "x10^", "1/2 ", "May 1 "),
    *("'95 ", "\u00ad", "½", "(", "Mr. ", "3 million to ", "https://", "\u3002"),
)


@pytest.mark.parametrize("piece", HOSTILE, ids=repr)
def test_a_hostile_page_is_compared_like_any_other(piece: str) -> None:
    page = PageIndex((piece * 20_000)[:20_000])

    check = check_claim(f"In 1997 one hundred A A the May 1 I X {piece * 50}", page)

    assert check.nearest is None or check.nearest.end <= 20_000
