"""How well a sentence answers a question, from its words, its place and its form."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from groundwire.extractive.blocks import TextBlock
from groundwire.extractive.matches import Matches
from groundwire.extractive.questions import Asked, QuestionKind
from groundwire.text.markdown import LINK, plain
from groundwire.text.span import Span

IN_BLOCK, IN_LABEL, IN_HEADING, IN_TITLE = 0.4, 0.9, 0.7, 0.5
"""How much a word counts that stands near the sentence and not in it."""

_NEIGHBOURS = 0.3
_DEFINES = re.compile(
    r"\b(?:is|are|means|refers to|stands for|describes|specifies|controls|sets|determines)\b"
)
_IS = re.compile(
    r"(?:an?|the)?\W{0,4}(?:\w[\w.()`*-]*[^\w.()`*-]+){1,5}?(?:is|are|means|refers to)\b",
    re.IGNORECASE,
)
_SUBJECT = 100
_FORMS = {
    QuestionKind.WHY: re.compile(
        r"\b(?:because|since|so that|reason|therefore|thus|otherwise|due to)\b"
    ),
    QuestionKind.WHEN: re.compile(r"\b(?:when|if|whenever|only|unless|should|useful)\b"),
    QuestionKind.HOW: re.compile(
        r"\b(?:use|using|run|call|set|specify|add|create|to \w+,|you can)\b"
    ),
}
_ASIDE = re.compile(
    r"(?:\*{0,2}\\?\[?(?:new|changed|deprecated|removed|added) (?:in|since)|see also|see \["
    r"|source code|note that this|for more information|bpo-|gh-)",
    re.IGNORECASE,
)
_HISTORY = re.compile(
    r"what.s new|release (?:notes|\d)|change ?log|\bindex\b(?! *[a-z])|contents|news", re.IGNORECASE
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Scored:
    """A sentence with its score, and how well it and its place meet each term."""

    source: int
    block: int
    sentence: int
    score: float
    met: tuple[float, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Weighed:
    """A question whose terms are weighed by how rare they are on the pages at hand."""

    asked: Asked
    weights: tuple[float, ...]

    @property
    def total(self) -> float:
        """Return what a sentence with every term has."""
        return sum(self.weights)

    def coverage(self, met: Sequence[float]) -> float:
        """Return which part of the question is met, from 0 to 1."""
        covered = sum(w * min(m, 1.0) for w, m in zip(self.weights, met, strict=True))
        return covered / self.total if self.total else 0.0


def weighed(asked: Asked, shares: Sequence[float]) -> Weighed:
    """Weigh terms: one that stands in every block says little, one that stands nowhere most."""
    weights = tuple(
        term.weight * (0.25 + min(1.0, math.log(1 / max(share, 0.002)) / math.log(500)))
        for term, share in zip(asked.terms, shares, strict=True)
    )
    return Weighed(asked=asked, weights=weights)


def context(block: TextBlock, matches: Matches, title: Sequence[float]) -> list[float]:
    """Return how well each term is met by what stands around the sentences of a block."""
    met = [IN_TITLE * each for each in title]
    for depth, heading in enumerate(reversed(block.headings)):
        share = IN_HEADING if depth == 0 else IN_TITLE
        met = _most(met, matches.within(heading.start, heading.end), share)
    if block.label:
        met = _most(met, matches.within(block.label.start, block.label.end), IN_LABEL)
    return _most(met, matches.within(block.start, block.end), IN_BLOCK)


def _most(met: Sequence[float], other: Sequence[float], share: float) -> list[float]:
    return [max(one, share * two) for one, two in zip(met, other, strict=True)]


def score(
    question: Weighed,
    text: str,
    block: TextBlock,
    number: int,
    *,
    matches: Matches,
    around: list[float],
) -> tuple[float, tuple[float, ...]]:
    """Return the score of a sentence of a block, and how well each term is met."""
    span = block.sentences[number]
    own = matches.within(span.start, span.end)
    met = tuple(max(one, two) for one, two in zip(own, around, strict=True))
    points = sum(w * (m + 0.25 * o) for w, m, o in zip(question.weights, met, own, strict=True))
    weights = question.weights
    for place, is_near in enumerate(matches.neighbours(span.start, span.end)):
        points += _NEIGHBOURS * is_near * (weights[place] + weights[place + 1]) / 2
    named = _named(question, text, block, number, matches=matches)
    if not any(own) and named == 1.0:
        return 0.0, met
    return points * named * _form(question.asked.kind, text, block, number), met


def _named(
    question: Weighed, text: str, block: TextBlock, number: int, *, matches: Matches
) -> float:
    """Return how much more a sentence counts that begins what is about the thing asked for.

    That is the first one below a label or heading that names it, or one that begins with it.
    """
    wants_this = question.asked.kind is QuestionKind.DEFINITION
    span = block.sentences[number]
    opening = text[span.start : span.end][:_SUBJECT]
    subject = matches.within(span.start, span.start + len(opening))
    is_subject = wants_this and number == 0 and question.coverage(subject) > 0.6
    if is_subject and _IS.match(plain(opening)):
        return 1.5
    name = block.label or (block.headings[-1] if block.headings else None)
    if number > 0 or name is None or not block.opens:
        return 1.0
    if question.coverage(matches.within(name.start, name.start + _SUBJECT)) < 0.5:
        return 1.0
    return 1.6 if wants_this else 1.25


def _form(kind: QuestionKind, text: str, block: TextBlock, number: int) -> float:
    """Return by how much the form of a sentence makes it a better or worse answer."""
    said = plain(text[block.sentences[number].start : block.sentences[number].end])
    factor = 1.0
    if (form := _FORMS.get(kind)) and form.search(said.lower()):
        factor *= 1.15
    if kind is QuestionKind.HOW and block.code and number == len(block.sentences) - 1:
        factor *= 1.1
    if kind is QuestionKind.DEFINITION and _DEFINES.search(said[:80].lower()):
        factor *= 1.15 if number == 0 else 1.05
    if _ASIDE.match(said):
        factor *= 0.6
    return factor * _by_length(said, text, block.sentences[number])


def _by_length(said: str, text: str, span: Span) -> float:
    letters = sum(each.isalpha() for each in said)
    if letters < 20 or " " not in said.strip():
        return 0.5
    factor = 1.0 if len(said) <= 320 else 320 / len(said)
    linked = sum(len(words) for words in LINK.findall(text[span.start : span.end]))
    # A list of links leads to answers and is none.
    return factor * 0.4 if linked > 0.6 * len(said) else factor


def prior(title: str, rank: int) -> float:
    """Return what a page's own nature and the search's order make of its sentences."""
    return (0.75 if is_history(title) else 1.0) * (1.0 + 0.12 / (1 + rank))


def is_history(title: str) -> bool:
    """Tell whether a page lists changes or other pages: it mentions much and explains little."""
    return _HISTORY.search(title) is not None
