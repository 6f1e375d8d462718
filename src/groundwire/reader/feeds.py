"""Reads RSS and Atom: entries with their links, dates and texts."""

from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING

import turbohtml
from turbohtml import CData, Element, Text

from groundwire.reader.characters import visible
from groundwire.reader.extracted import Extracted
from groundwire.reader.hidden import Hiding
from groundwire.reader.links import absolute, resolve
from groundwire.reader.markdown import write
from groundwire.reader.walker import Walker

if TYPE_CHECKING:
    from turbohtml import Document

_MAX_ENTRIES = 500
_MAX_SUMMARY = 500
_MAX_CONTENT = 200_000  # Characters of HTML, in one entry.
_MAX_CONTENTS = 2_000_000  # In all of them.
_BARE = re.compile(r"&(?!(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|amp|lt|gt|quot|apos);)")
_NAMED = re.compile(r"&([A-Za-z][A-Za-z0-9]{1,31});")
_OF_XML = frozenset({"amp", "lt", "gt", "quot", "apos"})
_NOT_IN_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f]")
_ROOT = re.compile(r"<(rss|feed|(?:\w+:)?RDF)\b")
_END_OF_ENTRY = re.compile(r"</(?:item|entry)\s*>")
_CONTENT = ("content:encoded", "content")
_SUMMARY = ("description", "summary")
_DATES = ("pubDate", "published", "updated", "dc:date", "date")


def read_feed(text: str, url: str) -> Extracted:
    """Return a feed's title and its entries, newest as the feed has them."""
    try:
        document, is_whole = _parsed(text.strip())
    except (ValueError, turbohtml.HTMLParseError) as error:
        return Extracted(problem=f"the feed cannot be read: {error}")
    found = list(document.iter_elements(["item", "entry"]))
    writer = _FeedWriter(url)
    entries = [writer.entry(element) for element in found[:_MAX_ENTRIES]]
    title = next((_plain(title) for title in document.iter_elements("title")), "")
    return Extracted(
        title=visible(title),
        markdown=visible(_joined(entries)),
        problem="" if entries else "the feed has no entries",
        is_cut=not is_whole or len(found) > _MAX_ENTRIES or writer.is_cut,
    )


def _parsed(text: str) -> tuple[Document, bool]:
    """Return a feed as a tree, and whether all of it.

    Signs that XML forbids, and that feeds have, are mended; a feed that was cut ends with its last
    whole entry.
    """
    try:
        return turbohtml.parse_xml(text), True
    except (ValueError, turbohtml.HTMLParseError):
        named = _NAMED.sub(_as_character, _NOT_IN_XML.sub("", text))
        text = _BARE.sub("&amp;", named)
    try:
        return turbohtml.parse_xml(text), True
    except (ValueError, turbohtml.HTMLParseError):
        if not (closed := _closed(text)):
            raise
    return turbohtml.parse_xml(closed), False


def _closed(text: str) -> str:
    """Return a feed that breaks off, up to its last whole entry; "" if it does not or has none."""
    root = _ROOT.search(text)
    entries = list(_END_OF_ENTRY.finditer(text))
    if root is None or not entries or f"</{root[1]}>" in text:
        return ""
    channel = "</channel>" if root[1] == "rss" else ""
    return f"{text[: entries[-1].end()]}{channel}</{root[1]}>"


def _as_character(match: re.Match[str]) -> str:
    """Return the character of an entity that HTML knows and XML does not."""
    return match[0] if match[1] in _OF_XML else html.unescape(match[0])


def _joined(entries: list[str]) -> str:
    """Return entries one below the other, with a line between where one has a text of its own."""
    is_list = all(entry.startswith("- ") for entry in entries)
    return ("\n" if is_list else "\n\n").join(entries)


class _FeedWriter:
    """Writes entries: those with their whole text as sections, others as items of a list."""

    def __init__(self, base: str) -> None:
        self._base = base
        self._left = _MAX_CONTENTS
        self.is_cut = False

    def entry(self, element: Element) -> str:
        """Return one entry as Markdown."""
        title = _first_text(element, ("title",)) or "untitled"
        title = title.replace("[", "\\[").replace("]", "\\]")
        address = _address(element)
        address = absolute(self._base, address) if address else ""
        is_web = address.startswith(("http://", "https://"))
        escaped = address.replace("(", "%28").replace(")", "%29")
        linked = f"[{title}]({escaped})" if is_web else title
        date = _first_text(element, _DATES)
        if content := self._content(element, address if is_web else self._base):
            return "\n\n".join(filter(None, (f"## {linked}", date, content)))
        summary = _first_text(element, _SUMMARY)
        dated = f" ({date})" if date else ""
        said = f": {summary[:_MAX_SUMMARY]}" if summary else ""
        return f"- {linked}{dated}{said}"

    def _content(self, element: Element, base: str) -> str:
        """Return the whole text of an entry that brings it, as our reader would write a page."""
        body = next(filter(None, (_child(element, name) for name in _CONTENT)), None)
        if body is None or body.attr("src"):
            return ""
        is_tree = any(isinstance(each, Element) for each in body.children)
        source = body.inner_html if is_tree else _text(body)
        if (body.attr("type") or "html") in ("text", "text/plain"):
            source = html.escape(source)
        self.is_cut = self.is_cut or len(source) > min(self._left, _MAX_CONTENT)
        source = source[: min(self._left, _MAX_CONTENT)]
        self._left -= len(source)
        document = turbohtml.parse(source)
        resolve(document, base)
        return write(Walker(document, Hiding(document)).walk().blocks)


def _address(element: Element) -> str:
    for link in element.iter_elements("link"):
        if link.attr("rel") in (None, "alternate"):
            return (link.attr("href") or _text(link)).strip()
    return ""


def _child(element: Element, name: str) -> Element | None:
    return next(
        (each for each in element.children if isinstance(each, Element) and each.tag == name), None
    )


def _first_text(element: Element, names: tuple[str, ...]) -> str:
    found = (_child(element, name) for name in names)
    return next(filter(None, (_plain(child) for child in found if child is not None)), "")


def _text(element: Element) -> str:
    """Return an element's text, that in CDATA sections too."""
    return "".join(
        each.data
        if isinstance(each, Text | CData)
        else _text(each)
        if isinstance(each, Element)
        else ""
        for each in element.children
    )


def _plain(element: Element) -> str:
    """Return an element's text in one line; feeds put HTML inside it."""
    text = _text(element)
    if "<" in text:
        inner = turbohtml.parse_fragment(text)
        inner.remove("script, style, noscript, template")
        text = inner.text
    return " ".join(text.split())
