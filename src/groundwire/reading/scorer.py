"""Says how likely a block belongs to what the page is about: a few small trees, summed.

The trees come from `tools/train_reader.py` and are kept in `trees.json`, a list per tree: a leaf
is a number, a branch is [feature, threshold, tree if at most the threshold, tree otherwise].
"""

from __future__ import annotations

import json
import math
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, TypeAlias

from groundwire.reading.features import NAMES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groundwire.model import Json

Tree: TypeAlias = "float | tuple[int, float, Tree, Tree]"

# Below this a block is left out whatever the rest of the page looks like.
_LEAST = 0.15


def probabilities(vectors: Sequence[Sequence[float]]) -> list[float]:
    """Return for each block how likely it is content, 0 to 1."""
    trees = _trees()
    return [_probability(trees, vector) for vector in vectors]


def _probability(trees: tuple[Tree, ...], vector: Sequence[float]) -> float:
    total = 0.0
    for tree in trees:
        node = tree
        while type(node) is tuple:
            node = node[2] if vector[node[0]] <= node[1] else node[3]
        total += node  # type: ignore[operator]  # the loop leaves only leaves
    return 1 / (1 + math.exp(-total))


def threshold(chances: Sequence[float], sizes: Sequence[int]) -> float:
    """Return the chance from which blocks are kept so that the expected F1 is greatest.

    On a page whose blocks are all doubtful this keeps more than a fixed threshold would.
    """
    expected = sum(chance * size for chance, size in zip(chances, sizes, strict=True))
    best, best_score, kept, right = 1.0, 0.0, 0.0, 0.0
    for chance, size in sorted(zip(chances, sizes, strict=True), reverse=True):
        kept += size
        right += chance * size
        score = 2 * right / (kept + expected)
        if score > best_score:
            best, best_score = chance, score
    return max(best, _LEAST)


@cache
def _trees() -> tuple[Tree, ...]:
    stored = json.loads(files("groundwire.reading").joinpath("trees.json").read_text("utf-8"))
    numbers = {name: number for number, name in enumerate(NAMES)}
    return tuple(_tree(tree, stored["features"], numbers) for tree in stored["trees"])


def _tree(node: Json, features: list[str], numbers: dict[str, int]) -> Tree:
    if not isinstance(node, list):
        return float(node)
    feature, bound, low, high = node
    return (
        numbers[features[feature]],
        float(bound),
        _tree(low, features, numbers),
        _tree(high, features, numbers),
    )
