"""Libraries on claims of science, and at scale: bench.scifact and bench.library_scale."""

from __future__ import annotations

from collections.abc import Callable

from bench.tables import NOTHING, bold, number, score, table
from groundwire.model import Json


def scifact(figures: Json) -> str:
    """Return how well and how fast claims find their abstracts, beside the peers."""
    heads = ("index", "nDCG@10", "a query, mean", "p50", "p95", "CPU, mean", "with opening")
    said = f"{figures['documents']:,} abstracts, {figures['queries']:,} claims:"
    names = ("milliseconds", "p50_milliseconds", "p95_milliseconds")
    rows = [
        [
            bold(name) if name.startswith("groundwire") else name,
            *_scored(figure, (*names, "cpu_milliseconds", "milliseconds_with_opening")),
        ]
        for name, figure in figures["indexes"].items()
    ]
    return f"{said}\n\n{table(heads, rows)}"


def meaning(figures: Json) -> str:
    """Return what vectors add to words."""
    names = ("milliseconds", "p50_milliseconds")
    rows = [
        [
            name,
            *_scored(figure, names),
            f"{number(figure['embedding_seconds'])} s" if "embedding_seconds" in figure else "",
        ]
        for name, figure in figures["indexes"].items()
    ]
    heads = ("words and vectors", "nDCG@10", "a query, mean", "p50", "making all vectors")
    said = f"{figures['documents']:,} abstracts, {figures['queries']:,} claims:"
    return f"{said}\n\n{table(heads, rows)}"


def _scored(figure: Json, names: tuple[str, ...]) -> list[str]:
    if figure is None:
        return [NOTHING] * (len(names) + 1)
    costs = [
        NOTHING if figure.get(name) is None else f"{number(figure[name])} ms" for name in names
    ]
    return [score(figure["ndcg"]), *costs]


def scale(figures: Json) -> str:
    """Return what a large library costs."""
    passages, files = figures["passages"], figures["files"]
    rows = [
        ["adding", *(f"{number(each['adding_seconds'])} s" for each in (passages, files))],
        ["adding again, all unchanged", "", f"{number(files['again_seconds'])} s"],
        ["size of the library", *(_megabytes(each["bytes"]) for each in (passages, files))],
        ["size of the files", "", _megabytes(files["bytes_of_files"])],
        *(_costs(words, name, (passages, files)) for words, name in _QUERIES),
        ["memory while adding", *(_memory(each["growth"]) for each in (passages, files))],
        ["memory in all", *(_megabytes(each["rss"]) for each in (passages, files))],
    ]
    heads = ("", f"{passages['passages']:,} passages", f"{files['files']:,} small files")
    return table(heads, rows)


_QUERIES = (
    ("the first query, opening included", "first_milliseconds"),
    ("a query, p50", "p50_milliseconds"),
    ("p95", "p95_milliseconds"),
    ("CPU of a query, p50", "cpu_p50_milliseconds"),
    ("CPU, p95", "cpu_p95_milliseconds"),
)


def _costs(words: str, name: str, measured: tuple[Json, Json]) -> list[str]:
    return [words, *(f"{number(each[name])} ms" for each in measured)]


def _memory(growth: Json) -> str:
    first, last = growth[0], growth[-1]
    return f"{_megabytes(first['rss'])} → {_megabytes(last['rss'])}"


def _megabytes(count: float) -> str:
    return f"{number(count / 1e6)} MB"


TABLES: dict[str, tuple[str, Callable[[Json], str]]] = {
    "scifact": ("scifact", scifact),
    "meaning": ("meaning", meaning),
    "library-scale": ("library_scale", scale),
}
