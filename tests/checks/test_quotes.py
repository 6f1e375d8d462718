"""Quotes are found where they stand, and called what they are."""

from __future__ import annotations

from random import Random
from string import ascii_lowercase

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundwire.checks import Fit, PageIndex, find_in

PAGE = """# Sea otters

Sea otters (*Enhydra lutris*) hold **each other's paws** while they sleep, so that [the current](https://a.example/kelp)
does not carry them apart.[3] A resting group is called a *raft*.

1. A raft has 10 to 100 animals.
2. The largest ever seen had more than 2,000 animals.

They don't leave the kelp — not even in a storm.
"""


def _found(quote: str) -> tuple[Fit, str]:
    match = find_in(PageIndex(PAGE), quote)
    return match.fit, PAGE[match.start : match.end] if match.start is not None else ""


@pytest.mark.parametrize(
    "quote",
    [
        "A resting group is called a *raft*.",
        "A resting group is called a raft.",
        "They don\u2019t leave the kelp - not even in a storm.",
        "hold each other's paws while they sleep, so that the current does not carry them apart.",
        "hold each other&#39;s paws while they sleep",
        "while they sl\u00adeep, so that the\u00a0current\ndoes not carry them apart",
        "Sea otters (Enhydra lutris) hold … does not carry them apart.",
        "not carry them apart. A resting group is called a ra...",
        "Sea otters (Enhydra lutris) hold[7] each other's paws",
        "The largest ever seen had more than 2,000 animals.",
    ],
)
def test_what_differs_in_typography_markup_and_cuts_alone_is_there_to_the_letter(
    quote: str,
) -> None:
    assert _found(quote)[0] is Fit.LETTER


@pytest.mark.parametrize(
    ("quote", "place"),
    [
        ("A RESTING GROUP IS CALLED A RAFT", "A resting group is called a *raft"),
        ("They dont leave the kelp not even in a storm", ""),
        ("A raft has 10 to 100 animals The largest ever seen", "A raft has 10 to 100 animals"),
    ],
)
def test_the_same_words_otherwise_written_are_the_same_words(quote: str, place: str) -> None:
    fit, found = _found(quote)

    assert fit is Fit.WORDS
    assert found.startswith(place)


@pytest.mark.parametrize(
    ("quote", "differing"),
    [
        ("The largest ever seen had more than 3,000 animals", ("3",)),
        ("Sea otters hold each other's hands while they sleep, so that the current", ("hands",)),
    ],
)
def test_a_quote_with_a_changed_word_is_close_and_says_which(
    quote: str, differing: tuple[str, ...]
) -> None:
    match = find_in(PageIndex(PAGE), quote)

    assert (match.fit, match.differing) == (Fit.CLOSE, differing)


MANUAL = """# Extrude

1. At the Distance\u2026 prompt, type 2, and press **Enter**.
2. At the Edges\u2026 prompt, select one, and press **Enter**.

- **Memory:** 12 GB RAM
  - **Network:** Broadband connection
  - **Storage:** 75 GB

At the Distance\u2026 prompt, move to the left, type 1, and press **Enter**.

fn show<T: Display + Clone, U: Clone>(t: &T, u: &U) -> i32
fn show<T, U>(t: &T, u: &U) -> i32
"""


@pytest.mark.parametrize(
    ("quote", "place"),
    [
        (
            "At the Distance\u2026 prompt, move to the left, type 1, and press Enter.",
            "At the Distance\u2026 prompt, move to the left, type 1, and press **Enter",
        ),
        (
            "At the Distance ... type 1, and press Enter.",
            "At the Distance\u2026 prompt, move to the left, type 1, and press **Enter",
        ),
        ("fn sh\u00adow<T, U>(t: &T, u: &U) -> i32", "fn show<T, U>(t: &T, u: &U) -> i32"),
        (
            "Memory: 12 GB RAM Network: Broadband connection Storage: 75 GB",
            "Memory:** 12 GB RAM\n  - **Network:** Broadband connection\n  - **Storage:** 75 GB",
        ),
    ],
    ids=["own ellipsis", "parts nearest to each other", "not a tag", "list"],
)
def test_a_quote_is_found_where_it_fits_best(quote: str, place: str) -> None:
    match = find_in(PageIndex(MANUAL), quote)

    assert (match.fit, MANUAL[match.start : match.end]) == (Fit.LETTER, place)


def test_words_before_a_close_place_do_not_mislead() -> None:
    page = "# Fitness Equipment Hire\n\nFind all Fitness Equipment Hire in Los Angeles, CA today."

    match = find_in(
        PageIndex(page), "Find doctor Fitness Equipment summer in Los Angeles, CA today"
    )

    assert match.fit is Fit.CLOSE
    assert match.differing == ("doctor", "summer")


@pytest.mark.parametrize("digit", ["\u2776", "\u1369", "\u0661", "\u2460", "\u00b2"])
def test_a_digit_of_any_kind_is_read(digit: str) -> None:
    page = PageIndex(f"Step {digit} of the list is to wait. {digit} {digit}/{digit} in {digit}")
    page.prepare()

    assert find_in(page, f"Step {digit} of the list").fit is Fit.LETTER


@pytest.mark.parametrize(
    "quote",
    [
        "Wolves run in packs of ten animals through the night",
        "sleep current the while paws apart hold carry otters not them each",
        "not carry apart the hold them does other's while current paws sleep each",
        "raf",
        "",
        "…",
    ],
)
def test_what_is_not_there_is_found_nowhere(quote: str) -> None:
    assert _found(quote) == (Fit.NONE, "")


def test_a_reference_mark_or_an_address_that_differs_is_not_to_the_letter() -> None:
    assert _found("does not carry them apart.[4] A resting group")[0] is Fit.WORDS
    assert _found("so that [the current](https://b.example/) does not")[0] is Fit.WORDS


def test_words_that_stand_at_two_places_say_so() -> None:
    match = find_in(PageIndex("Otters sleep. Otters sleep."), "Otters sleep")

    assert (match.fit, match.places) == (Fit.LETTER, 2)


@given(st.text(max_size=200), st.text(max_size=60))
def test_whatever_is_looked_for_a_place_lies_inside_the_page(page: str, quote: str) -> None:
    match = find_in(PageIndex(page), quote)

    assert (match.start is None) is (match.fit is Fit.NONE)
    if match.start is not None and match.end is not None:
        assert 0 <= match.start < match.end <= len(page)


@given(st.text(min_size=1, max_size=200), st.data())
def test_what_was_cut_out_of_a_page_is_found_to_the_letter(page: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(page) - 1))
    quote = page[start : data.draw(st.integers(start + 1, len(page)))].strip()
    words = quote.split()

    fit = find_in(PageIndex(page), quote).fit

    # Whole words: a piece of one is no quote.
    if len(words) > 1 and f" {quote} " in f" {page} " and "&" not in quote:
        assert fit is Fit.LETTER


def test_what_has_no_words_is_found_as_it_stands() -> None:
    page = PageIndex("\u2192 \u21d2 and back: \u2192 \u21d2")

    match = find_in(page, "\u2192 \u21d2")

    assert (match.fit, match.start, match.end, match.places) == (Fit.LETTER, 0, 3, 2)
    assert find_in(page, "\u21d0").fit is Fit.NONE


SAID = "Don\u2019t leave the kelp now. Otters rest.[3] They eat [crabs](https://a.example/crabs)."


@pytest.mark.parametrize(
    ("quote", "fit"),
    [
        ("Don't leave the kelp now.", Fit.LETTER),
        ("don't leave the kelp now.", Fit.WORDS),
        ("Don't leave the kelp, now.", Fit.WORDS),
        ("Otters rest.[3]", Fit.LETTER),
        ("Otters rest.[4]", Fit.WORDS),
        ("[3] They eat crabs.", Fit.LETTER),
        ("[4] They eat crabs.", Fit.WORDS),
        ("They eat [crabs](https://a.example/crabs).", Fit.LETTER),
        ("They eat [crabs](https://a.example/clams).", Fit.WORDS),
        ("They eat crabs.", Fit.LETTER),
        ("They eat crabs!", Fit.LETTER),
        ("They eat crabs?", Fit.WORDS),
    ],
)
def test_at_both_ends_of_a_page_letters_and_marks_are_told_apart(quote: str, fit: Fit) -> None:
    assert find_in(PageIndex(SAID), quote).fit is fit


def test_of_a_long_quote_with_one_other_word_just_that_word_differs() -> None:
    # Of few words, each of which stands there often.
    words = Random(1).choices([f"otter{letter}" for letter in ascii_lowercase], k=250)
    page = f"Before that. {' '.join(words)} and after."
    words[100] = "other"

    found = find_in(PageIndex(page), " ".join(words))

    assert (found.fit, found.differing) == (Fit.CLOSE, ("other",))
    assert page[found.start : found.end] == page.removeprefix("Before that. ").removesuffix(
        " and after."
    )


@pytest.mark.parametrize(("length", "is_cut"), [(99, False), (100, False), (101, True)])
def test_a_page_is_cut_only_beyond_its_limit(length: int, is_cut: bool) -> None:
    page = PageIndex("x" * length, max_characters=100)

    assert (page.is_cut, len(page.text)) == (is_cut, min(length, 100))
