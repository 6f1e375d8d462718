"""English words: which say what a text is about, and what the forms of one have in common."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

# fmt: off
STOP_WORDS = frozenset({
    "a", "about", "actually", "am", "an", "and", "any", "anybody", "anyone", "anything", "are",
    "as", "at", "basically", "be", "been", "being", "but", "by", "can", "could", "did", "do",
    "does", "doing", "exactly", "explain", "for", "from", "get", "give", "had", "has", "have", "he",
    "her", "here", "him", "his", "how", "i", "if", "in", "into", "is", "it", "its", "just", "let",
    "me", "mean", "means", "my", "of", "on", "one", "or", "our", "please", "quite", "really", "s",
    "shall", "she", "should", "simply", "so", "somebody", "someone", "something", "such", "t",
    "tell", "than", "that", "the", "their", "them", "then", "there", "these", "they", "this",
    "those", "to", "us", "very", "was", "we", "were", "what", "when", "where", "which", "who",
    "whom", "whose", "why", "will", "with", "would", "you", "your",
})
"""How something is asked, and nothing of what about; a letter is what an apostrophe leaves."""

# Stop words that are also names of things that people look up in documentation.
_KEYWORDS = frozenset({"as", "at", "by", "for", "from", "if", "let", "with"})
# Words that say something in a sentence, and in a query only that one is looking.
_OF_LOOKING = frozenset({"find", "some", "use", "used", "using", "want"})
QUERY_STOP_WORDS = (STOP_WORDS - _KEYWORDS) | _OF_LOOKING
"""The same for a search, where every word that is left has to be found."""

# Words that most questions could have: they tell passages apart, but carry none alone.
_WEAK_WORDS = frozenset({
    "able", "all", "allow", "already", "also", "always", "another", "behave", "best", "between",
    "both", "case", "certain", "certainly", "choose", "correct", "correctly", "describe",
    "difference", "different", "each", "easily", "easy", "even", "ever", "every", "example", "find",
    "good", "happen", "happens", "help", "instead", "kind", "know", "like", "make", "many", "more",
    "most", "much", "my", "need", "needed", "new", "not", "now", "only", "other", "own", "possible",
    "properly", "purpose", "reason", "right", "same", "see", "several", "show", "simple", "some",
    "still", "thing", "things", "try", "two", "use", "used", "useful", "uses", "using", "want",
    "way", "ways", "without", "work", "works",
})
# fmt: on
WEAK = 0.35
"""How much a weak word counts beside others."""

_VOWEL = re.compile(r"[aeiouy]")


_ACCENTED = re.compile("[\u00c0-\u024f]")
_OTHERS = dict(zip("øØłŁđĐ", "oOlLdD", strict=True))


def without_accents(text: str) -> str:
    """Return a text with plain letters for those with accents, every one at its place."""
    return text if text.isascii() else _ACCENTED.sub(_without, text)


def _without(accented: re.Match[str]) -> str:
    letter = accented[0]
    base = unicodedata.normalize("NFD", letter)[0]
    return base if base.isascii() else _OTHERS.get(letter, letter)


def is_weak(word: str) -> bool:
    """Tell whether a word hardly says what a question is about."""
    return word in _WEAK_WORDS


@lru_cache(maxsize=4096)
def stem(word: str) -> str:
    """Return what the forms of an English word have in common, in lower case.

    It is lighter than Porter's: two words that look alike to it nearly always are.
    """
    word = word.lower()
    if len(word) < 4 or not word.isalpha():
        return word
    word = _without_plural(word)
    for ending in ("ing", "ed", "ion", "ly"):
        root = word.removesuffix(ending)
        if root != word and len(root) > 2 and _VOWEL.search(root):
            word = root[:-1] if root[-1] == root[-2] and root[-1] not in "lsz" else root
            break
    if word.endswith("y") and len(word) > 3:
        return f"{word[:-1]}i"
    return word[:-1] if word.endswith("e") and len(word) > 3 else word


def _without_plural(word: str) -> str:
    if word.endswith("ies") and len(word) > 4:
        return f"{word[:-3]}y"
    if word.endswith(("sses", "xes", "ches", "shes")):
        return word[:-2]
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word
