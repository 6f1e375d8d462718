"""The trees that `tools/train_reader.py` trains: how they are stored, and asked.

`trees.json` has the names of the features in use and the bounds of each, and for every tree its
nodes in the order of a walk from the root: a branch is the number of a feature and that of one of
its bounds, followed by the tree for what is at most the bound and by the tree for the rest; a leaf
is its value in thousandths, plus LEAF.
"""

from __future__ import annotations

import json
import math
from functools import cache
from importlib.resources import files
from types import CodeType, FunctionType
from typing import TYPE_CHECKING

from groundwire.reader.features import FLAGS, NAMES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    Score = Callable[..., float]

LEAF = 5_000  # No feature has a number over half of it, and no leaf a value below minus two.
# What the first trees leave at most here is given up without asking the others.
FIRST_TREES, DOUBTFUL, HOPELESS = 30, -1.0, -3.0
# Beyond this, either way, a third of the trees is enough; all would say so two fifths louder.
ENOUGH_TREES, SURE, LOUDER = 80, 1.2, 1.4
# Nearer to the middle two thirds are.
MORE_TREES, NEARLY_SURE, A_LITTLE_LOUDER = 160, 0.6, 1.1
# Half the blocks of a page are menus and the like, which the first few trees can tell.
_SCORE = """
def score({names}):
    score = sum(({first},))
    if score > DOUBTFUL:
        score += sum(({second},))
        if abs(score) <= SURE:
            score += sum(({third},))
            return score * A_LITTLE_LOUDER if abs(score) > NEARLY_SURE else score + sum(({rest},))
    return score * LOUDER if score > 0 else min(score, HOPELESS)
"""
_LIMITS = {
    "DOUBTFUL": DOUBTFUL,
    "HOPELESS": HOPELESS,
    "SURE": SURE,
    "LOUDER": LOUDER,
    "NEARLY_SURE": NEARLY_SURE,
    "A_LITTLE_LOUDER": A_LITTLE_LOUDER,
}
_SUM = """
def score({names}):
    return sum(({all},))
"""


def scores(vectors: Sequence[Sequence[float]]) -> list[float]:
    """Return for each block the logarithm of its odds to be content."""
    score, _ = _compiled()
    return [score(*vector) for vector in vectors]


def article_chance(vector: Sequence[float]) -> float:
    """Return how likely a page is an article, by the numbers of any of its blocks."""
    _, article = _compiled()
    return 1 / (1 + math.exp(-article(*vector)))


@cache
def _compiled() -> tuple[Score, Score]:
    """Return the trees of blocks and those of pages, each as one function of a block's numbers.

    Compiled, a block costs a fifth of what following the lists takes; nothing but numbers and
    the names of our own features gets into the text that is compiled.
    """
    stored = json.loads(files("groundwire.reader").joinpath("trees.json").read_text("utf-8"))
    named = list(zip(map(_known, stored["features"]), stored["bounds"], strict=True))
    trees = [_expression(iter(tree), named) for tree in stored["trees"]]
    article = [_expression(iter(tree), named) for tree in stored["article"]]
    names = ",".join(NAMES)
    text = _SCORE.format(
        names=names,
        first=",".join(trees[:FIRST_TREES]),
        second=",".join(trees[FIRST_TREES:ENOUGH_TREES]),
        third=",".join(trees[ENOUGH_TREES:MORE_TREES]),
        rest=",".join(trees[MORE_TREES:]),
    )
    return _function(text), _function(_SUM.format(names=names, all=",".join(article)))


def _function(text: str) -> Score:
    code = compile(text, "trees.json", "exec")
    body = next(constant for constant in code.co_consts if isinstance(constant, CodeType))
    return FunctionType(body, {"sum": sum, "abs": abs, "min": min, **_LIMITS})


def _known(name: str) -> str:
    return NAMES[NAMES.index(name)]


def _expression(nodes: Iterator[int], named: list[tuple[str, list[float]]]) -> str:
    node = next(nodes)
    if node >= LEAF // 2:
        return repr((node - LEAF) / 1_000)
    feature, bounds = named[node]
    bound = float(bounds[next(nodes)])
    low = _expression(nodes, named)
    high = _expression(nodes, named)
    if feature in FLAGS:  # A comparison costs several times what a flag does.
        return f"({high} if {feature} else {low})"
    return f"({low} if {feature} <= {bound!r} else {high})"
