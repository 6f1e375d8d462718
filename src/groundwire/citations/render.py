"""An answer for those who read it, all from one `Marked`: the same number is the same source.

Markdown, plain text, a terminal, HTML and JSON differ in what a marker looks like and in what
must be made harmless, and in nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from html import escape
from typing import TYPE_CHECKING

from groundwire.citations.marked import Folded, Marked, Marker, Support
from groundwire.citations.sources import STRUCK, Removed, Source, label
from groundwire.model import Evidence

if TYPE_CHECKING:
    from groundwire.model import Json

SOURCES = "Sources:"
READ = "Read, not cited:"
FOUND = "Found, not cited:"
REMOVED = "Removed by policy:"

_SPACE = re.compile(r"\s+")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_MARKDOWN = re.compile(r"([\\`\[\]<])")
_REL = "noopener noreferrer"
_EVIDENCE = {each.value: each for each in Evidence}


def to_markdown(marked: Marked) -> str:
    """Return the answer and its `Sources:`, with nothing in a title that Markdown reads."""
    return _with_lists(_text(marked, _escaped), marked, _escaped)


def to_plain(marked: Marked) -> str:
    """Return the answer and its `Sources:` as plain text."""
    return _with_lists(_text(marked, str), marked, str)


def without_markers(marked: Marked) -> str:
    """Return the text without its markers, and with a note in place of what is folded."""
    return _filled(marked, str, lambda _: "", str)


def to_terminal(marked: Marked, *, hyperlinks: bool = False) -> str:
    """Return the answer without control characters; markers are OSC 8 hyperlinks if wanted."""
    by_number = {source.number: source for source in marked.sources}

    def link(number: int) -> str:
        name = f"[{number}]"
        return _hyperlink(by_number[number].url, name) if hyperlinks else name

    def labels(marker: Marker) -> str:
        struck = STRUCK if marker.struck else ""
        unknown = [f"[{_without_controls(id_)}?]" for id_ in marker.unknown]
        return "".join([*map(link, marker.numbers), struck, *unknown])

    text = _filled(marked, _without_controls, labels, _without_controls)
    return _with_lists(text, marked, str, hyperlink=_hyperlink if hyperlinks else None)


def to_html(marked: Marked) -> str:
    """Return the answer as escaped text with linked markers; line ends stay line ends."""
    by_number = {source.number: source for source in marked.sources}
    by_url = {each.url: each for each in marked.removed}

    def labels(marker: Marker) -> str:
        known = [_html_marker(by_number[number]) for number in marker.numbers]
        struck = _html_struck([by_url[url] for url in marker.struck]) if marker.struck else ""
        return "".join([*known, struck, *map(_html_unknown, marker.unknown)])

    return _filled(marked, escape, labels, _html_note)


def sources_to_html(marked: Marked) -> str:
    """Return the lists of sources under their headings, each with its evidence as class.

    What was only read or found, and what was removed, has lists of its own; "" if there is none.
    """
    lists = [
        f"<h2>{heading.removesuffix(':')} ({len(sources)})</h2>"
        f'<ol class="sources">{"".join(map(_html_item, sources))}</ol>'
        for heading, sources in _listed(marked).items()
        if sources
    ]
    removed = [f"<li>{_html_domain(domain)}</li>" for domain in _domains(marked.removed)]
    if removed:
        name = REMOVED.removesuffix(":")
        lists.append(f'<ul class="removed" aria-label="{name}">{"".join(removed)}</ul>')
    return "".join(lists)


def _html_item(source: Source) -> str:
    link = _html_link(source, escape(title_of(source)))
    item = f'<li value="{source.number}" class="{source.evidence.value}">'
    return f"{item}{link} {_html_domain(source.domain)}</li>"


def to_json(marked: Marked) -> dict[str, Json]:
    """Return what a program needs, ready for JSON; positions count characters of `text`."""
    return {
        "text": marked.text,
        "markers": [
            {
                "start": (start := each.start + len(each.before)),
                "end": start + len(words),
                "numbers": list(each.numbers),
                "struck": list(each.struck),
                "unknown": list(each.unknown),
                "supports": [
                    {"number": one.number, "start": one.start, "end": one.end, "quote": one.quote}
                    for one in each.supports
                ],
            }
            for each in marked.changes
            if (words := label(each.numbers, each.struck, each.unknown))
        ],
        "sources": [_source_to_json(source) for source in marked.sources],
        "removed": [
            {"url": each.url, "title": title_of(each), "domain": each.domain}
            for each in marked.removed
        ],
        "folded": [
            {"start": each.start, "end": each.end, "domains": list(each.domains)}
            for each in marked.folded
        ],
        "unknown": [
            {"id": id_, "written": each.replaced, "position": each.start + len(each.before)}
            for each in marked.changes
            for id_ in each.unknown
        ],
    }


def from_json(answer: Json) -> Marked:
    """Return the answer that `to_json` was given, as far as a reader can tell.

    A session of a hundred answers is read at once, so lists become tuples, which costs half of
    what generators do.
    """
    written = {each["position"]: each["written"] for each in answer.get("unknown", ())}
    markers = answer.get("markers", ())
    changes = [
        Marker(
            start=each["start"],
            numbers=tuple(each["numbers"]),
            struck=tuple(each["struck"]),
            unknown=tuple(each["unknown"]),
            replaced=written.get(each["start"], ""),
            supports=tuple([Support(**support) for support in each["supports"]]),
        )
        for each in markers
    ]
    marked = {number for each in markers for number in each["numbers"]}
    folded = [
        Folded(start=each["start"], end=each["end"], domains=tuple(each["domains"]))
        for each in answer.get("folded", ())
    ]
    return Marked(
        text=answer["text"],
        sources=tuple([_source(each, marked) for each in answer.get("sources", ())]),
        changes=tuple(changes),
        removed=tuple([Removed(**each) for each in answer.get("removed", ())]),
        folded=tuple(folded),
    )


def _source(entry: Json, marked: set[int]) -> Source:
    return Source(
        number=entry["number"],
        url=entry["url"],
        title=entry["title"],
        domain=entry["domain"],
        evidence=_EVIDENCE[entry["evidence"]],
        quotes=tuple(entry["quotes"]),
        spans=tuple([(start, end) for start, end in entry["spans"]]),
        is_marked=entry["number"] in marked,
    )


def title_of(source: Source | Removed) -> str:
    """Return a source's title on one line, else its domain."""
    return _line(source.title) or _line(source.domain) or _line(source.url)


def is_used(source: Source) -> bool:
    """Tell whether the answer rests on a source; a search hit alone is no ground."""
    return source.is_marked or source.evidence is not Evidence.FOUND


def is_cited(source: Source) -> bool:
    """Tell whether the answer cites a source, and has not only read or found it."""
    return _list_of(source) == SOURCES


def _listed(marked: Marked) -> dict[str, list[Source]]:
    """Return the sources by the headings that they are listed under."""
    lists: dict[str, list[Source]] = {SOURCES: [], READ: [], FOUND: []}
    for source in marked.sources:
        lists[_list_of(source)].append(source)
    return lists


def _list_of(source: Source) -> str:
    """Return the heading that a source is listed under."""
    if source.is_marked:
        return SOURCES
    return {Evidence.FOUND: FOUND, Evidence.READ: READ}.get(source.evidence, SOURCES)


def is_web(url: str) -> bool:
    """Tell whether a link may lead there."""
    return url.lower().startswith(("http://", "https://"))


def _with_lists(
    text: str,
    marked: Marked,
    harmless: Callable[[str], str],
    *,
    hyperlink: Callable[[str, str], str] | None = None,
) -> str:
    """Return text with its lists: what it cites, what was only read or found, what was removed."""

    def line(source: Source) -> str:
        url = _one_line(source.url)
        shown = hyperlink(source.url, url) if hyperlink else url
        return f"[{source.number}] {harmless(title_of(source))} ({shown})"

    lists = {heading: [*map(line, sources)] for heading, sources in _listed(marked).items()}
    lists[REMOVED] = [f"- {harmless(domain)}" for domain in _domains(marked.removed)]
    sections = ["\n".join([heading, *lines]) for heading, lines in lists.items() if lines]
    return "\n\n".join([text, *sections] if text else sections)


def _text(marked: Marked, harmless: Callable[[str], str]) -> str:
    """Return the marked text as it is, but with words in place of what is folded."""
    return _filled(marked, str, lambda marker: marker.label, harmless)


def _filled(
    marked: Marked,
    clean: Callable[[str], str],
    labels: Callable[[Marker], str],
    note: Callable[[str], str],
) -> str:
    """Return the text with its words made harmless, the labels of its markers, notes for folds."""
    pieces: list[str] = []
    for piece in marked.shown_pieces():
        if isinstance(piece, str):
            pieces.append(clean(piece))
        elif isinstance(piece, Folded):
            pieces.append(note(piece.note))
        else:
            pieces.append(f"{clean(piece.before)}{labels(piece)}{piece.after}")
    return "".join(pieces)


def _escaped(words: str) -> str:
    return _MARKDOWN.sub(r"\\\1", words)


def _html_note(note: str) -> str:
    return f'<span class="folded-note">{escape(note)}</span>'


def _domains(removed: Iterable[Removed]) -> tuple[str, ...]:
    """Return the domains of what was removed, each once, as nothing that becomes a link."""
    # What has no host has its whole address for a domain.
    addresses = (_line(each.domain).rpartition("://")[-1].strip("/") for each in removed)
    names = (address.partition("/")[0].removeprefix("www.") for address in addresses)
    return tuple(dict.fromkeys(filter(None, names)))


def _line(words: str) -> str:
    # Nearly every title: printable is nothing but characters that are seen, and plain spaces.
    if words.isprintable() and "  " not in words:
        return words.strip()
    return _CONTROL.sub("", _SPACE.sub(" ", words)).strip()


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


def _html_domain(domain: str) -> str:
    return f'<span class="domain">{escape(domain)}</span>'


def _html_struck(removed: Iterable[Removed]) -> str:
    name = escape(f"Source removed by policy: {', '.join(_domains(removed))}")
    # A deletion takes no name of its own; an image is read by its name alone.
    mark = f'<del role="img" aria-label="{name}">{STRUCK}</del>'
    return f'<sup class="citation removed">{mark}</sup>'


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
