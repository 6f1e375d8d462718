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
        met=4.855,
        own=3.225,
        terms=2.357,
        block=2.806,
        pairs=3.153,
        in_order=0.365,
        alike=6.987,
        before=3.825,
        names=-0.402,
        names_near=2.635,
        heading=8.799,
        heading_asks=4.839,
        title=4.078,
        label=8.634,
        page_rank=1.389,
        fits=1.778,
        form=3.858,
        is_short=-1.438,
        is_history=-1.994,
        is_code=-2.723,
    ),
    answered=Signs(
        met=2.011,
        own=0.262,
        block=0.788,
        pairs=1.471,
        heading=2.438,
        title=1.750,
        label=1.269,
        alike=3.876,
        names=0.813,
        best_met=2.231,
        one_page=1.206,
        absent=-1.659,
        terms=1.453,
        strong_terms=1.305,
        score=1.565,
    ),
    at_zero=-7.895,
    refused_below=0.199,
    doubted_below=0.420,
)
"""Of the questions that the sources answer, 3 and 9 of 100 are below the borders."""
