"""Links that open a page at a passage: text fragments, made of the words as a reader sees them.

A browser looks for the words inside one block of the page. So they are taken from a single line
or cell, and not from both sides of a reference mark: the page shows more there than its Markdown.
"""

from __future__ import annotations

import re
from urllib.parse import quote, urldefrag

from groundwire.checks.plain_text import plain
from groundwire.checks.words import REFERENCE, TAG

_WORDS = 6
_TELLING = 3
"""A run of fewer words may stand anywhere."""

_BREAK = re.compile(rf"\n|\||{REFERENCE}|{TAG}|\u2026|\.{{3,6}}")


def at_words(url: str, passage: str) -> str:
    """Return a URL that opens a page at a passage of its Markdown, where a browser finds it."""
    runs = [words for piece in _BREAK.split(passage) if (words := plain(piece).split())]
    if not runs:
        return url
    telling = [words for words in runs if len(words) >= _TELLING] or runs
    first, last = telling[0], telling[-1]
    if first is last and len(first) <= 2 * _WORDS:
        ends = [first]
    else:
        ends = [first[:_WORDS], last[-_WORDS:]]
    said = (quote(" ".join(each), safe="").replace("-", "%2D") for each in ends)
    return f"{urldefrag(url).url}#:~:text={','.join(said)}"
