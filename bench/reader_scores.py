"""How near a Markdown text comes to the text that a page is known to say."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import turbohtml

_WORD = re.compile(r"\w+")
_FENCE = re.compile(r"^[>\s]*(```|~~~).*$", re.MULTILINE)
_IMAGE = re.compile(r"!\[[^\]]*\]\([^)]*\)")
_LINK = re.compile(r"\[((?:[^\]\\]|\\.)*)\]\(<?[^)]*\)")
_LINE_MARK = re.compile(r"^[>\s]*(?:#{1,6}|[-*+]|\d+\.)\s+", re.MULTILINE)
_PRICE = re.compile(r"[$€£¥₹]\s?\d[\d.,]*|\d[\d.,]*\s?(?:[€£]|(?:USD|EUR|GBP|kr)\b)")
_ESCAPE = re.compile(r"\\([^\w\s])")
_SIGN = re.compile(r"[*`|]|<br>")


def plain(markdown: str) -> str:
    """Return a Markdown text without its syntax."""
    text = _IMAGE.sub("", _FENCE.sub("", markdown))
    text = _LINE_MARK.sub("", _LINK.sub(r"\1", text))
    return _SIGN.sub("", _ESCAPE.sub(r"\1", text))


def word_f1(found: str, truth: str) -> float:
    """Return the F1 of two bags of words, in lower case."""
    left, right = (Counter(_WORD.findall(text.lower())) for text in (found, truth))
    if not left or not right:
        return float(left == right)
    return 2 * (left & right).total() / (left.total() + right.total())


def prices(text: str) -> Counter[str]:
    """Return the amounts of money in a text by their digits."""
    return Counter("".join(filter(str.isdigit, match)) for match in _PRICE.findall(text))


@dataclass(frozen=True, slots=True, kw_only=True)
class Shingles:
    """Runs of four words found, made up and missed; a page's three shares add up to one."""

    found: float
    extra: float
    missed: float


def shingles(found: str, truth: str) -> Shingles:
    """Return how many runs of four words two texts share."""
    left, right = _runs(found), _runs(truth)
    shared, extra, missed = (left & right).total(), (left - right).total(), (right - left).total()
    whole = max(1, shared + extra + missed)
    return Shingles(found=shared / whole, extra=extra / whole, missed=missed / whole)


def _runs(text: str) -> Counter[tuple[str, ...]]:
    words = _WORD.findall(text)
    return (
        Counter(tuple(words[n : n + 4]) for n in range(max(1, len(words) - 3)))
        if words
        else Counter()
    )


def shingle_f1(pages: Sequence[Shingles]) -> float:
    """Return the F1 of precision and recall over all pages, each page of equal weight."""
    found = sum(page.found for page in pages)
    extra = sum(page.extra for page in pages)
    missed = sum(page.missed for page in pages)
    return 2 * found / max(1e-9, 2 * found + extra + missed)


def structure(markdown: str, main: str) -> dict[str, tuple[int, int]]:
    """Return how many headings, links, items, cells and code blocks are kept, and of how many."""
    wanted = _wanted(main)
    kept = _kept(markdown)
    return {
        name: ((Counter(texts) & Counter(kept[name])).total(), len(texts))
        for name, texts in wanted.items()
    }


def _wanted(main: str) -> dict[str, list[str]]:
    root = turbohtml.parse(main)
    cells = [
        cell
        for cell in root.select("table td, table th")
        if cell.find(["table", "pre"]) is None and cell.closest("table:has(table, pre)") is None
    ]
    return {
        "headings": [_key(h.text) for h in root.select("h1, h2, h3, h4, h5, h6") if _key(h.text)],
        "links": [
            _key(a.text)
            for a in root.select("a[href]")
            if _key(a.text) and a.closest("pre") is None
        ],
        "items": [_first(_own(li)) for li in root.select("li") if _key(_own(li))],
        "cells": [_key(cell.to_text()) for cell in cells if _key(cell.to_text())],
        "code": [_key(pre.text) for pre in root.select("pre") if _key(pre.text)],
    }


def _own(item: turbohtml.Element) -> str:
    """Return the first line of a list item's text."""
    return item.to_text().strip().partition("\n")[0]


def _kept(markdown: str) -> dict[str, list[str]]:
    code = re.findall(r"^[ >]*(```+)[^\n`]*\n(.*?)^[ >]*\1\s*$", markdown, re.MULTILINE | re.DOTALL)
    rest = re.sub(
        r"^[ >]*(```+)[^\n`]*\n.*?^[ >]*\1\s*$", "", markdown, flags=re.MULTILINE | re.DOTALL
    )
    lines = rest.splitlines()
    items = [re.match(r"[ >]*(?:[-*+]|\d+\.)\s+(.*)", line) for line in lines]
    return {
        "headings": [
            _key(plain(m[1])) for m in re.finditer(r"^[ >\-\d.]*#{1,6} (.*)$", rest, re.MULTILINE)
        ],
        "links": [_key(plain(m[1])) for m in _LINK.finditer(rest)],
        "items": [_first(plain(m[1])) for m in items if m],
        "cells": [
            _key(plain(cell))
            for line in lines
            if "|" in line
            for cell in re.split(r"(?<!\\)\|", line)
        ],
        "code": [_key(text) for _, text in code],
    }


def _key(text: str) -> str:
    return "".join(_WORD.findall(text.lower()))


def _first(text: str) -> str:
    return _key(text)[:12]
