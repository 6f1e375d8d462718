"""Libraries of growing size: what it costs to fill one, and to search it."""

from __future__ import annotations

import random
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from itertools import accumulate
from pathlib import Path

from groundwire.library import Document, DocumentText, Library, cut

WORDS = 20_000
WORDS_OF_DOCUMENT = 300
QUERIES = 100
BATCH = 64


@contextmanager
def adding(documents: int) -> Iterator[Callable[[], float]]:
    """Give what measures adding so many documents to an empty library: CPU seconds in all."""
    with tempfile.TemporaryDirectory() as folder:
        numbers = iter(range(1_000))
        yield lambda: _fill(Path(folder) / f"{next(numbers)}.sqlite3", documents)


@contextmanager
def searching(documents: int) -> Iterator[Callable[[], float]]:
    """Give what measures one query, opening the library included: the mean of many."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "library.sqlite3"
        _fill(path, documents)
        yield lambda: _search(path)


def _fill(path: Path, documents: int) -> float:
    some = [_document(number) for number in range(documents)]
    begun = time.process_time()
    with Library(path, writes=True) as library:
        library.put_collection("growth", "/", "")
        for first in range(0, documents, BATCH):
            library.put([_cut(*each) for each in some[first : first + BATCH]])
    return time.process_time() - begun


def _search(path: Path) -> float:
    chance = random.Random(7)
    begun = time.process_time()
    for _ in range(QUERIES):
        with Library(path) as library:
            library.search(" ".join(_words(chance, 3)), limit=10)
    return (time.process_time() - begun) / QUERIES


def _document(number: int) -> tuple[Document, str]:
    path = f"{number}.md"
    document = Document(
        collection="growth", path=path, url=f"https://library.invalid/growth/{path}", title=path
    )
    words = _words(random.Random(number), WORDS_OF_DOCUMENT)
    lines = [" ".join(words[first : first + 15]) for first in range(0, len(words), 15)]
    return document, "\n\n".join(f"{line}." for line in lines)


def _cut(document: Document, markdown: str) -> tuple[Document, DocumentText]:
    return document, DocumentText(markdown=markdown, passages=cut(markdown))


def _words(chance: random.Random, count: int) -> list[str]:
    """Return words as frequent as in a language: the n-th is used 1/n as often as the first."""
    ranks = chance.choices(range(WORDS), cum_weights=_weights(), k=count)
    return [f"w{rank:x}" for rank in ranks]


@cache
def _weights() -> list[float]:
    return list(accumulate(1 / rank for rank in range(1, WORDS + 1)))
