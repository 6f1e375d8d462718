"""The sentences of a page, how many of a claim's words each has, and which come nearest."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from groundwire.text.markdown import lines
from groundwire.text.sentences import sentences as sentences_in
from groundwire.text.words import STOP_WORDS, is_weak, stem

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import TypeAlias

    from groundwire.checks.words import TextWords

    Places: TypeAlias = Mapping[str, Sequence[int]]

MAX_SENTENCES = 3
_LONGER_COSTS = 0.06
WEAK_WEIGHT = 0.4


class Sentences:
    """The sentences of a page, and in which of them a stem stands.

    That is looked up when a claim first has the stem: a claim has few of a page's words.
    """

    def __init__(
        self, borders: tuple[array[int], array[int]], words: TextWords, places: Places
    ) -> None:
        self.starts, self.ends = borders
        self._words = words
        self._places = places
        self._forms: defaultdict[str, list[str]] = defaultdict(list)
        for word in places.keys() - STOP_WORDS:
            self._forms[stem(word)].append(word)
        self._found: dict[str, Sequence[int]] = {}

    def having(self, key: str) -> Sequence[int]:
        """Return the numbers of the sentences that have a stem, each once."""
        found = self._found.get(key)
        if found is None:
            found = self._found[key] = array("I", sorted({*self._numbers(key)}))
        return found

    def _numbers(self, key: str) -> Iterator[int]:
        starts = self._words.starts
        for word in self._forms.get(key, ()):
            for place in self._places[word]:
                yield bisect_right(self.ends, starts[place])


@dataclass(frozen=True, slots=True, kw_only=True)
class Nearest:
    """The passage that has most of a claim's words: its place, and the share that it has.

    `coverage` is the share of the claim's words that the whole page has. Words count by how much
    they tell.
    """

    start: int
    end: int
    share: float
    coverage: float


def sentences_of(text: str, words: TextWords, places: Places) -> Sentences:
    """Return the sentences of a page; `places` are those of each of its words."""
    return Sentences(_borders(text), words, places)


def _borders(text: str) -> tuple[array[int], array[int]]:
    """Return where sentences begin and end; a line's end ends one too."""
    starts, ends = array("I"), array("I")
    for line in lines(text):
        for sentence in sentences_in(text, line.start, line.end):
            starts.append(sentence.start)
            ends.append(sentence.end)
    return starts, ends


def claim_weights(words: TextWords) -> dict[str, float]:
    """Return the stems of a claim with how much each tells."""
    weights: dict[str, float] = {}
    for word in words.folded:
        if word in STOP_WORDS or (len(word) == 1 and not word.isdigit()):
            continue
        weight = WEAK_WEIGHT if is_weak(word) else 1.0
        weights[stem(word)] = weight
    return weights


def nearest(weights: dict[str, float], sentences: Sentences) -> Nearest | None:
    """Return the passage of one to three sentences that has most of a claim's words."""
    total = sum(weights.values())
    masks: dict[int, int] = {}
    values = []
    covered = 0.0
    for bit, (key, weight) in enumerate(weights.items()):
        values.append(weight)
        there = sentences.having(key)
        if not there:
            continue
        covered += weight
        for place in there:
            masks[place] = masks.get(place, 0) | (1 << bit)
    if not masks:
        return None
    first, last, share = _best_window(masks, values, total)
    return Nearest(
        start=sentences.starts[first],
        end=sentences.ends[last],
        share=share,
        coverage=covered / total,
    )


def _best_window(
    masks: dict[int, int], values: Sequence[float], total: float
) -> tuple[int, int, float]:
    best, best_score, best_share = (0, 0), -1.0, 0.0
    worth: dict[int, float] = {}
    for first in sorted(masks):
        mask = 0
        for last in range(first, first + MAX_SENTENCES):
            if last not in masks:
                continue
            mask |= masks[last]
            share = worth.get(mask)
            if share is None:
                share = worth[mask] = _worth(mask, values) / total
            score = share - _LONGER_COSTS * (last - first)
            if score > best_score:
                best, best_score, best_share = (first, last), score, share
    return (*best, best_share)


def _worth(mask: int, values: Sequence[float]) -> float:
    return sum(value for bit, value in enumerate(values) if mask >> bit & 1)
