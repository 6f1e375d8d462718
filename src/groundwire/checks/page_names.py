"""Whether a name stands on a page, in any spelling, short or long.

Permissive: where a reader could take something for the name, the name is there.
"""

from __future__ import annotations

from collections import defaultdict
from functools import cached_property
from typing import TYPE_CHECKING

from groundwire.checks.names import JOINING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from groundwire.checks.names import ClaimName
    from groundwire.checks.words import TextWords

BEGINNING = 5
"""Names that share so many letters at their beginning are taken for one."""

_SHORT = 4
_MAX_INITIALS = 8
# What one name is also called, and those who come from there; longer words share a beginning.
_SAME = [
    group.split()
    for group in """
    us usa america american unitedstates
    uk britain british brits unitedkingdom
    england english uk britain
    eu europe european europeanunion
    un unitednations
    nyc newyork
    netherlands dutch holland
    ireland irish
    scotland scottish scots
    wales welsh
    france french
    spain spanish
    italy italian
    greece greek
    turkey turkish
    poland polish
    denmark danish danes
    sweden swedish swedes
    norway norwegian
    finland finnish finns
    switzerland swiss
    china chinese
    thailand thai
    philippines filipino
    peru peruvian
    cuba cuban
    iran iranian persia persian
    iraq iraqi
    burma burmese myanmar
    macao macau
    """.strip().splitlines()
]


_GROUPS = {
    each: frozenset(other for group in _SAME if each in group for other in group)
    for each in {word for group in _SAME for word in group}
}
_OF_SEVERAL_WORDS = ("unitedstates", "unitedkingdom", "europeanunion", "unitednations", "newyork")


class PageNames:
    """The words of a page as names are looked for among them; `places` is where each stands."""

    def __init__(self, text: str, words: TextWords, places: Mapping[str, Sequence[int]]) -> None:
        self._text = text
        self._words = words
        self._places = places

    @cached_property
    def beginnings(self) -> frozenset[str]:
        """Return what the longer words of the page begin with."""
        return frozenset(word[:BEGINNING] for word in self._places)

    @cached_property
    def _short_beginnings(self) -> frozenset[str]:
        return frozenset(word[:_SHORT] for word in self._places)

    @cached_property
    def _by_shape(self) -> Mapping[tuple[str, int], Sequence[str]]:
        """Return the words by their first letter and their length."""
        found: defaultdict[tuple[str, int], list[str]] = defaultdict(list)
        for word in self._places:
            found[word[0], len(word)].append(word)
        return found

    @cached_property
    def _initials(self) -> str:
        return initials_of(self._text, self._words)

    def has(self, name: ClaimName) -> bool:
        """Tell whether a name is there, a word of it, or what it is also called."""
        words = (*name.words, *name.longer)
        return (
            any(self._has_word(word) for word in words)
            or self._has_initials(name)
            or self._spells_out(name)
            or any(self._has_alias(alias) for alias in _aliases(name))
            or any(self._has_nearly(word) for word in words)
        )

    def _has_word(self, word: str) -> bool:
        if word in self._places or (word.endswith("s") and word[:-1] in self._places):
            return True
        if not word.isalpha():
            # `G20` may stand there as `G-20`, or as `G` with the number elsewhere.
            return word in self._words.letters or word.rstrip("0123456789") in self._places
        if len(word) < BEGINNING:
            # In the letters of a whole page a short word stands by accident.
            return len(word) == _SHORT and word in self._short_beginnings
        return word[:BEGINNING] in self.beginnings or word in self._words.letters

    def _has_nearly(self, word: str) -> bool:
        """Tell whether a word is there with one letter off."""
        if len(word) < BEGINNING:
            return False
        # Two letters in its middle may be changed round.
        half = (len(word) - 1) // 2
        first, last = word[:half], word[-half:]
        return any(
            (other.startswith(first) or other.endswith(last)) and _is_one_letter_off(word, other)
            for length in (len(word) - 1, len(word), len(word) + 1)
            for other in self._by_shape.get((word[0], length), ())
        )

    def _has_initials(self, name: ClaimName) -> bool:
        """Tell whether the page has a long name in short, such as TfGM."""
        both = (name.words, name.text.lower().replace("-", " ").split())
        return any(
            len(initials) > 2 and initials in self._places
            for initials in ("".join(word[0] for word in words) for words in both)
        )

    def _spells_out(self, name: ClaimName) -> bool:
        """Tell whether a name in capitals, such as WHO, is short for one that the page has."""
        if len(name.words) > 1 or not name.text.isupper():
            return False
        (word,) = name.words
        letters = word if len(word) > 2 else f" {word} "
        return len(word) <= _MAX_INITIALS and letters in self._initials

    def _has_alias(self, alias: str) -> bool:
        if len(alias) < BEGINNING:
            return alias in self._places or alias in self._initials
        return alias in self._words.letters


def _aliases(name: ClaimName) -> set[str]:
    joined = "".join(name.words)
    keys = (*name.words, *(each for each in _OF_SEVERAL_WORDS if each in joined))
    return {other for key in keys for other in _GROUPS.get(key, ())}


def _is_one_letter_off(one: str, other: str) -> bool:
    """Tell whether one letter is added, left out, another, or changed round with the next."""
    start = 0
    while start < min(len(one), len(other)) and one[start] == other[start]:
        start += 1
    one, other = one[start:], other[start:]
    while one and other and one[-1] == other[-1]:
        one, other = one[:-1], other[:-1]
    return (len(one) < 2 and len(other) < 2) or (len(one) == 2 and one == other[::-1])


def initials_of(text: str, words: TextWords) -> str:
    """Return the first letters of each run of capitalised words on a page, runs apart.

    Each run stands there twice where it has words such as `of`: without their letters and with.
    """
    found: list[str] = []
    # Nothing stands before the first word.
    bare, whole, last = "", "", len(text)
    for word, start, end in zip(words.folded, words.starts, words.ends, strict=True):
        is_name = text[start].isupper()
        if not is_name and word not in JOINING:
            continue
        if start - last > 2:
            found += (bare,) if bare == whole else (bare, whole)
            bare = whole = ""
        bare += word[0] if is_name else ""
        whole += word[0]
        last = end
    return f" {' '.join((*found, bare, whole))} "
