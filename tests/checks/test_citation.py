"""A citation's check as JSON: what is there by default, and a judge's opinion in words."""

from __future__ import annotations

import pytest

from groundwire.checks import Check, Fit, NotCompared, QuoteMatch
from groundwire.checks.citation import (
    CitationCheck,
    Opinion,
    Says,
    from_json,
    hash_of,
    opinion_in_words,
    opinion_to_json,
)

FACTS = {
    "missing_numbers": [],
    "rounded_numbers": [],
    "numbers_elsewhere": [],
    "missing_names": [],
    "coverage": 0.5,
    "score": 0.25,
}


def test_what_an_older_check_did_not_say_yet_is_not_so() -> None:
    quote = {"found": "letter", "start": 0, "end": 6, "differing": []}
    place = {"number": 1, "position": 6, "claim": "Otters", "url": "https://a.example/"}

    assert from_json({**place, **FACTS, "quote": quote}) == CitationCheck(
        number=1,
        position=6,
        claim="Otters",
        url="https://a.example/",
        check=Check(
            coverage=0.5,
            score=0.25,
            quote=QuoteMatch(fit=Fit.LETTER, start=0, end=6, places=0),
            quote_is_named=False,
            is_cut=False,
        ),
        opinion_pending=False,
    )


def test_why_a_page_was_not_compared_is_kept() -> None:
    place = {"number": 1, "position": 6, "claim": "Otters", "url": ""}

    found = from_json({**place, **FACTS, "not_compared": "robots", "detail": "closed"})

    assert (found.check.not_compared, found.check.detail) == (NotCompared.ROBOTS, "closed")


@pytest.mark.parametrize(
    ("text", "page_hash"),
    [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    ],
)
def test_a_page_is_known_by_the_sha_256_of_its_text(text: str, page_hash: str) -> None:
    assert hash_of(text) == page_hash
    assert len(hash_of("\ud800")) == 64


@pytest.mark.parametrize(
    ("says", "words", "cost_usd", "label"),
    [
        (Says.SUPPORTED, "", None, "Opinion of gpt: the page says so"),
        (Says.PARTLY, "", 0.0, "Opinion of gpt: the page says a part of it ($0.00000)"),
        (
            Says.NOT_STATED,
            "otters\n sleep",
            None,
            "Opinion of gpt: the page does not say it by \u201cotters sleep\u201d",
        ),
        (
            Says.CONTRADICTED,
            "they dive",
            0.01234,
            "Opinion of gpt: the page says otherwise by \u201cthey dive\u201d ($0.01234)",
        ),
    ],
)
def test_an_opinion_is_told_with_its_model_its_words_and_its_price(
    says: Says, words: str, cost_usd: float | None, label: str
) -> None:
    opinion = Opinion(model="gpt", says=says, words=words, cost_usd=cost_usd)

    assert opinion_in_words(opinion) == label
    assert opinion_to_json(opinion) == {
        "model": "gpt",
        "says": says.value,
        "words": words,
        "cost_usd": cost_usd,
        "label": label,
    }
