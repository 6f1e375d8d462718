"""Which sentences are quoted: the best ones, from different pages, few enough to be read."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from groundwire.extractive.blocks import TextBlock, blocks_of
from groundwire.extractive.matches import Matches, match, shares
from groundwire.extractive.questions import Asked, QuestionKind, understand
from groundwire.extractive.scores import Scored, Weighed, context, prior, score, weighed
from groundwire.text.markdown import plain
from groundwire.text.sentences import LONGEST
from groundwire.text.span import Span

MAX_QUOTES = 5
MAX_CHARACTERS = 1_000
"""How much is quoted in all; what only marks links counts little, for nobody reads it."""

ENOUGH = 0.5
"""Which part of a question a passage must meet to count as an answer."""

_ENOUGH_WITHOUT = 0.65
"""The same where a word that carries the question stands on no page at all."""

_MAX_QUOTE = 360
_MAX_CODE = 400
_PER_SOURCE = 2
# Which part of the best score a quote needs: one of another page, one more of the same.
_WORTH_OTHER, _WORTH_MORE = 0.45, 0.6
# What a marker looks like: quoted, it would be taken for a citation.
_MARKER = re.compile(r"\[ ?\d{1,3}(?: ?[,;] ?\d{1,3})* ?\]|【|[\ue200-\ue206]")
_POINTS_BACK = re.compile(
    r"(?:this|that|these|those|it|they|he|she|such|so|thus|therefore|however|otherwise|in this"
    r"|in that|but|and|or)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceText:
    """A page that may be quoted: its id in the answer, and its text as Markdown."""

    id: str
    title: str = ""
    text: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Quote:
    """A stretch of a source, to the letter; `is_code` if it stood in a fence there."""

    source: str
    text: str
    is_code: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Extract:
    """What of some pages answers a question.

    `coverage` is the part of the question that the best passage meets, from 0 to 1; where it is
    too small there are no quotes. `missing` are the words that stand nowhere on the pages.
    """

    quotes: tuple[Quote, ...] = ()
    coverage: float = 0.0
    missing: tuple[str, ...] = ()


@dataclass(slots=True)
class _Page:
    source: SourceText
    blocks: list[TextBlock]
    matches: Matches
    title: list[float]


def extract(question: str, sources: Sequence[SourceText]) -> Extract:
    """Choose the quotes that answer a question; sources come best first."""
    asked = understand(question)
    if not asked.terms or not sources:
        return Extract(missing=tuple(term.text for term in asked.terms))
    pages = [_page(source, asked) for source in sources]
    spans = [(page.matches, [(b.start, b.end) for b in page.blocks]) for page in pages]
    rarity = shares(asked, spans)
    weights = weighed(asked, rarity)
    ranked = sorted(_scored(weights, pages), key=lambda one: (-one.score, one.source, one.block))
    coverage = max((weights.coverage(one.met) for one in ranked[:20]), default=0.0)
    absent = [term for number, term in enumerate(asked.terms) if not _mentions(pages, number)]
    missing = tuple(term.text for term in absent)
    lacks_much = any(term.weight >= 1 for term in absent)
    if coverage < (_ENOUGH_WITHOUT if lacks_much else ENOUGH):
        return Extract(coverage=coverage, missing=missing)
    chosen = _chosen(weights, pages, ranked)
    return Extract(quotes=tuple(chosen), coverage=coverage, missing=missing)


def _mentions(pages: Sequence[_Page], number: int) -> bool:
    """Tell whether a term stands anywhere, in titles and in code too."""
    return any(page.matches.places[number] or page.title[number] for page in pages)


def _page(source: SourceText, asked: Asked) -> _Page:
    matches = match(source.text, asked)
    titled = match(source.title, asked)
    title = titled.within(0, len(source.title) + 1)
    return _Page(source=source, blocks=blocks_of(source.text), matches=matches, title=title)


def _scored(question: Weighed, pages: Sequence[_Page]) -> list[Scored]:
    found: list[Scored] = []
    for rank, page in enumerate(pages):
        factor = prior(page.source.title, rank)
        for place, block in enumerate(page.blocks):
            around = context(block, page.matches, page.title)
            if question.coverage(around) < 0.2:
                continue
            for number, sentence in enumerate(block.sentences):
                if sentence.end - sentence.start > LONGEST:
                    continue
                points, met = score(
                    question,
                    page.source.text,
                    block,
                    number,
                    matches=page.matches,
                    around=around,
                )
                if points > 0:
                    found.append(
                        Scored(
                            source=rank,
                            block=place,
                            sentence=number,
                            score=points * factor,
                            met=met,
                        )
                    )
    return found


def _chosen(question: Weighed, pages: Sequence[_Page], ranked: Sequence[Scored]) -> list[Quote]:
    """Take the best, then the best of other pages and places, as long as they are worth it."""
    choice = _Choice(question.asked.kind)
    best = ranked[0].score
    firsts = {one.source: one for one in reversed(ranked) if one.score >= _WORTH_OTHER * best}
    more = [one for one in ranked if one.score >= _WORTH_MORE * best]
    # The best of every page first: an answer that two pages give is worth more than one.
    for one in (*sorted(firsts.values(), key=lambda one: -one.score), *more):
        if choice.is_full:
            break
        choice.take(one, pages[one.source])
    return choice.quotes(pages)


class _Choice:
    """What has been taken so far."""

    def __init__(self, kind: QuestionKind) -> None:
        self._kind = kind
        self._taken: list[tuple[Scored, Span]] = []
        self._seen: set[str] = set()
        self._length = 0

    @property
    def is_full(self) -> bool:
        return len(self._taken) >= MAX_QUOTES or self._length >= MAX_CHARACTERS

    def take(self, one: Scored, page: _Page) -> None:
        """Take a sentence, unless it is there already or there is no room for it."""
        block, text = page.blocks[one.block], page.source.text
        span = _with_neighbours(text, block, one.sentence)
        said = text[span.start : span.end]
        key = " ".join(plain(said).lower().split())[:120]
        length = _length(said)
        is_known = key in self._seen or any(
            other.source == one.source and span.start < there.end and there.start < span.end
            for other, there in self._taken
        )
        count = sum(other.source == one.source for other, _ in self._taken)
        has_room = not self._taken or self._length + length <= MAX_CHARACTERS
        if is_known or count >= _PER_SOURCE or not has_room or not _can_be_quoted(said):
            return
        self._taken.append((one, span))
        self._seen.add(key)
        self._length += length

    def quotes(self, pages: Sequence[_Page]) -> list[Quote]:
        """Return the quotes by page, the best page first, each page's in its own order."""
        found: list[Quote] = []
        for source in dict.fromkeys(one.source for one, _ in self._taken):
            page = pages[source]
            own = sorted((pair for pair in self._taken if pair[0].source == source), key=_place)
            for one, span in own:
                found.append(
                    Quote(source=page.source.id, text=page.source.text[span.start : span.end])
                )
                if code := self._code(page, page.blocks[one.block], span):
                    found.append(code)
        return found

    def _code(self, page: _Page, block: TextBlock, span: Span) -> Quote | None:
        """Return the code below a quote that leads to it, if there is room."""
        if block.code is None or span.end != block.end:
            return None
        text = page.source.text[block.code.start : block.code.end]
        leads = page.source.text[span.start : span.end].rstrip("*_ ").endswith(":")
        if not leads and self._kind is not QuestionKind.HOW:
            return None
        if (
            not text.strip()
            or len(text) > _MAX_CODE
            or self._length + len(text) > MAX_CHARACTERS + 200
        ):
            return None
        self._length += len(text)
        return Quote(source=page.source.id, text=text, is_code=True)


def _length(said: str) -> int:
    read = len(plain(said))
    return read + (len(said) - read) // 3


def _place(pair: tuple[Scored, Span]) -> int:
    return pair[1].start


def _with_neighbours(text: str, block: TextBlock, number: int) -> Span:
    """Return a sentence with the one it points back to, or the one that goes on with it."""
    span = block.sentences[number]
    if number and _POINTS_BACK.match(plain(text[span.start : span.end])):
        before = block.sentences[number - 1]
        longer = Span(before.start, span.end)
        if _fits(text, longer):
            return longer
    if number + 1 < len(block.sentences):
        longer = Span(span.start, block.sentences[number + 1].end)
        if _fits(text, longer):
            return longer
    return span


def _fits(text: str, span: Span) -> bool:
    said = text[span.start : span.end]
    return len(plain(said)) <= _MAX_QUOTE and not _MARKER.search(said)


def _can_be_quoted(said: str) -> bool:
    return not _MARKER.search(said) and "\n\n" not in said and len(plain(said)) <= 3 * _MAX_QUOTE
