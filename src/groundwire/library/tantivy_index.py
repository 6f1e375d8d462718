"""The fast index: tantivy, in a folder beside the library's file.

It comes with `pip install 'groundwire[tantivy]'`, and new libraries use it where it is installed.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import tantivy

from groundwire.errors import ConfigError
from groundwire.library.index import IndexEntry
from groundwire.library.words import QueryWords, with_marks_as_letters
from groundwire.system.files import private_folder

_ANALYZER = "passages"
# All words are in one field, those of a title twice. With a field for each, tantivy adds up what
# they score by themselves: a word in title and text counts as two, and a query takes longer.
_TITLE_TIMES = 2
_HEAP_BYTES = 64_000_000
_FIRST_HITS = 64
_LONGEST_WORD = 100
_META = "meta.json"  # tantivy puts a new one in its place with every commit.
_PATIENCE_SECONDS = 60
_BETWEEN_TRIES_SECONDS = 0.05


class TantivyIndex:
    """One folder; it is written by one program at a time and read by any number."""

    def __init__(self, folder: Path) -> None:
        private_folder(folder)
        self._folder = folder
        self._seen = 0
        self._analyzer = _analyzer()
        self._schema = _schema()
        self._index = tantivy.Index(self._schema, path=str(folder))
        self._index.register_tokenizer(_ANALYZER, self._analyzer)
        self._writer: tantivy.IndexWriter | None = None

    def add(self, document: int, entries: Sequence[IndexEntry]) -> None:
        """Take the passages of a document."""
        writer = self._open_writer()
        for entry in entries:
            passage = tantivy.Document()
            passage.add_unsigned("id", entry.id)
            passage.add_unsigned("document", document)
            title, *others = entry.columns
            for words in (*[title] * _TITLE_TIMES, *others):
                passage.add_text("words", words)
            writer.add_document(passage)

    def remove(self, document: int, entries: Sequence[IndexEntry]) -> None:  # noqa: ARG002 - an Index
        """Forget the passages of a document."""
        self._open_writer().delete_documents_by_term("document", document)

    def refresh(self) -> None:
        """See what others have written since."""
        # A stat costs a hundredth of a reload, and most searches follow no change.
        written = (self._folder / _META).stat().st_mtime_ns
        if written != self._seen:
            self._index.reload()
            self._seen = written

    def search(self, words: QueryWords, *, every: bool) -> Iterator[int]:
        """Yield the ids of passages, best first."""
        phrases = words.phrases if every else tuple((word,) for word in words.each)
        wanted = [query for phrase in phrases if (query := self._query(phrase))]
        if not wanted:
            return
        occur = tantivy.Occur.Must if every else tantivy.Occur.Should
        query = tantivy.Query.boolean_query([(occur, one) for one in wanted])
        searcher = self._index.searcher()
        done, limit = 0, _FIRST_HITS
        while True:
            hits = searcher.search(query, limit=limit, count=False).hits
            ids = searcher.fast_field_values("id", [address for _, address in hits])
            found = sorted((-hit[0], int(one or 0)) for hit, one in zip(hits, ids, strict=True))
            is_all = len(hits) < limit
            # Equals of the last one may be still to come, and one of them may be first.
            certain = [one for one in found if is_all or one[0] < found[-1][0]]
            yield from (passage for _, passage in certain[done:])
            if is_all:
                return
            done, limit = len(certain), limit * 8

    def clear(self) -> None:
        """Forget everything."""
        self._open_writer().delete_all_documents()

    def commit(self) -> None:
        """Write what was added and removed to the disk."""
        if self._writer is not None:
            self._writer.commit()
            self._index.reload()

    def close(self) -> None:
        """Wait for what is being written, so that the next program may write."""
        if self._writer is not None:
            self._writer.wait_merging_threads()
            self._writer = None

    def _open_writer(self) -> tantivy.IndexWriter:
        if self._writer is None:
            self._writer = self._waited_for_writer()
        return self._writer

    def _waited_for_writer(self) -> tantivy.IndexWriter:
        """Return the one writer that there can be, once no other program has it."""
        patience_ends = time.monotonic() + _PATIENCE_SECONDS
        while True:
            try:
                return self._index.writer(_HEAP_BYTES, 1)
            except ValueError as error:
                if time.monotonic() > patience_ends:
                    raise ConfigError(
                        "the library's index is being written by another program: "
                        "try again when it is done"
                    ) from error
                time.sleep(_BETWEEN_TRIES_SECONDS)

    def _query(self, phrase: tuple[str, ...]) -> tantivy.Query | None:
        """Return what matches a phrase; made of terms, so nothing is an operator."""
        terms = self._analyzer.analyze(with_marks_as_letters(" ".join(phrase)))
        if not terms:
            return None
        if len(terms) == 1:
            return tantivy.Query.term_query(self._schema, "words", terms[0], "freq")
        return tantivy.Query.phrase_query(self._schema, "words", [*terms])


def _schema() -> tantivy.Schema:
    builder = tantivy.SchemaBuilder()
    builder.add_unsigned_field("id", fast=True)
    builder.add_unsigned_field("document", indexed=True)
    builder.add_text_field("words", tokenizer_name=_ANALYZER)
    return builder.build()


def _analyzer() -> tantivy.TextAnalyzer:
    builder = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.simple())
    for one in (
        tantivy.Filter.remove_long(_LONGEST_WORD),
        tantivy.Filter.lowercase(),
        tantivy.Filter.ascii_fold(),
        tantivy.Filter.stemmer("english"),
    ):
        builder = builder.filter(one)
    return builder.build()
