"""An answer for those who read it, all from one `Marked`: the same number is the same source.

Markdown, plain text, a terminal, HTML and JSON differ in what a marker looks like and in what
must be made harmless, and in nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from html import escape
from typing import TYPE_CHECKING

from groundwire.citing.marked import Marked, Marker
from groundwire.citing.sources import Source
from groundwire.model import Evidence

if TYPE_CHECKING:
    from groundwire.model import Json

SOURCES = "Sources:"
FOUND = "Found, not cited:"

_SPACE = re.compile(r"\s+")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_MARKDOWN = re.compile(r"([\\`\[\]<])")
_REL = "noopener noreferrer"


def to_markdown(marked: Marked) -> str:
    """Return the answer and its `Sources:`, with nothing in a title that Markdown reads."""
    return _with_lists(marked.text, marked, lambda source: _MARKDOWN.sub(r"\\\1", title_of(source)))


def to_plain(marked: Marked) -> str:
    """Return the answer and its `Sources:` as plain text."""
    return _with_lists(marked.text, marked, title_of)


def to_terminal(marked: Marked, *, hyperlinks: bool = False) -> str:
    """Return the answer without control characters; markers are OSC 8 hyperlinks if wanted."""
    by_number = {source.number: source for source in marked.sources}

    def link(number: int) -> str:
        name = f"[{number}]"
        return _hyperlink(by_number[number].url, name) if hyperlinks else name

    pieces = [
        _without_controls(piece)
        if isinstance(piece, str)
        else _around(piece, _without_controls, link, lambda id_: f"[{_without_controls(id_)}?]")
        for piece in marked.pieces()
    ]
    return _with_lists(
        "".join(pieces), marked, title_of, hyperlink=_hyperlink if hyperlinks else None
    )


def to_html(marked: Marked) -> str:
    """Return the answer as escaped text with linked markers; line ends stay line ends."""
    by_number = {source.number: source for source in marked.sources}
    pieces = [
        escape(piece)
        if isinstance(piece, str)
        else _around(piece, escape, lambda number: _html_marker(by_number[number]), _html_unknown)
        for piece in marked.pieces()
    ]
    return "".join(pieces)


def sources_to_html(marked: Marked) -> str:
    """Return the list of sources, "" if there are none; each item has its evidence as class."""
    if not marked.sources:
        return ""
    items = [
        f'<li value="{source.number}" class="{source.evidence.value}">'
        f"{_html_link(source, escape(title_of(source)))} "
        f'<span class="domain">{escape(source.domain)}</span></li>'
        for source in marked.sources
    ]
    return f'<ol class="sources">{"".join(items)}</ol>'


def to_json(marked: Marked) -> dict[str, Json]:
    """Return what a program needs, ready for JSON; positions count characters of `text`."""
    return {
        "text": marked.text,
        "markers": [_marker_to_json(marker) for marker in marked.markers],
        "sources": [_source_to_json(source) for source in marked.sources],
        "unknown": [
            {"id": each.id, "written": each.written, "position": each.position}
            for each in marked.unknown
        ],
    }


def title_of(source: Source) -> str:
    """Return a source's title on one line, else its domain."""
    title = _CONTROL.sub("", _SPACE.sub(" ", source.title)).strip()
    return title or source.domain or source.url


def is_used(source: Source) -> bool:
    """Tell whether the answer rests on a source; a search hit alone is no ground."""
    return source.is_marked or source.evidence is not Evidence.FOUND


def is_web(url: str) -> bool:
    """Tell whether a link may lead there."""
    return url.lower().startswith(("http://", "https://"))


def _with_lists(
    text: str,
    marked: Marked,
    title: Callable[[Source], str],
    *,
    hyperlink: Callable[[str, str], str] | None = None,
) -> str:
    """Return text with its lists; what was only found has a list of its own."""

    def line(source: Source) -> str:
        url = _one_line(source.url)
        shown = hyperlink(source.url, url) if hyperlink else url
        return f"[{source.number}] {title(source)} ({shown})"

    def section(heading: str, sources: Iterable[Source]) -> str:
        lines = [line(source) for source in sources]
        return "\n".join([heading, *lines]) if lines else ""

    used = section(SOURCES, filter(is_used, marked.sources))
    found = section(FOUND, (source for source in marked.sources if not is_used(source)))
    sections = (text, used, found)
    return "\n\n".join(part for part in sections if part)


def _around(
    marker: Marker,
    clean: Callable[[str], str],
    known: Callable[[int], str],
    unknown: Callable[[str], str],
) -> str:
    labels = [*map(known, marker.numbers), *map(unknown, marker.unknown)]
    return f"{clean(marker.before)}{''.join(labels)}{marker.after}"


def _one_line(url: str) -> str:
    return "".join(
        f"%{ord(letter):02X}" if letter in "<> " or _CONTROL.match(letter) else letter
        for letter in _SPACE.sub(" ", url.strip())
    )


def _without_controls(text: str) -> str:
    return _CONTROL.sub("", text.replace("\r\n", "\n"))


def _hyperlink(url: str, shown: str) -> str:
    if not is_web(url):
        return shown
    return f"\x1b]8;;{_one_line(url)}\x1b\\{shown}\x1b]8;;\x1b\\"


def _html_link(source: Source, inside: str, attributes: str = "") -> str:
    if not is_web(source.url):
        return f"<span{attributes}>{inside}</span>"
    return f'<a href="{escape(source.url)}" rel="{_REL}"{attributes}>{inside}</a>'


def _html_marker(source: Source) -> str:
    name = escape(f"Source {source.number}: {title_of(source)}")
    link = _html_link(source, f"[{source.number}]", f' aria-label="{name}"')
    return f'<sup class="citation {source.evidence.value}">{link}</sup>'


def _html_unknown(id_: str) -> str:
    name = escape(f"Unknown source {id_}".strip())
    return f'<sup class="citation unknown"><span aria-label="{name}">[{escape(id_)}?]</span></sup>'


def _marker_to_json(marker: Marker) -> dict[str, Json]:
    return {
        "start": marker.position,
        "end": marker.position + len(marker.label),
        "numbers": list(marker.numbers),
        "unknown": list(marker.unknown),
        "supports": [
            {"number": each.number, "start": each.start, "end": each.end}
            for each in marker.supports
        ],
    }


def _source_to_json(source: Source) -> dict[str, Json]:
    return {
        "number": source.number,
        "url": source.url,
        "title": title_of(source),
        "domain": source.domain,
        "evidence": source.evidence.value,
        "quotes": list(source.quotes),
        "spans": [list(span) for span in source.spans],
    }
