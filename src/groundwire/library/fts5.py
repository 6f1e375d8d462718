"""The index that SQLite brings along: FTS5, in the library's own file and transactions.

It keeps no text (`content=''`): passages are read from the documents, and what is removed is
told to it as it was added.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence

from groundwire.library.index import IndexEntry
from groundwire.library.words import QueryWords, with_marks_as_letters

_SCHEMA = """
CREATE VIRTUAL TABLE words USING fts5(
    title, headings, body,
    content='', tokenize='porter unicode61 remove_diacritics 2'
)
"""
# Every batch is a segment. By default four are merged into one, and the same words are written
# again and again as a library grows. More segments make a query a little slower.
_SETTINGS = (("automerge", 16), ("crisismerge", 32))
_SET = "INSERT INTO words (words, rank) VALUES (?, ?)"
_ADD = "INSERT INTO words (rowid, title, headings, body) VALUES (?, ?, ?, ?)"
_REMOVE = "INSERT INTO words (words, rowid, title, headings, body) VALUES ('delete', ?, ?, ?, ?)"
# Only ids: a text in the same query would be made for every match and not for the best alone.
_SEARCH = """
SELECT rowid FROM words WHERE words MATCH ? AND rank MATCH ? ORDER BY rank, rowid
LIMIT ? OFFSET ?
"""
_FIRST = 250
_RANK = "bm25(3.0, 2.0, 1.0)"  # How much a word in title, headings and body counts.


class Fts5Index:
    """Lives in a connection that somebody else opens, commits and closes."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def add(self, document: int, entries: Sequence[IndexEntry]) -> None:  # noqa: ARG002 - an Index
        """Take the passages of a document."""
        self._connection.executemany(_ADD, map(_row, entries))

    def remove(self, document: int, entries: Sequence[IndexEntry]) -> None:  # noqa: ARG002 - an Index
        """Forget the passages of a document."""
        self._connection.executemany(_REMOVE, map(_row, entries))

    def refresh(self) -> None:
        """Do nothing: a transaction sees what others have written."""

    def search(self, words: QueryWords, *, every: bool) -> Iterator[int]:
        """Yield the ids of passages, best first."""
        if not words.phrases:
            return
        if every:
            asked = " AND ".join(_quoted(phrase) for phrase in words.phrases)
        else:
            asked = " OR ".join(_quoted((word,)) for word in words.each)
        # To keep the best few costs less than to sort them all, which hardly anyone needs.
        for limit, offset in ((_FIRST, 0), (-1, _FIRST)):
            for (passage,) in self._connection.execute(_SEARCH, (asked, _RANK, limit, offset)):
                yield passage

    def clear(self) -> None:
        """Forget everything."""
        self.drop()
        self._connection.execute(_SCHEMA)
        self._connection.executemany(_SET, _SETTINGS)

    def drop(self) -> None:
        """Make room for another index."""
        self._connection.execute("DROP TABLE IF EXISTS words")

    def commit(self) -> None:
        """Do nothing: the transaction is the store's."""

    def close(self) -> None:
        """Do nothing: the connection is the store's."""


def _row(entry: IndexEntry) -> tuple[int, str, str, str]:
    return entry.id, *entry.columns


def _quoted(phrase: tuple[str, ...]) -> str:
    # Nothing in quotation marks is an operator, and words have none in them.
    return f'"{with_marks_as_letters(" ".join(phrase))}"'
