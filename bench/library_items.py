"""Known items of real documentation: what its authors put into their index, and on which page.

Sphinx writes `genindex-all.html` or `genindex.html`, DocBook `bookindex.html`. An index says for
a few words on which page a reader finds them, which is what a search is asked, too.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

INDEX_PAGES = re.compile(r"(?:genindex.*|bookindex|py-modindex|search)\.html")
"""Pages that only list others; they are no documents for anyone here."""

_SPHINX = re.compile(r'<a href="(?P<page>[^"#]+\.html)#[^"]*">(?P<words>[^<]*)</a>')
_DOCBOOK = re.compile(
    r'<dt[^>]*>(?P<words>[^<]*?),?\s*(?P<links>(?:<a class="indexterm".*?)+)</dt>'
)
_DOCBOOK_PAGE = re.compile(r'href="([^"#]+\.html)')
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """A query and the files that answer it, relative to the folder."""

    query: str
    answers: frozenset[str]


def items(folder: Path, most: int) -> list[Item]:
    """Return known items of a folder, evenly spread over its index; none if it has none."""
    found: dict[str, set[str]] = {}
    for words, page in _entries(folder):
        query = " ".join(_WORD.findall(html.unescape(words)))
        if len(query.split()) >= 2 and (folder / page).is_file():
            found.setdefault(query, set()).add(page)
    # What is on many pages is found whatever one does.
    known = [
        Item(query=query, answers=frozenset(pages))
        for query, pages in sorted(found.items())
        if len(pages) <= 3
    ]
    step = max(1, len(known) // most)
    return known[::step][:most]


def _entries(folder: Path) -> Iterator[tuple[str, str]]:
    for name in ("genindex-all.html", "genindex.html"):
        if (folder / name).is_file():
            for entry in _SPHINX.finditer((folder / name).read_text("utf-8", "replace")):
                yield entry["words"], entry["page"]
            return
    if (folder / "bookindex.html").is_file():
        text = (folder / "bookindex.html").read_text("utf-8", "replace")
        for entry in _DOCBOOK.finditer(text):
            for page in _DOCBOOK_PAGE.findall(entry["links"]):
                yield entry["words"], page
