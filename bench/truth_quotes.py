"""Quotes with one damage each: where they are found, and what they are called."""

from __future__ import annotations

from collections import Counter, defaultdict
from enum import StrEnum
from pathlib import Path

from bench.truth_data import Json, Share, lines
from groundwire.checks import Fit, PageIndex, QuoteMatch, find_in
from groundwire.checks.words import words_of

OVERLAP = 0.6
CUT_TOLERANCE = 8
# Damages after which the words, or their letters, are no longer those of the page.
CHANGED = ("words1", "words2", "words3", "dropword", "digit")
FOREIGN = ("neg_other", "neg_shuffled")
HALF = "half"
# Damages of typography and markup alone; a list's own marks are in doubt, and case is a letter.
LETTER_TRUE = (
    *("exact", "softhyphen", "cut150", "entity", "plain", "quotes", "nbsp", "ellipsis_mid"),
    *("footnotes", "trunc", "wrap", "dashes"),
)


class Place(StrEnum):
    """How the place where a quote was found lies to the true one."""

    OVERLAP = "overlaps the true span"
    INSIDE = "lies inside it"
    ELSEWHERE = "the same words elsewhere"
    WRONG = "another place"
    NONE = "not found"


def measure(folder: Path, *, every: int = 1) -> Json:
    """Return how quotes were placed and called, by damage and in sum."""
    pages = {row["page"]: PageIndex(row["text"]) for row in lines(folder, "quotes-pages.jsonl")}
    places: dict[str, Counter[str]] = defaultdict(Counter)
    fits: dict[str, Counter[str]] = defaultdict(Counter)
    for row in lines(folder, "quotes.jsonl")[::every]:
        page = pages[row["page"]]
        match = find_in(page, row["claim"])
        fits[row["damage"]][match.fit] += 1
        places[row["damage"]][_place(match, row, page)] += 1
    return _summary(places, fits) | {
        "damages": {
            damage: {"places": dict(places[damage]), "fits": dict(fits[damage])}
            for damage in places
        }
    }


def _place(match: QuoteMatch, row: Json, page: PageIndex) -> Place:
    if match.start is None or match.end is None:
        return Place.NONE
    start = row["start"]
    if start is None:
        return Place.WRONG
    if row["end"] is None and abs(match.start - start) <= CUT_TOLERANCE:
        # Nobody wrote down where a cut quote ends.
        return Place.OVERLAP
    end = row["end"] or start + len(row["claim"])
    shared = max(0, min(end, match.end) - max(start, match.start))
    if shared / (max(end, match.end) - min(start, match.start)) >= OVERLAP:
        return Place.OVERLAP
    if start <= match.start and match.end <= end:
        return Place.INSIDE
    there, meant = (
        words_of(page.text[first:last]).letters
        for first, last in ((match.start, match.end), (start, end))
    )
    is_same = there == meant or (len(there) > 20 and (there in meant or meant in there))
    return Place.ELSEWHERE if is_same else Place.WRONG


def _summary(places: dict[str, Counter[str]], fits: dict[str, Counter[str]]) -> Json:
    present = [damage for damage in places if damage not in (*FOREIGN, HALF)]
    total = sum(places[damage].total() for damage in present)
    kinds = {place: sum(places[damage][place] for damage in present) for place in Place}
    right = sum(kinds[each] for each in (Place.OVERLAP, Place.INSIDE, Place.ELSEWHERE))
    return {
        "right": Share(count=right, total=total).json(),
        "kinds": {place.value: count for place, count in kinds.items()},
        "foreign_found": _found(fits, FOREIGN).json(),
        "half_found": _found(fits, (HALF,)).json(),
        "damaged_to_the_letter": _called(fits, Fit.LETTER, (*CHANGED, *FOREIGN, HALF)).json(),
        "letter_recall": _called(fits, Fit.LETTER, LETTER_TRUE).json(),
    }


def _found(fits: dict[str, Counter[str]], damages: tuple[str, ...]) -> Share:
    total = sum(fits[damage].total() for damage in damages)
    return Share(count=total - sum(fits[damage][Fit.NONE] for damage in damages), total=total)


def _called(fits: dict[str, Counter[str]], fit: Fit, damages: tuple[str, ...]) -> Share:
    total = sum(fits[damage].total() for damage in damages)
    return Share(count=sum(fits[damage][fit] for damage in damages), total=total)
