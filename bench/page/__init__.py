"""docs/performance.md: a template written by hand, and what the figures of a run put into it.

A line `{{ table NAME }}` becomes a table and `{{ plot NAME }}` an image; both say why where a part
did not run. No figure stands in the template itself.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from bench.page import decoders, documents, evidence, growth, libraries, machine, server, startup
from groundwire.model import Json

TEMPLATE = Path(__file__).with_name("template.md")
IMAGES = "images/performance"
MARK = re.compile(r"\{\{ (table|plot) ([a-z-]+) \}\}")

SETTING = machine.TABLES
TABLES: dict[str, tuple[str, Callable[[Json], str]]] = {
    **decoders.TABLES,
    **server.TABLES,
    **documents.TABLES,
    **libraries.TABLES,
    **evidence.TABLES,
    **startup.TABLES,
    **growth.TABLES,
}
PLOTS: dict[str, tuple[str, Callable[[Json], str | None]]] = {
    **decoders.PLOTS,
    **documents.PLOTS,
    **startup.PLOTS,
    **growth.PLOTS,
}
"""By name: the part whose figures are shown, and how; a plot is None where there is nothing."""


def text(figures: Json) -> str:
    """Return the page."""

    def block(mark: re.Match[str]) -> str:
        kind, name = mark[1], mark[2]
        if kind == "plot":
            return _image(name) if plot(name, figures) else ""
        return _table(name, figures)

    page = MARK.sub(block, TEMPLATE.read_text())
    return re.sub(r"\n{3,}", "\n\n", page)


def plot(name: str, figures: Json) -> str | None:
    """Return a plot, None where there are no figures for it."""
    part, draw = PLOTS[name]
    measured = figures["parts"].get(part, {}).get("figures")
    return draw(measured) if measured else None


def write(figures: Json, folder: Path) -> None:
    """Write the page and its plots into the folder of the documentation."""
    images = folder / IMAGES
    images.mkdir(parents=True, exist_ok=True)
    for name in PLOTS:
        file = images / f"{name}.svg"
        if drawn := plot(name, figures):
            file.write_text(drawn)
        else:
            file.unlink(missing_ok=True)
    (folder / "performance.md").write_text(text(figures))


def _table(name: str, figures: Json) -> str:
    if name in SETTING:
        return SETTING[name](figures)
    part, draw = TABLES[name]
    outcome = figures["parts"].get(part, {})
    if outcome.get("figures"):
        return draw(outcome["figures"])
    reason = outcome.get("skipped") or outcome.get("fault") or "this part was not run"
    return f"*Not measured: {reason}.*"


def _image(name: str) -> str:
    return f"![{name.replace('-', ' ').capitalize()}]({IMAGES}/{name}.svg)"
