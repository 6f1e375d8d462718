"""How much each feature counts: learned, and written here by `tools/train_extractive.py`."""

from __future__ import annotations

from groundwire.extractive.certainty import Signs
from groundwire.extractive.features import Features

SENTENCE = Features(
    met=10.029,
    own=-1.098,
    terms=2.746,
    block=2.354,
    pairs=2.532,
    spelled_alike=7.776,
    heading=6.163,
    title=5.579,
    label=3.371,
    page_rank=1.570,
    fits=1.949,
    form=2.131,
    is_short=0.835,
    is_history=-0.447,
    is_code=1.469,
)
"""A sentence's score is the sum of its features, each times its weight."""

ANSWERED = Signs(
    met=1.438,
    own=0.763,
    block=0.835,
    pairs=1.101,
    heading=1.937,
    title=3.937,
    label=4.799,
    best_met=1.743,
    absent=-1.876,
    terms=1.408,
    strong_terms=1.273,
    score=1.979,
)
"""The same for whether the best sentence answers at all: the odds that it does, as a logarithm."""

ANSWERED_AT_ZERO = -6.180
"""What all signs are added to."""

REFUSED_BELOW = 0.221
DOUBTED_BELOW = 0.490
"""Below the first border nothing is quoted, below the second what comes closest, with a word of
warning. They were set so that 3 and 11 of 100 questions that the sources answer are below."""
