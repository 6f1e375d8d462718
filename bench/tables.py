"""Tables in Markdown, and numbers as a person reads them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

NOTHING = "–"


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table whose first column is names and whose others are numbers."""
    lines = [heads, ["---", *["---:"] * (len(heads) - 1)], *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def number(value: float) -> str:
    """Return three digits that count, and no more than the whole of a large number."""
    if value == 0:
        return "0"
    if abs(value) >= 100:
        return f"{value:,.0f}"
    if abs(value) >= 10:
        return f"{value:.1f}"
    return f"{value:.2f}" if abs(value) >= 0.1 else f"{value:.2g}"


def times(value: float, base: float) -> str:
    """Return how many times as much a value is."""
    return f"{number(value / base)} ×"


def share(value: float) -> str:
    """Return a share as a percentage."""
    return f"{value:.1%}".replace("%", " %")


def score(value: float) -> str:
    """Return a quality between 0 and 1."""
    return f"{value:.3f}"


def bold(text: str) -> str:
    return f"**{text}**"
