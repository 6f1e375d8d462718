"""Which sentences are quoted: the best first, few, and each long enough to stand alone."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from groundwire.extractive.blocks import MAX_CODE, TextBlock, blocks_of
from groundwire.extractive.certainty import probability, signs
from groundwire.extractive.features import Candidate, PageText, Weighed, candidates, weighed
from groundwire.extractive.matches import match, shares
from groundwire.extractive.questions import Asked, QuestionKind, understand
from groundwire.extractive.weights import (
    ANSWERED,
    ANSWERED_AT_ZERO,
    DOUBTED_BELOW,
    REFUSED_BELOW,
    SENTENCE,
)
from groundwire.text.markdown import plain
from groundwire.text.span import Span

MAX_QUOTES = 3
_MAX_DOUBTED = 2
_LOOKED_AT = 5
"""So many of the best sentences tell whether a question is answered."""

_MAX_QUOTE = 360
_WORTH = 6.0
"""A quote may score so much less than the best one; e to that is how much less likely it is."""

_SAME_PAGE = 1.5
"""What a quote loses for each other one of its page: another page says it in its own words."""

_POINTED_AT = 0.5
"""What the sentence before gains where the next one points back to it."""

# What a marker looks like: quoted, it would be taken for a citation.
_MARKER = re.compile(r"\[ ?\d{1,3}(?: ?[,;] ?\d{1,3})* ?\]|【|[\ue200-\ue206]")
_POINTS_BACK = re.compile(
    r"(?:this|that|these|those|it|they|he|she|such|so|thus|therefore|however|otherwise|in this"
    r"|in that|but|and|or)\b",
    re.IGNORECASE,
)
_HEADING_LENGTH = 80


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceText:
    """A page that may be quoted: its id in the answer, and its text as Markdown."""

    id: str
    title: str = ""
    text: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Quote:
    """A stretch of a source, to the letter; `is_code` if it stood in a fence there.

    `heading` says where in the source it stands, in plain words.
    """

    source: str
    text: str
    is_code: bool = False
    heading: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Extract:
    """What of some pages answers a question, the best first.

    `certainty` is how likely it is, from 0 to 1, that they answer it: where that is too small
    there are no quotes, and where it is small the quotes are only what comes closest and
    `is_doubtful`. `missing` are the words that stand nowhere on the pages.
    """

    quotes: tuple[Quote, ...] = ()
    certainty: float = 0.0
    is_doubtful: bool = False
    missing: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Scored:
    candidate: Candidate
    score: float


def extract(question: str, sources: Sequence[SourceText]) -> Extract:
    """Choose the quotes that answer a question; sources come best first."""
    asked = understand(question)
    if not asked.terms or not sources:
        return Extract(missing=tuple(term.text for term in asked.terms))
    pages = [page_of(source, asked) for source in sources]
    question_ = weigh(asked, pages)
    absent = [number for number in range(len(asked.terms)) if not mentions(pages, number)]
    missing = tuple(asked.terms[number].text for number in absent)
    ranked = rank(question_, pages)
    if not ranked:
        return Extract(missing=missing)
    first = [one.candidate for one in ranked[:_LOOKED_AT]]
    found = signs(question_, first, ranked[0].score, absent)
    certainty = probability(found, ANSWERED, ANSWERED_AT_ZERO)
    if certainty < REFUSED_BELOW:
        return Extract(certainty=certainty, missing=missing)
    is_doubtful = certainty < DOUBTED_BELOW
    most = _MAX_DOUBTED if is_doubtful else MAX_QUOTES
    quotes = tuple(_Choice(asked.kind, sources, pages, ranked).quotes(most))
    return Extract(quotes=quotes, certainty=certainty, is_doubtful=is_doubtful, missing=missing)


def rank(question: Weighed, pages: Sequence[PageText]) -> list[_Scored]:
    """Return every sentence that has to do with a question, the best first."""
    found = [
        _Scored(one, sum(map(float.__mul__, one.features, SENTENCE)))
        for one in candidates(question, pages)
    ]
    return sorted(found, key=lambda one: (-one.score, *one.candidate[:3]))


def page_of(source: SourceText, asked: Asked) -> PageText:
    """Return a page as it is looked through for a question."""
    title = match(source.title, asked).within(0, len(source.title) + 1)
    blocks = tuple(blocks_of(source.text))
    return PageText(source.title, source.text, blocks, match(source.text, asked), tuple(title))


def weigh(asked: Asked, pages: Sequence[PageText]) -> Weighed:
    """Return a question with its terms weighed by how rare they are on these pages."""
    spans = [(page.matches, [(one.start, one.end) for one in page.blocks]) for page in pages]
    return weighed(asked, shares(asked, spans), sum(len(page.blocks) for page in pages))


def mentions(pages: Sequence[PageText], number: int) -> bool:
    """Tell whether a term stands anywhere, in titles and in code too."""
    return any(page.matches.places[number] or page.title[number] for page in pages)


class _Choice:
    """Takes the best sentences one by one, each with what it needs around it."""

    def __init__(
        self,
        kind: QuestionKind,
        sources: Sequence[SourceText],
        pages: Sequence[PageText],
        ranked: Sequence[_Scored],
    ) -> None:
        self._kind = kind
        self._sources = sources
        self._pages = pages
        self._ranked = ranked
        self._scores = {one.candidate[:3]: one.score for one in ranked}
        self._taken: list[tuple[int, Span]] = []
        self._seen: set[str] = set()

    def quotes(self, most: int) -> Iterator[Quote]:
        """Yield at most so many quotes, and the code that belongs to them."""
        best = self._ranked[0].score
        rest = [one for one in self._ranked if one.score >= best - _WORTH]
        while rest and len(self._taken) < most:
            one = max(rest, key=self._worth)
            rest.remove(one)
            page = self._pages[one.candidate.page]
            block = page.blocks[one.candidate.block]
            span = self._grown(one.candidate, page, block)
            if not self._is_new(one.candidate.page, span):
                continue
            yield self._quote(one.candidate.page, block, span, is_code=block.is_code)
            if code := self._code(page, block, span):
                self._taken.append((one.candidate.page, code))
                yield self._quote(one.candidate.page, block, code, is_code=True)

    def _worth(self, one: _Scored) -> float:
        others = sum(page == one.candidate.page for page, _ in self._taken)
        return one.score - _SAME_PAGE * others

    def _is_new(self, page: int, span: Span) -> bool:
        """Take a stretch, unless it is there already or cannot be quoted; tell whether it is."""
        said = self._pages[page].text[span.start : span.end]
        key = " ".join(plain(said).lower().split())[:120]
        is_there = any(
            other == page and span.start < there.end and there.start < span.end
            for other, there in self._taken
        )
        if is_there or key in self._seen or not _can_be_quoted(said):
            return False
        self._seen.add(key)
        self._taken.append((page, span))
        return True

    def _grown(self, one: Candidate, page: PageText, block: TextBlock) -> Span:
        """Return a sentence with its neighbours, the better ones first, as long as they fit."""
        first = last = one.sentence
        while not block.is_code:
            before, after = first - 1, last + 1
            options = []
            # One before is enough to say what it is about; what follows may go on with it.
            if before >= one.sentence - 1 >= 0 and _fits(page, block, before, last):
                points_back = _points_back(page, block, one.sentence)
                options.append((self._score(one, before) + _POINTED_AT * points_back, before))
            if after < len(block.sentences) and _fits(page, block, first, after):
                options.append((self._score(one, after), after))
            if not options:
                break
            _, taken = max(options)
            first, last = min(first, taken), max(last, taken)
        return Span(block.sentences[first].start, block.sentences[last].end)

    def _score(self, one: Candidate, sentence: int) -> float:
        return self._scores.get((one.page, one.block, sentence), float("-inf"))

    def _code(self, page: PageText, block: TextBlock, span: Span) -> Span | None:
        """Return the code below a quote that leads to it, None if there is none to quote."""
        if block.code is None or span.end != block.end:
            return None
        leads = page.text[span.start : span.end].rstrip("*_ ").endswith(":")
        text = page.text[block.code.start : block.code.end]
        if not leads and self._kind is not QuestionKind.HOW:
            return None
        return block.code if text.strip() and len(text) <= MAX_CODE else None

    def _quote(self, page: int, block: TextBlock, span: Span, *, is_code: bool) -> Quote:
        source = self._sources[page]
        return Quote(
            source=source.id,
            text=source.text[span.start : span.end],
            is_code=is_code,
            heading=_heading(source, block),
        )


def _heading(source: SourceText, block: TextBlock) -> str:
    """Return where a block stands: the page's title, and the heading nearest to it."""
    parts = [source.title]
    if block.headings:
        nearest = block.headings[-1]
        parts.append(source.text[nearest.start : nearest.end])
    shown = [" ".join(plain(part).replace("*", "").split())[:_HEADING_LENGTH] for part in parts]
    once = dict.fromkeys(part for part in shown if part and not _MARKER.search(part))
    return " › ".join(once)


def _points_back(page: PageText, block: TextBlock, number: int) -> bool:
    span = block.sentences[number]
    return _POINTS_BACK.match(plain(page.text[span.start : span.end])) is not None


def _fits(page: PageText, block: TextBlock, first: int, last: int) -> bool:
    said = page.text[block.sentences[first].start : block.sentences[last].end]
    return len(plain(said)) <= _MAX_QUOTE and not _MARKER.search(said)


def _can_be_quoted(said: str) -> bool:
    return not _MARKER.search(said) and "\n\n" not in said and len(plain(said)) <= 3 * _MAX_QUOTE
