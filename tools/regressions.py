"""The two models of `tools.train_extractive`, fitted with numpy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np

Numbers: TypeAlias = Any  # numpy's arrays.


def conditional_logit(
    groups: Sequence[tuple[Numbers, Numbers, float]], *, rounds: int = 80
) -> Numbers:
    """Return the weights that prefer right rows most, by Adam on the logarithm of their odds.

    A group is a question: a row for each sentence, which of them are right, and how much the
    question counts.
    """
    rows = np.vstack([features for features, _, _ in groups]).astype(np.float64)
    spread = rows.std(axis=0) + 1e-3
    rows /= spread
    right = np.concatenate([each for _, each, _ in groups]).astype(float)
    lengths = np.array([len(each) for _, each, _ in groups])
    starts = np.r_[0, np.cumsum(lengths)[:-1]]
    total = sum(count for _, _, count in groups)
    counts = np.repeat([count for _, _, count in groups], lengths)

    def shares(values: Numbers) -> Numbers:
        return values / np.repeat(np.add.reduceat(values, starts) + 1e-300, lengths)

    weights, first, second = (np.zeros(rows.shape[1]) for _ in range(3))
    for step in range(1, rounds + 1):
        scores = rows @ weights
        likely = shares(np.exp(scores - np.repeat(np.maximum.reduceat(scores, starts), lengths)))
        slope = (rows.T @ (counts * (shares(likely * right) - likely)) - weights) / total
        first, second = 0.9 * first + 0.1 * slope, 0.99 * second + 0.01 * slope**2
        pace = 0.1 * (1 - (step - 1) / rounds)
        weights += pace * (first / (1 - 0.9**step)) / (np.sqrt(second / (1 - 0.99**step)) + 1e-8)
    return weights / spread


def logistic(rows: Numbers, labels: Numbers, counts: Numbers) -> tuple[Numbers, float]:
    """Return the weights of a logistic regression and what they are added to, by Newton's steps."""
    mean, spread = rows.mean(axis=0), rows.std(axis=0) + 1e-9
    scaled = np.c_[np.ones(len(rows)), (rows - mean) / spread]
    weights = np.zeros(scaled.shape[1])
    penalty = 0.01 * len(rows) * np.eye(len(weights))
    for _ in range(40):
        likely = 1 / (1 + np.exp(-scaled @ weights))
        slope = scaled.T @ (counts * (labels - likely)) - penalty @ weights
        curve = (scaled * (counts * likely * (1 - likely))[:, None]).T @ scaled + penalty
        weights += np.linalg.solve(curve, slope)
    bare = weights[1:] / spread
    return bare, float(weights[0] - (bare * mean).sum())
