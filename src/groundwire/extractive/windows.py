"""Which stretch of a page is quoted: the one that most likely holds the answer, as far as it fits.

A sentence's score is the logarithm of a chance. A stretch holds the answer if one of its
sentences does, so its chance is the sum of theirs: two fair sentences side by side are quoted
before a good one that stands alone.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from groundwire.extractive.blocks import TextBlock
from groundwire.extractive.features import Candidate

Place: TypeAlias = tuple[int, int]
"""A page and one of its blocks, by number."""

_LOOKED_AT = 80
"""So many of the best sentences share all of the chance; what the others would have is nothing."""

_PER_LENGTH = 0.000_002
"""What share of its chance a stretch loses for each character: what adds nothing is left out."""


class Window(NamedTuple):
    """Sentences of one block that follow each other, and the chance that the answer is there."""

    page: int
    block: int
    first: int
    last: int
    chance: float


Chances: TypeAlias = Mapping[Place, Mapping[int, float]]


def chances(scored: Sequence[tuple[Candidate, float]]) -> Chances:
    """Return the chance of every sentence worth a look, by block; scores come best first."""
    best = scored[:_LOOKED_AT]
    odds = [math.exp(score - best[0][1]) for _, score in best]
    total = sum(odds)
    found: dict[Place, dict[int, float]] = {}
    for (one, _), each in zip(best, odds, strict=True):
        found.setdefault((one.page, one.block), {})[one.sentence] = each / total
    return found


def in_block(
    place: Place, block: TextBlock, given: Mapping[int, float], longest: int
) -> Iterator[Window]:
    """Yield every stretch of a block that begins with a likely sentence and is not too long."""
    for first in given:
        chance = 0.0
        for last in range(first, len(block.sentences)):
            length = block.sentences[last].end - block.sentences[first].start
            if last > first and (length > longest or block.is_code):
                break
            chance += given.get(last, 0.0)
            yield Window(*place, first, last, chance)


def worth(window: Window, block: TextBlock) -> float:
    """Return what stretches are compared by: their chance, a little less for each character."""
    length = block.sentences[window.last].end - block.sentences[window.first].start
    return window.chance * (1 - min(0.5, _PER_LENGTH * length))
