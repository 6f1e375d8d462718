"""Who wrote a page and when, where only its own markup says so."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from groundwire.reader.dates import date_in_words, iso_date

if TYPE_CHECKING:
    from collections.abc import Sequence

    from turbohtml import Document, Element

    from groundwire.reader.blocks import Block

_AUTHORS = (
    "[itemprop=author] [itemprop=name], [itemprop=author][content]",
    "[itemprop=author], a[rel~=author], [rel=author]",
    ".byline .author, .author-name, .byline__name, .author .fn, .entry-author, .post-author",
    ".byline, [class*=byline] a, a[class*=author], span[class*=author]",
)
_DATES = (
    "[itemprop=datePublished], time[pubdate], time.published, time.entry-date",
    "article time[datetime], main time[datetime], header time[datetime]",
    ".published, .entry-date, .post-date, .publish-date, .article-date, .date-published, .dateline",
    "time[datetime]",
)
_BY = re.compile(
    r"(?:(?:written|posted|published|story|text|words) )?by:?\s+"
    r"([^\W\d_][\w.'’-]*(?:\s+[^\W\d_][\w.'’-]*){1,3})(?=$|\s*[,|•·–—(]|\s+(?:on|in|updated)\b)",
    re.IGNORECASE,
)
_MODIFIED = re.compile(r"(?:last )?(?:updated|modified|edited|reviewed)", re.IGNORECASE)
_BEFORE_TITLE, _AFTER_TITLE = 5, 12  # Blocks in which a byline stands.
_MOST_LOOKED_AT = 3
_MOST_OF_A_BYLINE = 80


def author_in_page(document: Document) -> str:
    """Return the first author that the page's markup names; "" if none."""
    for selector in _AUTHORS:
        for element in document.select(selector)[:_MOST_LOOKED_AT]:
            name = " ".join((element.attr("content") or element.text).split())
            if 0 < len(name) <= _MOST_OF_A_BYLINE:
                return name
    return ""


def date_in_page(document: Document) -> str:
    """Return the first date of publication that the page's markup names; "" if none."""
    for selector in _DATES:
        for element in document.select(selector)[:_MOST_LOOKED_AT]:
            if found := _date(element):
                return found
    return ""


def _date(element: Element) -> str:
    for attribute in ("datetime", "content"):
        if found := iso_date(element.attr(attribute) or ""):
            return found
    return date_in_words(element.text)


def near_title(blocks: Sequence[Block]) -> tuple[str, str]:
    """Return the author and the date that stand in words around the page's first heading."""
    title = next((n for n, block in enumerate(blocks) if block.heading == 1), None)
    if title is None:
        return "", ""
    around = blocks[max(0, title - _BEFORE_TITLE) : title + _AFTER_TITLE]
    texts = [block.text for block in around if len(block.text) <= 2 * _MOST_OF_A_BYLINE]
    authors = (match[1] for text in texts if (match := _BY.match(text)))
    dates = (date_in_words(text) for text in texts if not _MODIFIED.match(text))
    return next(authors, ""), next(filter(None, dates), "")
