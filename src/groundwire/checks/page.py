"""A page made ready for comparison: read once, then each claim costs a fraction of it."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from groundwire.checks.check import Check, NotCompared, Passage, RoundedNumber
from groundwire.checks.claim_numbers import claim_numbers
from groundwire.checks.names import BEGINNING, claim_names, is_absent
from groundwire.checks.page_numbers import page_numbers
from groundwire.checks.passages import claim_weights, nearest, sentences_of
from groundwire.checks.quotes import Fit, QuoteMatch, find_quote
from groundwire.checks.words import words_of
from groundwire.text.markdown import headings

if TYPE_CHECKING:
    from groundwire.checks.claim_numbers import ClaimNumber
    from groundwire.checks.names import ClaimName
    from groundwire.checks.page_numbers import PageNumbers
    from groundwire.checks.passages import Nearest, Sentences
    from groundwire.checks.words import Words

MAX_CHARACTERS = 400_000
"""So much of a page is compared; a longer one is compared as far as that and says so."""

MIN_WORDS = 20
MAX_CLAIM_CHARACTERS = 5_000
_CONTEXT = 32
_TITLE = 300
_BLOCK_NOTICE = re.compile(
    r"(?i)\b(?:enable (?:javascript|cookies)|javascript is (?:disabled|required)|access denied|"
    r"verify (?:that )?you are (?:a )?human|are you a robot|checking your browser|captcha|"
    r"request (?:was|has been) blocked|unusual traffic|attention required|cloudflare ray id)\b"
)
_BLOCK_NOTICE_WORDS = 200


class PageIndex:
    """A page's text, indexed when first needed; its parts are made once.

    `text` is Markdown. What stands beyond `MAX_CHARACTERS` is left out, and `is_cut` says so.
    """

    def __init__(self, text: str) -> None:
        self.is_cut = len(text) > MAX_CHARACTERS
        self.text = text[:MAX_CHARACTERS]

    @cached_property
    def words(self) -> Words:
        """Return the words of the page with their places."""
        return words_of(self.text)

    @cached_property
    def known(self) -> frozenset[str]:
        """Return every word once, and what the longer ones begin with."""
        words = frozenset(self.words.folded)
        return words | {word[:BEGINNING] for word in words}

    @cached_property
    def places(self) -> dict[str, list[int]]:
        """Return where each word stands among the words."""
        found: dict[str, list[int]] = {}
        for place, word in enumerate(self.words.folded):
            found.setdefault(word, []).append(place)
        return found

    @cached_property
    def numbers(self) -> PageNumbers:
        """Return every value on the page."""
        return page_numbers(self.text, self.words)

    @cached_property
    def sentences(self) -> Sentences:
        """Return the sentences of the page."""
        return sentences_of(self.text, self.words)

    @cached_property
    def headings(self) -> tuple[list[int], list[str]]:
        """Return where headings end, and what they say."""
        found = [*headings(self.text)]
        titles = (self.text[each.said.start : each.said.end] for each in found)
        return [each.end for each in found], [title[:_TITLE].strip("*_") for title in titles]

    @cached_property
    def not_comparable(self) -> NotCompared | None:
        """Return why no claim can be held against the page, None if any can."""
        if not self.text.strip():
            return NotCompared.UNREADABLE
        if len(self.words) < _BLOCK_NOTICE_WORDS and _BLOCK_NOTICE.search(self.text):
            return NotCompared.BLOCKED
        return None

    def passage(self, start: int, end: int) -> Passage:
        """Return a piece of the page with what stands around it."""
        ends, titles = self.headings
        above = bisect_right(ends, start) - 1
        return Passage(
            start=start,
            end=end,
            exact=self.text[start:end],
            prefix=self.text[max(0, start - _CONTEXT) : start],
            suffix=self.text[end : end + _CONTEXT],
            heading=titles[above] if above >= 0 else "",
        )

    def prepare(self) -> None:
        """Index everything now, so that the first claim costs no more than the others."""
        _ = (self.numbers, self.sentences, self.places, self.known, self.headings)


def find_in(page: PageIndex, quote: str) -> QuoteMatch:
    """Return where a quote stands on a page, and how well it fits."""
    return find_quote(quote, page.text, page.words, page.places)


def check_claim(claim: str, page: PageIndex, *, quote: str = "") -> Check:
    """Hold a claim, and the passage that it is said to quote, against a page."""
    if page.not_comparable is not None:
        return Check(not_compared=page.not_comparable)
    claim = claim[:MAX_CLAIM_CHARACTERS]
    words = words_of(claim)
    if not len(words):
        return Check(not_compared=NotCompared.NOTHING_CLAIMED)
    weights = claim_weights(words)
    near = nearest(weights, page.sentences)
    numbers = claim_numbers(claim)
    missing = [number for number in numbers if not page.numbers.has(number)]
    rounded = {number: value for number in missing if (value := page.numbers.rounded(number))}
    absent = [name for name in claim_names(claim) if is_absent(name, page.words, page.known)]
    facts = _Facts(near=near, numbers=numbers, missing=missing, absent=absent)
    return Check(
        quote=find_in(page, quote or claim),
        missing_numbers=tuple(each.text for each in missing if each not in rounded),
        rounded_numbers=tuple(
            RoundedNumber(claimed=number.text, value=value) for number, value in rounded.items()
        ),
        numbers_elsewhere=_elsewhere(page, facts),
        missing_names=tuple(name.text for name in absent),
        coverage=near.coverage if near else 0.0,
        score=_score(facts),
        nearest=page.passage(near.start, near.end) if near else None,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Facts:
    near: Nearest | None
    numbers: tuple[ClaimNumber, ...]
    missing: list[ClaimNumber]
    absent: list[ClaimName]


def _elsewhere(page: PageIndex, facts: _Facts) -> tuple[str, ...]:
    """Return the numbers that are on the page, but not in the nearest passage."""
    if facts.near is None:
        return ()
    return tuple(
        number.text
        for number in facts.numbers
        if number not in facts.missing
        and not page.numbers.is_within(number, facts.near.start, facts.near.end)
    )


def _score(facts: _Facts) -> float:
    """Return how much of a claim is there, from 0 to 1, for ordering and nothing else."""
    if facts.near is None:
        return 0.0
    there = 0.6 * facts.near.coverage + 0.4 * facts.near.share
    lost = 0.3 * bool(facts.missing) + 0.2 * bool(facts.absent)
    return round(max(0.0, there * (1 - lost)), 4)


__all__ = ["Fit", "PageIndex", "check_claim", "find_in"]
