"""How much of a page is compared, and how near something must be: letters, links, sentences."""

from __future__ import annotations

import pytest

from groundwire.checks import Fit, NotCompared, PageIndex, check_claim, find_in, index_page
from groundwire.checks.language import language_of, script_of
from groundwire.checks.page import passages_near
from groundwire.checks.passages import claim_weights, nearest
from groundwire.checks.plain_text import plain
from groundwire.checks.words import words_of

A = "https://a.example/"


@pytest.mark.parametrize(("length", "is_cut"), [(400_000, False), (400_001, True)])
def test_four_hundred_thousand_characters_of_a_page_are_compared(length: int, is_cut: bool) -> None:
    page = PageIndex("x" * length)

    assert (page.is_cut, len(page.text)) == (is_cut, 400_000)


@pytest.mark.parametrize(("words", "reason"), [(19, NotCompared.TOO_SHORT), (20, None)])
def test_a_page_of_the_web_has_twenty_words(words: int, reason: NotCompared | None) -> None:
    assert index_page("otter " * words).not_comparable is reason


def test_a_page_without_words_is_compared_where_none_are_asked_for() -> None:
    assert PageIndex("\u2014").not_comparable is None


def test_a_rule_ends_no_page_unless_a_document_has_pages() -> None:
    text = "One.\n\n---\n\nTwo."
    place = text.index("Two")

    assert PageIndex(text).passage(place, place + 3).page_number is None
    assert PageIndex(text, has_pages=True).passage(place, place + 3).page_number == 2


@pytest.mark.parametrize(("place", "missing"), [(4_999, ("9",)), (5_000, ())])
def test_five_thousand_characters_of_a_claim_are_compared(
    place: int, missing: tuple[str, ...]
) -> None:
    claim = f"{'otters sleep '.ljust(place)}9"

    assert check_claim(claim, PageIndex("Otters sleep in kelp.")).missing_numbers == missing


@pytest.mark.parametrize(("length", "is_whole"), [(6_000, True), (6_001, False)])
def test_a_page_of_six_thousand_characters_is_shown_whole(length: int, is_whole: bool) -> None:
    page = PageIndex(("Otters eat crabs. " + "So it is. " * 600)[:length])

    assert (passages_near("Otters eat", page) == page.text) is is_whole


# Quotes and what stands around them

MARKED = "otters  sleep now"


@pytest.mark.parametrize(
    ("quote", "page", "fit"),
    [
        # Twelve signs before the first word and behind the last one are looked at.
        (f"{'(' * 12}{MARKED}", f"So it is {'(' * 12}otters sleep now there", Fit.LETTER),
        (f"{'(' * 13}{MARKED}", f"So it is {'(' * 13}otters sleep now there", Fit.WORDS),
        (f"{MARKED}{')' * 12}", f"So otters sleep now{')' * 12} there", Fit.LETTER),
        (f"{MARKED}{')' * 13}", f"So otters sleep now{')' * 13} there", Fit.WORDS),
        (f"(((({MARKED}", "((((otters sleep now there", Fit.LETTER),
        # Reference marks, too.
        (f"[3] {MARKED}", "[3] otters sleep now[4] there", Fit.LETTER),
        (f"[5] {MARKED}", "[3] otters sleep now[4] there", Fit.WORDS),
        (f"[5] {MARKED}", "otters sleep now there", Fit.LETTER),
        (f"[3] {MARKED}", f"[3]{' ' * 9}otters sleep now[4] there", Fit.LETTER),
        (f"[3] {MARKED}", f"[3]{' ' * 10}otters sleep now[4] there", Fit.WORDS),
        (f"{MARKED} [4]", f"[3] otters sleep now{' ' * 9}[4] there", Fit.LETTER),
        (f"{MARKED} [4]", f"[3] otters sleep now{' ' * 10}[4] there", Fit.WORDS),
        # Tags and addresses are looked for six hundred characters around.
        (f"<b>{MARKED}", "<b>otters sleep now</b> there", Fit.LETTER),
        (f"<i>{MARKED}", "<b>otters sleep now</b> there", Fit.WORDS),
        (f"<i>{MARKED}", "otters sleep now there", Fit.LETTER),
        (f"<b>{MARKED}", f"So <b>{'-' * 597}otters sleep now</b> there", Fit.LETTER),
        (f"<b>{MARKED}", f"So <b>{'-' * 598}otters sleep now</b> there", Fit.WORDS),
        (f"{MARKED}</b>", f"So <b>otters sleep now{'-' * 596}</b> there", Fit.LETTER),
        (f"{MARKED}</b>", f"So <b>otters sleep now{'-' * 597}</b> there", Fit.WORDS),
    ],
)  # fmt: skip
def test_signs_around_a_quote_are_its_own_if_they_stand_near(
    quote: str, page: str, fit: Fit
) -> None:
    assert find_in(PageIndex(page), quote).fit is fit


# Languages


@pytest.mark.parametrize(
    ("words", "language"),
    [
        ("der den und", "de"),  # `den` is frequent in two languages, and counts for both.
        ("la les des", ""),  # `la` is in three, and tells nothing.
        ("the of der", ""),  # Twice as many as of the next one are not enough.
        ("the of and der", "en"),
        (f"{'otter ' * 798}the and", "en"),
        (f"{'otter ' * 799}the and", ""),
    ],
)
def test_a_language_is_told_by_words_that_few_others_have(words: str, language: str) -> None:
    assert language_of(words.split(), "latin") == language


@pytest.mark.parametrize(("before", "script"), [(19_999, "latin"), (20_000, "")])
def test_a_script_is_told_by_the_first_twenty_thousand_characters(before: int, script: str) -> None:
    assert script_of(f"{'1' * before}otter") == script


# Passages


def test_a_word_tells_as_much_as_it_says() -> None:
    weights = claim_weights(words_of("The otters can find many crabs"))

    assert weights == {"otter": 1.0, "find": 0.4, "mani": 0.4, "crab": 1.0}


@pytest.mark.parametrize(
    ("page", "claim", "passage", "share"),
    [
        ("Otters eat crabs. Otters rest.", "Otters eat crabs", "Otters eat crabs.", 1.0),
        ("Otters rest. Otters eat crabs.", "Otters eat crabs", "Otters eat crabs.", 1.0),
        ("Otters rest. They eat crabs.", "Otters eat crabs", "Otters rest. They eat crabs.", 1.0),
        ("Otters rest. Otters dive.", "Otters eat crabs", "Otters rest.", 1 / 3),
        ("They rest. Otters dive.", "Otters eat crabs", "Otters dive.", 1 / 3),
    ],
)
def test_the_nearest_passage_has_no_sentence_that_adds_nothing(
    page: str, claim: str, passage: str, share: float
) -> None:
    found = nearest(claim_weights(words_of(claim)), PageIndex(page).sentences)

    assert found is not None
    assert page[found.start : found.end] == passage
    assert found.share == pytest.approx(share)


@pytest.mark.parametrize(
    ("page", "claim"), [("", "Otters eat"), ("Otters eat.", ""), ("Otters eat.", "Whales sing")]
)
def test_where_a_page_has_no_word_of_a_claim_nothing_is_near(page: str, claim: str) -> None:
    assert nearest(claim_weights(words_of(claim)), PageIndex(page).sentences) is None


# Links in what is said


@pytest.mark.parametrize(
    ("markdown", "said"),
    [
        (f"Otters [swim]({A}) well", "Otters swim well"),
        (f"Otters ([swim]({A})) well", "Otters (swim) well"),
        (f"Otters ([swim]({A}) well)", "Otters (swim well)"),
        (f"(otters [swim]({A})) well", "(otters swim) well"),
        (f"Otters [(swim)]({A}) well", "Otters (swim) well"),
        (f"Otters ([(swim)]({A})) well", "Otters ((swim)) well"),
        (f"Otters ([a.example]({A})) swim", "Otters swim"),
        (f"Otters [3]({A}) swim", "Otters swim"),
    ],
)
def test_a_link_leaves_its_words_and_the_parentheses_around_them(markdown: str, said: str) -> None:
    assert plain(markdown) == said


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("1. Otters", ("otters",)),
        ("Otters [3] eat", ("otters", "eat")),
        ("Otters <b>eat</b> R&amp;D", ("otters", "eat", "r", "d")),
        ("[Otters](https://a.example/x) eat", ("otters", "eat")),
        ("so\u00adft 4th B2B \u00e9t\u00e9", ("soft", "4th", "b2b", "ete")),
    ],
)
def test_markup_is_no_word_of_a_text(text: str, words: tuple[str, ...]) -> None:
    assert words_of(text).folded == words
