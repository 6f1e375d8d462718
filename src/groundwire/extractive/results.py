"""What the web tools told a model, read back from their text.

The tools put what strangers wrote between two lines with a random word that is not in it, and
titles and snippets on one line each, so nothing that a page says can pass for another page.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from groundwire.extractive.selection import SourceText

_FENCED = re.compile(r"<<<UNTRUSTED (\w+) ([^\n]*)>>>\n(.*?)\n<<<END \1>>>", re.DOTALL)
_INLINE = re.compile(r"<<<UNTRUSTED (\w+)>>> ([^\n]*?) <<<END \1>>>")
_HIT = re.compile(r"\[(\d+)\] ([^\n]*)\n(\S+)(?:\n([^\n]*))?")
_TITLE = 200
_PAGE = re.compile(r"\[(\d+)\] (\S+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolReply:
    """What one call of a tool gave back."""

    tool: str
    text: str
    is_error: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultPage:
    """A page that a search found; `id` is what an answer cites it by."""

    id: str
    title: str
    url: str
    snippet: str = ""


def found_in(told: ToolReply) -> list[ResultPage]:
    """Return the results of a search, best first."""
    return [
        ResultPage(id=hit[1], title=hit[2], url=hit[3], snippet=hit[4] or "")
        for about, content in _fenced(told.text)
        if about == "search results"
        for hit in _HIT.finditer(content)
    ]


def pages_in(told: ToolReply) -> list[tuple[str, SourceText]]:
    """Return the pages that were opened, with their URLs."""
    found = []
    for about, content in _fenced(told.text):
        if page := _PAGE.match(about):
            # Its title is the first line; a page without one begins with its text.
            title = content.partition("\n\n")[0]
            found.append((page[2], SourceText(id=page[1], title=title[:_TITLE], text=content)))
    return found


def words_of(told: ToolReply) -> str:
    """Return what a tool said, for a person: without fences."""
    without = _INLINE.sub(lambda match: match[2], told.text)
    return _FENCED.sub(lambda match: match[3], without).removeprefix("Error: ")


def _fenced(text: str) -> Iterator[tuple[str, str]]:
    return ((match[2], match[3]) for match in _FENCED.finditer(text))
