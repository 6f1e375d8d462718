"""How much each feature counts: learned, and written here by `tools/train_extractive.py`."""

from __future__ import annotations

from dataclasses import dataclass

from groundwire.extractive.certainty import Signs
from groundwire.extractive.features import Features


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    """Two sums and two borders.

    A sentence's score is the sum of its features, each times its weight in `sentence`. `answered`
    and `at_zero` are the same for whether the best sentence answers at all: the odds that it does,
    as a logarithm. Below `refused_below` nothing is quoted, below `doubted_below` what comes
    closest, with a word of warning.
    """

    sentence: Features
    answered: Signs
    at_zero: float
    refused_below: float
    doubted_below: float


LEARNED = Weights(
    sentence=Features(
        met=4.645,
        own=3.427,
        terms=2.154,
        block=3.027,
        pairs=3.711,
        in_order=0.198,
        alike=6.495,
        before=4.072,
        names=-0.271,
        names_near=2.343,
        full_names=-0.938,
        full_names_near=1.138,
        heading=2.895,
        heading_asks=16.418,
        title=2.470,
        label=4.433,
        page_rank=0.914,
        fits=1.716,
        form=4.635,
        is_first=0.756,
        is_short=-0.518,
        is_history=-3.000,
        is_code=0.692,
    ),
    answered=Signs(
        met=1.933,
        own=0.765,
        block=0.655,
        pairs=0.931,
        heading=3.109,
        heading_asks=1.649,
        title=0.715,
        label=4.466,
        alike=3.646,
        names=0.961,
        best_met=2.004,
        one_page=1.550,
        absent=-2.386,
        full_names=1.122,
        numbers=1.956,
        terms=1.711,
        strong_terms=1.015,
        score=1.302,
    ),
    at_zero=-9.209,
    refused_below=0.204,
    doubted_below=0.489,
)
"""Of the questions that the sources answer, 3 and 9 of 100 are below the borders."""
