"""Pages and libraries: bench.reader, bench.library and bench.extractive."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from bench.plots import Point, points
from bench.tables import NOTHING, bold, number, score, share, table
from groundwire.model import Json

READERS = {
    "groundwire": "groundwire",
    "trafilatura": "trafilatura",
    "rs-trafilatura": "rs-trafilatura (plain text)",
    "resiliparse": "resiliparse (plain text)",
    "readability-lxml": "readability-lxml + markdownify",
    "markdownify": "markdownify (whole page)",
    "html-to-markdown": "html-to-markdown (whole page)",
}
CORPORA = {
    "wcxb": "WCXB, word F1",
    "articles": "Article extraction benchmark, shingle F1",
    "documentation": "Debian's documentation, word F1",
}
MISSING = "*Not measured: this corpus was not there.*"


def quality(figures: Json, *, corpus: str) -> str:
    """Return F1 and CPU by kind of page."""
    if corpus not in figures:
        return MISSING
    readers = figures[corpus]["readers"]
    kinds = _kinds(readers)
    pages = [f"{kind} ({readers['groundwire']['kinds'][kind]['pages']})" for kind in kinds]
    rows = [[_name(name), *_qualities(figure, kinds)] for name, figure in readers.items()]
    if held_out := figures[corpus].get("held_out"):
        rows[0][0] += ", trained on these pages"
        scores = [score(held_out[kind]["f1"]) for kind in kinds]
        rows.insert(0, [f"{bold('groundwire')}, their sites held out of training", *scores])
    return table([f"{CORPORA[corpus]}; CPU", *pages], rows)


def _kinds(readers: Json) -> list[str]:
    kinds = list(readers["groundwire"]["kinds"])
    # Where there is only one kind, it is all.
    return kinds[:1] if len(kinds) == 2 else kinds


def _qualities(figure: Json, kinds: list[str]) -> list[str]:
    if figure is None:
        return [NOTHING for _ in kinds]
    of = [figure["kinds"][kind] for kind in kinds]
    return [f"{score(each['f1'])}; {number(each['milliseconds'])} ms" for each in of]


def _name(name: str) -> str:
    return bold(READERS[name]) if name == "groundwire" else READERS[name]


def structure(figures: Json) -> str:
    """Return what is kept of a documentation's structure."""
    if "documentation" not in figures:
        return MISSING
    readers = figures["documentation"]["readers"]
    wanted = readers["groundwire"]["structure"]
    rows = [
        [
            _name(name),
            *(score(figure["structure"][what][0]) if figure else NOTHING for what in wanted),
        ]
        for name, figure in readers.items()
    ]
    return table(["kept of", *(f"{what} ({of[1]:,})" for what, of in wanted.items())], rows)


def quality_plot(figures: Json, *, corpus: str) -> str | None:
    """Return quality over cost."""
    if corpus not in figures:
        return None
    shown = [
        Point(
            label=name,
            x=figure["kinds"]["all"]["milliseconds"],
            y=figure["kinds"]["all"]["f1"],
            kind="ours" if name == "groundwire" else "peer",
        )
        for name, figure in figures[corpus]["readers"].items()
        if figure
    ]
    title, _, measure = CORPORA[corpus].partition(", ")
    axes = ("CPU milliseconds a page (logarithmic)", measure)
    return points(f"{title}: quality over cost", axes, shown)


def library(figures: Json) -> str:
    """Return what a library costs and finds."""
    rows = [
        [bold(name) if name.startswith("groundwire") else name, *_library_row(figure, figures)]
        for name, figure in figures["indexes"].items()
    ]
    heads = ("index", "adding a document", "size", "a query, p50", "p95", "MRR@10", "found among 5")
    said = (
        f"{figures['documents']:,} documents of {figures['characters'] / 1e6:.1f} million "
        f"characters, {figures['queries']:,} queries:"
    )
    return f"{said}\n\n{table(heads, rows)}"


def _library_row(figure: Json, figures: Json) -> list[str]:
    if figure is None:
        return [NOTHING] * 6
    filled = [
        f"{number(figure['adding_seconds'] / figures['documents'] * 1000)} ms",
        f"{number(figure['bytes'] / 1e6)} MB",
    ]
    if "mrr" not in figure:
        return [*filled, *[NOTHING] * 4]
    return [
        *filled,
        f"{number(figure['p50_milliseconds'])} ms",
        f"{number(figure['p95_milliseconds'])} ms",
        score(figure["mrr"]),
        share(figure["among_5"]),
    ]


def extractive(figures: Json) -> str:
    """Return how well the model without a model answers."""
    refused = figures["out_of_scope"] - len(figures["answered_wrongly"])
    quotes, cpu = figures["quotes"], figures["cpu_seconds"]
    rows = [
        [
            "questions whose answering page is cited",
            f"{figures['right']} of {figures['questions']}",
        ],
        [
            "quotes that are the page's to the letter",
            f"{quotes - figures['wrong_quotes']} of {quotes}",
        ],
        ["questions out of scope, and it says so", f"{refused} of {figures['out_of_scope']}"],
        ["CPU per answer, median", f"{number(cpu['median'])} s"],
        ["CPU per answer, most", f"{number(cpu['most'])} s"],
        ["characters of an answer, median", number(figures["characters"]["median"])],
    ]
    return table(("extractive model", "figure"), rows)


TABLES: dict[str, tuple[str, Callable[[Json], str]]] = {
    **{f"reader-{corpus}": ("reader", partial(quality, corpus=corpus)) for corpus in CORPORA},
    "reader-structure": ("reader", structure),
    "library": ("library", library),
    "extractive": ("extractive", extractive),
}
PLOTS: dict[str, tuple[str, Callable[[Json], str | None]]] = {
    f"reader-{corpus}": ("reader", partial(quality_plot, corpus=corpus)) for corpus in CORPORA
}
