"""Whether the best sentence answers the question at all, as a probability."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from typing import NamedTuple

from groundwire.extractive.features import Candidate, PageText, Weighed, in_full
from groundwire.extractive.questions import Asked

_MOST_TERMS = 12
_MOST_STRONG = 6


class Signs(NamedTuple):
    """What tells whether a question is answered; the first ten are the best sentence's.

    `best_met` is the most of the question that any of the first sentences meets, `one_page` how
    many of these are of the best one's page: where nothing answers, a bit of it stands on each.
    `absent` is the share that stands on no page. `full_names` and `numbers` are the share of its
    names of several words, whole, and of its numbers that stand on the best one's page; a half
    where it has none. A question of many words is rarely met in full,
    so that their number counts as well.
    """

    met: float
    own: float
    block: float
    pairs: float
    heading: float
    heading_asks: float
    title: float
    label: float
    alike: float
    names: float
    best_met: float
    one_page: float
    absent: float
    full_names: float
    numbers: float
    terms: float
    strong_terms: float
    score: float


def signs(
    question: Weighed, pages: Sequence[PageText], first: Sequence[Candidate], score: float
) -> Signs:
    """Return the signs of a question; `first` are the best candidates of the pages."""
    best = first[0].features
    page = pages[first[0].page]
    absent = missing(question.asked, pages)
    terms = question.asked.terms
    return Signs(
        met=best.met,
        own=best.own,
        block=best.block,
        pairs=best.pairs,
        heading=best.heading,
        heading_asks=best.heading_asks,
        title=best.title,
        label=best.label,
        alike=best.alike,
        names=best.names,
        best_met=max(each.features.met for each in first),
        one_page=sum(each.page == first[0].page for each in first) / len(first),
        absent=sum(question.weights[number] for number in absent) / (question.total or 1.0),
        full_names=in_full(question.asked, page.matches, 0, sys.maxsize),
        numbers=_numbers(question.asked, page),
        terms=min(len(terms), _MOST_TERMS) / 10,
        strong_terms=min(sum(term.weight >= 1 for term in terms), _MOST_STRONG) / _MOST_STRONG,
        score=score / 10,
    )


def missing(asked: Asked, pages: Sequence[PageText]) -> list[int]:
    """Return which terms stand nowhere, not in titles and not in code."""
    return [
        number
        for number in range(len(asked.terms))
        if not any(page.matches.places[number] or page.title[number] for page in pages)
    ]


def _numbers(asked: Asked, page: PageText) -> float:
    if not asked.numbers:
        return 0.5
    there = [bool(page.matches.places[number]) for number in asked.numbers]
    return sum(there) / len(there)


def probability(found: Signs, weights: Signs, at_zero: float) -> float:
    """Return how likely it is that the question is answered."""
    logit = at_zero + sum(one * weight for one, weight in zip(found, weights, strict=True))
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, logit))))
