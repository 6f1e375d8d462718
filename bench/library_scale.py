"""Libraries of a size that few have: a million passages, and a folder of 100,000 small documents.

    python -m bench.library_scale [--passages 1000000] [--files 100000] [--quick] [--json]

The text is made: words of SciFact's abstracts (`../shared`), drawn as often as they stand there, so
that indexes see a real vocabulary and its frequencies. Queries are claims of the same corpus, and
as many rows of words that stand together in a made passage. Wall time; every library in a process
of its own, whose memory is the most that it had. CPU time of queries is shown beside the clock's,
which others of a busy machine share.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import multiprocessing
import random
import re
import resource
import statistics
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

from bench.scifact import CORPUS, read
from groundwire.library import Adder, Document, DocumentText, Library, cut, reader

TOP = 10
_WORDS_OF_PASSAGE = 60
_PASSAGES_OF_DOCUMENT = 10
_BATCH = 1_000
_STEPS = 10
_QUERIES = 100
_COLLECTION = "made"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--passages", type=int, default=1_000_000)
    parser.add_argument("--files", type=int, default=100_000)
    parser.add_argument("--quick", action="store_true", help="a thousand of each")
    parser.add_argument("--json", action="store_true", help="print JSON for programs")
    given = parser.parse_args()
    if not CORPUS.is_dir():
        print(json.dumps({"skipped": "there is no scifact among the shared corpora"}))
        return
    if given.quick:
        given.passages = given.files = 1_000
    figures = {
        "passages": _alone(many_passages, given.passages),
        "files": _alone(many_files, given.files),
    }
    print(json.dumps(figures)) if given.json else print(json.dumps(figures, indent=1))


def _alone(work: Callable[[int], dict[str, Any]], count: int) -> dict[str, Any]:
    """Do something in a process of its own, and return what it measured."""
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=context) as pool:
        return pool.submit(work, count).result()


class Maker:
    """Makes passages of a corpus' words, the same in every run."""

    def __init__(self) -> None:
        abstracts, claims = read(CORPUS)
        counts = Counter(
            word for _, title, text in abstracts for word in re.findall(r"\w+", f"{title} {text}")
        )
        self._words = list(counts)
        self._weights = list(_sums(counts.values()))
        self._random = random.Random(24)
        self.claims = [claim.text for claim in claims][:_QUERIES]

    def passage(self) -> str:
        """Return the words of one passage."""
        drawn = self._random.choices(self._words, cum_weights=self._weights, k=_WORDS_OF_PASSAGE)
        return f"{' '.join(drawn).capitalize()}."

    def queries(self, passages: Sequence[str]) -> list[str]:
        """Return the claims, and rows of four words out of some passages."""
        rows = [passage.rstrip(".").split() for passage in passages]
        return [*self.claims, *(" ".join(row[10:14]) for row in rows)]


def _sums(counts: Iterator[int] | Any) -> Iterator[int]:  # noqa: ANN401 - a view of a dictionary
    total = 0
    for count in counts:
        total += count
        yield total


def many_passages(count: int) -> dict[str, Any]:
    """Fill a library with passages of long documents, and ask it."""
    maker = Maker()
    kept: list[str] = []
    growth = []
    passages = 0
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(scratch) / "library.sqlite3"
        began = time.perf_counter()
        with Library(path, index="tantivy", writes=True) as library:
            library.put_collection(_COLLECTION, "/", "")
            documents = count // _PASSAGES_OF_DOCUMENT
            step = max(_BATCH // _PASSAGES_OF_DOCUMENT, documents // _STEPS)
            for first in range(0, documents, _BATCH // _PASSAGES_OF_DOCUMENT):
                last = min(first + _BATCH // _PASSAGES_OF_DOCUMENT, documents)
                made = [_document(number, maker) for number in range(first, last)]
                library.put(made)
                passages += sum(len(text.passages) for _, text in made)
                if first % step < _BATCH // _PASSAGES_OF_DOCUMENT and len(kept) < _QUERIES:
                    kept += [text.markdown.split("\n\n")[1] for _, text in made[:10]]
                    growth.append({"passages": last * _PASSAGES_OF_DOCUMENT, "rss": _rss()})
        seconds = time.perf_counter() - began
        return {
            "passages": passages,
            "adding_seconds": seconds,
            "bytes": _size(Path(scratch)),
            "growth": growth,
            **_asked(path, maker.queries(kept)),
            "rss": _rss(),
        }


def _document(number: int, maker: Maker) -> tuple[Document, DocumentText]:
    parts = [f"## Part {part}\n\n{maker.passage()}" for part in range(_PASSAGES_OF_DOCUMENT)]
    markdown = "\n\n".join(parts)
    path = f"{number}.md"
    document = Document(
        collection=_COLLECTION,
        path=path,
        url=f"https://library.test/{_COLLECTION}/{path}",
        title=f"Document {number}",
    )
    return document, DocumentText(markdown=markdown, passages=cut(markdown))


def many_files(count: int) -> dict[str, Any]:
    """Write a folder of small files, add it as a person would, twice, and ask the library."""
    maker = Maker()
    with tempfile.TemporaryDirectory() as scratch:
        folder, path = Path(scratch) / "notes", Path(scratch) / "library" / "library.sqlite3"
        path.parent.mkdir()
        kept = []
        for number in range(count):
            place = folder / f"{number % 500:03}"
            if number < 500:
                place.mkdir(parents=True)
            text = maker.passage()
            (place / f"{number}.md").write_text(f"# Note {number}\n\n{text}\n")
            if number % max(1, count // _QUERIES) == 0:
                kept.append(text)
        growth: list[dict[str, float]] = []
        first = asyncio.run(_add(folder, path, growth, count))
        again = asyncio.run(_add(folder, path, [], count))
        return {
            "files": count,
            "adding_seconds": first,
            "again_seconds": again,
            "bytes": _size(path.parent),
            "bytes_of_files": _size(folder),
            "growth": growth,
            **_asked(path, maker.queries(kept)),
            "rss": _rss(),
        }


async def _add(folder: Path, path: Path, growth: list[dict[str, float]], count: int) -> float:
    began = time.perf_counter()
    step = max(1, count // _STEPS)

    def progress(done: int, total: int) -> None:  # noqa: ARG001 - a Progress
        if done and done % step == 0:
            seconds = time.perf_counter() - began
            growth.append({"files": done, "rss": _rss(), "seconds": seconds})

    async with reader() as documents:
        with Library(path, index="tantivy", writes=True) as library:
            report = await Adder(library, documents, progress).add_folder(folder)
    assert not report.failures
    return time.perf_counter() - began


def _asked(path: Path, queries: Sequence[str]) -> dict[str, Any]:
    """Ask a library that is opened for it, and then kept open."""
    began = time.perf_counter()
    with Library(path, index="tantivy") as library:
        library.search(queries[0], limit=TOP)
        first = time.perf_counter() - began
        took, cpu = [], []
        for query in queries:
            began, worked = time.perf_counter(), time.process_time()
            library.search(query, limit=TOP)
            took.append(time.perf_counter() - began)
            cpu.append(time.process_time() - worked)
    points, costs = statistics.quantiles(took, n=20), statistics.quantiles(cpu, n=20)
    return {
        "queries": len(queries),
        "first_milliseconds": first * 1e3,
        "p50_milliseconds": points[9] * 1e3,
        "p95_milliseconds": points[18] * 1e3,
        "most_milliseconds": max(took) * 1e3,
        "cpu_p50_milliseconds": costs[9] * 1e3,
        "cpu_p95_milliseconds": costs[18] * 1e3,
    }


def _rss() -> int:
    """Return the most bytes of memory that this process has had."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def _size(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())


if __name__ == "__main__":
    main()
