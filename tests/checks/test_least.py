"""What is just enough to be found, to be close, or to be spoken of."""

from __future__ import annotations

import pytest

from groundwire.checks import (
    Check,
    Fit,
    PageIndex,
    Quotation,
    QuoteMatch,
    claim_at,
    facts_in_words,
    find_in,
    label_of,
)


@pytest.mark.parametrize(
    ("quote", "fit"),
    [
        ("sea otters rest", Fit.NONE), ("the sea otters rest", Fit.CLOSE),
        ("tters quietly\u2026", Fit.LETTER), ("tters quietly", Fit.NONE),
    ],
)  # fmt: skip
def test_four_words_may_be_close_and_a_cut_quote_may_begin_inside_a_word(
    quote: str, fit: Fit
) -> None:
    assert find_in(PageIndex("The sea otters quietly rest there."), quote).fit is fit


def test_several_quotations_are_called_by_the_one_that_fits_least() -> None:
    fits = (Fit.LETTER, Fit.WORDS)
    quotations = [Quotation(text="so it is", match=QuoteMatch(fit=fit)) for fit in fits]

    for each in (quotations, quotations[::-1]):
        check = Check(quotations=tuple(each), coverage=0.9)
        assert label_of(check) == "the same words are on the page"


@pytest.mark.parametrize(
    ("fit", "facts"),
    [(Fit.LETTER, 2), (Fit.WORDS, 1), (Fit.CLOSE, 1), (Fit.NONE, 2)],
)
def test_beside_quotations_a_claim_is_spoken_of_only_if_that_says_more(
    fit: Fit, facts: int
) -> None:
    said = Quotation(text="so it is", match=QuoteMatch(fit=Fit.LETTER))
    check = Check(quotations=(said,), quote=QuoteMatch(fit=fit), coverage=0.9)

    assert len(facts_in_words(check)) == facts


def test_the_head_of_a_table_is_its_own_and_not_that_of_the_table_above() -> None:
    text = "| Old | Head |\n\n| Name | Age |\n|---|---|\n| Otter | 5 |"

    assert claim_at(text, len(text)).context == "Name Age"
