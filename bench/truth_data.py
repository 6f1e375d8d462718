"""Claims and quotes that others wrote, with what people said of them; and how sure a share is."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from bench.environments import ROOT

Json: TypeAlias = Any

FOLDER = ROOT.parent / "shared/corpora/truth"
MISSING = "there is no ../shared/corpora/truth with claims and quotes"
_Z = 1.959964


def lines(folder: Path, name: str) -> list[Json]:
    """Return the rows of a file."""
    return [json.loads(line) for line in (folder / name).read_text().splitlines()]


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """So many of so many, and between what the true share lies in 95 cases of 100 (Wilson)."""

    count: int
    total: int

    @property
    def interval(self) -> tuple[float, float]:
        """Return the ends of the interval."""
        if not self.total:
            return 0.0, 1.0
        share, spread = self.count / self.total, _Z * _Z / self.total
        middle = (share + spread / 2) / (1 + spread)
        half = _Z / (1 + spread) * math.sqrt((share * (1 - share) + spread / 4) / self.total)
        return max(0.0, middle - half), min(1.0, middle + half)

    def json(self) -> Json:
        """Return it with its ends."""
        low, high = self.interval
        return {"count": self.count, "total": self.total, "low": round(low, 4),
                "high": round(high, 4)}  # fmt: skip


def area_under_curve(scores: Sequence[float], labels: Sequence[bool]) -> float:
    """Return how often a claim with the label scores above one without; ties count half."""
    ranked = sorted(zip(scores, labels, strict=True))
    positive, rank_sum, at = sum(labels), 0.0, 0
    while at < len(ranked):
        end = at
        while end < len(ranked) and ranked[end][0] == ranked[at][0]:
            end += 1
        rank_sum += sum(label for _, label in ranked[at:end]) * (at + end + 1) / 2
        at = end
    negative = len(ranked) - positive
    return (rank_sum - positive * (positive + 1) / 2) / (positive * negative)


def balanced_accuracy(scores: Sequence[float], labels: Sequence[bool]) -> float:
    """Return the mean share that is right of both kinds, each half by the other's border."""
    halves = [[*zip(scores[part::2], labels[part::2], strict=True)] for part in (0, 1)]
    return sum(
        _balance(rows, _best_border(others))
        for rows, others in ((halves[0], halves[1]), (halves[1], halves[0]))
    ) / 2  # fmt: skip


def _best_border(rows: Sequence[tuple[float, bool]]) -> float:
    borders = sorted({score for score, _ in rows})
    return max(borders, key=lambda border: _balance(rows, border))


def _balance(rows: Sequence[tuple[float, bool]], border: float) -> float:
    above = [score >= border for score, label in rows if label]
    below = [score < border for score, label in rows if not label]
    return (sum(above) / len(above) + sum(below) / len(below)) / 2
