"""How well and at what cost pages are read: our reader, and the peers that are installed.

    python -m bench.reader [--corpus FOLDER …] [--debian 60] [--peer NAME …] [--quick] [--json]

For each corpus and kind of page: F1 of the Markdown without its syntax (words, or shingles for
the article benchmark) and CPU milliseconds a page; for Debian's documentation also the share of
headings, links, items, cells and code blocks that are kept as such. Every reader is a process in
its own environment (`make peers`). Ours and trafilatura's, whose costs are compared closely, take
turns, and of all rounds the least cost of each page counts; a small corpus has more of them; the
others read once. The shipped trees were trained on the corpora in
`../shared`, which are those that are read when none is named. For these, what
`tools/train_reader.py` scored when it held each page's site out of training stands beside it: only
that compares with peers.
"""

from __future__ import annotations

import argparse
import json
import pickle
import subprocess
import tempfile
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from statistics import mean, median
from typing import Any

from bench.environments import OURS, READER, ROOT, RS_TRAFILATURA, Environment
from bench.reader_corpora import Sample, debian_pages, load
from bench.reader_peers import READERS
from bench.reader_scores import (
    Shingles,
    plain,
    prices,
    shingle_f1,
    shingles,
    structure,
    word_f1,
)

CORPORA = ROOT.parent / "shared/corpora"
ROUNDS = 2
LEAST_READINGS = 600  # A corpus of few pages is over within one slow moment of a machine.
QUICK_SHARE = 12
OURSELVES = "groundwire"
COMPARED_CLOSELY = (OURSELVES, "trafilatura")
HELD_OUT = ROOT / "bench/held_out_pages.json"
HELD_OUT_NAME = "ours, held out"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What one reader made of one page, and the CPU seconds it took."""

    sample: Sample
    markdown: str
    seconds: float


def run(names: list[str], samples: list[Sample], rounds: int) -> dict[str, list[Reading]]:
    """Read every page with every reader that is installed."""
    with tempfile.NamedTemporaryFile() as file:
        file.write(pickle.dumps([(sample.html, sample.url) for sample in samples]))
        file.flush()
        first = {name: _read(name, file.name) for name in names}
        done = {name: [read] for name, read in first.items()}
        for _ in range(rounds - 1):
            for name in [each for each in COMPARED_CLOSELY if each in done]:
                done[name].append(_read(name, file.name))
    return {
        name: [
            Reading(sample=sample, markdown=text, seconds=min(costs))
            for sample, text, costs in zip(
                samples,
                read[0]["texts"],
                zip(*(one["seconds"] for one in read), strict=True),
                strict=True,
            )
        ]
        for name, read in done.items()
    }


def _read(name: str, pages: str) -> dict[str, Any]:
    python = _environment(name).python
    command = [str(python), "-m", "bench.reader_peers", name, pages]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    if done.returncode:
        raise SystemExit(f"{name} failed:\n{done.stderr[-2000:]}")
    figures: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return figures


def _environment(name: str) -> Environment:
    return {OURSELVES: OURS, "rs-trafilatura": RS_TRAFILATURA}.get(name, READER)


def held_out(measure: str, samples: list[Sample]) -> dict[str, Any] | None:
    """Return how pages scored whose sites were held out of training, by kind; None if unknown."""
    pages: dict[str, Any] = json.loads(HELD_OUT.read_text("utf-8"))
    if not samples or any(sample.id not in pages for sample in samples):
        return None
    kinds: dict[str, list[Any]] = {"all": [pages[sample.id] for sample in samples]}
    for sample in sorted(samples, key=lambda each: each.kind):
        kinds.setdefault(sample.kind, []).append(pages[sample.id])
    return {
        kind: {"f1": _mean_f1(measure, some), "pages": len(some)} for kind, some in kinds.items()
    }


def _mean_f1(measure: str, pages: list[Any]) -> float:
    if measure == "words":
        return float(mean(pages))
    shares = [dict(zip(("found", "extra", "missed"), page, strict=True)) for page in pages]
    return shingle_f1([Shingles(**share) for share in shares])


def summary(measure: str, readings: list[Reading]) -> dict[str, Any]:
    """Return the quality and the cost of one reader on a corpus, by kind of page."""
    by_kind: dict[str, list[Reading]] = defaultdict(list)
    for reading in readings:
        by_kind[reading.sample.kind].append(reading)
    kinds = {"all": readings, **dict(sorted(by_kind.items()))}
    saved = [1 - len(each.markdown.encode()) / len(each.sample.html) for each in readings]
    return {
        "kinds": {
            kind: {
                "f1": score(measure, some),
                "milliseconds": 1000 * mean(each.seconds for each in some),
                "pages": len(some),
            }
            for kind, some in kinds.items()
        },
        "bytes_saved": median(saved),
        "prices": _prices(readings),
        "structure": _structure(readings),
    }


def score(measure: str, readings: list[Reading]) -> float:
    pairs = [(plain(reading.markdown), reading.sample.truth) for reading in readings]
    if measure == "shingles":
        return shingle_f1([shingles(*pair) for pair in pairs])
    return mean(word_f1(*pair) for pair in pairs)


def _prices(readings: list[Reading]) -> tuple[int, int]:
    """Return how many of the prices in the known texts are kept, and how many there are."""
    pairs = [(prices(plain(r.markdown)), prices(r.sample.truth)) for r in readings]
    return sum((kept & known).total() for kept, known in pairs), sum(k.total() for _, k in pairs)


def _structure(readings: list[Reading]) -> dict[str, tuple[float, int]]:
    """Return the share that was kept of headings and the like, and how many there are."""
    totals: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for reading in readings:
        if reading.sample.main:
            for what, (kept, wanted) in structure(reading.markdown, reading.sample.main).items():
                totals[what][0] += kept
                totals[what][1] += wanted
    return {what: (kept / max(1, wanted), wanted) for what, (kept, wanted) in totals.items()}


def show(corpus: str, figures: dict[str, Any]) -> None:
    trained = "; our trees were trained on these pages" if figures["is_trained_on"] else ""
    print(f"\n{corpus}: {figures['measure']}, {figures['pages']} pages{trained}")
    for kind, of in (figures["held_out"] or {}).items():
        print(f"{HELD_OUT_NAME:18s} {kind:15s} {of['f1']:.4f} {'':10s}  {of['pages']} pages")
    for name, figure in figures["readers"].items():
        if figure is None:
            print(f"{name:18s} not installed")
            continue
        for kind, of in figure["kinds"].items():
            cost = of["milliseconds"]
            print(f"{name:18s} {kind:15s} {of['f1']:.4f} {cost:7.1f} ms  {of['pages']} pages")
        print(f"{name:18s} {'bytes saved':15s} {figure['bytes_saved']:.1%} (median)")
        kept, known = figure["prices"]
        if known:
            print(f"{name:18s} {'prices':15s} {kept} of {known}")
        for what, (share, wanted) in figure["structure"].items():
            print(f"{name:18s} {what:15s} {share:.4f} of {wanted}")


def _corpora(folders: list[Path], debian: int) -> dict[str, tuple[str, list[Sample]]]:
    corpora = {folder.name: load(folder) for folder in folders}
    if debian:
        corpora["documentation"] = ("words", debian_pages(debian))
    return {name: (measure, samples) for name, (measure, samples) in corpora.items() if samples}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--corpus", action="append", type=Path, metavar="FOLDER")
    parser.add_argument("--debian", type=int, default=60, help="pages of each installed package")
    parser.add_argument("--peer", action="append", choices=sorted(READERS), metavar="NAME")
    parser.add_argument("--quick", action="store_true", help="few pages, one round")
    parser.add_argument("--json", action="store_true", help="print JSON for programs")
    given = parser.parse_args()
    there = [CORPORA / name for name in ("wcxb", "articles") if (CORPORA / name).is_dir()]
    folders = there if given.corpus is None else given.corpus
    wanted = dict.fromkeys([OURSELVES, *(given.peer or READERS)])
    names = [name for name in wanted if _environment(name).python.exists()]
    trained_on = {folder.name for folder in folders if folder.resolve().parent == CORPORA.resolve()}
    figures: dict[str, Any] = {}
    for corpus, (measure, every) in _corpora(folders, given.debian).items():
        samples = every[::QUICK_SHARE] if given.quick else every
        rounds = 1 if given.quick else max(ROUNDS, LEAST_READINGS // len(samples))
        readings = run(names, samples, rounds)
        readers = {name: summary(measure, readings[name]) for name in names}
        figures[corpus] = {
            "measure": measure,
            "pages": len(samples),
            "is_trained_on": corpus in trained_on,
            "held_out": held_out(measure, samples) if corpus in trained_on else None,
            "readers": dict.fromkeys(wanted) | readers,
        }
        if not given.json:
            show(corpus, figures[corpus])
    if not figures:
        figures = {"skipped": "there are neither corpora in ../shared nor Debian's documentation"}
    if given.json or "skipped" in figures:
        print(json.dumps(figures))


if __name__ == "__main__":
    main()
