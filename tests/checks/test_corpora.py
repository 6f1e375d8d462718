"""Claims and quotes that others wrote, with what people said of them; skipped without the data."""

from __future__ import annotations

import json
from collections import Counter
from functools import cache
from pathlib import Path

from groundwire.checks import Fit, PageIndex, check_claim, find_in
from groundwire.model import Json
from tests.shared import shared

DAMAGED = ("words1", "words2", "words3", "dropword", "digit", "half", "neg_other", "neg_shuffled")
# Every statement of them was read beside its page, and none of the numbers is there.
READ = json.loads((Path(__file__).parent / "numbers_read_by_hand.json").read_text())


@cache
def _lines(name: str) -> list[Json]:
    path = shared("corpora") / "truth" / name
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_quotes_are_placed_and_damaged_ones_are_never_called_true_to_the_letter() -> None:
    pages = {each["page"]: PageIndex(each["text"]) for each in _lines("quotes-pages.jsonl")}
    fits: Counter[tuple[str, Fit]] = Counter()
    for each in _lines("quotes.jsonl"):
        match = find_in(pages[each["page"]], each["claim"])
        fits[each["damage"], match.fit] += 1

    total = {kind for kind, _ in fits}
    found = {kind: 120 - fits[kind, Fit.NONE] for kind in total}
    assert [kind for kind in DAMAGED if fits[kind, Fit.LETTER]] == []
    assert (found["neg_other"], found["neg_shuffled"]) == (0, 0)
    present = sum(count for kind, count in found.items() if not kind.startswith(("neg", "half")))
    assert present >= 0.99 * 19 * 120


def test_a_number_that_is_called_absent_was_read_and_is() -> None:
    stated = {}
    # All of the one file, and of the others those that were read.
    others = (*_lines("wice-tokens-train.jsonl"), *_lines("wice-tokens-dev.jsonl"))
    more = [each for each in others if each["id"] in READ]
    for each in (*_lines("wice-claims-dev.jsonl"), *more):
        missing = check_claim(each["claim"], PageIndex(each["text"])).missing_numbers
        if missing:
            stated[each["id"]] = [*dict.fromkeys(missing)]

    unread = {
        claim: [number for number in numbers if number not in READ.get(claim, ())]
        for claim, numbers in stated.items()
    }
    assert {claim: numbers for claim, numbers in unread.items() if numbers} == {}
    assert len(stated) >= 0.9 * len(READ)
    assert sum(map(len, READ.values())) >= 100
