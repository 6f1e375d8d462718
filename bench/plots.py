"""Small plots as SVG, readable on light and dark: bars, points and curves."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from itertools import pairwise

WIDTH = 720
ROW = 22
TOP = 52
BOTTOM = 46
RIGHT = 70
LABELS = 190
HEIGHT = 340
NEAREST = 15  # Two labels do not come nearer to one another.

_NAMESPACE = "http://www.w3.org/2000/svg"
_STYLE = """
text { font: 12px system-ui, -apple-system, "Segoe UI", sans-serif; fill: #1f2328; }
.title { font-size: 15px; font-weight: 600; }
.group { font-weight: 600; }
.quiet { fill: #59636e; }
.end { text-anchor: end; }
.middle { text-anchor: middle; }
.back { fill: #ffffff; }
.grid { stroke: #d1d9e0; }
.guide { stroke: #59636e; stroke-dasharray: 4 4; }
.ours { fill: #0969da; }
.peer { fill: #9aa4af; }
.floor { fill: #d1d9e0; }
.curve { fill: none; stroke: #0969da; stroke-width: 1.5; }
.strong { font-weight: 600; }
@media (prefers-color-scheme: dark) {
  text { fill: #f0f6fc; }
  .quiet { fill: #9198a1; }
  .back { fill: #0d1117; }
  .grid { stroke: #3d444d; }
  .guide { stroke: #9198a1; }
  .ours { fill: #4493f8; }
  .peer { fill: #6e7681; }
  .floor { fill: #3d444d; }
  .curve { stroke: #4493f8; }
}
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """One value; `kind` is ours, peer or floor. A group's name stands above its first bar."""

    label: str
    value: float
    text: str
    kind: str = "peer"
    group: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """One thing by two measures."""

    label: str
    x: float
    y: float
    kind: str = "peer"


@dataclass(frozen=True, slots=True, kw_only=True)
class Curve:
    """How one thing grows: pairs of size and cost."""

    label: str
    places: Sequence[tuple[float, float]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Scale:
    """From a value to a place between two ends; by logarithms when `is_log`."""

    low: float
    high: float
    start: float
    end: float
    is_log: bool = False

    def place(self, value: float) -> float:
        """Return where a value is drawn; what is beyond the ends is drawn at them."""
        inside = min(max(value, self.low), self.high)
        if self.is_log:
            part = math.log(inside / self.low) / math.log(self.high / self.low)
        else:
            part = (inside - self.low) / (self.high - self.low)
        return round(self.start + part * (self.end - self.start), 1)

    def ticks(self) -> list[float]:
        """Return round values between the ends."""
        if self.is_log:
            first, last = (round(math.log10(each), 6) for each in (self.low, self.high))
            return [10.0**power for power in range(math.ceil(first), math.floor(last) + 1)]
        step = _step((self.high - self.low) / 5)
        first_tick = math.ceil(round(self.low / step, 6))
        return [step * n for n in range(first_tick, math.floor(self.high / step + 1e-9) + 1)]


def bars(title: str, axis: str, rows: Sequence[Bar], *, is_log: bool = False) -> str:
    """Return horizontal bars; by logarithms they begin at 1, which must be the least."""
    groups = list(dict.fromkeys(row.group for row in rows))
    lines = len(rows) + sum(bool(group) for group in groups)
    bottom = TOP + lines * ROW + 6
    high = max(row.value for row in rows)
    end = WIDTH - RIGHT
    if is_log:
        scale = Scale(low=1, high=_power_above(high), start=LABELS, end=end, is_log=True)
    else:
        scale = Scale(low=0, high=high, start=LABELS, end=end)
    drawn = [_across(scale, bottom)]
    y, group = TOP, ""
    for row in rows:
        if row.group != group:
            group = row.group
            drawn.append(_text(12, y + 15, group, "group"))
            y += ROW
        drawn.append(_bar(row, scale, y))
        y += ROW
    return _svg(title, axis, bottom, drawn)


def points(title: str, axes: tuple[str, str], shown: Sequence[Point]) -> str:
    """Return points, the horizontal axis by logarithms."""
    low, high = min(point.x for point in shown), max(point.x for point in shown)
    across = Scale(
        low=_power_below(low), high=_power_above(high), start=60, end=WIDTH - 150, is_log=True
    )
    least = math.floor(min(point.y for point in shown) * 10) / 10
    up = Scale(low=least, high=1, start=HEIGHT - BOTTOM, end=TOP + 14)
    drawn = [_across(across, HEIGHT - BOTTOM), _upward(up, axes[1], (60, WIDTH - 150))]
    heights = apart([up.place(point.y) for point in shown])
    for point, height in zip(shown, heights, strict=True):
        x, y = across.place(point.x), up.place(point.y)
        drawn.append(f'<circle class="{point.kind}" cx="{x}" cy="{y}" r="5"/>')
        drawn.append(_text(x + 10, height + 4, point.label, _weight(point.kind)))
    return _svg(title, axes[0], HEIGHT - BOTTOM, drawn)


def curves(title: str, axes: tuple[str, str], shown: Sequence[Curve]) -> str:
    """Return curves by logarithms both ways, with a guide of what is in proportion."""
    sizes = [size for curve in shown for size, _ in curve.places]
    costs = [cost for curve in shown for _, cost in curve.places]
    end, bottom = WIDTH - 290, HEIGHT - BOTTOM
    across = Scale(low=min(sizes), high=max(sizes), start=60, end=end, is_log=True)
    most = 1.2 * max(*costs, *sizes)
    up = Scale(low=min(1, *costs), high=most, start=bottom, end=TOP + 14, is_log=True)
    drawn = [_across(across, bottom), _upward(up, axes[1], (60, end))]
    first, last = min(sizes), max(sizes)
    drawn.append(_line("guide", (60, up.place(first)), (end, up.place(last))))
    heights = apart([up.place(curve.places[-1][1]) for curve in shown])
    for curve, height in zip(shown, heights, strict=True):
        places = " ".join(f"{across.place(x)},{up.place(y)}" for x, y in curve.places)
        drawn.append(f'<polyline class="curve" points="{places}"/>')
        drawn.append(_line("grid", (end, up.place(curve.places[-1][1])), (end + 14, height)))
        drawn.append(_text(end + 18, height + 4, curve.label))
    return _svg(title, axes[0], bottom, drawn)


def apart(heights: Sequence[float]) -> list[float]:
    """Return heights as near to those given as labels under one another can be, in their order."""
    order = sorted(range(len(heights)), key=lambda place: heights[place])
    placed = [*heights]
    for above, below in pairwise(order):
        placed[below] = max(placed[below], placed[above] + NEAREST)
    lowest: float = HEIGHT - BOTTOM
    for place in reversed(order):
        placed[place] = min(placed[place], lowest)
        lowest = placed[place] - NEAREST
    return placed


def _bar(row: Bar, scale: Scale, y: float) -> str:
    width = round(max(1.0, scale.place(row.value) - scale.start), 1)
    weight = _weight(row.kind)
    return "".join(
        (
            _text(LABELS - 8, y + 15, row.label, f"end {weight}".strip()),
            f'<rect class="{row.kind}" x="{LABELS}" y="{y + 3}" width="{width}" height="16"/>',
            _text(LABELS + width + 6, y + 15, row.text, weight),
        )
    )


def _across(scale: Scale, bottom: float) -> str:
    return "".join(
        _line("grid", (scale.place(tick), TOP - 4), (scale.place(tick), bottom))
        + _text(scale.place(tick), bottom + 16, f"{tick:,g}", "middle quiet")
        for tick in scale.ticks()
    )


def _upward(scale: Scale, label: str, ends: tuple[float, float]) -> str:
    left, right = ends
    lines = "".join(
        _line("grid", (left, scale.place(tick)), (right, scale.place(tick)))
        + _text(left - 6, scale.place(tick) + 4, f"{tick:,.3g}", "end quiet")
        for tick in scale.ticks()
    )
    return lines + _text(12, TOP - 4, label, "quiet")


def _svg(title: str, axis: str, bottom: float, drawn: Iterable[str]) -> str:
    height = bottom + BOTTOM
    return "\n".join(
        (
            f'<svg xmlns="{_NAMESPACE}" viewBox="0 0 {WIDTH} {height}" role="img">',
            f"<title>{escape(title)}</title>",
            f"<style>{_STYLE}</style>",
            f'<rect class="back" width="{WIDTH}" height="{height}" rx="6"/>',
            _text(12, 26, title, "title"),
            *drawn,
            _text(WIDTH / 2, bottom + 36, axis, "middle quiet"),
            "</svg>\n",
        )
    )


def _text(x: float, y: float, text: str, names: str = "") -> str:
    named = f' class="{names}"' if names else ""
    return f'<text{named} x="{round(x, 1)}" y="{round(y, 1)}">{escape(text)}</text>'


def _line(name: str, start: tuple[float, float], end: tuple[float, float]) -> str:
    (x, y), (to_x, to_y) = start, end
    return f'<line class="{name}" x1="{x}" y1="{y}" x2="{to_x}" y2="{to_y}"/>'


def _weight(kind: str) -> str:
    return "strong" if kind == "ours" else ""


def _step(rough: float) -> float:
    """Return the round step that is next to a rough one."""
    power = 10.0 ** math.floor(math.log10(rough))
    return next(power * each for each in (1, 2, 5, 10) if power * each >= rough)


def _power_above(value: float) -> float:
    return float(10.0 ** max(1, math.ceil(math.log10(value))))


def _power_below(value: float) -> float:
    return float(10.0 ** math.floor(math.log10(value)))
