"""What is compared in a search: the words of a query, and a passage without its marks."""

from __future__ import annotations

import re
from dataclasses import dataclass
from unicodedata import normalize

import regex

MAX_WORDS = 32
"""So many words of a query count; the rest of a long one is left out."""

_MAX_CHARACTERS = 10_000
_WORD = regex.compile(r"[\p{L}\p{N}][\p{L}\p{N}\p{M}]*")
_LINK = re.compile(r"!?\[([^\[\]]*)\]\((?:[^()\s]|\([^()\s]*\))*+(?:\s\"[^\"]*\")?\)")
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")
_MARKS = re.compile(r"(?m)^ {0,3}#{1,6}[ \t]+|\*\*|^ {0,3}(?:`{3,}|~{3,}).*$")

# Words that say how something is asked and hardly what about. Those that are also the names of
# things that people look up in documentation (for, if, not, with, while) are left in.
# fmt: off
STOP_WORDS = frozenset({
    "a", "about", "am", "an", "and", "any", "are", "be", "been", "being", "but", "can", "could",
    "did", "do", "does", "doing", "explain", "find", "get", "give", "had", "has", "have", "how",
    "i", "in", "into", "is", "it", "its", "me", "mean", "means", "my", "of", "on", "one", "or",
    "our", "please", "s", "should", "so", "some", "t", "tell", "than", "that", "the", "their",
    "them", "then", "there", "these", "they", "this", "those", "to", "us", "use", "used",
    "using", "want", "was", "we", "were", "what", "when", "where", "which", "who", "whom",
    "whose", "why", "will", "would", "you", "your",
})
# fmt: on


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """What a query asks for.

    A phrase is what stood between two spaces, so that `asyncio.run` is two words in a row.
    """

    phrases: tuple[tuple[str, ...], ...] = ()

    @property
    def each(self) -> tuple[str, ...]:
        """Return every word once."""
        return tuple(dict.fromkeys(word for phrase in self.phrases for word in phrase))


def words_of(query: str) -> Words:
    """Return what a query asks for; stop words only if there is nothing else.

    Whatever else stands in a query, operators of a search language included, means nothing.
    """
    chunks = normalize("NFC", query[:_MAX_CHARACTERS]).lower().split()
    phrases = [tuple(_WORD.findall(chunk)) for chunk in chunks]
    asked = [phrase for phrase in dict.fromkeys(phrases) if phrase]
    telling = [phrase for phrase in asked if not STOP_WORDS.issuperset(phrase)]
    kept: list[tuple[str, ...]] = []
    room = MAX_WORDS
    for phrase in telling or asked:
        if room <= 0:
            break
        kept.append(phrase[:room])
        room -= len(phrase)
    return Words(phrases=tuple(kept))


def plain(markdown: str) -> str:
    """Return what a person reads in Markdown: words of links without their addresses, no marks.

    What is indexed depends on it: whoever changes it raises `index.FORM`.
    """
    return _ESCAPED.sub(r"\1", _MARKS.sub("", _LINK.sub(r"\1", markdown)))
