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
        met=5.163,
        own=3.032,
        terms=2.241,
        block=2.603,
        pairs=4.458,
        in_order=0.263,
        alike=6.906,
        before=4.621,
        names=-0.185,
        names_near=2.353,
        full_names=-1.063,
        full_names_near=1.202,
        heading=4.749,
        heading_asks=15.855,
        title=5.891,
        label=7.523,
        page_rank=1.261,
        fits=1.803,
        form=4.773,
        is_first=0.692,
        is_short=-0.919,
        is_history=-0.949,
        is_code=-0.966,
    ),
    answered=Signs(
        met=2.087,
        own=0.490,
        block=0.640,
        pairs=0.910,
        heading=4.883,
        title=-0.221,
        label=1.813,
        alike=2.657,
        names=1.084,
        best_met=2.058,
        one_page=1.208,
        absent=-2.157,
        full_names=1.149,
        numbers=1.649,
        terms=1.834,
        strong_terms=0.726,
        score=1.206,
    ),
    at_zero=-8.603,
    refused_below=0.243,
    doubted_below=0.502,
)
"""Of the questions that the sources answer, 3 and 9 of 100 are below the borders."""
