"""What a question asks: its words and names by weight, and the kind of answer it wants."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from enum import Enum
from itertools import pairwise

from groundwire.extractive.synonyms import plainly
from groundwire.text.unspaced import (
    characters,
    in_pairs,
    is_small,
    pairs_of,
    pieces_of,
    stretches,
)
from groundwire.text.words import STOP_WORDS, WEAK, is_weak, stem, without_accents

MAX_TERMS = 24
"""So many words of a question count; of a long one, the first."""

_NAME_WEIGHT = 2.0
_URL = re.compile(r"https?://\S+")
# "don't" says "do not"; what else stands behind an apostrophe is no word.
_NEGATED = re.compile(r"(?:\b(?:ca|sha|wo)|(?<=[a-z]))n't\b|\bcannot\b", re.IGNORECASE)
_SHORTENED = re.compile(r"(?<=[a-z])'(?:d|ll|m|re|s|ve)\b", re.IGNORECASE)
_QUOTED = re.compile(r"`([^`\n]{1,100})`")
# A word with its joints, an option with its dashes, a meta-command with its backslash.
_TOKEN = re.compile(r"(?<!\w)(?:--?|\\|@|\$|\.)?[^\W_][\w]*(?:(?:[.\-:/]|::)\w+)*|_\w+", re.UNICODE)
_PARTS = re.compile(r"[^\W_]+")
_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyz")
_DIGIT = re.compile(r"\d")
# The plural of what is written in capitals: PDFs, APIs.
_CAPITALS = re.compile(r"[A-Z]{2,}s")
_CAMEL = re.compile(r"[a-z][A-Z]|[A-Z]{2}[a-z]")
_STARTS = {
    "how": "how",
    "why": "why",
    "when": "when",
    "what is": "definition",
    "what are": "definition",
    "what's": "definition",
    "what does": "definition",
    "what do": "definition",
    "define": "definition",
}


class QuestionKind(Enum):
    """What a good answer to a question looks like."""

    HOW = "how"  # steps, commands, code
    WHY = "why"  # reasons
    WHEN = "when"  # conditions
    DEFINITION = "definition"  # what something is or does
    FACT = "fact"  # anything else


class Wanted(Enum):
    """What the words that answer look like."""

    NUMBER = "number"
    DATE = "date"
    NAME = "name"
    PLACE = "place"
    REASON = "reason"
    ANYTHING = "anything"


# By the words of a question, the first that fits.
_WANTED = {
    Wanted.NUMBER: (
        r"how (?:many|much|long|far|old|tall|large|big|often|fast|deep|high|wide|few)\b"
        r"|what (?:percent|percentage|number|proportion|fraction|age|amount|temperature|size"
        r"|distance|population|portion|ratio)\b"
    ),
    Wanted.DATE: (
        r"when\b|(?:what|which) (?:year|date|century|decade|day|month|time|era|period)\b"
    ),
    Wanted.NAME: (
        r"who(?:m|se)?\b|(?:what|which) (?:person|man|woman|king|emperor|president|scientist"
        r"|author|leader|group|people|company|organization|team|name)\b"
    ),
    Wanted.PLACE: (
        r"where\b|(?:what|which) (?:city|country|place|river|state|region|town|area|location"
        r"|continent|island|county|street|building)\b"
    ),
    Wanted.REASON: r"why\b|what (?:caused|reason|led)\b",
}
_WANTED_BY = {wanted: re.compile(rf"\b(?:{words})") for wanted, words in _WANTED.items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class Term:
    """A word of a question, or a name that is kept whole: an option, a function, a file.

    `stem` is in lower case; of a name it is the name. `parts` are the stems of what a name is
    joined of, and `last` is the part that documentation calls it by. `is_proper` if it is written
    as the name of a person or a place is. Where a script has no spaces, a term is two characters
    of a `run` of the question, which may be a word or several.
    """

    text: str
    stem: str
    weight: float
    is_name: bool = False
    parts: tuple[str, ...] = ()
    last: str = ""
    is_proper: bool = False
    run: str = ""

    @property
    def asked(self) -> str:
        """Return it as one would type it into a search box."""
        return self.run or self.text


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A question that was understood as far as words go.

    `words` are the stems of all its words, also of those that only say that it is a question.
    `name_pairs` are the places of terms that are names and have one behind them ("European" in
    "European Parliament"), `numbers` those of terms with a digit, such as years.
    """

    kind: QuestionKind
    wanted: Wanted = Wanted.ANYTHING
    terms: tuple[Term, ...]
    words: frozenset[str] = frozenset()
    name_pairs: tuple[int, ...] = ()
    numbers: tuple[int, ...] = ()

    @property
    def query(self) -> str:
        """Return the question as one would type it into a search box."""
        return _typed(self.terms)

    @property
    def core(self) -> str:
        """Return only the words that carry the question."""
        return _typed(term for term in self.terms if term.weight > WEAK) or self.query


def _typed(terms: Iterable[Term]) -> str:
    return " ".join(dict.fromkeys(term.asked for term in terms))


def understand(question: str) -> Asked:
    """Return what a question asks; no terms if it has no word that means anything."""
    text = plainly(_URL.sub(" ", question.replace("’", "'")))
    text = _SHORTENED.sub("", _NEGATED.sub(" not", text))
    found: dict[str, Term] = {}
    for term in _terms(text):
        found.setdefault(term.stem, term)
    terms = tuple(found.values())[:MAX_TERMS]
    are_names = pairwise(term.is_proper for term in terms)
    return Asked(
        kind=_kind(text),
        wanted=_wanted(text),
        terms=terms,
        words=stems(text),
        name_pairs=tuple(place for place, both in enumerate(are_names) if all(both)),
        numbers=tuple(place for place, term in enumerate(terms) if _DIGIT.search(term.text)),
    )


def _terms(text: str) -> Iterator[Term]:
    marked = {word for span in _QUOTED.findall(text) for word in _TOKEN.findall(span)}
    is_first = True
    for part, is_run in stretches(text.replace("`", " ")):
        if is_run:
            for piece in pieces_of(part):
                yield from _pairs(piece)
            continue
        for word in _TOKEN.findall(part):
            # The first word has a capital whatever it is.
            is_proper = not is_first and word[0].isupper()
            is_first = False
            if term := _term(word, is_marked=word in marked, is_proper=is_proper):
                yield term


def _pairs(run: str) -> Iterator[Term]:
    """Yield the terms of a run, which together weigh as much as its words would, two by two."""
    count = len(characters(run))
    each = count / 2 / (count - 1) if count > 1 else 1.0
    for pair in pairs_of(run):
        yield Term(text=pair, stem=pair, weight=WEAK if is_small(pair) else each, run=run)


def without_joints(asked: Asked, absent: frozenset[int]) -> Asked:
    """Return a question in which pairs weigh nothing that only join two words.

    Such a pair stands nowhere, and the pairs before and behind it, which have its characters, do.
    """
    if not any(term.run for term in asked.terms):
        return asked
    terms = list(asked.terms)
    for number, (before, one, behind) in enumerate(
        zip(terms, terms[1:], terms[2:], strict=False), start=1
    ):
        is_one_run = one.run and before.run == one.run == behind.run
        if is_one_run and number in absent and absent.isdisjoint((number - 1, number + 1)):
            terms[number] = replace(one, weight=0.0)
    return replace(asked, terms=tuple(terms))


def stems(text: str) -> frozenset[str]:
    """Return the stems of all words of a text."""
    return frozenset(map(stem, _PARTS.findall(in_pairs(without_accents(text)))))


def _term(word: str, *, is_marked: bool, is_proper: bool) -> Term | None:
    bare = without_accents(word)
    lowered = bare.lower()
    parts = tuple(stem(part) for part in _PARTS.findall(bare))
    if is_marked or _is_name(word):
        last = re.split(r"[.:/]+", lowered)[-1]
        return Term(
            text=word, stem=lowered, weight=_NAME_WEIGHT, is_name=True, parts=parts, last=last
        )
    # A keyword in capitals, SQL's EXPLAIN for one, is meant as such.
    is_keyword = word.isupper() and len(word) > 2
    if (lowered in STOP_WORDS and not is_keyword) or lowered in _LETTERS:
        return None
    if len(parts) > 1:
        # Words joined by a hyphen: people write them together, apart, or with a hyphen.
        return Term(text=word, stem=lowered, weight=1.0, parts=parts, is_proper=is_proper)
    weight = WEAK if is_weak(lowered) else 1.0
    return Term(text=word, stem=stem(bare), weight=weight, is_proper=is_proper)


def _is_name(word: str) -> bool:
    """Tell whether a word is nobody's plain word: joined by dots or underscores, or an option."""
    if _CAPITALS.fullmatch(word):
        return False
    if not word[0].isalnum() or "_" in word or ":" in word or _CAMEL.search(word):
        return True
    head, dot, tail = word.partition(".")
    return bool(dot and head and tail) and not word.replace(".", "").isdigit()


def _wanted(text: str) -> Wanted:
    lowered = text.lower()
    found = (wanted for wanted, words in _WANTED_BY.items() if words.search(lowered))
    return next(found, Wanted.ANYTHING)


def _kind(text: str) -> QuestionKind:
    words = " ".join(text.lower().split()[:2])
    for start, kind in _STARTS.items():
        if f"{words} ".startswith(f"{start} "):
            return QuestionKind(kind)
    return QuestionKind.DEFINITION if len(text.split()) == 1 else QuestionKind.FACT
