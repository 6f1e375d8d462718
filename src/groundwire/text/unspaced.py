"""Scripts that put no spaces between words, and what stands for words there.

Where a word ends nobody can tell without a dictionary. Two characters side by side do nearly as
well: they stand wherever the word does, whatever is written around it.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import regex

DENSE = (
    "\u2e80-\u2fdf\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
    "\uff66-\uff9f\U00020000-\U0003ffff"
)
"""Han, kana and full-width forms, as a part of a set in a pattern."""

LETTERS = "\u0e01-\u0eff\u0f40-\u0fbc\u1000-\u109f\u1780-\u17d3"
"""Letters without spaces between words: Thai, Lao, Burmese, Khmer, Tibetan."""

FIRST = "\u0e01"
"""No such character comes before this one."""

# Thai, for one, has signs of money and of paragraphs, and kana has a dot between words.
_RUN = regex.compile(rf"(?V1)[[{DENSE}{LETTERS}]&&[\p{{L}}\p{{M}}\p{{N}}]]+")
_CHARACTER = regex.compile(r"\P{M}\p{M}*+|\p{M}++")
# How something is asked, and the small word of Chinese that joins most others. Only what is hardly
# ever a part of another word.
_ASKING = regex.compile(
    r"(?:"
    # Chinese
    r"请问|請問|请告诉我|(?<!目)的(?![确確士])|[吗嗎呢]$"
    r"|(?:是|从|從|(?<![可所])以|(?<![现現存])在)?(?:为什么|為什麼|为何|為何"
    r"|(?:什么|什麼)(?:时候|時候|意思|是)?|怎么样?|怎麼樣?|怎样|怎樣|如何|何时|哪里|哪裡|哪儿"
    r"|哪个|哪個|哪些|多少|多久|多长|多長|多远|多遠|是否|[谁誰]|[几幾](?=[个個枚只隻次种種岁歲天年月]))"
    # Japanese
    r"|どのように(?:して)?|どうやって|どうして|どうすれば|どんな|なぜ|いくら|いくつ|どこ|いつ|どれ|どの"
    r"|とは(?=$|何)|何[個人年月日時回本匹歳度]?(?=\p{Hiragana}|$)"
    r"|(?:の)?(?:です|でしょう|ます|ました|ません)か?$|(?:を|について)?教えて(?:ください)?$"
    # Thai, Lao, Khmer, Burmese
    r"|อย่างไร|ยังไง|ทำไม|อะไร|ที่ไหน|เมื่อไหร่|เมื่อไร|เท่าไหร่|เท่าไร|ใคร|หรือไม่$|ไหม$|คืออะไร"
    r"|ແນວໃດ|ເປັນຫຍັງ|ຫຍັງ|ເມື່ອໃດ|ຢູ່ໃສ|ໃຜ"
    r"|យ៉ាងដូចម្តេច|ដូចម្តេច|របៀបណា|ហេតុអ្វី|អ្វី|ពេលណា|នៅឯណា|នរណា"
    r"|ဘယ်လို|ဘာကြောင့်|ဘယ်မှာ|ဘယ်တော့|ဘယ်သူ|သလဲ$|လဲ$"
    r")(?!\p{M})"
)
_KANA = regex.compile(r"(?P<hiragana>\p{Hiragana}[\p{Hiragana}ー]*)|[^\p{Hiragana}]+")
_PARTICLES = "はがをにでとのもへやか"
# fmt: off
_GRAMMAR = frozenset({
    "ついて", "している", "される", "られる", "という", "ください", "ました", "ません", "なければ",
})
# fmt: on
_LEAST_HIRAGANA = 3
_SMALL = regex.compile(r"[的了是在和也都就着著会會]")


def stretches(text: str) -> Iterator[tuple[str, bool]]:
    """Yield a text in parts, each with whether it is a run of characters without spaces."""
    if text.isascii() or max(text) < FIRST:
        yield text, False
        return
    done = 0
    for run in _RUN.finditer(text):
        if run.start() > done:
            yield text[done : run.start()], False
        yield run[0], True
        done = run.end()
    if done < len(text):
        yield text[done:], False


def is_unspaced(text: str) -> bool:
    """Tell whether a text begins with a character of a script without spaces between words."""
    return _RUN.match(text) is not None


def characters(run: str) -> list[str]:
    """Return the characters of a run, each with the marks that belong to it."""
    return _CHARACTER.findall(run)


def pairs_of(run: str) -> list[str]:
    """Return every two characters of a run that stand side by side; of one alone, that one."""
    each = characters(run)
    return [one + other for one, other in pairwise(each)] if len(each) > 1 else each


def in_pairs(text: str) -> str:
    """Return a text in which pairs of characters stand for the words that have no spaces."""
    return "".join(
        f" {' '.join(pairs_of(part))} " if is_run else part for part, is_run in stretches(text)
    )


def pieces_of(run: str) -> list[str]:
    """Return what a run of a question is about: what is left between the words that ask.

    Of Japanese these are the words in Han and katakana: most of what is written in hiragana
    between them is grammar, and the endings of verbs are.
    """
    parts = [part for part in _ASKING.split(run) if part]
    return [piece for part in parts for piece in _telling(part)] or [run]


def _telling(part: str) -> list[str]:
    found = []
    for stretch in _KANA.finditer(part):
        if not stretch["hiragana"]:
            found.append(stretch[0])
            continue
        word = stretch[0].rstrip(_PARTICLES)
        if stretch.start():
            word = word.lstrip(_PARTICLES)
        if len(word) >= _LEAST_HIRAGANA and word not in _GRAMMAR:
            found.append(word)
    return found


def is_small(pair: str) -> bool:
    """Tell whether a pair has a small word of Chinese in it, which says little."""
    return _SMALL.search(pair) is not None
