"""How much a heading is the question itself: pages of questions and answers are made of such."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable

from groundwire.extractive.questions import Asked, stems
from groundwire.extractive.synonyms import others
from groundwire.text.words import STOP_WORDS, stem

_ASKING = frozenset(map(stem, STOP_WORDS))
_OF_ASKING = 0.5
"""How much a word that only says that something is asked makes two questions alike."""

_BY_SYNONYM = 0.8
_FEW = 20
"""So many headings more are thought of, or every word of a short page would be a usual one."""

_RAREST = 50
# "Is it private: who sees my questions, and does it send them elsewhere?" asks three times.
_ASKS_AGAIN = re.compile(
    r"[,;:?] (?:and |or )?(?=(?:how|wh(?:at|en|ere|ich|o|ose|y)|am|are|is|was|were|can|could|do"
    r"|does|did|has|have|may|must|shall|should|will|would)\b)",
    re.IGNORECASE,
)
_LEAST = 0.1


class HeadingLikeness:
    """Compares headings with a question; words that most headings have tell little."""

    def __init__(self, asked: Asked, headings: Iterable[str] = ()) -> None:
        self._words = asked.words
        self._others = frozenset(other for word in asked.words for other in others(word))
        said = [stems(heading) for heading in headings]
        self._counts = Counter(word for words in said for word in words)
        self._total = len(said) + _FEW

    def of(self, heading: str) -> float:
        """Return how much of a heading and of the question is the same, from 0 to 1.

        One heading may ask in several ways: the part that comes nearest counts.
        """
        parts = _ASKS_AGAIN.split(heading) if heading.endswith("?") else ()
        return max(self._of(part) for part in (heading, *parts))

    def _of(self, heading: str) -> float:
        words = stems(heading)
        together = self._sum(self._words) + self._sum(words)
        if not together:
            return 0.0
        same = self._words & words
        met = 2 * self._sum(same)
        met += _BY_SYNONYM * self._sum((words - same) & self._others)
        there = frozenset(other for word in words for other in others(word))
        met += _BY_SYNONYM * self._sum((self._words - same) & there)
        return met / together

    def _sum(self, words: Iterable[str]) -> float:
        return sum(map(self._weight, words))

    def _weight(self, word: str) -> float:
        share = self._counts[word] / self._total
        rare = math.log(1 / max(share, 1 / _RAREST)) / math.log(_RAREST)
        return max(_LEAST, rare) * (_OF_ASKING if word in _ASKING else 1.0)
