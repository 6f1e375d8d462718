"""tantivy and bm25s as their own documentation shows them; runs in an environment of its own.

    python -m bench.library_peers tantivy|bm25s SCRATCH

Reads SCRATCH/task.json and prints JSON: CPU seconds to index, and what each query found and
took, of CPU and on the clock.
"""

from __future__ import annotations

import importlib
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

TOP = 10

Ask: TypeAlias = Callable[[str], list[str]]


def main() -> None:
    name, scratch = sys.argv[1], Path(sys.argv[2])
    task = json.loads((scratch / "task.json").read_text())
    folder = scratch / f"peer-{name}"
    folder.mkdir()
    started = time.process_time()
    ask = {"tantivy": tantivy, "bm25s": bm25s}[name](folder, task["documents"])
    seconds = time.process_time() - started
    found, took, wall = [], [], []
    for query in task["queries"]:
        asked, began = time.process_time(), time.perf_counter()
        found.append(ask(query))
        took.append(time.process_time() - asked)
        wall.append(time.perf_counter() - began)
    print(json.dumps({"seconds": seconds, "found": found, "took": took, "wall": wall}))


def tantivy(folder: Path, documents: list[list[str]]) -> Ask:
    """Whole pages with their text; any word, the title counting three times."""
    library: Any = importlib.import_module("tantivy")
    builder = library.SchemaBuilder()
    builder.add_text_field("id", stored=True, tokenizer_name="raw")
    for field in ("title", "body"):
        builder.add_text_field(field, stored=True, tokenizer_name="en_stem")
    index = library.Index(builder.build(), path=str(folder))
    writer = index.writer()
    for id_, title, body in documents:
        writer.add_document(library.Document(id=id_, title=title, body=body))
    writer.commit()
    writer.wait_merging_threads()
    index.reload()
    searcher = index.searcher()

    def ask(query: str) -> list[str]:
        parsed, _ = index.parse_query_lenient(query, ["title", "body"], {"title": 3.0})
        hits = searcher.search(parsed, TOP).hits
        return [searcher.doc(address)["id"][0] for _, address in hits]

    return ask


def bm25s(folder: Path, documents: list[list[str]]) -> Ask:
    """Whole pages, stemmed, without English stop words; its own files hold no text."""
    library: Any = importlib.import_module("bm25s")
    stemmer: Any = importlib.import_module("Stemmer").Stemmer("english")
    ids = [id_ for id_, _, _ in documents]
    texts = [f"{title}\n{body}" for _, title, body in documents]
    tokens = library.tokenize(texts, stopwords="en", stemmer=stemmer, show_progress=False)
    retriever = library.BM25()
    retriever.index(tokens, show_progress=False)
    retriever.save(str(folder))

    def ask(query: str) -> list[str]:
        words = library.tokenize([query], stopwords="en", stemmer=stemmer, show_progress=False)
        found, _ = retriever.retrieve(words, k=TOP, show_progress=False)
        return [ids[number] for number in found[0]]

    return ask


if __name__ == "__main__":
    main()
