"""One library: what is searched and read, and where documents are put and removed."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from functools import partial
from importlib.util import find_spec
from pathlib import Path

from groundwire.errors import ConfigError, SettingsError
from groundwire.library.addresses import host_of
from groundwire.library.fts5 import Fts5Index
from groundwire.library.fusion import fused
from groundwire.library.index import FORMS, EmptyIndex, Index, IndexEntry, entries_of, place_of
from groundwire.library.model import Collection, Document, DocumentText, Hit, Meaning, page_of
from groundwire.library.snippets import snippet, words_alike
from groundwire.library.store import LibraryStore, connect
from groundwire.library.vectors import Vector, Vectors
from groundwire.library.words import QueryWords, words_of
from groundwire.model import Page
from groundwire.system.closeable import Closeable
from groundwire.system.extras import install_command

INDEXES = tuple(FORMS)
"""What can find passages, best first; the last needs nothing but Python."""

_INDEX = "index"
_MEANINGS = "embeddings"
_NEAR = 300  # So many passages are mixed in,
_MIXED = 100  # of so many documents at most.
_BATCH = 64


class Library(Closeable):
    """A library that is open, a context manager. One thread at a time may use it.

    Any number may be open at once, in any number of processes; one that writes holds the others
    that write up only while it does, and those that read never. `index` is what finds passages: ""
    is what the library has, and for a new one the best that is installed.

    Raises:
        ConfigError: There is no library to read, or this is none.
        SettingsError: There is no such index.
    """

    def __init__(self, path: Path, *, index: str = "", writes: bool = False) -> None:
        if index and index not in INDEXES:
            raise SettingsError("index", f"{index!r} is none of {' and '.join(INDEXES)}")
        self.path = path
        self._connection = connect(path, writes=writes)
        self._store = LibraryStore(self._connection)
        self._vectors = Vectors(self._connection)
        self._index: Index
        try:
            if not writes and self._is_in_the_making():
                self._form, self._index = "", EmptyIndex()
                return
            index = index or self._usual_index()
            self._form = f"{index}/{FORMS[index]}"
            self._index = self._open_index(index)
            if writes:
                self._prepare()
            else:
                self._renew_older_index(index)
                self._refuse_other_index()
        except BaseException:
            self._connection.close()
            raise

    def close(self) -> None:
        """Let go of the files."""
        self._index.close()
        self._connection.close()

    def is_as_it_was_opened(self) -> bool:
        """Tell whether the index is still the one that was opened.

        Raises:
            ConfigError: The file can no longer be read.
        """
        try:
            return self._store.fact(_INDEX) == self._form
        except sqlite3.Error as error:
            raise ConfigError(f"the library {self.path} cannot be read: {error}") from error

    def search(
        self,
        query: str,
        *,
        limit: int = 5,
        domains: tuple[str, ...] = (),
        since: datetime | None = None,
        meaning: Meaning | None = None,
    ) -> list[Hit]:
        """Return the best passage of each document that matches, best first.

        Documents with a passage that has every word come first, those with any word after them
        if there are too few. `domains` are hosts, their subdomains included; documents of which
        no date is known pass `since`. With a `meaning`, passages that mean alike are mixed in by
        their rank, where vectors of its form are kept.
        """
        words = words_of(query)
        self._index.refresh()
        passes = partial(_passes, domains=domains, since=since)
        with self._transaction("DEFERRED"):
            near = self._nearest(meaning)
            found = self._found(self._ranked(words), max(limit, _MIXED) if near else limit, passes)
            order = [*found]
            if near:
                alike_ones = self._found(near, _MIXED, passes)
                order = fused([order, [*alike_ones]])[:limit]
                found = alike_ones | found
            alike = words_alike(words)
            return [self._hit(*found[id_], alike) for id_ in order]

    def _found(
        self, ids: Iterable[int], most: int, passes: Callable[[Document], bool]
    ) -> dict[int, tuple[Document, int]]:
        """Return the documents of passages in their order, each with its first one's ordinal."""
        found: dict[int, tuple[Document, int]] = {}
        for id_ in ids:
            document_id, ordinal = place_of(id_)
            if document_id in found:
                continue
            document = self._store.document(document_id)
            if document and passes(document):
                found[document_id] = (document, ordinal)
                if len(found) >= most:
                    break
        return found

    def _nearest(self, meaning: Meaning | None) -> list[int]:
        if meaning is None or self._store.fact(_MEANINGS) != meaning.form:
            return []
        return self._vectors.nearest(meaning.vector, _NEAR)

    def embedded(self) -> tuple[int, int]:
        """Return how many documents have vectors, and how many could."""
        return self._vectors.counts()

    def use_vectors(self, form: str) -> None:
        """Keep vectors of this form from now on; those of another are forgotten."""
        if self._store.fact(_MEANINGS) != form:
            with self._transaction():
                self._vectors.clear()
                self._store.note(_MEANINGS, form)

    def without_vectors(self, limit: int) -> list[tuple[Document, list[IndexEntry]]]:
        """Return some documents that have none, with what there is to say of their passages."""
        some = [self._store.document(id_) for id_ in self._vectors.missing(limit)]
        return [
            (one, entries_of(one.id, one.title, self._store.text(one.id))) for one in some if one
        ]

    def put_vectors(self, document: Document, passages: Sequence[tuple[int, Vector]]) -> None:
        """Keep the vectors of a document's passages, unless the document is gone."""
        with self._transaction():
            if self._store.document(document.id):
                self._vectors.put(document.id, passages)

    def read(self, url: str) -> Page | None:
        """Return the document at an address as a page, None if there is none."""
        with self._transaction("DEFERRED"):
            document = self._store.at(url)
            return page_of(document, self._store.text(document.id)) if document else None

    def document(self, url: str) -> Document | None:
        """Return what is known of the document at an address, None if there is none."""
        return self._store.at(url)

    def text(self, document: Document) -> DocumentText:
        """Return the text of a document and its passages."""
        return self._store.text(document.id)

    def collections(self) -> list[Collection]:
        """Return all collections by name."""
        return self._store.collections()

    def documents(self, collection: str | None = None) -> list[Document]:
        """Return the documents of a collection, or all, by path."""
        if collection is None:
            return self._store.documents()
        return self._store.documents("WHERE c.name = ?", (collection,))

    def documents_like(self, words: str, *, after: int, limit: int) -> list[Document]:
        """Return some documents by id, after one, whose title or path has these words in it."""
        return self._store.documents_like(words, after, limit)

    def by_id(self, id: int) -> Document | None:  # noqa: A002 - the column's name
        """Return one document, None if there is none."""
        return self._store.document(id)

    def put_collection(self, name: str, root: str, base_url: str) -> None:
        """Keep a collection, or its new address."""
        with self._transaction():
            self._store.put_collection(name, root, base_url)

    def put(self, documents: Sequence[tuple[Document, DocumentText]]) -> None:
        """Add documents, all or none; each takes the place of one with its path or address."""
        with self._transaction():
            ids = []
            for document, text in documents:
                for old in self._store.replaced_by(document):
                    self._forget(old)
                ids.append(self._store.insert(document, text))
                self._index.add(ids[-1], entries_of(ids[-1], document.title, text))
            if self._is_inside:
                self._store.mark_indexed(ids)
        self._settle(ids)

    def touch(self, documents: Sequence[Document]) -> None:
        """Keep new addresses and dates of documents whose text is the same."""
        with self._transaction():
            for document in documents:
                for old in self._store.replaced_by(document):
                    if old.id != document.id:
                        self._forget(old)
                self._store.update(document)
        self._index.commit()

    def remove(self, documents: Sequence[Document]) -> None:
        """Forget documents, and collections that have none left."""
        with self._transaction():
            for document in documents:
                self._forget(document)
            self._store.drop_empty_collections()
        self._index.commit()

    def reindex(self) -> int:
        """Make the index anew from the texts and return how many documents are in it."""
        with self._transaction():
            if not self._is_inside:
                Fts5Index(self._connection).drop()
            self._index.clear()
            self._store.mark_unindexed()
        self._index.commit()
        count = self._index_the_rest()
        with self._transaction():
            self._store.note(_INDEX, self._form)
        return count

    @property
    def _is_inside(self) -> bool:
        """Tell whether the index is part of the store's transactions."""
        return isinstance(self._index, Fts5Index)

    def _is_in_the_making(self) -> bool:
        """Tell whether somebody is just making this library: it has no index and no document."""
        return not self._store.fact(_INDEX) and not self._store.collections()

    def _usual_index(self) -> str:
        kept = self._store.fact(_INDEX).partition("/")[0]
        if kept in INDEXES:
            return kept
        return "tantivy" if find_spec("tantivy") else "fts5"

    def _open_index(self, name: str) -> Index:
        if name == "fts5":
            return Fts5Index(self._connection)
        try:
            from groundwire.library.tantivy_index import TantivyIndex  # noqa: PLC0415 - an extra
        except ImportError as error:
            raise ConfigError(
                f"the index 'tantivy' needs one more package: {install_command('tantivy')}"
            ) from error
        return TantivyIndex(self.path.with_suffix(".tantivy"))

    def _prepare(self) -> None:
        """Bring the index to the form that is wanted, and finish what was interrupted."""
        if self._store.fact(_INDEX) == self._form:
            self._index_the_rest()
        else:
            self.reindex()

    def _renew_older_index(self, index: str) -> None:
        """Make an index of another version of ours anew, as whoever writes would."""
        kind, _, form = (self._store.fact(_INDEX) or "").partition("/")
        if kind == index and form != str(FORMS[index]):
            Library(self.path, index=index, writes=True).close()

    def _refuse_other_index(self) -> None:
        kept = self._store.fact(_INDEX)
        if kept != self._form:
            raise ConfigError(
                f"the index of the library {self.path} is {kept!r} and not {self._form!r}: "
                "run `groundwire library reindex`"
            )

    def _index_the_rest(self) -> int:
        """Index the documents that are not, some at a time, and return how many there were."""
        count = 0
        while some := self._index_some():
            count += some
        return count

    def _index_some(self) -> int:
        with self._transaction():
            # Looked up inside: somebody else may be at the same.
            some = self._store.unindexed(_BATCH)
            ids = [document.id for document in some]
            for document in some:
                entries = entries_of(document.id, document.title, self.text(document))
                if not self._is_inside:
                    self._index.remove(document.id, entries)
                self._index.add(document.id, entries)
            if self._is_inside:
                self._store.mark_indexed(ids)
        self._settle(ids)
        return len(some)

    def _settle(self, added: list[int]) -> None:
        """Make the index last, and only then note what is in it."""
        self._index.commit()
        if not self._is_inside:
            with self._transaction():
                self._store.mark_indexed(added)

    def _forget(self, document: Document) -> None:
        entries = entries_of(document.id, document.title, self._store.text(document.id))
        self._index.remove(document.id, entries)
        self._store.delete(document)

    def _ranked(self, words: QueryWords) -> Iterator[int]:
        yield from self._index.search(words, every=True)
        if len(words.each) > 1:
            yield from self._index.search(words, every=False)

    def _hit(self, document: Document, ordinal: int, alike: re.Pattern[str]) -> Hit:
        passage, said = self._store.passage(document.id, ordinal)
        shown = snippet(said, alike)
        return Hit(document=document, passage=passage, text=said, snippet=shown)

    @contextmanager
    def _transaction(self, kind: str = "IMMEDIATE") -> Iterator[None]:
        self._connection.execute(f"BEGIN {kind}")
        try:
            yield
        except BaseException:
            self._connection.execute("ROLLBACK")
            raise
        self._connection.execute("COMMIT")


def _passes(document: Document, domains: tuple[str, ...], since: datetime | None) -> bool:
    if since and document.date and document.date < since:
        return False
    if not domains:
        return True
    host = host_of(document.url)
    return any(host == domain or host.endswith(f".{domain}") for domain in domains)
