"""The words of a query, as a search compares them."""

from __future__ import annotations

from dataclasses import dataclass
from unicodedata import normalize

import regex

from groundwire.text.words import QUERY_STOP_WORDS

MAX_WORDS = 32
"""So many words of a query count; the rest of a long one is left out."""

_MAX_CHARACTERS = 10_000
_WORD = regex.compile(r"[\p{L}\p{N}][\p{L}\p{N}\p{M}]*")


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryWords:
    """What a query asks for.

    A phrase is what stood between two spaces, so that `asyncio.run` is two words in a row.
    """

    phrases: tuple[tuple[str, ...], ...] = ()

    @property
    def each(self) -> tuple[str, ...]:
        """Return every word once."""
        return tuple(dict.fromkeys(word for phrase in self.phrases for word in phrase))


def words_of(query: str) -> QueryWords:
    """Return what a query asks for; stop words only if there is nothing else.

    Whatever else stands in a query, operators of a search language included, means nothing.
    """
    chunks = normalize("NFC", query[:_MAX_CHARACTERS]).lower().split()
    phrases = [tuple(_WORD.findall(chunk)) for chunk in chunks]
    asked = [phrase for phrase in dict.fromkeys(phrases) if phrase]
    telling = [phrase for phrase in asked if not QUERY_STOP_WORDS.issuperset(phrase)]
    kept: list[tuple[str, ...]] = []
    room = MAX_WORDS
    for phrase in telling or asked:
        if room <= 0:
            break
        kept.append(phrase[:room])
        room -= len(phrase)
    return QueryWords(phrases=tuple(kept))
