"""Reads RSS, Atom and JSON Feed: entries with their links, dates and texts."""

from __future__ import annotations

import html
import re
from dataclasses import dataclass
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

    from groundwire.model import Json

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
_ATOM = r"(?P<prefix>\w+):feed\s[^>]{0,500}xmlns:(?P=prefix)\s*=\s*.http://www\.w3\.org/2005/Atom"
START_OF_FEED = rf"<(?:rss\b|feed\b|rdf:RDF\b|{_ATOM})"
_JSON_FEED = re.compile(r"https?://jsonfeed\.org/version/\d")
_BEGINNING = 60  # Characters of a text that stand for the title it does not have.
_PREFIXED = re.compile(rf"(?:\s*<[?!][^>]*>)*\s*<{_ATOM}")
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
    entries = [writer.written(_xml_entry(element)) for element in found[:_MAX_ENTRIES]]
    title = next((_plain(title) for title in document.iter_elements("title")), "")
    return Extracted(
        title=visible(title),
        markdown=visible(_joined(entries)),
        problem="" if entries else "the feed has no entries",
        is_cut=not is_whole or len(found) > _MAX_ENTRIES or writer.is_cut,
    )


def is_json_feed(value: Json) -> bool:
    """Tell whether a document of JSON is a JSON Feed."""
    return isinstance(value, dict) and _JSON_FEED.match(str(value.get("version"))) is not None


def read_json_feed(feed: dict[str, Json], url: str) -> Extracted:
    """Return the title and the entries of a JSON Feed."""
    items = feed.get("items")
    found = [each for each in items if isinstance(each, dict)] if isinstance(items, list) else []
    writer = _FeedWriter(url)
    entries = [writer.written(_json_entry(each)) for each in found[:_MAX_ENTRIES]]
    return Extracted(
        title=visible(_one_line(_said(feed, "title"))),
        markdown=visible(_joined(entries)),
        problem="" if entries else "the feed has no entries",
        is_cut=len(found) > _MAX_ENTRIES or writer.is_cut,
    )


def _json_entry(item: dict[str, Json]) -> _Entry:
    text = _said(item, "content_text")
    paragraphs = "".join(
        f"<p>{html.escape(each)}</p>" for each in text.split("\n\n") if each.strip()
    )
    return _Entry(
        title=_one_line(_said(item, "title")),
        address=_said(item, "url", "external_url") or _web_address(_said(item, "id")),
        date=_said(item, "date_published", "date_modified"),
        summary=_one_line(_said(item, "summary")),
        content=_said(item, "content_html") or paragraphs,
    )


def _said(value: dict[str, Json], *names: str) -> str:
    """Return the first of some members that is a text, and not an empty one."""
    texts = (value.get(name) for name in names)
    return next((text for text in texts if isinstance(text, str) and text.strip()), "")


def _parsed(text: str) -> tuple[Document, bool]:
    """Return a feed as a tree, and whether all of it.

    Signs that XML forbids, and that feeds have, are mended; a feed that was cut ends with its last
    whole entry.
    """
    if prefix := _PREFIXED.match(text):
        text = re.sub(rf"(?<=[</]){prefix['prefix']}:|(?<=xmlns):{prefix['prefix']}\b", "", text)
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


@dataclass(frozen=True, slots=True, kw_only=True)
class _Entry:
    """What an entry says, in whichever format; `content` is its whole text, if it brings it."""

    title: str
    address: str
    date: str
    summary: str
    content: str


class _FeedWriter:
    """Writes entries: those with their whole text as sections, others as items of a list."""

    def __init__(self, base: str) -> None:
        self._base = base
        self._left = _MAX_CONTENTS
        self.is_cut = False

    def written(self, entry: _Entry) -> str:
        """Return one entry as Markdown."""
        address = absolute(self._base, entry.address) if entry.address else ""
        is_web = address.startswith(("http://", "https://"))
        content = self._content(entry.content, address if is_web else self._base)
        title, summary = entry.title, entry.summary
        if not title and not content:
            title = summary if len(summary) <= _BEGINNING else f"{summary[:_BEGINNING].rstrip()}…"
            summary = "" if title == summary else summary
        title = (title or entry.date or "untitled").replace("[", "\\[").replace("]", "\\]")
        escaped = address.replace("(", "%28").replace(")", "%29")
        linked = f"[{title}]({escaped})" if is_web else title
        date = entry.date if entry.date != title else ""
        if content:
            return "\n\n".join(filter(None, (f"## {linked}", date, content)))
        dated = f" ({date})" if date else ""
        said = f": {summary[:_MAX_SUMMARY]}" if summary else ""
        return f"- {linked}{dated}{said}"

    def _content(self, source: str, base: str) -> str:
        """Return the whole text of an entry, as our reader would write a page."""
        self.is_cut = self.is_cut or len(source) > min(self._left, _MAX_CONTENT)
        source = source[: min(self._left, _MAX_CONTENT)]
        if not source:
            return ""
        self._left -= len(source)
        document = turbohtml.parse(source)
        resolve(document, base)
        return write(Walker(document, Hiding(document)).walk().blocks)


def _xml_entry(element: Element) -> _Entry:
    return _Entry(
        title=_first_text(element, ("title",)),
        address=_address(element),
        date=_first_text(element, _DATES),
        summary=_first_text(element, _SUMMARY),
        content=_content(element),
    )


def _content(element: Element) -> str:
    """Return the HTML of an entry that brings its whole text; "" if it does not."""
    body = next(filter(None, (_child(element, name) for name in _CONTENT)), None)
    if body is None or body.attr("src"):
        return ""
    is_tree = any(isinstance(each, Element) for each in body.children)
    source = body.inner_html if is_tree else _text(body)
    return (
        html.escape(source) if (body.attr("type") or "html") in ("text", "text/plain") else source
    )


def _address(element: Element) -> str:
    for link in element.iter_elements("link"):
        if link.attr("rel") in (None, "alternate"):
            return (link.attr("href") or _text(link)).strip()
    guid = _child(element, "guid")
    is_address = guid is not None and guid.attr("isPermaLink") != "false"
    return _web_address(_text(guid)) if guid is not None and is_address else ""


def _web_address(text: str) -> str:
    """Return what names an entry, if that is its address; "" if not."""
    return text.strip() if text.strip().startswith(("http://", "https://")) else ""


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
    return _one_line(text)


def _one_line(text: str) -> str:
    return " ".join(text.split())
