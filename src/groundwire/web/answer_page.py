"""One answer as a page that needs no JavaScript, and in which nothing of a stranger's can run.

Markdown is rendered without HTML, what comes out is cut down to a list of harmless elements, and
only then do the markers go in. A link stays one only if it leads to a source of the answer.
"""

from __future__ import annotations

import re
import secrets
from html import escape
from typing import TYPE_CHECKING

import nh3
from markdown_it import MarkdownIt
from markdown_it.token import Token

from groundwire import citations
from groundwire.citations import Folded, Marked, Marker, canonical_url
from groundwire.conversation import Status
from groundwire.model import domain_of
from groundwire.wire.text import whole

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groundwire.conversation import ChatMessage

_TAGS = {
    *("p", "br", "hr", "h1", "h2", "h3", "h4", "h5", "h6", "blockquote", "pre", "code"),
    *("ul", "ol", "li", "strong", "em", "s", "a"),
    *("table", "thead", "tbody", "tr", "th", "td"),
}
_REL = "noopener noreferrer nofollow ugc"
# Characters that no language uses stand where markers will; in an address they would be escaped.
_OPEN, _CLOSE = "\ue000", "\ue001"
_PLACE_BYTES = 8
REFERRER = "same-origin"
"""Strangers learn nothing of where a visitor comes from; a form of ours is known as ours."""

PASSAGE = "passage"
"""The id of the passage that somebody came for, for the end of a URL."""
# A table's row, but not its table; a paragraph, also one that a list item hides.
_PASSAGE_BLOCKS = frozenset(
    {"paragraph_open", "heading_open", "tr_open", "fence", "code_block", "list_item_open"}
)
_DOCUMENTS = MarkdownIt("commonmark", {"html": False}).enable("table").disable("image")
_ANSWERS = MarkdownIt("commonmark", {"html": False}).enable("table")
_ANSWERS.disable(["image", "lheading"])  # As on the page: `text⏎-` is no heading.

_NOTES = {
    Status.STREAMING: "This answer is still being made.",
    Status.AWAITING_APPROVAL: "This answer waits for an approval.",
    Status.INTERRUPTED: "This answer was interrupted: it is not complete.",
    Status.CANCELLED: "This answer was stopped: it is not complete.",
    Status.FAILED: "This answer ended with an error: it is not complete.",
}


def marked_of(message: ChatMessage) -> Marked:
    """Return an answer as every rendering wants it; without markers where none are kept."""
    return message.marked or Marked(text=message.content)


def answer_html(message: ChatMessage) -> str:
    """Return the text of an answer as harmless HTML with its markers."""
    marked = marked_of(message)
    places = [piece for piece in marked.shown_pieces() if not isinstance(piece, str)]
    labels = [_label(marked, place) for place in places]
    known = frozenset(canonical_url(source.url) for source in marked.sources)
    # A word that nobody can know: whoever writes `&#xE000;` shall not get a marker for it.
    word = secrets.token_hex(_PLACE_BYTES)
    clean = harmless_html(_with_places(marked, word), known, renderer=_ANSWERS)
    place = re.compile(f"{_OPEN}{word}(\\d+){_CLOSE}")
    return place.sub(lambda match: labels[int(match[1])], clean)


def harmless_html(
    text: str,
    known: frozenset[str] = frozenset(),
    *,
    renderer: MarkdownIt = _DOCUMENTS,
    lines: range = range(0),
) -> str:
    """Return Markdown of a stranger's as HTML; only links to `known` pages stay links.

    What stands on `lines`, counted from 0, is marked, and its beginning has the id `PASSAGE`.
    """
    return nh3.clean(
        _rendered(whole(text), known, renderer, lines),
        tags=_TAGS,
        # Markdown without HTML makes neither of the last two: they are ours.
        attributes={"a": {"href"}, "*": {"dir", "id", "data-passage"}},
        url_schemes={"http", "https", "mailto"},
        link_rel=_REL,
        url_relative="deny",
    )


def answer_page(message: ChatMessage, question: str) -> str:
    """Return the whole page."""
    marked = marked_of(message)
    title = escape(" ".join(question.split())[:120] or "Answer")
    note = _NOTES.get(message.status)
    note_html = f'<p class="note" role="note">{note}</p>' if note else ""
    sources = citations.sources_to_html(marked) if marked.sources else ""
    made = escape(" · ".join(filter(None, (message.provider, message.model))))
    return plain_page(
        title,
        f'{note_html}<article class="answer">{answer_html(message)}</article>'
        f'<section class="shared-sources" aria-label="Sources">{sources}</section>'
        f"<footer><p>{made}</p></footer>",
        styles=("shared.css",),
    )


def plain_page(title: str, body: str, *, styles: Sequence[str] = (), next_path: str = "") -> str:
    """Return a page without scripts; both parts are HTML already.

    With `next_path` the browser goes there after a moment.
    """
    again = f'<meta http-equiv="refresh" content="2; url={escape(next_path)}">' if next_path else ""
    sheets = "".join(f'<link rel="stylesheet" href="/page/{name}">' for name in styles)
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="color-scheme" content="light dark">'
        f'<meta name="referrer" content="{REFERRER}"><meta name="robots" content="noindex">'
        f"{again}<title>{title}</title>"
        '<link rel="icon" href="/page/icon.svg" type="image/svg+xml">'
        '<link rel="stylesheet" href="/page/base.css">'
        f'<link rel="stylesheet" href="/page/answer.css">{sheets}</head>'
        f'<body class="shared"><main class="shared-answer"><h1 dir="auto">{title}</h1>'
        f"{body}</main></body></html>"
    )


def _with_places(marked: Marked, word: str) -> str:
    """Return the text with a numbered place, which the word makes ours, instead of each marker."""
    pieces, number = [], 0
    for piece in marked.shown_pieces():
        if isinstance(piece, str):
            pieces.append(_without_places(piece))
            continue
        place = f"{_OPEN}{word}{number}{_CLOSE}"
        number += 1
        if isinstance(piece, Marker):
            place = f"{_without_places(piece.before)}{place}{piece.after}"
        pieces.append(place)
    return "".join(pieces)


def _without_places(words: str) -> str:
    return words.replace(_OPEN, "").replace(_CLOSE, "")


def _label(marked: Marked, marker: Marker | Folded) -> str:
    if isinstance(marker, Folded):
        alone_folded = Folded(start=0, end=1, domains=marker.domains)
        return citations.to_html(Marked(text="x", folded=(alone_folded,)))
    alone = Marker(start=0, numbers=marker.numbers, struck=marker.struck, unknown=marker.unknown)
    one = Marked(text=alone.text, sources=marked.sources, changes=(alone,), removed=marked.removed)
    return citations.to_html(one)


def _rendered(text: str, known: frozenset[str], renderer: MarkdownIt, lines: range) -> str:
    tokens = renderer.parse(text)
    _mark(tokens, lines)
    for token in tokens:
        if token.level == 0 and token.nesting == 1:
            token.attrSet("dir", "auto")
        if token.children:
            token.children = _with_safe_links(token.children, known)
    rendered: str = renderer.renderer.render(tokens, renderer.options, {})
    return rendered


def _mark(tokens: Sequence[Token], lines: range) -> None:
    """Mark the innermost blocks that stand on the lines."""
    is_first = True
    for token in tokens:
        if token.type not in _PASSAGE_BLOCKS or not token.map:
            continue
        if token.map[0] < lines.stop and lines.start < token.map[1]:
            token.attrSet("data-passage", "")
            if is_first:
                token.attrSet("id", PASSAGE)
            is_first = False


def _with_safe_links(children: Sequence[Token], known: frozenset[str]) -> list[Token]:
    """Return inline tokens in which a link to anything but a source is its words and its host."""
    kept: list[Token] = []
    hosts: list[str | None] = []
    for child in children:
        if child.type == "link_open":
            url = str(child.attrGet("href") or "")
            is_known = canonical_url(url) in known
            # A link that is relative to its page leads nowhere from here, and names no host.
            hosts.append(None if is_known else domain_of(url) if "://" in url else "")
            if is_known:
                kept.append(child)
        elif child.type == "link_close":
            host = hosts.pop()
            if host is None:
                kept.append(child)
            elif host:
                kept.append(Token("text", "", 0, content=f" ({host})"))
        else:
            kept.append(child)
    return kept
