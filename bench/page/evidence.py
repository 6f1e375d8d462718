"""Answers and what they rest on: bench.questions, bench.truth, bench.turn_costs, bench.evidence."""

from __future__ import annotations

from collections.abc import Callable

from bench.tables import bold, number, share, table
from groundwire.model import Json

DATABASES = {"sqlite": "SQLite", "postgresql": "PostgreSQL"}


def answers(figures: Json) -> str:
    """Return how often a quote holds the answer, and what is refused, ours beside the peers'."""
    rows = [
        [name if ": " in name else bold(name), f"{each['questions']:,}", *_hits(each)]
        for name, each in figures.items()
    ]
    heads = ("questions of", "asked", "first quote", "one of three", "refused", "with doubt")
    return table(heads, rows)


def _hits(figure: Json) -> list[str]:
    count = figure["questions"]
    found = [figure["first"], figure["any"]] if figure["has_answers"] else []
    hits = [share(each / count) for each in found] or ["", ""]
    return [*hits, share(figure["refused"] / count), share(figure["hedged"] / count)]


def checking(figures: Json) -> str:
    """Return what a page and a claim cost, by the size of the page."""
    rows = [
        [
            f"{int(size):,}",
            f"{number(each['index'])} ms",
            f"{number(each['claim_median'])} ms",
            f"{number(each['claim_95'])} ms",
        ]
        for size, each in figures["costs"]["sizes"].items()
    ]
    hostile = max(figures["costs"]["hostile"].values(), key=lambda each: each["index"])
    rows.append(["200,000, the worst of 20 hostile ones", f"{number(hostile['index'])} ms", "", ""])
    heads = ("characters of the page", "its index", "a claim, median", "95 of 100 below")
    return table(heads, rows)


def turn_costs(figures: Json) -> str:
    """Return statements and CPU of a turn through the server."""
    rows = [
        [
            name,
            str(figures[kind]["statements"]["first"]),
            str(figures[kind]["statements"]["second"]),
            f"{number(figures[kind]['cpu_seconds'] * 1e3)} ms",
        ]
        for kind, name in DATABASES.items()
        if figures.get(kind)
    ]
    heads = ("a turn on", "statements, first", "statements, second", "CPU")
    return table(heads, rows)


def evidence(figures: Json) -> str:
    """Return what kept pages and bundles cost beside reading."""
    count, raw = figures["pages"], figures["fetched_bytes"]

    def each(name: str) -> str:
        return f"{number(figures[f'{name}_seconds'] / count * 1e3)} ms"

    rows = [
        [f"reading, {count:,} pages of {number(raw / 1e6)} MB", each("reading"), ""],
        ["keeping them", each("keeping"), share(figures["store_bytes"] / raw)],
        ["taking them away as a bundle", each("bundling"), share(figures["bundle_bytes"] / raw)],
        ["verifying the bundle", each("verifying"), ""],
        ["removing them", each("removing"), ""],
    ]
    return table(("", "CPU a page", "size, of what was fetched"), rows)


TABLES: dict[str, tuple[str, Callable[[Json], str]]] = {
    "answers": ("questions", answers),
    "checking": ("truth", checking),
    "turn-costs": ("turn_costs", turn_costs),
    "evidence": ("evidence", evidence),
}
