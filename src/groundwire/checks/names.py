"""The names of a claim: runs of capitalised words.

Pages say "the town" and "she", so that one is not there is said quietly.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from groundwire.checks.number_words import MONTHS, NUMBER_WORDS
from groundwire.checks.words import folded

if TYPE_CHECKING:
    from collections.abc import Sequence

MAX_NAMES = 30
_WORD = re.compile(
    r"(?<![^\W_])[^\W\d_]{1,60}(?:['\u2019-][^\W\d_]{1,60}){0,4}(?:\d{1,6}[^\W_]{0,20})?"
)
_PARTS = re.compile(r"['\u2019-]")
_SENTENCE_END = frozenset('.!?:\u201c"\u2022\n')
_BEFORE_A_SENTENCE = " *_([\u2018\u201c\"'"


def _set_of(words: str) -> frozenset[str]:
    return frozenset(words.split())


JOINING = _set_of("of the and de la van von der den du di da for in y e al el")
# Words with a capital that name nothing: what begins sentences, days, forms of address.
_NO_NAMES = _set_of("""
    a an the this that these those it its he she they we i you his her their our my your one in on
    at by for from to of with without after before during since until while when where as if
    although though because but and or nor so yet both either neither all some many most several
    few each every no not there here then however also other others another such same more less
    according what which who whose how why under over between among through within following
    despite instead is are was were be been has have had do does did will would can could may
    might must should mr mrs ms dr prof sir st monday tuesday wednesday thursday friday saturday
    sunday mon tue wed thu fri sat sun spring summer autumn fall winter am pm bc ad ce bce
    ii iii iv vi vii viii ix
""")


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimName:
    """A run of capitalised words in a claim, and where it begins.

    `longer` are the words of the same name as the sentence before the claim has it.
    """

    text: str
    start: int
    words: tuple[str, ...]
    longer: tuple[str, ...] = ()


def claim_names(claim: str, context: str = "") -> tuple[ClaimName, ...]:
    """Return the names in a claim; a word that only begins a sentence is none.

    What the sentence before the claim names is no name of the claim; but it tells that a word
    which begins the claim is a name, and what a short name is short for.
    """
    before = _names(context, frozenset()) if context else ()
    known = frozenset(word for name in before for word in name.words)
    names = _names(claim, known)
    return tuple(replace(name, longer=_longer(name, before)) for name in names) if before else names


def _names(claim: str, known: frozenset[str]) -> tuple[ClaimName, ...]:
    found: dict[ClaimName, None] = {}
    run: list[re.Match[str]] = []
    for match in _WORD.finditer(claim):
        if run and _goes_on(claim, run[-1], match):
            run.append(match)
            continue
        found |= _named(claim, run, known)
        run = [match] if match[0][0].isupper() else []
        if len(found) >= MAX_NAMES:
            return tuple(found)
    return tuple(found | _named(claim, run, known))


def _longer(name: ClaimName, before: Sequence[ClaimName]) -> tuple[str, ...]:
    """Return the words of a longer name that a name is a part or the initials of."""
    for other in before:
        initials = "".join(word[0] for word in other.words)
        if {*name.words} < {*other.words} or name.words == (initials,):
            return other.words
    return ()


def _goes_on(claim: str, last: re.Match[str], match: re.Match[str]) -> bool:
    gap = claim[last.end() : match.start()]
    if match[0].lower() in JOINING:
        return gap == " "
    is_after_initial = gap in (".", ". ") and _is_initial(claim, last)
    return match[0][0].isupper() and (gap in (" ", "-") or is_after_initial)


def _is_initial(claim: str, word: re.Match[str]) -> bool:
    return len(word[0]) == 1 and word[0].isupper() and claim[word.end() : word.end() + 1] == "."


def _named(
    claim: str, run: Sequence[re.Match[str]], known: frozenset[str]
) -> dict[ClaimName, None]:
    """Return the name that a run is, without what stands at its ends and names nothing."""
    while run and run[-1][0].lower() in JOINING:
        run = run[:-1]
    if len(run) == 1 and _begins_sentence(claim, run[0].start()) and folded(run[0][0]) not in known:
        return {}
    while run and not (_is_telling(run[0][0]) or _is_initial(claim, run[0])):
        run = run[1:]
    words = tuple(
        folded(part)
        for match in run
        if _is_telling(match[0])
        for part in _PARTS.split(match[0])
        if len(part) > 1
    )
    if not words:
        return {}
    text = claim[run[0].start() : run[-1].end()]
    return {ClaimName(text=text, start=run[0].start(), words=words): None}


def _is_telling(word: str) -> bool:
    low = word.lower()
    return len(word) > 1 and not any(
        low in words for words in (_NO_NAMES, JOINING, MONTHS, NUMBER_WORDS)
    )


def _begins_sentence(claim: str, start: int) -> bool:
    before = claim[:start].rstrip(_BEFORE_A_SENTENCE)
    return not before or before[-1] in _SENTENCE_END
