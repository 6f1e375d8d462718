"""Whether the best sentence answers the question at all, as a probability."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from groundwire.extractive.features import Candidate, Weighed

_MOST_TERMS = 12
_MOST_STRONG = 6


class Signs(NamedTuple):
    """What tells whether a question is answered; the first nine are the best sentence's.

    `best_met` is the most of the question that any of the first sentences meets, `one_page` how
    many of these are of the best one's page: where nothing answers, a bit of it stands on each.
    `absent` is the share that stands on no page. A question of many words is rarely met in full,
    so that their number counts as well.
    """

    met: float
    own: float
    block: float
    pairs: float
    heading: float
    title: float
    label: float
    alike: float
    names: float
    best_met: float
    one_page: float
    absent: float
    terms: float
    strong_terms: float
    score: float


def signs(
    question: Weighed, first: Sequence[Candidate], score: float, absent: Sequence[int]
) -> Signs:
    """Return the signs of a question; `first` are the best candidates, `absent` terms by number."""
    best = first[0].features
    terms = question.asked.terms
    return Signs(
        met=best.met,
        own=best.own,
        block=best.block,
        pairs=best.pairs,
        heading=best.heading,
        title=best.title,
        label=best.label,
        alike=best.alike,
        names=best.names,
        best_met=max(each.features.met for each in first),
        one_page=sum(each.page == first[0].page for each in first) / len(first),
        absent=sum(question.weights[number] for number in absent) / (question.total or 1.0),
        terms=min(len(terms), _MOST_TERMS) / 10,
        strong_terms=min(sum(term.weight >= 1 for term in terms), _MOST_STRONG) / _MOST_STRONG,
        score=score / 10,
    )


def probability(found: Signs, weights: Signs, at_zero: float) -> float:
    """Return how likely it is that the question is answered."""
    logit = at_zero + sum(one * weight for one, weight in zip(found, weights, strict=True))
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, logit))))
