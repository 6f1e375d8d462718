"""English words that stand for numbers, and what a run of them comes to."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groundwire.checks.words import TextWords

MAX_RUN = 12
_MAX_GAP = 2
_JOINTS = " \t\n\u00a0\u202f\u2009-\u2010\u2011"
_SMALL = """
    zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen
    sixteen seventeen eighteen nineteen
"""
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_SMALL_ORDINALS = """
    zeroth first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth
    thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth
"""
_TEN_ORDINALS = "twentieth thirtieth fortieth fiftieth sixtieth seventieth eightieth ninetieth"
_MONTHS = """
    january february march april may june july august september october november december
    jan feb mar apr may jun jul aug sep oct nov dec
"""


def _numbered(words: str, *, first: int = 0, step: int = 1) -> dict[str, float]:
    return {word: step * value for value, word in enumerate(words.split(), start=first)}


UNITS = {**_numbered(_SMALL), **_numbered(_TENS, first=2, step=10)}
ORDINALS = {
    **_numbered(_SMALL_ORDINALS),
    **_numbered(_TEN_ORDINALS, first=2, step=10),
    "hundredth": 100.0,
    "thousandth": 1000.0,
}
SCALES: dict[str, float] = {
    "hundred": 1e2, "hundreds": 1e2, "thousand": 1e3, "thousands": 1e3, "lakh": 1e5, "lakhs": 1e5,
    "million": 1e6, "millions": 1e6, "crore": 1e7, "crores": 1e7, "billion": 1e9, "billions": 1e9,
    "trillion": 1e12, "trillions": 1e12, "dozen": 12, "dozens": 12, "score": 20,
}  # fmt: skip
SHORT_SCALES: dict[str, float] = {
    "k": 1e3, "m": 1e6, "mm": 1e6, "mn": 1e6, "mio": 1e6, "mil": 1e6, "b": 1e9, "bn": 1e9,
    "bln": 1e9, "mrd": 1e9, "t": 1e12, "tn": 1e12, "trn": 1e12,
}  # fmt: skip
"""Letters behind a number that may multiply it: on a page both readings count."""

NAMED: dict[str, tuple[float, ...]] = {
    "half": (0.5, 50), "halves": (0.5, 50), "quarter": (0.25, 25), "quarters": (0.25, 25),
    "third": (3, 1 / 3, 33), "thirds": (1 / 3, 33), "once": (1,), "twice": (2,), "thrice": (3,),
    "double": (2,), "doubled": (2,), "doubles": (2,), "doubling": (2, 100), "twofold": (2,),
    "triple": (3,), "tripled": (3,), "treble": (3,), "threefold": (3,), "quadruple": (4,),
    "quadrupled": (4,), "tenfold": (10,), "pair": (2,), "pairs": (2,), "couple": (2,), "both": (2,),
    "duo": (2,), "twin": (2,), "twins": (2,), "trio": (3,), "trilogy": (3,), "quartet": (4,),
    "quintet": (5,), "sextet": (6,), "decade": (10,), "decades": (10,), "century": (100,),
    "centuries": (100,), "centenary": (100,), "millennium": (1000,), "fortnight": (14, 2),
    "biennial": (2,), "semi": (0.5,), "single": (1,), "sole": (1,), "only": (1,),
    "fifth": (0.2, 20), "sixth": (1 / 6, 17), "eighth": (0.125, 12.5), "tenth": (0.1, 10),
    "noon": (12,), "midnight": (0, 12, 24),
    **{f"{tens[:-1]}ies": (value, 1800 + value, 1900 + value, 2000 + value)
       for tens, value in _numbered(_TENS, first=2, step=10).items()},
}  # fmt: skip
"""Words that a reader may take for a number; on a page they count for it."""

FRACTIONS: dict[str, int] = {
    "half": 2, "halves": 2, "third": 3, "thirds": 3, "quarter": 4, "quarters": 4, "fourth": 4,
    "fourths": 4, "fifth": 5, "fifths": 5, "sixth": 6, "sixths": 6, "eighth": 8, "eighths": 8,
    "tenth": 10, "tenths": 10,
}  # fmt: skip
MONTHS = {word: 1 + place % 12 for place, word in enumerate(_MONTHS.split())}
NUMBER_WORDS = frozenset((*UNITS, *SCALES, *ORDINALS))


def is_joined(text: str, words: TextWords, at: int) -> bool:
    """Tell whether nothing but a space or a hyphen stands between a word and the one before."""
    gap = text[words.ends[at - 1] : words.starts[at]]
    return len(gap) <= _MAX_GAP and not gap.strip(_JOINTS)


def number_run(text: str, words: TextWords, at: int) -> Sequence[str]:
    """Return the number words that follow one another from a place on, `and` among them.

    A comma ends it, but not in `two thousand, three hundred`.
    """
    folded = words.folded
    end = at + 1
    while end < len(folded) and end - at < MAX_RUN:
        gap = text[words.ends[end - 1] : words.starts[end]]
        if not is_joined(text, words, end) and not (folded[end - 1] in SCALES and gap == ", "):
            break
        if folded[end] in NUMBER_WORDS:
            end += 1
        elif folded[end] == "and" and folded[end - 1] in SCALES and folded[end + 1 : end + 2]:
            if folded[end + 1] not in UNITS:
                break
            end += 2
        else:
            break
    return folded[at:end]


def year_value(run: Sequence[str]) -> float | None:
    """Return the year that `nineteen eighty-four` and `twenty ten` say, None if they say none."""
    if any(word not in UNITS for word in run) or not 10 <= UNITS[run[0]] <= 20:
        return None
    rest = run_value(run[1:])
    return 100 * UNITS[run[0]] + rest if 0 < rest < 100 else None


def run_value(words: Sequence[str]) -> float:
    """Return what a run such as `two hundred and five thousand` comes to."""
    total, current = 0.0, 0.0
    for word in words:
        if word == "hundred":
            current = (current or 1) * 100
        elif word in SCALES:
            total += (current or 1) * SCALES[word]
            current = 0.0
        else:
            # `and` is worth nothing.
            current += UNITS.get(word, ORDINALS.get(word, 0.0))
    return total + current
