"""Which sentences are quoted: the best first, few, and each long enough to stand alone."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from groundwire.extractive.blocks import MAX_CODE, TextBlock, blocks_of, columns
from groundwire.extractive.certainty import missing, probability, signs
from groundwire.extractive.features import Candidate, PageText, Weighed, candidates, weighed
from groundwire.extractive.matches import match, shares
from groundwire.extractive.questions import Asked, QuestionKind, understand, without_joints
from groundwire.extractive.weights import LEARNED
from groundwire.extractive.windows import Window, chances, in_block, worth
from groundwire.text.markdown import plain
from groundwire.text.span import Span

MAX_QUOTES = 3
LOOKED_AT = 10
"""So many of the best sentences tell whether a question is answered."""

_MAX_QUOTE = 700
_ROOM_BEFORE = 120
"""How much longer a quote may be for the sentence before, where it points back to that one."""

_LEAST_CHANCE, _ENOUGH = 0.002, 0.99
"""A further quote is given if the answer is there with the first of these chances at least, and in
those before it with the second at most."""

_SAME_PAGE = 0.4
"""What part of its chance counts for each other quote of its page: another page says it anew."""

# What a marker looks like: quoted, it would be taken for a citation.
_MARKER = re.compile(r"\[ ?\d{1,3}(?: ?[,;] ?\d{1,3})* ?\]|【|[\ue200-\ue206]")
_POINTS_BACK = re.compile(
    r"(?:this|that|these|those|it|its|they|their|he|his|she|her|such|so|thus|therefore|hence"
    r"|however|otherwise|instead|also|another|others?|both|then|there|here|similarly|likewise"
    r"|moreover|furthermore|nevertheless|consequently|meanwhile|by then|as a result|as such"
    r"|in (?:this|that|these|those|addition|contrast|turn|response|particular|fact)"
    r"|at (?:this|that)|for (?:this|that|these|those|example|instance)|on the other hand"
    r"|(?:neither|none|each|all|some|most|many|one|two) of (?:these|those|them)"
    r"|the (?:former|latter|other|others|same)|but|and|or|yet)\b",
    re.IGNORECASE,
)
_YES_OR_NO = re.compile(r"(?:yes|no)[.,!]?", re.IGNORECASE)
_EMPHASIS = re.compile(r"[*`]")
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

    `heading` says where in the source it stands, in plain words. Before a row of a table stands
    `head`, as Markdown: the names of the columns, and what makes a table of the row.
    """

    source: str
    text: str
    is_code: bool = False
    heading: str = ""
    head: str = ""


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
        return Extract(missing=_named(asked, range(len(asked.terms))))
    pages = [page_of(source, asked) for source in sources]
    question_ = weigh(asked, pages)
    absent = _named(asked, missing(asked, pages))
    ranked = rank(question_, pages)
    if not ranked:
        return Extract(missing=absent)
    first = [one.candidate for one in ranked[:LOOKED_AT]]
    found = signs(question_, pages, first, ranked[0].score)
    certainty = probability(found, LEARNED.answered, LEARNED.at_zero)
    if certainty < LEARNED.refused_below:
        return Extract(certainty=certainty, missing=absent)
    is_doubtful = certainty < LEARNED.doubted_below
    quotes = tuple(_Choice(asked.kind, sources, pages, ranked).quotes(MAX_QUOTES))
    return Extract(quotes=quotes, certainty=certainty, is_doubtful=is_doubtful, missing=absent)


def _named(asked: Asked, absent: Sequence[int]) -> tuple[str, ...]:
    """Return the words of some terms; a run of characters only if nothing of it is met."""
    met = {term.run for number, term in enumerate(asked.terms) if number not in absent}
    terms = (asked.terms[number] for number in absent)
    return tuple(dict.fromkeys(one.asked for one in terms if not one.run or one.run not in met))


def rank(question: Weighed, pages: Sequence[PageText]) -> list[_Scored]:
    """Return every sentence that has to do with a question, the best first."""
    found = [
        _Scored(one, sum(map(float.__mul__, one.features, LEARNED.sentence)))
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
    asked = without_joints(asked, frozenset(missing(asked, pages)))
    return weighed(asked, shares(asked, spans), sum(len(page.blocks) for page in pages))


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
        likely = chances([(one.candidate, one.score) for one in ranked])
        self._open = [
            window
            for place, given in likely.items()
            for window in in_block(place, pages[place[0]].blocks[place[1]], given, _MAX_QUOTE)
        ]
        self._chance = 0.0
        self._count = 0
        self._taken: list[tuple[int, Span]] = []
        self._seen: set[str] = set()

    def quotes(self, most: int) -> Iterator[Quote]:
        """Yield at most so many quotes, and the code that belongs to them."""
        while self._open and self._count < most:
            window = max(self._open, key=self._worth)
            if self._count and (window.chance < _LEAST_CHANCE or self._chance > _ENOUGH):
                return
            self._open.remove(window)
            page = self._pages[window.page]
            block = page.blocks[window.block]
            span = _whole(page, block, window)
            if not self._is_new(window.page, span):
                continue
            self._count += 1
            self._chance += window.chance
            yield self._quote(window.page, block, span, is_code=block.is_code)
            if code := self._code(page, block, span):
                self._taken.append((window.page, code))
                yield self._quote(window.page, block, code, is_code=True)

    def _worth(self, window: Window) -> tuple[float, ...]:
        others = sum(page == window.page for page, _ in self._taken)
        block = self._pages[window.page].blocks[window.block]
        value = worth(window, block) * _SAME_PAGE**others
        # Of equals, the first on the first page.
        return (value, *(-number for number in window[:4]))

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
        self._open = [each for each in self._open if not self._touches(each, page, span)]
        return True

    def _touches(self, window: Window, page: int, span: Span) -> bool:
        sentences = self._pages[window.page].blocks[window.block].sentences
        first, last = sentences[window.first], sentences[window.last]
        return window.page == page and first.start < span.end and span.start < last.end

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
            head=_head(source.text, block, block.head) if block.head else "",
        )


def _heading(source: SourceText, block: TextBlock) -> str:
    """Return where a block stands: the page's title, and the heading nearest to it."""
    parts = [source.title]
    if block.headings:
        nearest = block.headings[-1]
        parts.append(source.text[nearest.start : nearest.end])
    shown = [_cut(" ".join(_EMPHASIS.sub("", plain(part)).split())) for part in parts]
    if shown[0].startswith(shown[-1]):
        shown = shown[:1]  # A page's first heading is often its title, or begins it.
    once = dict.fromkeys(part for part in shown if part and not _MARKER.search(part))
    return " › ".join(once)


def _head(text: str, block: TextBlock, head: Span) -> str:
    """Return what stands before a row, so that its cells are below the names of their columns."""
    begun = text.rfind("\n", 0, block.start) + 1
    # Cells without words before the first that has some are not quoted.
    skipped = max(0, text.count("|", begun, block.start) - 1)
    names = text[head.start : head.end].strip()
    count = columns(names) or skipped + columns(text[block.start : block.end])
    if not names or _MARKER.search(names):
        names = f"|{'  |' * count}"
    return f"{names}\n|{'---|' * count}\n{'| ' * (skipped + 1)}"


def _cut(heading: str) -> str:
    if len(heading) <= _HEADING_LENGTH:
        return heading
    return f"{heading[:_HEADING_LENGTH].rpartition(' ')[0]} …"


def _whole(page: PageText, block: TextBlock, window: Window) -> Span:
    """Return where a quote stands, with the sentence before where it points back to it.

    Or where that one is the whole answer: "Yes."
    """
    first, last = block.sentences[window.first], block.sentences[window.last]
    if window.first:
        above = block.sentences[window.first - 1]
        before = Span(above.start, last.end)
        needs_it = _POINTS_BACK.match(plain(page.text[first.start : last.end]))
        says_it = _YES_OR_NO.fullmatch(page.text[above.start : above.end])
        if (needs_it or says_it) and before.end - before.start <= _MAX_QUOTE + _ROOM_BEFORE:
            return before
    return Span(first.start, last.end)


def _can_be_quoted(said: str) -> bool:
    return not _MARKER.search(said) and "\n\n" not in said and len(plain(said)) <= 2 * _MAX_QUOTE
