"""How much a text says, whatever its script: characters and words as in a Latin script.

Chinese, Japanese and Thai put no spaces between words, and a Chinese character says as much as
two or three Latin letters. A rule about long paragraphs must hold for all of them.
"""

from __future__ import annotations

import re

from groundwire.text.unspaced import DENSE, FIRST, LETTERS

# A third of these is a word.
_DENSE = re.compile(f"[{DENSE}]+")
# Syllables of Hangul, which does put spaces: only more is said in less.
_SYLLABLES = re.compile("[\uac00-\ud7af]+")
_UNSPACED = re.compile(f"[{LETTERS}]+")
_LETTERS_A_CHARACTER = 2.5
_LETTERS_A_SYLLABLE = 2.0
_CHARACTERS_A_WORD = 1.8
_LETTERS_A_WORD = 5.0


def length_of(text: str) -> tuple[int, int]:
    """Return how many characters and words a text would have in a Latin script, one at least."""
    characters, words = len(text), text.count(" ") + 1
    if text.isascii() or max(text) < FIRST:
        return characters, words
    dense, runs = _count(_DENSE, text)
    syllables, _ = _count(_SYLLABLES, text)
    letters, more = _count(_UNSPACED, text)
    extra = dense * (_LETTERS_A_CHARACTER - 1) + syllables * (_LETTERS_A_SYLLABLE - 1)
    # A run of such characters has been counted as one word already.
    in_runs = dense / _CHARACTERS_A_WORD + letters / _LETTERS_A_WORD - runs - more
    return characters + round(extra), words + max(0, round(in_runs))


def more_words(text: str) -> int:
    """Return how many words a text has more than its spaces tell."""
    return length_of(text)[1] - text.count(" ") - 1


def _count(pattern: re.Pattern[str], text: str) -> tuple[int, int]:
    runs = pattern.findall(text)
    return sum(map(len, runs)), len(runs)


def has_no_sentence_marks(text: str) -> bool:
    """Tell whether a text ends in a script that ends its sentences with nothing but a space."""
    return _UNSPACED.fullmatch(text[-1:]) is not None


def spaced(text: str) -> str:
    """Return a text in which every character of Han and kana stands as a word of its own."""
    return _DENSE.sub(lambda run: f" {' '.join(run[0])} ", text)
