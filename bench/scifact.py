"""The library on SciFact's abstracts and claims: nDCG@10 and milliseconds a query, with peers.

    python -m bench.scifact [--corpus FOLDER] [--quick] [--json]

5,183 abstracts, and claims with the abstracts that speak of them, from `../shared`. A query costs
wall time and CPU time: kept open, and with opening the library shared out among the queries. The
peers, plain tantivy and bm25s, get the same texts and run in `.venv-library`.
"""

from __future__ import annotations

import argparse
import gzip
import json
import math
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.environments import LIBRARY, ROOT
from groundwire.library import Document, DocumentText, Library, cut

CORPUS = ROOT.parent / "shared/corpora/scifact"
TOP = 10
_COLLECTION = "scifact"


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """What is asked, and the ids of the abstracts that speak of it."""

    text: str
    relevant: frozenset[str]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--corpus", type=Path, default=CORPUS)
    parser.add_argument("--quick", action="store_true", help="few claims")
    parser.add_argument("--json", action="store_true", help="print JSON for programs")
    given = parser.parse_args()
    if not given.corpus.is_dir():
        print(json.dumps({"skipped": f"there is no {given.corpus.name} among the shared corpora"}))
        return
    abstracts, claims = read(given.corpus)
    claims = claims[:20] if given.quick else claims
    with tempfile.TemporaryDirectory() as scratch:
        figures = measure(Path(scratch), abstracts, claims)
    print(json.dumps(figures)) if given.json else show(figures)


def read(folder: Path) -> tuple[list[list[str]], list[Claim]]:
    """Return the abstracts as id, title and text, and the claims."""
    with gzip.open(folder / "corpus.jsonl.gz", "rt", encoding="utf-8") as lines:
        abstracts = [[one["_id"], one["title"], one["text"]] for one in map(json.loads, lines)]
    lines_of_claims = (folder / "queries.jsonl").read_text(encoding="utf-8").splitlines()
    claims = [
        Claim(text=one["text"], relevant=frozenset(one["relevant"]))
        for one in map(json.loads, lines_of_claims)
    ]
    return abstracts, claims


def measure(
    scratch: Path, abstracts: Sequence[Sequence[str]], claims: Sequence[Claim]
) -> dict[str, Any]:
    """Return what ours and the peers cost and find; None for a peer that is not installed."""
    indexes: dict[str, dict[str, Any] | None] = {
        f"groundwire, {index}": ours(scratch, index, abstracts, claims)
        for index in ("tantivy", "fts5")
    }
    for name in ("tantivy", "bm25s"):
        indexes[f"plain {name}"] = _peer(scratch, name, abstracts, claims)
    return {
        "documents": len(abstracts),
        "queries": len(claims),
        "indexes": indexes,
    }


def fill(path: Path, index: str, abstracts: Sequence[Sequence[str]]) -> None:
    """Put the abstracts into a library as documents of a folder would be."""
    with Library(path, index=index, writes=True) as library:
        library.put_collection(_COLLECTION, "/", "")
        for first in range(0, len(abstracts), 512):
            library.put([_document(*one) for one in abstracts[first : first + 512]])


def _document(id_: str, title: str, text: str) -> tuple[Document, DocumentText]:
    url = f"https://library.test/{_COLLECTION}/{id_}"
    document = Document(collection=_COLLECTION, path=id_, url=url, title=title)
    return document, DocumentText(markdown=text, passages=cut(text))


def ours(
    scratch: Path, index: str, abstracts: Sequence[Sequence[str]], claims: Sequence[Claim]
) -> dict[str, Any]:
    folder = scratch / f"ours-{index}"
    folder.mkdir()
    path = folder / "library.sqlite3"
    fill(path, index, abstracts)
    began = time.perf_counter()
    with Library(path, index=index) as library:
        opened = time.perf_counter() - began
        took, cpu, found = [], [], []
        for claim in claims:
            began, worked = time.perf_counter(), time.process_time()
            found.append([hit.document.path for hit in library.search(claim.text, limit=TOP)])
            took.append(time.perf_counter() - began)
            cpu.append(time.process_time() - worked)
    return judged(claims, found, took, opened) | _cpu(cpu)


def _cpu(took: Sequence[float]) -> dict[str, float]:
    return {
        "cpu_milliseconds": statistics.mean(took) * 1e3,
        "cpu_p50_milliseconds": statistics.median(took) * 1e3,
    }


def _peer(
    scratch: Path, name: str, abstracts: Sequence[Sequence[str]], claims: Sequence[Claim]
) -> dict[str, Any] | None:
    if not LIBRARY.python.exists():
        return None
    task = {"documents": [list(one) for one in abstracts], "queries": [one.text for one in claims]}
    (scratch / "task.json").write_text(json.dumps(task))
    words = [str(LIBRARY.python), "-m", "bench.library_peers", name, str(scratch)]
    done = subprocess.run(words, capture_output=True, text=True, cwd=ROOT, check=False)
    if done.returncode:
        sys.exit(done.stderr)
    answer: dict[str, Any] = json.loads(done.stdout)
    # They are asked in the process that made the index: there is nothing to open.
    return judged(claims, answer["found"], answer["wall"], None) | _cpu(answer["took"])


def judged(
    claims: Sequence[Claim], found: Sequence[Sequence[str]], took: list[float], opened: float | None
) -> dict[str, Any]:
    points = statistics.quantiles(took, n=20)
    scores = [ndcg(ids, claim.relevant) for ids, claim in zip(found, claims, strict=True)]
    return {
        "ndcg": statistics.mean(scores),
        "milliseconds": statistics.mean(took) * 1e3,
        "p50_milliseconds": points[9] * 1e3,
        "p95_milliseconds": points[18] * 1e3,
        "open_milliseconds": None if opened is None else opened * 1e3,
        "milliseconds_with_opening": None
        if opened is None
        else (opened + sum(took)) / len(took) * 1e3,
    }


def ndcg(found: Sequence[str], relevant: frozenset[str]) -> float:
    """Return how good an order of at most ten is, from 0 to 1, as BEIR has it."""
    gain = sum(1 / math.log2(rank + 1) for rank, id_ in enumerate(found, 1) if id_ in relevant)
    best = sum(1 / math.log2(rank + 1) for rank in range(1, min(TOP, len(relevant)) + 1))
    return gain / best


def show(figures: dict[str, Any]) -> None:
    """Print the figures as a table."""
    print(f"{figures['documents']:,} abstracts, {figures['queries']:,} claims; wall time\n")
    heads = ("nDCG@10", "ms/query", "p50 ms", "p95 ms", "CPU ms", "open ms", "with opening")
    print(f"{'':44}{''.join(f'{head:>14}' for head in heads)}")
    names = ("ndcg", "milliseconds", "p50_milliseconds", "p95_milliseconds")
    for name, figure in figures["indexes"].items():
        if figure is None:
            print(f"{name:44} not installed: see bench/peers-library.txt")
            continue
        values = [figure[each] for each in names]
        values += [
            figure.get("cpu_milliseconds"),
            figure["open_milliseconds"],
            figure["milliseconds_with_opening"],
        ]
        told = [f"{'':>14}" if value is None else f"{value:14.3f}" for value in values]
        print(f"{name:44}{''.join(told)}")


if __name__ == "__main__":
    main()
