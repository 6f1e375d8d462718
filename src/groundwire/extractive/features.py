"""What tells of a sentence whether it answers a question: its words, its place and its form.

Every feature is about 0 to 1. How much each counts was learned (`weights.py`); which there are,
and what each cost and brought, is in the decision on the extractive model.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from groundwire.extractive.blocks import TextBlock
from groundwire.extractive.forms import fits, form, is_history
from groundwire.extractive.headings import HeadingLikeness
from groundwire.extractive.matches import Matches
from groundwire.extractive.questions import Asked, QuestionKind
from groundwire.text.lengths import more_words
from groundwire.text.markdown import plain
from groundwire.text.sentences import LONGEST
from groundwire.text.span import Span

IN_BLOCK, IN_LABEL, IN_HEADING, IN_TITLE = 0.4, 0.9, 0.7, 0.5
"""How much a word counts that stands near the sentence and not in it."""

_LEAST_AROUND = 0.02
"""Below this share of the question a block is not looked at."""

_SHORT_WORDS = 6
_OF_SUBJECT, _OF_QUESTION = 2.0, 1.5
"""To which power the likeness of a heading counts, and of one that is a question."""


class Features(NamedTuple):
    """What is known of a sentence before any weight is put on it.

    Shares are of the question's terms by their weight: `met` in the sentence or around it, `own`
    in the sentence alone, `heading`, `title` and `label` in what stands above. `terms` is the
    share of terms in the sentence, each counted alike, `in_order` those that stand there in the
    order in which they were asked. `alike` are met by a word that only looks like them, `before` by
    the sentence before alone; `names` are of the proper names alone, a half where there are none,
    and `full_names` of those names that have several words, whole. `heading_asks` is how much the
    nearest heading is the question itself. `is_first` if a paragraph begins with the sentence.
    """

    met: float
    own: float
    terms: float
    block: float
    pairs: float
    in_order: float
    alike: float
    before: float
    names: float
    names_near: float
    full_names: float
    full_names_near: float
    heading: float
    heading_asks: float
    title: float
    label: float
    page_rank: float
    fits: float
    form: float
    is_first: float
    is_short: float
    is_history: float
    is_code: float


class Candidate(NamedTuple):
    """A sentence that may be quoted: where it stands, and what is known of it."""

    page: int
    block: int
    sentence: int
    features: Features


@dataclass(frozen=True, slots=True, kw_only=True)
class Weighed:
    """A question whose terms are weighed by how rare they are on the pages at hand."""

    asked: Asked
    weights: tuple[float, ...]
    rarities: tuple[float, ...] = ()

    @property
    def total(self) -> float:
        """Return what a sentence with every term has."""
        return sum(self.weights)

    def coverage(self, met: Sequence[float]) -> float:
        """Return which part of the question is met, from 0 to 1."""
        covered = sum(w * min(m, 1.0) for w, m in zip(self.weights, met, strict=True))
        return covered / self.total if self.total else 0.0


@dataclass(frozen=True, slots=True)
class PageText:
    """A page as it is looked through: its text, blocks, and where the question's words stand."""

    title_text: str
    text: str
    blocks: tuple[TextBlock, ...]
    matches: Matches
    title: tuple[float, ...]


def weighed(asked: Asked, shares: Sequence[float], blocks: int) -> Weighed:
    """Weigh terms: one that stands in every block says little, one that stands nowhere most."""
    weights = tuple(
        term.weight * (0.25 + min(1.0, math.log(1 / max(share, 0.002)) / math.log(500)))
        for term, share in zip(asked.terms, shares, strict=True)
    )
    half = 0.5 / max(blocks, 1)
    rarities = tuple(
        term.weight * max(0.1, math.log(1 + (1 - min(1.0, share) + half) / (share + half)))
        for term, share in zip(asked.terms, shares, strict=True)
    )
    return Weighed(asked=asked, weights=weights, rarities=rarities)


def candidates(question: Weighed, pages: Sequence[PageText]) -> Iterator[Candidate]:
    """Yield every sentence that has to do with a question, page by page."""
    lengths = [block.end - block.start for page in pages for block in page.blocks]
    usual = sum(lengths) / max(1, len(lengths))
    titles = [_said(page, span) for page in pages for span in _nearest(page)]
    headings = HeadingLikeness(question.asked, titles)
    for rank, page in enumerate(pages):
        place = _Place(question, page, rank, usual=usual, headings=headings)
        for number, block in enumerate(page.blocks):
            for sentence, features in place.sentences(block):
                yield Candidate(rank, number, sentence, features)


def _nearest(page: PageText) -> list[Span]:
    """Return the headings of a page that have text below them."""
    return list(dict.fromkeys(block.headings[-1] for block in page.blocks if block.headings))


def _said(page: PageText, span: Span) -> str:
    return plain(page.text[span.start : span.end])


def around(block: TextBlock, page: PageText) -> list[float]:
    """Return how well each term is met by what stands around the sentences of a block."""
    met = [IN_TITLE * each for each in page.title]
    for depth, heading in enumerate(reversed(block.headings)):
        share = IN_HEADING if depth == 0 else IN_TITLE
        met = _most(met, page.matches.within(heading.start, heading.end), share)
    if block.label:
        met = _most(met, page.matches.within(block.label.start, block.label.end), IN_LABEL)
    return _most(met, page.matches.within(block.start, block.end), IN_BLOCK)


class _Place:
    """One page, looked through block by block."""

    def __init__(
        self,
        question: Weighed,
        page: PageText,
        rank: int,
        *,
        usual: float,
        headings: HeadingLikeness,
    ) -> None:
        self._question = question
        self._headings = headings
        self._page = page
        self._usual = usual
        self._rank = 1 / (1 + rank)
        self._title = question.coverage(page.title)
        self._history = float(is_history(page.title_text))
        # Who asks what something is wants no listing, unless they name an option or a function.
        is_how = question.asked.kind is QuestionKind.HOW
        self._has_name = any(term.is_name for term in question.asked.terms)
        self._wants_code = is_how or self._has_name
        self._asked: dict[Span, float] = {}
        self._proper = [
            number for number, term in enumerate(question.asked.terms) if term.is_proper
        ]
        self._words = frozenset(
            part for term in question.asked.terms for part in term.text.lower().split()
        )

    def sentences(self, block: TextBlock) -> Iterator[tuple[int, Features]]:
        """Yield the features of a block's sentences, if it has anything to do with the question."""
        question, within = self._question, self._page.matches.within
        near = around(block, self._page)
        if question.coverage(near) < _LEAST_AROUND or (block.is_code and not self._wants_code):
            return
        above = [0.0] * len(near)
        for heading in block.headings:
            above = _most(above, within(heading.start, heading.end), 1.0)
        label = within(block.label.start, block.label.end) if block.label else None
        shared = _OfBlock(
            heading=question.coverage(above),
            heading_asks=self._heading_asks(block),
            label=question.coverage(label) if label and self._is_named(block) else 0.0,
            words=self._by_words(block),
            full_names=self._in_full(Span(block.start, block.end)),
            near=near,
            subject=label if label and not block.is_row else [0.0] * len(near),
        )
        for number, span in enumerate(block.sentences):
            if span.end - span.start <= LONGEST:
                yield number, self._features(block, number, shared)

    def _is_named(self, block: TextBlock) -> bool:
        """Tell whether a block's label says more than its words: a row's is its first cell.

        Only who names an option or a function looks for the row that it begins.
        """
        return not block.is_row or self._has_name

    def _features(self, block: TextBlock, number: int, shared: _OfBlock) -> Features:
        question, span = self._question, block.sentences[number]
        own = self._page.matches.within(span.start, span.end)
        # "Raised when …" below `exception KeyError` is said of that.
        own = _most(own, shared.subject, IN_LABEL)
        alike = self._page.matches.resembled(span.start, span.end)
        before = [False] * len(own)
        if number > 0:
            last = block.sentences[number - 1]
            before = [each > 0 for each in self._page.matches.within(last.start, last.end)]
        raw = self._page.text[span.start : span.end]
        said = plain(raw)
        words = len(said.split()) + more_words(said)
        return Features(
            met=question.coverage(_most(shared.near, own, 1.0)),
            own=question.coverage(own),
            terms=sum(each > 0 for each in own) / len(own),
            block=shared.words,
            pairs=self._pairs(span),
            in_order=self._page.matches.in_order(span.start, span.end) / len(own),
            alike=self._share([each and not met for each, met in zip(alike, own, strict=True)]),
            before=self._share([each and not met for each, met in zip(before, own, strict=True)]),
            names=self._named(own),
            names_near=self._named(_most(shared.near, own, 1.0)),
            full_names=self._in_full(span),
            full_names_near=shared.full_names,
            heading=shared.heading,
            heading_asks=shared.heading_asks,
            title=self._title,
            label=shared.label,
            page_rank=self._rank,
            fits=float(fits(said, question.asked.wanted, self._words)),
            form=form(question.asked.kind, block, number, raw=raw, said=said),
            is_first=float(number == 0),
            is_short=float(words < _SHORT_WORDS),
            is_history=self._history,
            is_code=float(block.is_code),
        )

    def _in_full(self, span: Span) -> float:
        """Return which part of the names of several words stands there whole."""
        return in_full(self._question.asked, self._page.matches, span.start, span.end)

    def _heading_asks(self, block: TextBlock) -> float:
        if not block.headings:
            return 0.0
        nearest = block.headings[-1]
        if nearest not in self._asked:
            said = _said(self._page, nearest)
            alike = self._headings.of(said)
            # A heading that shares half of its words is about something else, less so if it asks:
            # the same is asked in many words.
            self._asked[nearest] = alike ** (_OF_QUESTION if said.endswith("?") else _OF_SUBJECT)
        return self._asked[nearest]

    def _by_words(self, block: TextBlock) -> float:
        """Return BM25 of a block, as a share of what all terms could bring."""
        length = (block.end - block.start) / self._usual if self._usual else 1.0
        total = sum(self._question.rarities)
        found = 0.0
        for rarity, places in zip(self._question.rarities, self._page.matches.places, strict=True):
            count = bisect_left(places, block.end) - bisect_left(places, block.start)
            found += rarity * count * 2.2 / (count + 1.2 * (0.25 + 0.75 * length))
        return found / total if total else 0.0

    def _pairs(self, span: Span) -> float:
        """Return how much of the question stands there in pairs, as it was asked."""
        weights, total = self._question.weights, self._question.total
        near = self._page.matches.neighbours(span.start, span.end)
        return sum(
            (weights[place] + weights[place + 1]) / 2
            for place, is_near in enumerate(near)
            if is_near
        ) / (total or 1.0)

    def _share(self, of: Sequence[bool]) -> float:
        """Return which part of the question some of its terms are, by their weights."""
        weights = self._question.weights
        found = sum(weight for weight, is_one in zip(weights, of, strict=True) if is_one)
        return found / (self._question.total or 1.0)

    def _named(self, met: Sequence[float]) -> float:
        """Return which part of the question's proper names is met."""
        if not self._proper:
            return 0.5
        weights = self._question.weights
        found = sum(weights[number] for number in self._proper if met[number])
        return found / sum(weights[number] for number in self._proper)


@dataclass(frozen=True, slots=True, kw_only=True)
class _OfBlock:
    heading: float
    heading_asks: float
    label: float
    words: float
    full_names: float
    near: list[float]
    subject: list[float]


def in_full(asked: Asked, matches: Matches, start: int, end: int) -> float:
    """Return which part of a question's names of several words stands whole in a stretch.

    By pairs of neighbours; a half where there are none.
    """
    if not asked.name_pairs:
        return 0.5
    near = matches.neighbours(start, end)
    return sum(near[number] for number in asked.name_pairs) / len(asked.name_pairs)


def _most(met: Sequence[float], other: Sequence[float], share: float) -> list[float]:
    return [max(one, share * two) for one, two in zip(met, other, strict=True)]
