"""Names of a claim that are nowhere on a page.

A name is absent only if none of its words is there in any spelling: pages say "the town" and
"she", so this is said quietly.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from groundwire.checks.number_words import MONTHS, NUMBER_WORDS
from groundwire.checks.words import folded

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from collections.abc import Set as AbstractSet

    from groundwire.checks.words import TextWords

MAX_NAMES = 30
BEGINNING = 5
"""Names that share so many letters at their beginning are taken for one."""

_MAX_INITIALS = 8
# Digits belong to a name that begins with letters: `Crawl4AI`, `MP3`.
_WORD = re.compile(r"(?<!\w)[^\W\d_][^\W_]{0,59}(?:['\u2019-][^\W_]{1,60}){0,4}")
_PARTS = re.compile(r"['\u2019-]")
_DIGITS = re.compile(r"\d{1,60}")
_SENTENCE_END = frozenset('.!?:\u201c"\u2022\n')
_BEFORE_A_SENTENCE = " *_([\u2018\u201c\"'"


def _set_of(words: str) -> frozenset[str]:
    return frozenset(words.split())


_JOINING = _set_of("of the and de la van von der den du di da for in y e al el")
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
_ALIASES: dict[str, tuple[str, ...]] = {
    "us": ("america", "unitedstates"), "usa": ("america", "unitedstates"),
    "america": ("us", "usa", "unitedstates"), "uk": ("britain", "british", "unitedkingdom"),
    "britain": ("uk", "british", "unitedkingdom"), "england": ("english", "uk"),
    "eu": ("europeanunion", "europe"), "un": ("unitednations",), "nyc": ("newyork",),
    "france": ("french",), "spain": ("spanish",), "greece": ("greek",), "wales": ("welsh",),
    "netherlands": ("dutch", "holland"), "denmark": ("danish",), "switzerland": ("swiss",),
    "ireland": ("irish",), "scotland": ("scottish", "scots"), "turkey": ("turkish",),
    "poland": ("polish",), "sweden": ("swedish",), "norway": ("norwegian",),
    "finland": ("finnish",), "burma": ("myanmar",), "persia": ("iran",),
}  # fmt: skip


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
        if {*name.words} < {*other.words} or (len(initials) > 1 and name.words == (initials,)):
            return other.words
    return ()


def is_absent(name: ClaimName, words: TextWords, known: AbstractSet[str]) -> bool:
    """Tell whether no word of a name is on a page, in no spelling.

    `known` are the page's words, and what the longer of them begin with.
    """
    initials = "".join(word[0] for word in name.words)
    if len(initials) > 2 and initials in known:
        return False
    return not any(_is_there(word, words, known) for word in (*name.words, *name.longer))


def is_short_for(name: ClaimName, initials: str) -> bool:
    """Tell whether a name in capitals, such as WHO, is short for one that a page spells out."""
    word = name.words[0]
    if len(name.words) > 1 or not name.text.isupper() or not 1 < len(word) <= _MAX_INITIALS:
        return False
    return (word if len(word) > 2 else f" {word} ") in initials


def initials_of(text: str, words: TextWords) -> str:
    """Return the first letters of each run of capitalised words on a page, runs apart."""
    found: list[str] = [" "]
    last = -1
    for word, start, end in zip(words.folded, words.starts, words.ends, strict=True):
        is_name = text[start].isupper()
        if not is_name and word not in _JOINING:
            continue
        if last >= 0 and start - last > 2:
            found.append(" ")
        if is_name:
            found.append(word[0])
        last = end
    return f"{''.join(found)} "


def _goes_on(claim: str, last: re.Match[str], match: re.Match[str]) -> bool:
    gap = claim[last.end() : match.start()]
    if match[0].lower() in _JOINING:
        return gap == " "
    return match[0][0].isupper() and gap in (" ", "-")


def _named(
    claim: str, run: Sequence[re.Match[str]], known: frozenset[str]
) -> dict[ClaimName, None]:
    """Return the name that a run is, without what stands at its ends and names nothing."""
    while run and run[-1][0].lower() in _JOINING:
        run = run[:-1]
    if len(run) == 1 and _begins_sentence(claim, run[0].start()) and folded(run[0][0]) not in known:
        return {}
    while run and not _is_telling(run[0][0]):
        run = run[1:]
    words = tuple(
        folded(part)
        for match in run
        if _is_telling(match[0])
        for whole in _PARTS.split(match[0])
        for part in dict.fromkeys((whole, *_DIGITS.split(whole)))
        if len(part) > 1
    )
    if not words:
        return {}
    text = claim[run[0].start() : run[-1].end()]
    return {ClaimName(text=text, start=run[0].start(), words=words): None}


def _is_telling(word: str) -> bool:
    low = word.lower()
    return len(word) > 1 and not any(
        low in words for words in (_NO_NAMES, _JOINING, MONTHS, NUMBER_WORDS)
    )


def _begins_sentence(claim: str, start: int) -> bool:
    before = claim[:start].rstrip(_BEFORE_A_SENTENCE)
    return not before or before[-1] in _SENTENCE_END


def _is_there(word: str, words: TextWords, known: AbstractSet[str]) -> bool:
    if word in known or any(each in words.letters for each in _ALIASES.get(word, ())):
        return True
    if len(word) < BEGINNING:
        # In the letters of a whole page a short word stands by accident.
        return False
    return (
        word in words.letters
        or word[:BEGINNING] in known
        or any(each in known for each in _one_letter_off(word))
    )


def _one_letter_off(word: str) -> Iterator[str]:
    """Yield a word without each of its letters, and with each two neighbours changed round."""
    for place in range(len(word)):
        before, letter, after = word[:place], word[place], word[place + 1 :]
        yield f"{before}{after}"
        yield f"{before}{after[:1]}{letter}{after[1:]}"
