"""The local library against tantivy and bm25s: speed, size, and what of known items is found.

    python -m bench.library /usr/share/doc/python3.11/html /usr/share/doc/postgresql-doc-15/html

Folders are documentation in HTML with an index made by its authors (see bench.library_items); one
without adds documents and no queries. All get the same texts, as our reader made them. The peers
run in `.venv-library`: bench/peers-library.txt says what is in it.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from bench.library_items import INDEX_PAGES, Item, items
from groundwire.library import Adder, Document, Library, Text, cut, reader

PEERS = Path(".venv-library/bin/python")
TOP = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Corpus:
    """Documents by `collection/path`, and queries with the documents that answer each."""

    documents: Sequence[tuple[Document, Text]]
    queries: Sequence[Item]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--items", type=int, default=400, help="known items of each folder")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        corpus = asyncio.run(_read(Path(scratch), given.folders, given.items))
        characters = sum(len(text.markdown) for _, text in corpus.documents)
        print(
            f"{len(corpus.documents):,} documents, {characters / 1e6:.1f} million characters, "
            f"{len(corpus.queries):,} queries\n"
        )
        heads = ("documents/s", "MB", "p50 ms", "p95 ms", "MRR@10", "hit@5")
        widths = (12, 8, 9, 9, 8, 8)
        shown = (f"{head:>{width}}" for head, width in zip(heads, widths, strict=True))
        print(f"{'':34}{''.join(shown)}")
        for index in ("fts5", "tantivy"):
            _show(f"groundwire, {index}", _ours(Path(scratch), index, corpus), corpus)
        for name in ("tantivy", "bm25s"):
            _show(f"plain {name}, whole pages", _peer(Path(scratch), name, corpus), corpus)


async def _read(scratch: Path, folders: Sequence[Path], most: int) -> Corpus:
    """Add the folders as a person would, and return what is in the library then."""
    queries: list[Item] = []
    async with reader() as documents:
        with Library(scratch / "read.sqlite3", writes=True) as library:
            for folder in folders:
                started, spent = time.perf_counter(), time.process_time()
                report = await Adder(library, documents).add_folder(folder)
                seconds = time.perf_counter() - started
                print(
                    f"{folder}: {report.added} documents read and added in {seconds:.1f} s, "
                    f"{report.added / seconds:.0f}/s; {len(report.failures)} not readable; "
                    f"CPU beside the reader's processes {time.process_time() - spent:.1f} s"
                )
                queries += [_within(report.collection, item) for item in items(folder, most)]
            kept = [
                (document, library.text(document))
                for document in library.documents()
                if not INDEX_PAGES.fullmatch(Path(document.path).name)
            ]
    return Corpus(documents=kept, queries=queries)


def _within(collection: str, item: Item) -> Item:
    answers = frozenset(f"{collection}/{page}" for page in item.answers)
    return Item(query=item.query, answers=answers)


def _ours(scratch: Path, index: str, corpus: Corpus) -> dict[str, Any]:
    """Add the texts, cut into passages anew, and ask every query of a library just opened."""
    folder = scratch / f"ours-{index}"
    folder.mkdir()
    path = folder / "library.sqlite3"
    started = time.perf_counter()
    with Library(path, index=index, writes=True) as library:
        for name in {document.collection for document, _ in corpus.documents}:
            library.put_collection(name, "/", "")
        for first in range(0, len(corpus.documents), 64):
            some = corpus.documents[first : first + 64]
            library.put([(d, replace(text, passages=cut(text.markdown))) for d, text in some])
    seconds = time.perf_counter() - started

    def ask(query: str) -> list[str]:
        with Library(path, index=index) as library:
            hits = library.search(query, limit=TOP)
        return [f"{hit.document.collection}/{hit.document.path}" for hit in hits]

    return {"seconds": seconds, "bytes": _size(folder), **_asked(ask, corpus.queries)}


def _asked(ask: Callable[[str], list[str]], queries: Sequence[Item]) -> dict[str, Any]:
    found, took = [], []
    for item in queries:
        started = time.perf_counter()
        found.append(ask(item.query))
        took.append(time.perf_counter() - started)
    return {"found": found, "took": took}


def _peer(scratch: Path, name: str, corpus: Corpus) -> dict[str, Any] | None:
    """Ask a peer in its own environment, None where there is none."""
    if not PEERS.exists():
        return None
    task = {
        "documents": [
            [f"{document.collection}/{document.path}", document.title, text.markdown]
            for document, text in corpus.documents
        ],
        "queries": [item.query for item in corpus.queries],
    }
    (scratch / "task.json").write_text(json.dumps(task))
    words = [str(PEERS), "-m", "bench.library_peers", name, str(scratch)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(done.stderr)
    answer: dict[str, Any] = json.loads(done.stdout)
    return {**answer, "bytes": _size(scratch / f"peer-{name}")}


def _show(name: str, figures: dict[str, Any] | None, corpus: Corpus) -> None:
    if figures is None:
        print(f"{name:34} not installed: see bench/peers-library.txt")
        return
    ranks = [
        next((rank for rank, one in enumerate(found, 1) if one in item.answers), 0)
        for found, item in zip(figures["found"], corpus.queries, strict=True)
    ]
    per_second = len(corpus.documents) / figures["seconds"]
    line = f"{name:34}{per_second:12.0f}{figures['bytes'] / 1e6:8.1f}"
    if ranks:
        points = statistics.quantiles(figures["took"], n=20)
        mrr = statistics.mean(1 / rank if rank else 0 for rank in ranks)
        hits = statistics.mean(0 < rank <= 5 for rank in ranks)
        line += f"{points[9] * 1e3:9.1f}{points[18] * 1e3:9.1f}{mrr:8.3f}{hits:8.3f}"
    print(line)


def _size(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())


if __name__ == "__main__":
    main()
