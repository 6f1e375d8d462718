"""Says which blocks belong to what the page is about, by the scores that the trees give them."""

from __future__ import annotations

import math
from collections import defaultdict
from itertools import accumulate
from typing import TYPE_CHECKING

from groundwire.reader.trees import HOPELESS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groundwire.reader.blocks import Block

# Below this chance a block is left out whatever the rest of the page looks like.
_LEAST = 0.15
_LEAST_OF_HEADING = -2.0  # As the logarithm of the odds.
# The trees are wrong about whole pages rather than single blocks: how far all scores of a page may
# be off, and how often.
_ERRORS = ((-1.8, 0.35), (0.0, 0.4), (1.8, 0.25))
# The matter of a page ends more often than its blocks can tell: after this many words, and with
# each doubling, what follows loses this much.
_ENOUGH, _FADING = 400, 0.25
# Of an article, what is doubtful belongs to it less often than of other pages.
_ARTICLE = 0.8
_ALIKE = 3  # From this many blocks of the same make on, they are judged together,
_TOGETHER = 0.8  # by this much.


def likely(blocks: Sequence[Block], scores: Sequence[float], article: float = 0.0) -> list[bool]:
    """Return which blocks are what the page is about, by their scores.

    `article` is how likely the page is one. A heading stays with what stands right under it, if
    there is any chance that it belongs there.
    """
    scores = [score - _ARTICLE * article for score in scores]
    sizes = [block.words for block in blocks]
    evened = even(blocks, fade(scores, sizes), sizes)
    least = threshold(evened, sizes)
    kept = [score >= least for score in evened]
    # From the last to the first, so that a title is kept with the first section's heading.
    for number in range(len(blocks) - 2, -1, -1):
        if kept[number + 1] and blocks[number].heading and scores[number] > _LEAST_OF_HEADING:
            kept[number] = True
    return kept


def fade(scores: Sequence[float], sizes: Sequence[int]) -> list[float]:
    """Return scores that go down the more words stand before a block that seem to be content.

    What comes late on a long page is reviews, replies and further reading more often than it looks.
    """
    faded: list[float] = []
    words = 0
    for score, size in zip(scores, sizes, strict=True):
        loss = _FADING * math.log2(words / _ENOUGH) if words > _ENOUGH else 0.0
        faded.append(score - loss)
        words += size if score > 0 else 0
    return faded


def even(blocks: Sequence[Block], scores: Sequence[float], sizes: Sequence[int]) -> list[float]:
    """Return scores in which blocks of the same make stand closer together.

    Either all prices of a shop's grid belong to its matter, or none does.
    """
    alike: dict[object, list[int]] = defaultdict(list)
    for number, block in enumerate(blocks):
        alike[_make(block)].append(number)
    evened = list(scores)
    for numbers in alike.values():
        if len(numbers) >= _ALIKE:
            weights = [min(sizes[number], 50) + 1 for number in numbers]
            whole = sum(scores[n] * weight for n, weight in zip(numbers, weights, strict=True))
            middle = whole / sum(weights)
            for number in numbers:
                evened[number] += _TOGETHER * (middle - scores[number])
    return evened


def _make(block: Block) -> tuple[object, ...]:
    """Return what blocks of the same make share: tags and classes of the elements around them."""
    inner = block.container
    middle = inner.parent or inner
    outer = middle.parent or middle
    own = (inner.depth, block.heading, inner.tag, inner.name)
    return (*own, middle.tag, middle.name, outer.tag, outer.name)


def threshold(scores: Sequence[float], sizes: Sequence[int]) -> float:
    """Return the score from which blocks are kept so that the expected F1 is greatest.

    On a page whose blocks are all doubtful this keeps more than a fixed threshold would.
    """
    pairs = zip(scores, sizes, strict=True)
    hopeful = sorted((pair for pair in pairs if pair[0] > HOPELESS), reverse=True)
    kept = list(accumulate(size for _, size in hopeful))
    expected = [0.0] * len(hopeful)
    for error, share in _ERRORS:
        right = list(accumulate(size / (1 + math.exp(-score - error)) for score, size in hopeful))
        for place, hit in enumerate(right):
            expected[place] += share * 2 * hit / (kept[place] + right[-1])
    best = max(range(len(hopeful)), key=expected.__getitem__, default=None)
    least = math.log(_LEAST / (1 - _LEAST))
    return least if best is None else max(least, hopeful[best][0])
