"""In which script and language a text is, as far as that can be told cheaply and honestly.

Scripts are told by their letters, languages by their most frequent words. What is not clear is
"": then nothing is made of it.
"""

from __future__ import annotations

import re
import string
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

ENGLISH = "en"
LATIN = "latin"
SAMPLE_CHARACTERS = 20_000
SAMPLE_WORDS = 800
_MIN_HITS = 3
_MIN_SHARE = 0.12
_SCRIPTS = {
    LATIN: re.compile(r"[a-zA-Z\u00c0-\u024f\u1e00-\u1eff]"),
    "cyrillic": re.compile(r"[\u0400-\u052f]"),
    "greek": re.compile(r"[\u0370-\u03ff\u1f00-\u1fff]"),
    "arabic": re.compile(r"[\u0600-\u06ff\u0750-\u077f]"),
    "hebrew": re.compile(r"[\u0590-\u05ff]"),
    "indic": re.compile(r"[\u0900-\u0dff]"),
    "thai": re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]"),
    "han": re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]"),
    "hangul": re.compile(r"[\u1100-\u11ff\uac00-\ud7af]"),
}
_PLAIN = re.compile(r"[\x00-\x7f]+")
_PLAIN_LETTERS = string.ascii_letters.encode()
UNSPACED = frozenset(("thai", "han"))
"""Scripts without spaces between words: there is nothing to count words by."""

_FREQUENT: dict[str, frozenset[str]] = {
    language: frozenset(words.split())
    for language, words in {
        ENGLISH: "the of and to in is that it was for with as on be are by this which from has "
        "have had were been their they his her its an at or but not he she while when who",
        "de": "der die das und ist nicht von den mit sich des dem ein eine einen auf als auch im "
        "wird sind wurde zum zur bei nach wie oder aus noch nur",
        "fr": "le la les des est une dans que qui pour pas sur plus avec sont par du au aux ce il "
        "elle ses cette mais ou comme et leur ont",
        "es": "el la los las de que y en un una es por con para del se al lo como mas pero sus su "
        "fue este entre son ha",
        "it": "il di che e la per un non si con del della sono una come gli le dei nel alla anche "
        "piu ma delle ha da lo",
        "pt": "o a os as de que e do da em um uma para com nao por mais dos das se foi ao pela no "
        "na como mas sao seu",
        "nl": "de het een van en in is dat op te zijn voor met niet die aan er om ook als bij maar "
        "uit wordt naar heeft worden",
        "sv": "och att det som en av for den till inte har med ett om var han de ar pa kan efter",
        "pl": "w i na z do sie nie jest to ze o jak po od za przez dla jego ktory oraz byl",
        "tr": "ve bir bu da de icin ile olarak olan daha cok gibi kadar sonra en ne var",
    }.items()
}
# Frequent in two languages or more: they tell nothing about which.
_SHARED = frozenset(
    word
    for word in {word for words in _FREQUENT.values() for word in words}
    if sum(word in words for words in _FREQUENT.values()) > 2
)


def script_of(text: str) -> str:
    """Return the script of most letters of a text, "" if it has none."""
    sample = text[:SAMPLE_CHARACTERS]
    if sample.isascii():
        return LATIN if _SCRIPTS[LATIN].search(sample) else ""
    # Most letters of most pages are plain ones, which bytes count fastest.
    plain = sample.encode("ascii", "ignore")
    rest = _PLAIN.sub("", sample)
    counts = {name: len(letters.findall(rest)) for name, letters in _SCRIPTS.items()}
    counts[LATIN] += len(plain) - len(plain.translate(None, _PLAIN_LETTERS))
    script = max(counts, key=counts.__getitem__)
    return script if counts[script] * 2 > sum(counts.values()) else ""


def language_of(words: Sequence[str], script: str) -> str:
    """Return the language of folded words; for other scripts than Latin the script's name."""
    if script != LATIN:
        return script
    told = [word for word in words[:SAMPLE_WORDS] if word not in _SHARED]
    counts = {name: sum(word in most for word in told) for name, most in _FREQUENT.items()}
    first, second = sorted(counts, key=counts.__getitem__, reverse=True)[:2]
    needed = 2 if first == ENGLISH else max(_MIN_HITS, _MIN_SHARE * len(words[:SAMPLE_WORDS]))
    return first if counts[first] >= needed and counts[first] > 2 * counts[second] else ""


def differ(claim: str, page: str) -> bool:
    """Tell whether two languages are known, and not the same."""
    return bool(claim and page) and claim != page
