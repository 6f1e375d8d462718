"""Growth: bench.growth and bench.citations."""

from __future__ import annotations

from collections.abc import Callable

from bench.plots import Curve, curves
from bench.tables import number, table
from groundwire.model import Json


def growth(figures: Json) -> str:
    """Return the cost of each size, all in all and of one, and the exponent."""
    rows = []
    for figure in figures.values():
        of = list(zip(figure["sizes"], figure["cpu_seconds"], strict=True))
        costs = [f"{size:,}: {_seconds(cost)}" for size, cost in of]
        each = " → ".join(_seconds(cost / size) for size, cost in of)
        unit = f"{each} per {figure['unit'].removesuffix('s')}"
        said = f"{figure['exponent']:.2f}"
        rows.append(
            [
                f"{figure['title']} ({figure['unit']}); CPU of {figure['of']}",
                "<br>".join(costs),
                unit,
                said,
                figure["verdict"],
            ]
        )
    heads = ("what grows", "size: CPU in all", "CPU per unit", "exponent", "verdict")
    return table(heads, rows)


def _seconds(value: float) -> str:
    for factor, unit in ((1, "s"), (1e3, "ms"), (1e6, "µs")):
        if value * factor >= 1:
            return f"{number(value * factor)} {unit}"
    return f"{number(value * 1e9)} ns"


def plot(figures: Json) -> str:
    """Return the costs as curves, both axes in times of the smallest."""
    shown = [
        Curve(
            label=figure["title"],
            places=[
                (size / figure["sizes"][0], cost / figure["cpu_seconds"][0])
                for size, cost in zip(figure["sizes"], figure["cpu_seconds"], strict=True)
            ],
        )
        for figure in figures.values()
    ]
    axes = ("times the size (the dashed line is in proportion)", "times the CPU")
    return curves("Growth: CPU over size", axes, shown)


def citations(figures: Json) -> str:
    """Return how placing markers grows, by kind of text and way."""
    rows = []
    for name, of in figures.items():
        small, large = _seconds(of["small"]), _seconds(of["large"])
        rows.append([name, small, large, f"{number(of['ratio'])} ×"])
    return table(("placing markers", "small", "ten times the text and citations", "ratio"), rows)


TABLES: dict[str, tuple[str, Callable[[Json], str]]] = {
    "growth": ("growth", growth),
    "citations": ("citations", citations),
}
PLOTS: dict[str, tuple[str, Callable[[Json], str | None]]] = {"growth": ("growth", plot)}
