"""The library's file: collections, documents and their texts, in SQLite."""

from __future__ import annotations

import json
import os
import re
import sqlite3
import zlib
from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from groundwire.errors import ConfigError
from groundwire.library.addresses import key_of
from groundwire.library.model import Collection, Document, DocumentText, FoundPassage
from groundwire.model import PageMetadata
from groundwire.system.files import private_folder

VERSION = 1
"""The form of the file; one of a later form is not touched."""

_APPLICATION = 0x47574C42
_PART_PASSAGES = 32
_BUSY_MILLISECONDS = 60_000
_SCHEMA = """
CREATE TABLE IF NOT EXISTS facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS collections (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    root TEXT NOT NULL,
    base_url TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS documents (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    collection INTEGER NOT NULL REFERENCES collections (id),
    path TEXT NOT NULL,
    key TEXT NOT NULL UNIQUE,
    url TEXT NOT NULL,
    title TEXT NOT NULL,
    date REAL,
    size INTEGER NOT NULL,
    modified INTEGER NOT NULL,
    digest BLOB NOT NULL,
    characters INTEGER NOT NULL,
    passages INTEGER NOT NULL,
    is_truncated INTEGER NOT NULL,
    is_indexed INTEGER NOT NULL,
    UNIQUE (collection, path)
);
CREATE TABLE IF NOT EXISTS parts (
    document INTEGER NOT NULL REFERENCES documents (id) ON DELETE CASCADE,
    ordinal INTEGER NOT NULL,
    start INTEGER NOT NULL,
    markdown BLOB NOT NULL,
    passages BLOB NOT NULL,
    PRIMARY KEY (document, ordinal)
);
CREATE TABLE IF NOT EXISTS about (
    document INTEGER PRIMARY KEY REFERENCES documents (id) ON DELETE CASCADE,
    said TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS vectors (
    passage INTEGER PRIMARY KEY,
    document INTEGER NOT NULL REFERENCES documents (id) ON DELETE CASCADE,
    signs BLOB NOT NULL,
    vector BLOB NOT NULL
);
CREATE INDEX IF NOT EXISTS vectors_by_document ON vectors (document);
"""
_DOCUMENTS = """
SELECT d.id, c.name, d.path, d.url, d.title, d.date, d.size, d.modified, d.digest, d.characters,
    d.passages, d.is_truncated
FROM documents d JOIN collections c ON c.id = d.collection
"""
_COLLECTIONS = """
SELECT c.id, c.name, c.root, c.base_url, count(d.id), coalesce(sum(d.passages), 0),
    coalesce(sum(d.characters), 0)
FROM collections c LEFT JOIN documents d ON d.collection = c.id
GROUP BY c.id ORDER BY c.name
"""
# One after the other, so that each finds its index: with OR every document would be looked at.
_REPLACED = """
WHERE d.id IN (
    SELECT id FROM documents
    WHERE collection = (SELECT id FROM collections WHERE name = ?) AND path = ?
    UNION SELECT id FROM documents WHERE key = ?
)
"""
_INSERT = """
INSERT INTO documents (collection, path, key, url, title, date, size, modified, digest, characters,
    passages, is_truncated, is_indexed)
VALUES ((SELECT id FROM collections WHERE name = ?), ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0)
"""
_ABOUT = "SELECT said FROM about WHERE document = ?"
_PART = """
SELECT ordinal, start, markdown, passages FROM parts WHERE document = ? AND ordinal <= ?
ORDER BY ordinal DESC LIMIT 1
"""
_UPDATE = """
UPDATE documents SET key = ?, url = ?, date = ?, size = ?, modified = ? WHERE id = ?
"""


def is_made(path: Path) -> bool:
    """Tell whether there is a library: one that somebody is just making is an empty file."""
    try:
        return path.stat().st_size > 0
    except OSError:
        return False


def connect(path: Path, *, writes: bool) -> sqlite3.Connection:
    """Open the library's file; only a writer makes one where there is none.

    Raises:
        ConfigError: There is none, it is no library, or it is of a later form.
    """
    if not writes and not is_made(path):
        raise ConfigError(
            f"there is no library at {path}: add documents with `groundwire library add FOLDER`"
        )
    try:
        connection = _opened(path) if writes else _opened_to_read(path)
    except (sqlite3.Error, OSError) as error:
        raise ConfigError(f"the library {path} cannot be opened: {error}") from error
    try:
        if writes:
            _set_up(connection, path)
        else:
            _check(connection, path)
    except BaseException:
        connection.close()
        raise
    return connection


def _opened(path: Path) -> sqlite3.Connection:
    private_folder(path.parent)
    # What somebody reads is nobody else's business. A file that is there is left alone: to close
    # it would give up the locks that other connections of this process hold on it.
    with suppress(FileExistsError):
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
    # One thread at a time uses it, but not always the same.
    connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    return _tried(connection)


def _opened_to_read(path: Path) -> sqlite3.Connection:
    address = path.absolute().as_uri()
    try:
        return _tried(
            sqlite3.connect(
                f"{address}?mode=ro", uri=True, isolation_level=None, check_same_thread=False
            )
        )
    except sqlite3.OperationalError:
        # Where nothing may be written there is no place for WAL's files, and no need of them.
        return _tried(
            sqlite3.connect(
                f"{address}?immutable=1", uri=True, isolation_level=None, check_same_thread=False
            )
        )


def _tried(connection: sqlite3.Connection) -> sqlite3.Connection:
    try:
        connection.execute(f"PRAGMA busy_timeout = {_BUSY_MILLISECONDS}")
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
    except sqlite3.Error:
        connection.close()
        raise
    return connection


def _set_up(connection: sqlite3.Connection, path: Path) -> None:
    """Make the tables in one step, so that others see a whole library or an empty file."""
    connection.execute("PRAGMA synchronous = NORMAL")
    connection.execute("BEGIN IMMEDIATE")
    _check(connection, path)
    for statement in _SCHEMA.split(";"):
        connection.execute(statement)
    connection.execute(f"PRAGMA application_id = {_APPLICATION}")
    connection.execute(f"PRAGMA user_version = {VERSION}")
    connection.execute("COMMIT")
    # Not while somebody else is at it; then the next one who writes does it.
    with suppress(sqlite3.OperationalError):
        connection.execute("PRAGMA journal_mode = WAL")


def _check(connection: sqlite3.Connection, path: Path) -> None:
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if application != _APPLICATION and path.stat().st_size:
        raise ConfigError(f"{path} is not a library: name another file in the settings")
    if version > VERSION:
        raise ConfigError(
            f"the library {path} was made by a later version: update Groundwire, or name another"
        )


class LibraryStore:
    """What is in the file, as nouns. Transactions are its caller's."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def fact(self, name: str) -> str:
        """Return what is noted under a name, "" if nothing is."""
        found = self._connection.execute("SELECT value FROM facts WHERE name = ?", (name,))
        return next((str(value) for (value,) in found), "")

    def note(self, name: str, value: str) -> None:
        """Keep a fact."""
        self._connection.execute("INSERT OR REPLACE INTO facts VALUES (?, ?)", (name, value))

    def collections(self) -> list[Collection]:
        """Return all collections by name, with what is in them."""
        names = ("id", "name", "root", "base_url", "documents", "passages", "characters")
        rows = self._connection.execute(_COLLECTIONS)
        return [Collection(**dict(zip(names, row, strict=True))) for row in rows]

    def put_collection(self, name: str, root: str, base_url: str) -> None:
        """Keep a collection, or its new address."""
        self._connection.execute(
            "INSERT INTO collections (name, root, base_url) VALUES (?, ?, ?) "
            "ON CONFLICT (name) DO UPDATE SET base_url = excluded.base_url",
            (name, root, base_url),
        )

    def drop_empty_collections(self) -> None:
        """Forget collections without documents."""
        self._connection.execute(
            "DELETE FROM collections WHERE id NOT IN (SELECT collection FROM documents)"
        )

    def documents(self, where: str = "", values: tuple[str | int, ...] = ()) -> list[Document]:
        """Return documents by collection and path; `where` is SQL of our own."""
        rows = self._connection.execute(f"{_DOCUMENTS} {where} ORDER BY c.name, d.path", values)
        return [_document(row) for row in rows]

    def documents_like(self, words: str, after: int, limit: int) -> list[Document]:
        """Return some documents by id whose title or path has these words in it."""
        like = "%" + re.sub(r"([%_\\])", r"\\\1", words) + "%"
        rows = self._connection.execute(
            f"{_DOCUMENTS} WHERE d.id > ? AND (d.title LIKE ? ESCAPE '\\' "
            "OR d.path LIKE ? ESCAPE '\\') ORDER BY d.id LIMIT ?",
            (after, like, like, limit),
        )
        return [_document(row) for row in rows]

    def document(self, id: int) -> Document | None:  # noqa: A002 - the column's name
        """Return one document, None if there is none."""
        row = self._connection.execute(f"{_DOCUMENTS} WHERE d.id = ?", (id,)).fetchone()
        return None if row is None else _document(row)

    def at(self, url: str) -> Document | None:
        """Return the document at an address in any spelling, None if there is none."""
        row = self._connection.execute(f"{_DOCUMENTS} WHERE d.key = ?", (key_of(url),)).fetchone()
        return None if row is None else _document(row)

    def replaced_by(self, document: Document) -> list[Document]:
        """Return what a document takes the place of: the same file, or the same address."""
        return self.documents(_REPLACED, (document.collection, document.path, key_of(document.url)))

    def insert(self, document: Document, text: DocumentText) -> int:
        """Keep a document and return its id."""
        values = (
            *(document.collection, document.path, key_of(document.url), document.url),
            *(document.title, document.date and document.date.timestamp(), document.size),
            *(document.modified, document.digest, len(text.markdown), len(text.passages)),
            document.is_truncated,
        )
        made = self._connection.execute(_INSERT, values).lastrowid or 0
        self._connection.executemany(
            "INSERT INTO parts VALUES (?, ?, ?, ?, ?)", ((made, *part) for part in _parts(text))
        )
        if said := text.metadata.said():
            self._connection.execute("INSERT INTO about VALUES (?, ?)", (made, json.dumps(said)))
        return made

    def update(self, document: Document) -> None:
        """Keep a new address and new dates of a document whose text is the same."""
        date = document.date and document.date.timestamp()
        self._connection.execute(
            _UPDATE,
            (
                *(key_of(document.url), document.url, date),
                *(document.size, document.modified, document.id),
            ),
        )

    def delete(self, document: Document) -> None:
        """Forget a document."""
        self._connection.execute("DELETE FROM documents WHERE id = ?", (document.id,))

    def text(self, id: int) -> DocumentText:  # noqa: A002 - the column's name
        """Return the text of a document."""
        rows = self._connection.execute(
            "SELECT ordinal, markdown, passages FROM parts WHERE document = ? ORDER BY ordinal",
            (id,),
        ).fetchall()
        return DocumentText(
            markdown="".join(_unzipped(markdown) for _, markdown, _ in rows),
            passages=tuple(
                passage for first, _, packed in rows for passage in _unpacked(packed, first)
            ),
            metadata=self._metadata(id),
        )

    def _metadata(self, document: int) -> PageMetadata:
        # A library that nobody has added to since does not have the table.
        with suppress(sqlite3.OperationalError):
            found = self._connection.execute(_ABOUT, (document,))
            if row := found.fetchone():
                return PageMetadata.from_json(json.loads(row[0]))
        return PageMetadata()

    def passage(self, document: int, ordinal: int) -> tuple[FoundPassage, str]:
        """Return one passage and its text, without reading the rest of a long document."""
        row = self._connection.execute(_PART, (document, ordinal)).fetchone()
        first, start, markdown, packed = row
        passage = _unpacked(packed, first)[ordinal - first]
        return passage, _unzipped(markdown)[passage.start - start : passage.end - start]

    def mark_indexed(self, ids: list[int]) -> None:
        """Note that documents are in the index for good."""
        self._connection.executemany(
            "UPDATE documents SET is_indexed = 1 WHERE id = ?", ((id_,) for id_ in ids)
        )

    def mark_unindexed(self) -> None:
        """Note that no document is in the index."""
        self._connection.execute("UPDATE documents SET is_indexed = 0")

    def unindexed(self, limit: int) -> list[Document]:
        """Return some of the documents that are not in the index, or perhaps not."""
        ids = self._connection.execute(
            "SELECT id FROM documents WHERE NOT is_indexed ORDER BY id LIMIT ?", (limit,)
        ).fetchall()
        return [document for (id_,) in ids if (document := self.document(id_))]


def _document(row: Sequence[Any]) -> Document:
    id_, collection, path, url, title, date, size, modified, digest, *rest = row
    characters, passages, is_truncated = rest
    return Document(
        id=id_,
        collection=collection,
        path=path,
        url=url,
        title=title,
        date=None if date is None else datetime.fromtimestamp(date, UTC),
        size=size,
        modified=modified,
        digest=digest,
        characters=characters,
        passages=passages,
        is_truncated=bool(is_truncated),
    )


def _parts(text: DocumentText) -> Iterator[tuple[int, int, bytes, bytes]]:
    """Yield a text in parts of some passages each: first ordinal, start, text and passages."""
    first = range(0, max(1, len(text.passages)), _PART_PASSAGES)
    starts = [text.passages[ordinal].start if ordinal else 0 for ordinal in first]
    for ordinal, start, end in zip(first, starts, [*starts[1:], len(text.markdown)], strict=True):
        some = text.passages[ordinal : ordinal + _PART_PASSAGES]
        rows = [[passage.start, passage.end, passage.headings] for passage in some]
        packed = json.dumps(rows, separators=(",", ":")).encode()
        markdown = text.markdown[start:end].encode()
        yield ordinal, start, zlib.compress(markdown), zlib.compress(packed)


def _unzipped(packed: bytes) -> str:
    return zlib.decompress(packed).decode()


def _unpacked(packed: bytes, first: int) -> tuple[FoundPassage, ...]:
    return tuple(
        FoundPassage(ordinal=ordinal, start=start, end=end, headings=tuple(headings))
        for ordinal, (start, end, headings) in enumerate(json.loads(_unzipped(packed)), first)
    )
