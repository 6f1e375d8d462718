"""The local library against tantivy and bm25s: speed, size, and what of known items is found.

    python -m bench.library [FOLDER …] [--items 400] [--quick] [--json]

Folders are documentation in HTML with an index made by its authors (see bench.library_items); one
without adds documents and no queries. Where none is named they are Debian's. All get the same
texts, as our reader made them. Costs are CPU time of the process, its threads included; ours
opens the library anew for every query, as a search does, and is shown kept open beside it. The
peers run in `.venv-library`: bench/peers-library.txt says what is in it.
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

from bench import documentation
from bench.environments import LIBRARY, ROOT
from bench.library_items import INDEX_PAGES, Item, items
from groundwire.library import Adder, Document, DocumentText, Library, cut, reader

TOP = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Corpus:
    """Documents by `collection/path`, and queries with the documents that answer each."""

    documents: Sequence[tuple[Document, DocumentText]]
    queries: Sequence[Item]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folders", nargs="*", type=Path)
    parser.add_argument("--items", type=int, default=400, help="known items of each folder")
    parser.add_argument("--quick", action="store_true", help="one folder, few items")
    parser.add_argument("--json", action="store_true", help="print JSON for programs")
    given = parser.parse_args()
    folders = given.folders or list(documentation.folders().values())
    if not folders:
        print(json.dumps({"skipped": documentation.MISSING}))
        return
    if given.quick:
        folders, given.items = folders[:1], 50
    with tempfile.TemporaryDirectory() as scratch:
        corpus = asyncio.run(_read(Path(scratch), folders, given.items))
        figures = measure(Path(scratch), corpus)
    print(json.dumps(figures)) if given.json else show(figures)


def measure(scratch: Path, corpus: Corpus) -> dict[str, Any]:
    """Return what ours and the peers cost and find, None for a peer that is not installed."""
    indexes: dict[str, Any] = {}
    for index in ("fts5", "tantivy"):
        indexes |= _ours(scratch, index, corpus)
    for name in ("tantivy", "bm25s"):
        indexes[f"{name}, whole pages"] = _peer(scratch, name, corpus)
    return {
        "documents": len(corpus.documents),
        "characters": sum(len(text.markdown) for _, text in corpus.documents),
        "queries": len(corpus.queries),
        "indexes": indexes,
    }


async def _read(scratch: Path, folders: Sequence[Path], most: int) -> Corpus:
    """Add the folders as a person would, and return what is in the library then."""
    queries: list[Item] = []
    async with reader() as documents:
        with Library(scratch / "read.sqlite3", writes=True) as library:
            for folder in folders:
                report = await Adder(library, documents).add_folder(folder)
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
    started = time.process_time()
    with Library(path, index=index, writes=True) as library:
        for name in {document.collection for document, _ in corpus.documents}:
            library.put_collection(name, "/", "")
        for first in range(0, len(corpus.documents), 64):
            some = corpus.documents[first : first + 64]
            library.put([(d, replace(text, passages=cut(text.markdown))) for d, text in some])
    filled = {"adding_seconds": time.process_time() - started, "bytes": _size(folder)}

    def ask_opened(query: str) -> list[str]:
        with Library(path, index=index) as library:
            return _places(library, query)

    opened = _asked(ask_opened, corpus.queries)
    with Library(path, index=index) as library:
        kept = _asked(lambda query: _places(library, query), corpus.queries)
    return {
        f"groundwire, {index}": filled | _judged(opened, corpus),
        f"groundwire, {index}, kept open": filled | _judged(kept, corpus),
    }


def _places(library: Library, query: str) -> list[str]:
    hits = library.search(query, limit=TOP)
    return [f"{hit.document.collection}/{hit.document.path}" for hit in hits]


def _asked(ask: Callable[[str], list[str]], queries: Sequence[Item]) -> dict[str, Any]:
    found, took = [], []
    for item in queries:
        started = time.process_time()
        found.append(ask(item.query))
        took.append(time.process_time() - started)
    return {"found": found, "took": took}


def _peer(scratch: Path, name: str, corpus: Corpus) -> dict[str, Any] | None:
    """Ask a peer in its own environment, None where there is none."""
    if not LIBRARY.python.exists():
        return None
    task = {
        "documents": [
            [f"{document.collection}/{document.path}", document.title, text.markdown]
            for document, text in corpus.documents
        ],
        "queries": [item.query for item in corpus.queries],
    }
    (scratch / "task.json").write_text(json.dumps(task))
    words = [str(LIBRARY.python), "-m", "bench.library_peers", name, str(scratch)]
    done = subprocess.run(words, capture_output=True, text=True, cwd=ROOT, check=False)
    if done.returncode:
        sys.exit(done.stderr)
    answer: dict[str, Any] = json.loads(done.stdout)
    filled = {"adding_seconds": answer["seconds"], "bytes": _size(scratch / f"peer-{name}")}
    return filled | _judged(answer, corpus)


def _judged(asked: dict[str, Any], corpus: Corpus) -> dict[str, Any]:
    """Return what queries cost and how well they were answered; nothing where there were none."""
    if not corpus.queries:
        return {}
    ranks = [
        next((rank for rank, one in enumerate(found, 1) if one in item.answers), 0)
        for found, item in zip(asked["found"], corpus.queries, strict=True)
    ]
    points = statistics.quantiles(asked["took"], n=20)
    return {
        "p50_milliseconds": points[9] * 1e3,
        "p95_milliseconds": points[18] * 1e3,
        "mrr": statistics.mean(1 / rank if rank else 0 for rank in ranks),
        "among_5": statistics.mean(0 < rank <= 5 for rank in ranks),
    }


def show(figures: dict[str, Any]) -> None:
    documents = figures["documents"]
    print(
        f"{documents:,} documents, {figures['characters'] / 1e6:.1f} million characters, "
        f"{figures['queries']:,} queries; CPU time\n"
    )
    heads = ("ms/document", "MB", "p50 ms", "p95 ms", "MRR@10", "hit@5")
    print(f"{'':34}{''.join(f'{head:>12}' for head in heads)}")
    for name, figure in figures["indexes"].items():
        if figure is None:
            print(f"{name:34} not installed: see bench/peers-library.txt")
            continue
        adding = figure["adding_seconds"] / documents * 1e3
        line = f"{name:34}{adding:12.2f}{figure['bytes'] / 1e6:12.1f}"
        if figures["queries"]:
            of = (figure["p50_milliseconds"], figure["p95_milliseconds"])
            line += f"{of[0]:12.2f}{of[1]:12.2f}{figure['mrr']:12.3f}{figure['among_5']:12.3f}"
        print(line)


def _size(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())


if __name__ == "__main__":
    main()
