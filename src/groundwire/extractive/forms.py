"""What an answer looks like: what is asked for is in it, and its form is that of one."""

from __future__ import annotations

import math
import re
from collections.abc import Collection

from groundwire.extractive.blocks import TextBlock
from groundwire.extractive.questions import QuestionKind, Wanted
from groundwire.text.lengths import length_of
from groundwire.text.markdown import LINK

_FORMS = {
    QuestionKind.WHY: re.compile(
        r"\b(?:because|since|so that|reason|therefore|thus|otherwise|due to)\b"
    ),
    QuestionKind.WHEN: re.compile(r"\b(?:when|if|whenever|only|unless|should|useful)\b"),
    QuestionKind.HOW: re.compile(
        r"\b(?:use|using|run|call|set|specify|add|create|to \w+,|you can)\b"
    ),
}
_DEFINES = re.compile(
    r"\b(?:is|are|means|refers to|stands for|describes|specifies|controls|sets|determines)\b"
)
_ASIDE = re.compile(
    r"(?:\*{0,2}\\?\[?(?:new|changed|deprecated|removed|added) (?:in|since)|see also|see \["
    r"|source code|note that this|for more information|bpo-|gh-)",
    re.IGNORECASE,
)
_HISTORY = re.compile(
    r"what.s new|release (?:notes|\d)|change ?log|\bindex\b(?![ -]*[a-z])|contents|news",
    re.IGNORECASE,
)
_ANSWERS = {
    Wanted.NUMBER: re.compile(
        r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|hundred|thousand"
        r"|million|billion|half|third|quarter|percent|dozen|once|twice|many|few|several)\b",
        re.IGNORECASE,
    ),
    Wanted.DATE: re.compile(
        r"\b(?:1\d{3}|20\d{2})s?\b|\b(?:January|February|March|April|May|June|July|August|September"
        r"|October|November|December|century|Monday|Tuesday|Wednesday|Thursday|Friday|Saturday"
        r"|Sunday|BC|AD|years?|decade)\b"
    ),
    Wanted.PLACE: re.compile(
        r"\b(?:in|at|near|on|from|to|of|between|along|across|within)\s+(?:the\s+)?[A-Z]"
    ),
    Wanted.REASON: re.compile(
        r"\b(?:because|since|so that|reason|therefore|thus|otherwise|due to|in order to|caused"
        r"|led to|as a result|to avoid|to prevent)\b",
        re.IGNORECASE,
    ),
}
# A word with a capital that no sentence begins with.
_NAME = re.compile(r"(?<=[\w,;)’'] )[A-Z][a-z]+")
_PATH = re.compile(r"`[\w.~-]*(?:/[\w.~-]+)+(?:::\w+)*`|[\w.-]+(?:/[\w.-]+)+\.\w+(?:::\w+)+")
_LONG = 320


def is_history(title: str) -> bool:
    """Tell whether a page lists changes or other pages: it mentions much and explains little."""
    return _HISTORY.search(title) is not None


def fits(said: str, wanted: Wanted, asked: Collection[str]) -> bool:
    """Tell whether a sentence has something of the kind that is asked for.

    `asked` are the words of the question, in lower case: a name that is among them is no answer.
    """
    if wanted is Wanted.NAME:
        return any(name.lower() not in asked for name in _NAME.findall(said))
    form = _ANSWERS.get(wanted)
    return form is not None and form.search(said) is not None


def form(kind: QuestionKind, block: TextBlock, number: int, *, raw: str, said: str) -> float:
    """Return the logarithm of how much better or worse an answer its form makes a sentence."""
    factor = 1.0
    if (usual := _FORMS.get(kind)) and usual.search(said.lower()):
        factor *= 1.15
    if kind is QuestionKind.HOW and block.code and number == len(block.sentences) - 1:
        factor *= 1.1
    if kind is QuestionKind.DEFINITION and _DEFINES.search(said[:80].lower()):
        factor *= 1.15 if number == 0 else 1.05
    if _ASIDE.match(said):
        factor *= 0.6
    characters, words = length_of(said.strip())
    letters = sum(map(str.isalpha, said)) + characters - len(said.strip())
    if letters < 20 or words == 1:
        factor *= 0.5
    elif len(said) > _LONG:
        factor *= _LONG / len(said)
    # A list of links or of files leads to answers and is none.
    if _pointers(raw) > 0.6 * len(said):
        factor *= 0.4
    return math.log(factor)


def _pointers(raw: str) -> int:
    """Return how many characters of a sentence are links and paths of files."""
    links = sum(map(len, LINK.findall(raw))) if "](" in raw else 0
    return links + (sum(map(len, _PATH.findall(raw))) if "/" in raw else 0)
