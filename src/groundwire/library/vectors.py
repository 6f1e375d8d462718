"""What passages mean, as vectors: kept in the library's file, and searched without a package.

Each vector is kept twice: as signs, a bit for each dimension, which stay in memory and are compared
by counting bits, and as small integers, by which the nearest few hundred are put into their order.
"""

from __future__ import annotations

import heapq
import math
import sqlite3
from array import array
from collections.abc import Sequence
from operator import mul
from typing import TypeAlias

Vector: TypeAlias = Sequence[float]

MAX_PASSAGES = 1_000_000
"""So many passages are compared; this bounds what is in memory."""

_REGARDED = 400
_AT_ONCE = 200
_MOST = 127


class Vectors:
    """The vectors of a library; transactions are its caller's."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._seen = -1
        self._passages: array[int] = array("q")
        self._signs: list[int] = []

    def put(self, document: int, passages: Sequence[tuple[int, Vector]]) -> None:
        """Keep the vectors of a document's passages in place of those it had."""
        self._connection.execute("DELETE FROM vectors WHERE document = ?", (document,))
        rows = ((id_, document, _signs(vector), _small(vector)) for id_, vector in passages)
        self._connection.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?, ?, ?)", rows)
        self._seen = -1

    def clear(self) -> None:
        """Forget all of them, as for another model."""
        self._connection.execute("DELETE FROM vectors")
        self._seen = -1

    def missing(self, limit: int) -> list[int]:
        """Return some documents without vectors, by id."""
        rows = self._connection.execute(
            "SELECT id FROM documents d WHERE passages > 0 AND NOT EXISTS "
            "(SELECT 1 FROM vectors v WHERE v.document = d.id) ORDER BY id LIMIT ?",
            (limit,),
        )
        return [id_ for (id_,) in rows]

    def counts(self) -> tuple[int, int]:
        """Return how many documents have vectors, and how many could."""
        if not self._is_there():
            return 0, self._count("SELECT count(*) FROM documents WHERE passages > 0")
        return (
            self._count("SELECT count(DISTINCT document) FROM vectors"),
            self._count("SELECT count(*) FROM documents WHERE passages > 0"),
        )

    def nearest(self, vector: Vector, limit: int) -> list[int]:
        """Return the ids of the passages that mean most alike, nearest first."""
        if not self._is_there():
            return []
        self._load()
        asked = int.from_bytes(_signs(vector))
        distances = [(signs ^ asked).bit_count() for signs in self._signs]
        places = heapq.nsmallest(_REGARDED, range(len(distances)), key=distances.__getitem__)
        kept = self._kept([self._passages[place] for place in places])
        scores = {id_: _likeness(vector, small) for id_, small in kept}
        return sorted(scores, key=lambda id_: (-scores[id_], id_))[:limit]

    def _is_there(self) -> bool:
        """Tell whether there is a table: a library of an earlier version has none."""
        return bool(self._count("SELECT count(*) FROM sqlite_schema WHERE name = 'vectors'"))

    def _load(self) -> None:
        """Have the signs in memory as they are now."""
        # It changes with what others write; what this connection writes forgets it.
        version = self._count("PRAGMA data_version")
        if version == self._seen:
            return
        self._passages, self._signs = array("q"), []
        query = "SELECT passage, signs FROM vectors ORDER BY passage LIMIT ?"
        for id_, signs in self._connection.execute(query, (MAX_PASSAGES,)):
            self._passages.append(id_)
            self._signs.append(int.from_bytes(signs))
        self._seen = version

    def _kept(self, ids: Sequence[int]) -> list[tuple[int, bytes]]:
        found: list[tuple[int, bytes]] = []
        for first in range(0, len(ids), _AT_ONCE):
            some = ids[first : first + _AT_ONCE]
            marks = ",".join("?" * len(some))
            query = f"SELECT passage, vector FROM vectors WHERE passage IN ({marks})"  # noqa: S608 - question marks
            found += self._connection.execute(query, some).fetchall()
        return found

    def _count(self, query: str) -> int:
        return int(self._connection.execute(query).fetchone()[0])


def _signs(vector: Vector) -> bytes:
    bits = "".join("1" if number > 0 else "0" for number in vector)
    return int(bits, 2).to_bytes((len(bits) + 7) // 8)


def _small(vector: Vector) -> bytes:
    most = max(map(abs, vector)) or 1.0
    return array("b", (round(number / most * _MOST) for number in vector)).tobytes()


def _likeness(vector: Vector, kept: bytes) -> float:
    """Return the cosine between a vector and one that is kept, but for the first's own length."""
    small = array("b", kept)
    length = math.sqrt(sum(map(mul, small, small))) or 1.0
    return float(sum(map(mul, vector, small))) / length
