"""Says how likely a block belongs to what the page is about: a few small trees, summed.

The trees come from `tools/train_reader.py` and are kept in `trees.json`, a list per tree: a leaf
is a number, a branch is [feature, threshold, tree if at most the threshold, tree otherwise].
"""

from __future__ import annotations

import json
import math
from functools import cache
from importlib.resources import files
from types import CodeType, FunctionType
from typing import TYPE_CHECKING

from groundwire.reading.features import NAMES

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from groundwire.model import Json

    Score = Callable[..., float]

# Below this a block is left out whatever the rest of the page looks like.
_LEAST = 0.15


def probabilities(vectors: Sequence[Sequence[float]]) -> list[float]:
    """Return for each block how likely it is content, 0 to 1."""
    score = _score()
    return [1 / (1 + math.exp(-score(*vector))) for vector in vectors]


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
def _score() -> Score:
    """Return the trees as one function of a block's numbers.

    Compiled, a block costs a fifth of what following the lists takes; nothing but numbers and
    the names of our own features gets into the text that is compiled.
    """
    stored = json.loads(files("groundwire.reading").joinpath("trees.json").read_text("utf-8"))
    features = [_known(name) for name in stored["features"]]
    trees = ",".join(_expression(tree, features) for tree in stored["trees"])
    code = compile(f"lambda {','.join(NAMES)}: sum(({trees},))", "trees.json", "eval")
    body = next(constant for constant in code.co_consts if isinstance(constant, CodeType))
    return FunctionType(body, {"sum": sum})


def _known(name: str) -> str:
    return NAMES[NAMES.index(name)]


def _expression(node: Json, features: list[str]) -> str:
    if not isinstance(node, list):
        return repr(float(node))
    feature, bound, low, high = node
    then, otherwise = _expression(low, features), _expression(high, features)
    return f"({then} if {features[feature]} <= {float(bound)!r} else {otherwise})"
