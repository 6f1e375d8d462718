"""Claims that people judged: the order of scores, the nearest passage, changed digits."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.truth_data import Json, Share, area_under_curve, balanced_accuracy, lines
from groundwire.checks import Check, PageIndex, check_claim
from groundwire.checks.claim_numbers import claim_numbers
from groundwire.checks.summary import has_few
from groundwire.checks.words import words_of

DRAWS = 5
_DIGIT = re.compile(r"[0-9]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """A claim with its page, what people said of it, and what we did."""

    claim: str
    page: PageIndex
    is_supported: bool
    gold: tuple[tuple[int, int], ...]
    check: Check


def measure(folder: Path, *, every: int = 1) -> Json:
    """Return what the checks of WiCE's development claims come to."""
    rows = [_judged(row) for row in lines(folder, "wice-claims-dev.jsonl")[::every]]
    labels = [row.is_supported for row in rows]
    scores = [row.check.score for row in rows]
    plain = [_plain_coverage(row) for row in rows]
    draws = [_changed_digits(rows, seed) for seed in range(DRAWS)]
    return {
        "claims": len(rows),
        "supported": sum(labels),
        "not_compared": sum(row.check.not_compared is not None for row in rows),
        "score": _ordering(scores, labels),
        "plain_coverage": _ordering(plain, labels),
        "nearest": _nearest(rows),
        "digits_page": [draw[0].json() for draw in draws],
        "digits_passage": [draw[1].json() for draw in draws],
        "hints": _hints(rows),
    }


def _judged(row: Json) -> Judged:
    page = PageIndex(row["text"])
    ends, at = [], 0
    for line in row["text"].split("\n"):
        ends.append((at, at + len(line)))
        at += len(line) + 1
    named = {number for gold in row["supporting"] for number in gold}
    return Judged(
        claim=row["claim"],
        page=page,
        is_supported=row["label"] == "supported",
        gold=tuple(ends[number] for number in sorted(named) if number < len(ends)),
        check=check_claim(row["claim"], page),
    )


def _ordering(scores: Sequence[float], labels: Sequence[bool]) -> Json:
    return {
        "auc": round(area_under_curve(scores, labels), 4),
        "balanced_accuracy": round(balanced_accuracy(scores, labels), 4),
    }


def _plain_coverage(row: Judged) -> float:
    """Return the share of the claim's words that are on the page, each word as good as another."""
    words = {*words_of(row.claim).folded}
    return len(words & {*row.page.words.folded}) / max(1, len(words))


def _nearest(rows: Sequence[Judged]) -> Json:
    told = [row for row in rows if row.gold]
    met = sum(_meets(row) for row in told)
    return Share(count=met, total=len(told)).json()


def _meets(row: Judged) -> bool:
    near = row.check.nearest
    return near is not None and any(
        start < near.end and near.start < end for start, end in row.gold
    )


def _changed_digits(rows: Sequence[Judged], seed: int) -> tuple[Share, Share]:
    """Change one digit of each claim that has a number of its page, and see whether it is told."""
    chance = random.Random(seed)
    by_page = by_passage = total = 0
    for row in rows:
        changed = _changed(row, chance)
        if changed is None:
            continue
        claim, number = changed
        check = check_claim(claim, row.page)
        absent = {*check.missing_numbers, *(each.claimed for each in check.rounded_numbers)}
        total += 1
        by_page += number in absent
        by_passage += number in absent or number in check.numbers_elsewhere
    return Share(count=by_page, total=total), Share(count=by_passage, total=total)


def _changed(row: Judged, chance: random.Random) -> tuple[str, str] | None:
    """Return a claim with one digit changed, and the number that it now states."""
    there = [
        number
        for number in claim_numbers(row.claim)
        if _DIGIT.search(number.text) and row.page.numbers.has(number)
    ]
    if not there:
        return None
    number = chance.choice(there)
    places = [match.start() for match in _DIGIT.finditer(number.text)]
    place = chance.choice(places)
    digits = [each for each in "0123456789" if each != number.text[place]]
    digit = chance.choice(digits[1:] if place == places[0] else digits)
    text = f"{number.text[:place]}{digit}{number.text[place + 1 :]}"
    start = number.start
    return f"{row.claim[:start]}{text}{row.claim[start + len(number.text) :]}", text


def _hints(rows: Sequence[Judged]) -> Json:
    """Return how many claims with something absent people did not call supported."""
    return {
        name: Share(count=sum(not row.is_supported for row in fired), total=len(fired)).json()
        for name, fired in (
            ("a number is called absent", [row for row in rows if row.check.missing_numbers]),
            ("a name is called absent", [row for row in rows if row.check.missing_names]),
            ("few words are there", [row for row in rows if has_few(row.check)]),
        )
    }
