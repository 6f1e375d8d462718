"""How a cost grows with the size of what is done: the exponent, and whether it is linear."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

MOST = 1.1
"""What counts as linear: ten times the size for at most 12.6 times the CPU."""


def exponent(sizes: Sequence[float], costs: Sequence[float]) -> float:
    """Return the steepest slope between two neighbours when both are drawn as logarithms.

    The steepest, and not that of a line through all: what a turn costs at any size hides in the
    small ones what the large ones grow by.
    """
    steps = pairwise(zip(sizes, costs, strict=True))
    return max(
        math.log(cost / less) / math.log(size / small) for (small, less), (size, cost) in steps
    )


def verdict(slope: float) -> str:
    """Say what an exponent means."""
    return "linear or better" if slope <= MOST else "worse than linear"
