"""A document of the library as a page: rendered, and marked where somebody came for a passage."""

from __future__ import annotations

import re
from html import escape
from typing import TYPE_CHECKING

from groundwire.web.answer_page import harmless_html, plain_page

if TYPE_CHECKING:
    from groundwire.model import Page

MAX_PASSAGE = 2_000
"""A longer passage names its place no better."""

_WORD = re.compile(r"\w+")
# So many words in a row are looked for, the longest row first: a quote may lack the target of a
# link that stands between its words on the page.
_ROWS = (12, 6, 3, 1)


def library_page(page: Page, passage: str = "") -> str:
    """Return the whole page of a document."""
    lines = lines_of(page.content, passage)
    text = harmless_html(_without_title(page.content, page.title), lines=lines)
    about = f'<p class="note">{escape(page.url)}</p>'
    body = f'{about}<article class="library-document">{text}</article>'
    return plain_page(escape(page.title or page.url), body, styles=("library.css",))


def lines_of(text: str, passage: str) -> range:
    """Return the lines, counted from 0, on which a passage stands; none where it does not.

    Words alone are compared: a quote and its page may differ in line breaks and in Markdown.
    """
    wanted = [word.casefold() for word in _WORD.findall(passage[:MAX_PASSAGE])]
    found = [*_WORD.finditer(text)]
    words = [match[0].casefold() for match in found]
    for row in _ROWS:
        if row > len(wanted):
            continue
        places = {tuple(words[at : at + row]): at for at in reversed(range(len(words) - row + 1))}
        for offset in range(len(wanted) - row + 1):
            at = places.get(tuple(wanted[offset : offset + row]))
            if at is not None:
                last = min(at + len(wanted) - offset, len(found)) - 1
                return range(_line(text, found[at]), _line(text, found[last]) + 1)
    return range(0)


def _line(text: str, match: re.Match[str]) -> int:
    return text.count("\n", 0, match.start())


def _without_title(text: str, title: str) -> str:
    """Return a text that does not repeat the page's heading; its lines keep their numbers."""
    first, line_end, rest = text.partition("\n")
    return f"{line_end}{rest}" if first.lstrip("# ") == title else text
