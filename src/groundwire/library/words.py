"""The words of a query, as a search compares them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from unicodedata import normalize

import regex

from groundwire.text.unspaced import LETTERS, characters, pairs_of, pieces_of, stretches
from groundwire.text.words import QUERY_STOP_WORDS

MAX_WORDS = 32
"""So many words of a query count; the rest of a long one is left out."""

_MAX_CHARACTERS = 10_000
_WORD = regex.compile(r"[\p{L}\p{N}][\p{L}\p{N}\p{M}]*")
_MARK = regex.compile(rf"(?V1)[[{LETTERS}]&&\p{{M}}]")
_LETTERS_FROM = 0xAC00 - 0x0E00


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryWords:
    """What a query asks for.

    A phrase is what stood between two spaces, so that `asyncio.run` is two words in a row. Where
    a script has no spaces, pairs of characters are the words, and what stood in a row is a phrase.
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
    phrases = [phrase for chunk in chunks for phrase in _phrases(chunk)]
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


def _phrases(chunk: str) -> Iterator[tuple[str, ...]]:
    for part, is_run in stretches(chunk):
        if not is_run:
            yield tuple(_WORD.findall(part))
            continue
        for piece in pieces_of(normalize("NFKC", part)):
            yield tuple(pairs_of(piece))


def indexed(text: str) -> str:
    """Return a text as an index gets it, so that it has words whatever the script.

    Runs without spaces are pairs of characters, in their order; each character is also there by
    itself, at the end, for words that have but one.
    """
    parts, alone = [], dict[str, None]()
    for part, is_run in stretches(text):
        if not is_run:
            parts.append(part)
            continue
        run = normalize("NFKC", part)
        parts.extend((" ", " ".join(pairs_of(run)), " "))
        alone.update(dict.fromkeys(characters(run)))
    return (
        with_marks_as_letters("".join((*parts, *(f" {one}" for one in alone)))) if alone else text
    )


def with_marks_as_letters(text: str) -> str:
    """Return a text with letters of Hangul for the marks of Thai and others.

    Vowels and tones are marks there, and an index, each a little otherwise, ends words at marks.
    """
    return _MARK.sub(lambda mark: chr(ord(mark[0]) + _LETTERS_FROM), text)
