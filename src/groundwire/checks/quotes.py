"""Where on a page a quote stands, and how well it fits: to the letter, the same words, or close."""

from __future__ import annotations

import html
import re
from collections import Counter
from dataclasses import dataclass
from difflib import Match, SequenceMatcher
from enum import StrEnum
from typing import TYPE_CHECKING

from groundwire.checks.letters import is_to_the_letter
from groundwire.checks.words import TextWords, words_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

BOUNDLESS_FROM = 6
"""From so many words on, a quote may begin or end inside a word: providers cut them."""

CLOSE = 0.7
"""The share of a quote's words that must be there in order for it to be called close."""

MAX_GAP = 3_000
MAX_QUOTE_CHARACTERS = 5_000
MIN_CLOSE_WORDS = 4
_MAX_PLACES = 64
_CANDIDATES = 8
_COMMON = 200
_SHIFT = 7
_BEFORE = 3
_ELLIPSIS = re.compile(r"\[\s?(?:\u2026|\.{3})\s?\]|\(\s?(?:\u2026|\.{3})\s?\)|\u2026|\.{3,6}")


class Fit(StrEnum):
    """How a quote fits the words of a page."""

    LETTER = "letter"
    WORDS = "words"
    CLOSE = "close"
    NONE = "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class QuoteMatch:
    """Where a quote was found: `start` and `end` count characters of the page, None for nowhere.

    `places` is how often the same words stand on the page. `differing` are words of a close quote
    that the page does not have there.
    """

    fit: Fit
    start: int | None = None
    end: int | None = None
    places: int = 0
    differing: tuple[str, ...] = ()


NOWHERE = QuoteMatch(fit=Fit.NONE)


def find_quote(
    quote: str, text: str, words: TextWords, index: Mapping[str, Sequence[int]]
) -> QuoteMatch:
    """Return where a quote stands on a page.

    `words` are those of the page's text, and `index` has the places of each word among them.
    """
    quote = (
        html.unescape(quote[:MAX_QUOTE_CHARACTERS])
        if "&" in quote
        else quote[:MAX_QUOTE_CHARACTERS]
    )
    parts = [part for each in _ELLIPSIS.split(quote) if len(part := words_of(each))]
    if not parts:
        return _as_it_stands(quote.strip(), text)
    if raw := _verbatim(quote.strip(), text, parts):
        return raw
    whole = words_of(quote)
    # The page may have the ellipsis itself: only what is not there in one piece has parts.
    spans = [*_places(whole, words, _is_cut(quote))]
    if not spans and len(parts) > 1:
        spans = _in_order(parts, words)
    if spans:
        return _found(quote, text, words, spans)
    return _close(whole, words, index)


def _as_it_stands(quote: str, text: str) -> QuoteMatch:
    """Find what has no words, such as an address or a formula, as a string."""
    if not quote or (start := text.find(quote)) < 0:
        return NOWHERE
    return QuoteMatch(fit=Fit.LETTER, start=start, end=start + len(quote), places=text.count(quote))


def _verbatim(quote: str, text: str, parts: Sequence[TextWords]) -> QuoteMatch | None:
    """Find a quote that stands on the page as it is."""
    start = text.find(quote)
    if start < 0 or (sum(map(len, parts)) < BOUNDLESS_FROM and not _is_whole(text, start, quote)):
        return None
    places = text.count(quote)
    return QuoteMatch(fit=Fit.LETTER, start=start, end=start + len(quote), places=places)


def _is_whole(text: str, start: int, quote: str) -> bool:
    """Tell whether a quote begins and ends where words do."""
    end = start + len(quote)
    before, after = text[start - 1 : start], text[end : end + 1]
    return not (before.isalnum() and quote[0].isalnum()) and not (
        after.isalnum() and quote[-1].isalnum()
    )


def _is_cut(quote: str) -> bool:
    return _ELLIPSIS.search(quote) is not None


def _places(part: TextWords, words: TextWords, is_cut: bool) -> Iterator[tuple[int, int]]:
    """Yield where the words of a part stand among those of the page, first and last."""
    is_free = is_cut or len(part) >= BOUNDLESS_FROM
    place, seen = words.letters.find(part.letters), 0
    while place >= 0 and seen < _MAX_PLACES:
        end = place + len(part.letters)
        first, last = words.at(place), words.at(end - 1)
        begins = words.places[first] == place
        ends = end == words.places[last] + len(words.folded[last])
        if (begins and ends) or is_free:
            seen += 1
            yield first, last
        place = words.letters.find(part.letters, place + 1)


def _in_order(parts: Sequence[TextWords], words: TextWords) -> list[tuple[int, int]]:
    """Return where all parts stand one after the other, those nearest to each other first."""
    found = []
    for first, last in _places(parts[0], words, is_cut=True):
        end = last
        for part in parts[1:]:
            after = next((place for place in _places_after(part, words, end)), None)
            if after is None or words.starts[after[0]] - words.ends[end] > MAX_GAP:
                break
            end = after[1]
        else:
            found.append((first, end))
    return sorted(found, key=lambda span: span[1] - span[0])


def _places_after(part: TextWords, words: TextWords, index: int) -> Iterator[tuple[int, int]]:
    start = words.places[index] + len(words.folded[index])
    place = words.letters.find(part.letters, start, start + MAX_GAP + len(part.letters))
    if place >= 0:
        yield words.at(place), words.at(place + len(part.letters) - 1)


def _found(quote: str, text: str, words: TextWords, spans: Sequence[tuple[int, int]]) -> QuoteMatch:
    """Prefer a place that fits to the letter over one that only has the words."""
    for first, last in spans[:_CANDIDATES]:
        start, end = words.starts[first], words.ends[last]
        if is_to_the_letter(quote, text, start, end):
            return QuoteMatch(fit=Fit.LETTER, start=start, end=end, places=len(spans))
    first, last = spans[0]
    return QuoteMatch(
        fit=Fit.WORDS, start=words.starts[first], end=words.ends[last], places=len(spans)
    )


def _close(quote: TextWords, words: TextWords, index: Mapping[str, Sequence[int]]) -> QuoteMatch:
    """Find the place where most of a quote's words stand in order."""
    asked = quote.folded
    needed = CLOSE * len(asked)
    if len(asked) < MIN_CLOSE_WORDS or sum(word in index for word in asked) < needed:
        return NOWHERE
    best = _Aligned()
    for diagonal in _diagonals(asked, index):
        place = max(0, diagonal)
        # Of words that stand twice the first are taken: those before the place may mislead.
        for begin in (max(0, place - _BEFORE), place):
            there = words.folded[begin : place + len(asked) + _SHIFT]
            found = _aligned(asked, there, begin)
            best = max(best, found, key=lambda each: each.count)
            if found.count >= needed:
                break
    if best.count < needed:
        return NOWHERE
    runs = best.runs
    same = {place for run in runs for place in range(run.a, run.a + run.size)}
    return QuoteMatch(
        fit=Fit.CLOSE,
        start=words.starts[best.begin + runs[0].b],
        end=words.ends[best.begin + runs[-1].b + runs[-1].size - 1],
        places=1,
        differing=tuple(word for place, word in enumerate(asked) if place not in same),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Aligned:
    """The runs of a quote's words that stand in order from a word of the page on."""

    runs: Sequence[Match] = ()
    begin: int = 0
    count: int = 0


def _aligned(asked: Sequence[str], there: Sequence[str], begin: int) -> _Aligned:
    runs = _dense(SequenceMatcher(None, asked, there, autojunk=False).get_matching_blocks())
    if not _is_told_in_runs(runs, asked, there):
        return _Aligned()
    return _Aligned(runs=runs, begin=begin, count=sum(run.size for run in runs))


def _dense(blocks: Sequence[Match]) -> Sequence[Match]:
    """Return the runs without a first or last one that lies apart from the others."""
    blocks = [block for block in blocks if block.size]
    while len(blocks) > 1 and blocks[0].size < 4 and _gap(blocks[0], blocks[1]) > 3:
        blocks = blocks[1:]
    while len(blocks) > 1 and blocks[-1].size < 4 and _gap(blocks[-2], blocks[-1]) > 3:
        blocks = blocks[:-1]
    return blocks


def _gap(one: Match, next_one: Match) -> int:
    """Return by how many words two runs are further apart on the page than in the quote."""
    return (next_one.b - one.b) - (next_one.a - one.a)


def _is_told_in_runs(blocks: Sequence[Match], asked: Sequence[str], there: Sequence[str]) -> bool:
    """Shuffled words also align one by one: those of a quote do so in runs.

    Where runs are short, the words between them must be others than those around.
    """
    if len(blocks) <= max(2, len(asked) // 3):
        return True
    same = {place for run in blocks for place in range(run.a, run.a + run.size)}
    others = [word for place, word in enumerate(asked) if place not in same]
    is_shuffled = 2 * sum(word in there for word in others) > len(others)
    return len(blocks) <= round(len(asked) * 0.4) and not is_shuffled


def _diagonals(asked: Sequence[str], index: Mapping[str, Sequence[int]]) -> list[int]:
    """Return where the quote would begin if its words stood where the page has them.

    A place is tried only if enough words could stand there: those that are everywhere on the page
    are taken to.
    """
    votes: Counter[int] = Counter()
    common = 0
    for place, word in enumerate(asked):
        there = index.get(word, ())
        if len(there) > _COMMON:
            common += 1
            continue
        votes.update(position - place for position in there)
    needed = CLOSE * len(asked) - common
    # Words left out move the rest: neighbours vote together.
    grouped = {
        diagonal: (sum(votes[diagonal + shift] for shift in range(-_SHIFT, _SHIFT + 1)), count)
        for diagonal, count in [*votes.items()]
        if count > 1 or needed < 2
    }
    enough = [diagonal for diagonal, (together, _) in grouped.items() if together >= needed]
    return sorted(enough, key=lambda each: (-grouped[each][1], -grouped[each][0], each))[
        :_CANDIDATES
    ]
