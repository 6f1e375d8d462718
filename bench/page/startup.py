"""Starting and importing: bench.startup."""

from __future__ import annotations

from collections.abc import Callable

from bench.plots import Bar, bars
from bench.startup import EMPTY
from bench.tables import NOTHING, bold, number, table, times
from groundwire.model import Json


def starts(figures: Json) -> str:
    """Return the cost of each start, and how many times an empty program's."""
    empty = figures[EMPTY]["cpu_seconds"]
    rows = []
    for name, figure in figures.items():
        shown = bold(f"`{name}`") if "groundwire" in name else f"`{name}`"
        if figure is None:
            rows.append([shown, NOTHING, NOTHING, NOTHING])
            continue
        cost = figure["cpu_seconds"]
        modules = f"{figure['modules']:,}"
        rows.append([shown, f"{number(cost * 1000)} ms", times(cost, empty), modules])
    return table(("start", "CPU", "ratio", "modules imported"), rows)


def plot(figures: Json) -> str:
    """Return the starts as bars."""
    rows = [
        Bar(
            label=name,
            value=figure["cpu_seconds"] * 1000,
            text=f"{number(figure['cpu_seconds'] * 1000)} ms",
            kind="floor" if name == EMPTY else "ours" if "groundwire" in name else "peer",
        )
        for name, figure in figures.items()
        if figure
    ]
    return bars("Starting and importing", "CPU milliseconds from start to end", rows)


TABLES: dict[str, tuple[str, Callable[[Json], str]]] = {"startup": ("startup", starts)}
PLOTS: dict[str, tuple[str, Callable[[Json], str | None]]] = {"startup": ("startup", plot)}
