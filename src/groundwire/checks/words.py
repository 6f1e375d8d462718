"""The words of a text as a reader sees them, each with its place; Markdown's own signs are none.

Addresses of links, tags, reference marks and escapes are left out, in pages and in quotes alike,
so that a quote is found whatever its markup has become. Every repeat in a pattern is bounded:
the text is a stranger's.
"""

from __future__ import annotations

import re
import unicodedata
from array import array
from bisect import bisect_right
from collections import defaultdict
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate, compress, islice

from groundwire.text.markdown import LINK_TARGET

# What a word may hold without ending: soft hyphens, zero-width spaces and joiners.
INVISIBLE = "\u00ad\u200b-\u200f\u2060\ufeff"
_SUPERSCRIPT = "\u00b9\u00b2\u00b3\u2070-\u2079"
_LETTER = rf"[^\W_{_SUPERSCRIPT}]"
REFERENCE = r"\[\\?\[?\^?\d{1,3}\\?\]?\](?:\([^()\s]{0,2000}\))?"
"""A mark that leads to a footnote: `[3]`, `[^3]`, `[3](#note)`, `[\\[3\\]](#note)`."""

TAG = r"<(?:!|/?[a-zA-Z][\w-]{0,40}(?::[a-zA-Z]{1,20})?(?=[\s/>]))[^<>\n]{0,500}>"
"""A tag of HTML: `<T: Clone>` and `<T, U>` are a program's own words."""

ENTITY = r"&(?:[a-zA-Z]{2,8}|#\d{1,7}|#[xX][0-9a-fA-F]{1,6});"
_ITEM = r"^[ ]{0,12}\d{1,3}[.)](?=[ \t])"
"""The number of an item in a list, which a reader sees and a quote leaves out."""

_TOKEN = re.compile(
    rf"({_ITEM}|{_LETTER}{{1,400}}(?:[{INVISIBLE}]{{1,4}}{_LETTER}{{1,400}}){{0,40}}"
    rf"|{REFERENCE}|{LINK_TARGET}|{TAG}|{ENTITY})",
    re.MULTILINE,
)
_UNSEEN = re.compile(f"[{INVISIBLE}]")


@lru_cache(maxsize=65_536)
def folded(word: str) -> str:
    """Return a word as it is compared: no case, no accents, no compatibility forms.

    Digits of any script, and those that stand in a circle, are the plain ones.
    """
    if word.isascii():
        return word.lower()
    parts = unicodedata.normalize("NFKD", _UNSEEN.sub("", word))
    said = "".join(each for each in parts if not unicodedata.combining(each)).casefold()
    return "".join(str(unicodedata.digit(each, each)) for each in said)


@dataclass(frozen=True, slots=True)
class TextWords:
    """The words of a text in order: folded, with where each starts and ends in the text.

    `letters` is all of them without anything between, and `places` is where in it each begins: a
    search there finds words also where a line break or a hyphen has cut them.
    """

    folded: tuple[str, ...]
    starts: array[int]
    ends: array[int]
    letters: str
    places: array[int]

    def by_word(self) -> dict[str, list[int]]:
        """Return at which numbers each word stands."""
        found: defaultdict[str, list[int]] = defaultdict(list)
        for number, word in enumerate(self.folded):
            found[word].append(number)
        return dict(found)

    def __len__(self) -> int:
        return len(self.folded)

    def at(self, place: int) -> int:
        """Return the number of the word that a place of `letters` lies in."""
        return bisect_right(self.places, place) - 1


def words_of(text: str) -> TextWords:
    """Return the words of a Markdown text."""
    # By turns what stands between tokens, and a token. A loop over all of them would cost as much
    # as the pattern: only each token that is another one is looked at.
    low = text.lower()
    pieces = _TOKEN.split(low if len(low) == len(text) else text)
    tokens, borders = pieces[1::2], [*accumulate(map(len, pieces))]
    said = {token: _said(token) for token in {*tokens}}
    found = [*map(said.__getitem__, tokens)]
    starts = array("I", compress(borders[0::2], found))
    ends = array("I", compress(borders[1::2], found))
    words = tuple(filter(None, found))
    lengths = accumulate(map(len, words), initial=0)
    return TextWords(words, starts, ends, "".join(words), array("I", islice(lengths, len(words))))


def _said(token: str) -> str:
    """Return a token's word, "" if it is markup: that ends with a sign."""
    return folded(token) if token[-1].isalnum() else ""
