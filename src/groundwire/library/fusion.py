"""Two orders of the same things mixed by rank, whatever their scores mean."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

_STEADINESS = 60
"""How little the first ranks count more than the next ones: the usual constant."""


def fused(orders: Iterable[Sequence[int]]) -> list[int]:
    """Return everything that is in an order, best first, by the sum of reciprocal ranks.

    Equals come in the order in which they were first seen.
    """
    scores: dict[int, float] = {}
    for order in orders:
        for rank, one in enumerate(order, 1):
            scores[one] = scores.get(one, 0.0) + 1 / (_STEADINESS + rank)
    return sorted(scores, key=lambda one: -scores[one])
