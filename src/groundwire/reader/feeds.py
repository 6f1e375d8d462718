"""Reads RSS and Atom: a list of entries with their links."""

from __future__ import annotations

from typing import TYPE_CHECKING

import turbohtml

from groundwire.reader.characters import visible
from groundwire.reader.extracted import Extracted
from groundwire.reader.links import absolute

if TYPE_CHECKING:
    from turbohtml import Element

_MAX_ENTRIES = 500
_MAX_SUMMARY = 500


def read_feed(text: str, url: str) -> Extracted:
    """Return a feed's title and its entries, newest as the feed has them."""
    try:
        document = turbohtml.parse_xml(text)
    except (ValueError, turbohtml.HTMLParseError) as error:
        return Extracted(problem=f"the feed cannot be read: {error}")
    found = list(document.iter_elements(["item", "entry"]))
    entries = [_entry(element, url) for element in found[:_MAX_ENTRIES]]
    title = next((_plain(title) for title in document.iter_elements("title")), "")
    return Extracted(
        title=visible(title),
        markdown=visible("\n".join(entries)),
        problem="" if entries else "the feed has no entries",
        is_cut=len(found) > _MAX_ENTRIES,
    )


def _entry(element: Element, base: str) -> str:
    title = _child_text(element, "title") or "untitled"
    title = title.replace("[", "\\[").replace("]", "\\]")
    address = absolute(base, _address(element))
    is_web = address.startswith(("http://", "https://"))
    linked = f"[{title}]({address.replace('(', '%28').replace(')', '%29')})" if is_web else title
    date = next(filter(None, (_child_text(element, n) for n in ("pubDate", "updated", "date"))), "")
    summary = next(filter(None, (_child_text(element, n) for n in ("description", "summary"))), "")
    dated = f" ({date})" if date else ""
    said = f": {summary[:_MAX_SUMMARY]}" if summary else ""
    return f"- {linked}{dated}{said}"


def _address(element: Element) -> str:
    for link in element.iter_elements("link"):
        if link.attr("rel") in (None, "alternate"):
            return (link.attr("href") or link.text).strip()
    return ""


def _child_text(element: Element, name: str) -> str:
    return next((_plain(child) for child in element.iter_elements(name)), "")


def _plain(element: Element) -> str:
    """Return an element's text in one line; feeds put HTML inside it."""
    text = element.text
    if "<" in text:
        inner = turbohtml.parse_fragment(text)
        inner.remove("script, style, noscript, template")
        text = inner.text
    return " ".join(text.split())
