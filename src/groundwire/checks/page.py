"""A page made ready for comparison: read once, then each claim costs a fraction of it."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING

from groundwire.checks.check import Check, NotCompared, Passage, Quotation, RoundedNumber
from groundwire.checks.claim_numbers import claim_numbers
from groundwire.checks.language import ENGLISH, UNSPACED, differ, language_of, script_of
from groundwire.checks.names import claim_names
from groundwire.checks.notices import is_block_notice
from groundwire.checks.page_names import PageNames
from groundwire.checks.page_numbers import page_numbers
from groundwire.checks.passages import claim_weights, nearest, sentences_of
from groundwire.checks.plain_text import plain_line
from groundwire.checks.quotes import Fit, QuoteMatch, find_quote
from groundwire.checks.words import words_of
from groundwire.text.markdown import headings

if TYPE_CHECKING:
    from groundwire.checks.claim_numbers import ClaimNumber
    from groundwire.checks.names import ClaimName
    from groundwire.checks.page_numbers import PageNumbers
    from groundwire.checks.passages import Nearest, Sentences
    from groundwire.checks.words import TextWords

MAX_CHARACTERS = 400_000
"""So much of a page is compared; a longer one is compared as far as that and says so."""

MIN_WORDS = 20
"""A page of the web with fewer words has nothing that a claim could be compared with."""

MAX_CLAIM_CHARACTERS = 5_000
MIN_QUOTED_WORDS = 3
MIN_QUOTED_LETTERS = 6
MAX_QUOTATIONS = 10
_CONTEXT = 32
_TITLE = 300
# A plain mark opens before a word and closes behind one: what stands between two quotations, and
# what follows an inch, is none. Short ones are found, too, lest their ends be taken for beginnings.
_QUOTED = re.compile(
    r'(?<!\w)"(?=\S)([^"\n]{1,1500})(?<=\S)"(?!\w)|\u201c([^\u201c\u201d\n]{1,1500})\u201d'
    r"|\u201e([^\u201e\u201c\u201d\n]{1,1500})[\u201c\u201d]"
    r"|\u00ab([^\u00ab\u00bb\n]{1,1500})\u00bb"
)
_PAGE_BREAK = re.compile(r"^---$", re.MULTILINE)
_YEARS = range(1000, 2101)
_NUMBER_ENDS, _NUMBER_BEGINS = re.compile(r"\d[.,]?$"), re.compile(r"[.,]?\d")


class PageIndex:
    """A page's text, indexed when first needed; its parts are made once.

    `text` is Markdown. What stands beyond `max_characters` is left out, and `is_cut` says so.
    A text of fewer than `min_words` is not compared. With `has_pages` a rule ends each page.
    """

    def __init__(
        self,
        text: str,
        *,
        min_words: int = 0,
        has_pages: bool = False,
        max_characters: int = MAX_CHARACTERS,
    ) -> None:
        self._min_words = min_words
        self._has_pages = has_pages
        self.is_cut = len(text) > max_characters
        self.text = text[:max_characters]

    @cached_property
    def words(self) -> TextWords:
        """Return the words of the page with their places."""
        return words_of(self.text)

    @cached_property
    def places(self) -> dict[str, list[int]]:
        """Return where each word stands among the words."""
        return self.words.by_word()

    @cached_property
    def numbers(self) -> PageNumbers:
        """Return every value on the page."""
        return page_numbers(self.text, self.words, self.places)

    @cached_property
    def sentences(self) -> Sentences:
        """Return the sentences of the page."""
        return sentences_of(self.text, self.words, self.places)

    @cached_property
    def headings(self) -> tuple[list[int], list[str]]:
        """Return where headings end, and what they say."""
        found = [*headings(self.text)]
        titles = (self.text[each.said.start : each.said.end] for each in found)
        return [each.end for each in found], [plain_line(title[:_TITLE]) for title in titles]

    @cached_property
    def page_breaks(self) -> list[int]:
        """Return where the pages of a document end; none where it has no pages."""
        return [each.end() for each in _PAGE_BREAK.finditer(self.text)] if self._has_pages else []

    @cached_property
    def names(self) -> PageNames:
        """Return the words of the page as names are looked for."""
        return PageNames(self.text, self.words, self.places)

    @cached_property
    def language(self) -> str:
        """Return the page's language, "" if it is not clear."""
        return language_of(self.words.folded, script_of(self.text))

    @cached_property
    def not_comparable(self) -> NotCompared | None:
        """Return why no claim can be held against the page, None if any can."""
        if not self.text.strip():
            return NotCompared.UNREADABLE
        if is_block_notice(self.text, len(self.words)):
            return NotCompared.BLOCKED
        return NotCompared.TOO_SHORT if len(self.words) < self._min_words else None

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
            page_number=1 + bisect_right(self.page_breaks, start) if self._has_pages else None,
        )

    def prepare(self) -> None:
        """Index everything now, so that the first claim costs no more than the others."""
        _ = (self.numbers.runs, self.sentences, self.names.beginnings, self.headings, self.language)


def index_page(text: str, url: str = "", *, has_pages: bool | None = None) -> PageIndex:
    """Return a page of the web made ready; `has_pages` as its reader says.

    Of one whose reader is not known any more, the address tells a PDF, and rules that it has
    pages: not everybody who reads one says where they end.
    """
    if has_pages is None:
        name = url.partition("?")[0].partition("#")[0].lower()
        has_pages = name.endswith(".pdf") and _PAGE_BREAK.search(text) is not None
    return PageIndex(text, min_words=MIN_WORDS, has_pages=has_pages)


WHOLE_PAGE = 6_000
_AROUND = 1_500


def passages_near(claim: str, page: PageIndex) -> str:
    """Return the whole of a short page, of a long one what stands around the nearest passage."""
    if len(page.text) <= WHOLE_PAGE:
        return page.text
    near = nearest(claim_weights(words_of(claim)), page.sentences)
    if near is None:
        return page.text[:WHOLE_PAGE]
    return page.text[max(0, near.start - _AROUND) : near.end + _AROUND]


def find_in(page: PageIndex, quote: str) -> QuoteMatch:
    """Return where a quote stands on a page, and how well it fits."""
    return find_quote(quote, page.text, page.words, page.places)


def check_claim(claim: str, page: PageIndex, *, quote: str = "", context: str = "") -> Check:
    """Hold a claim, and the passage that it is said to quote, against a page.

    `context` is the sentence before the claim: it tells names, and is not compared.
    """
    claim = claim[:MAX_CLAIM_CHARACTERS]
    words = words_of(claim)
    script = script_of(claim)
    asked = _Asked(
        weights=claim_weights(words), script=script, language=language_of(words.folded, script)
    )
    match = find_in(page, quote or claim)
    if reason := _not_compared(page, asked, match):
        return Check(not_compared=reason)
    told = _told(words, quote, match, page, facts=_facts(claim, context, page, asked))
    facts, near, rounded = told.facts, told.facts.near, told.facts.rounded
    is_shown = told.is_said and match.fit is not Fit.NONE and _is_telling(words, script)
    return Check(
        quote=match if quote or is_shown else None,
        quote_is_named=told.is_named,
        quotations=_quotations(claim, page),
        missing_numbers=tuple(each.text for each in facts.missing if each not in rounded),
        rounded_numbers=tuple(
            RoundedNumber(claimed=number.text, value=value) for number, value in rounded.items()
        ),
        numbers_elsewhere=_elsewhere(page, facts),
        missing_names=tuple(name.text for name in facts.absent),
        coverage=near.coverage if near else 0.0,
        score=_score(facts),
        nearest=page.passage(near.start, near.end) if near else None,
        is_cut=page.is_cut,
        language=asked.language,
    )


def _is_telling(words: TextWords, script: str) -> bool:
    """Tell whether words are enough to be a quotation: a number or a name alone is none.

    Scripts without spaces have no words to count, but letters.
    """
    is_long = script in UNSPACED and len(words.letters) >= MIN_QUOTED_LETTERS
    return is_long or len(words) >= MIN_QUOTED_WORDS


def _has_words(text: TextWords, other: TextWords) -> bool:
    """Tell whether a text has the words of another one, in their order."""
    return f" {' '.join(other.folded)} " in f" {' '.join(text.folded)} "


@dataclass(frozen=True, slots=True, kw_only=True)
class _Told:
    facts: _Facts
    is_said: bool
    is_named: bool


def _told(
    words: TextWords, quote: str, match: QuoteMatch, page: PageIndex, *, facts: _Facts
) -> _Told:
    """Tell one thing of a claim: that its own words stand there, or what of them is missing.

    Numbers and names are read on both sides, and may be read otherwise on one: of words that
    stand there as they are, none is missing. Where only a part of them does, as of a number that
    goes on there, or the named passage is not all that is said, what is missing is told, and the
    passage is not called the claim's.
    """
    named = words_of(quote)
    is_own = not quote or _has_words(named, words)
    if is_own and _stands(words, match, facts, page):
        facts = replace(facts, numbers=(), missing=[], rounded={}, absent=[])
    is_there = match.fit in (Fit.LETTER, Fit.WORDS)
    is_said = not (is_there and (facts.missing or facts.absent))
    is_alike = is_own or _has_words(words, named)
    return _Told(facts=facts, is_said=is_said, is_named=bool(quote and not (is_alike and is_said)))


def _stands(words: TextWords, match: QuoteMatch, facts: _Facts, page: PageIndex) -> bool:
    """Tell whether a claim stands on a page from its first word to its last, its numbers too.

    The same words may have other signs between them: 1.5 has the digits of 15.
    """
    if match.start is None or match.end is None or match.fit in (Fit.CLOSE, Fit.NONE):
        return False
    there = words_of(page.text[match.start : match.end]).folded
    is_whole = [*there[:1], *there[-1:]] == [*words.folded[:1], *words.folded[-1:]]
    is_cut = any(_is_in_number(page.text, place) for place in (match.start, match.end))
    return is_whole and not is_cut and (match.fit is Fit.LETTER or not facts.missing)


def _is_in_number(text: str, place: int) -> bool:
    before, after = text[max(0, place - 2) : place], text[place : place + 2]
    return bool(_NUMBER_ENDS.search(before) and _NUMBER_BEGINS.match(after))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    weights: dict[str, float]
    script: str
    language: str


def _not_compared(page: PageIndex, asked: _Asked, match: QuoteMatch) -> NotCompared | None:
    """Return why nothing can be said; of what stands there as it was said, something can."""
    if match.fit in (Fit.LETTER, Fit.WORDS):
        return None
    if page.not_comparable is not None:
        return page.not_comparable
    if match.fit is Fit.CLOSE:
        return None
    if not asked.weights:
        return NotCompared.NOTHING_CLAIMED
    is_unread = asked.script in UNSPACED or differ(asked.language, page.language)
    return NotCompared.LANGUAGE if is_unread else None


def _facts(claim: str, context: str, page: PageIndex, asked: _Asked) -> _Facts:
    """Look for what a claim says on a page.

    Only English has its numbers in words and its names told: in other languages a number other
    than a year may stand on the page as a word, and many nouns have capitals.
    """
    is_english = asked.language in (ENGLISH, "")
    numbers = claim_numbers(claim)
    missing = [
        number
        for number in numbers
        if not page.numbers.has(number) and (is_english or number.values[0] in _YEARS)
    ]
    names = claim_names(claim, context) if is_english else ()
    return _Facts(
        near=nearest(asked.weights, page.sentences),
        numbers=numbers,
        missing=missing,
        rounded={number: value for number in missing if (value := page.numbers.rounded(number))},
        absent=[name for name in names if not page.names.has(name)],
    )


def _quotations(claim: str, page: PageIndex) -> tuple[Quotation, ...]:
    """Return what a claim has in quotation marks; a word or two there are rather a name."""
    said = (next(filter(None, match.groups()), "") for match in _QUOTED.finditer(claim))
    return tuple(
        Quotation(text=text.strip(), match=find_in(page, text))
        for text in islice(said, MAX_QUOTATIONS)
        if len(words_of(text)) >= MIN_QUOTED_WORDS
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Facts:
    near: Nearest | None
    numbers: tuple[ClaimNumber, ...]
    missing: list[ClaimNumber]
    rounded: dict[ClaimNumber, float]
    absent: list[ClaimName]


def _elsewhere(page: PageIndex, facts: _Facts) -> tuple[str, ...]:
    """Return the numbers that are on the page, but not in the nearest passage.

    Of a page whose numbers were not all read, nobody knows where one stands, or whether.
    """
    if facts.near is None or not page.numbers.is_whole:
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
    return round(there * (1 - lost), 4)


__all__ = ["Fit", "PageIndex", "check_claim", "find_in"]
