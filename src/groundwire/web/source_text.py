"""The text of a page as it was read, rendered from its Markdown with one passage marked in it.

Places count characters of the Markdown. Two characters that no language uses are put where the
passage begins and ends, and stay text while everything around them becomes elements; what is
between them is marked, also across emphasis, code, cells and paragraphs. Where Markdown swallows
one of them, in the address of a link say, the text is shown sign by sign instead.
"""

from __future__ import annotations

import re
from html import escape
from typing import TYPE_CHECKING

import nh3
from markdown_it import MarkdownIt
from markdown_it.token import Token

from groundwire.wire.text import whole

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

PASSAGE = "passage"
"""The id of the passage, for the end of a URL."""

MAX_RENDERED = 200_000
"""A longer text is shown sign by sign: rendering it would hold up the server."""

_OPEN, _CLOSE = "\ue000", "\ue001"
_EDGE = re.compile(f"([{_OPEN}{_CLOSE}])")
_RENDERER = (
    MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"]).disable("image")
)
_TAGS = {
    *("p", "br", "hr", "h1", "h2", "h3", "h4", "h5", "h6", "blockquote", "pre", "code", "mark"),
    *("ul", "ol", "li", "strong", "em", "s", "table", "thead", "tbody", "tr", "th", "td"),
}
_ATTRIBUTES = {"mark": {"id", "tabindex", "autofocus"}, "ol": {"start"}, "*": {"dir"}}
# What Markdown reads at the beginning of a line or around words: a passage begins behind it.
_BEFORE = re.compile(r"(?:[ \t>|]|#{1,6}[ \t]|[-*+][ \t]|\d{1,9}[.)][ \t]|[*_`~\[]|\n){0,200}")
_AFTER = re.compile(r"(?:[*_`~]|[ \t|\n]){0,200}\Z")
_BLOCK = re.compile(r"[^\n]{0,100000}(?:\n(?!\n)[^\n]{0,100000}){0,2000}\n{0,2000}")
_HEADING = re.compile(r"#{1,6} ")


def source_text_html(text: str, span: tuple[int, int] | None) -> str:
    """Return a page's text as harmless HTML, with the passage marked where there is one."""
    text = whole(text)
    if len(text) <= MAX_RENDERED and not _EDGE.search(text):
        rendered = _rendered(text, _within(text, span) if span else None)
        if rendered is not None:
            return rendered
    return "".join(_blocks(text, span))


def _within(text: str, span: tuple[int, int]) -> tuple[int, int]:
    """Return the same passage without the signs of Markdown at its two ends."""
    start, end = span
    inside = text[start:end]
    before = _BEFORE.match(inside)
    start += before.end() if before else 0
    after = _AFTER.search(text[max(start, end - 200) : end])
    end -= len(after[0]) if after else 0
    return (start, end) if start < end else span


def _rendered(text: str, span: tuple[int, int] | None) -> str | None:
    """Return the text as HTML, None where the passage got lost on the way."""
    if span is not None:
        start, end = span
        text = f"{text[:start]}{_OPEN}{text[start:end]}{_CLOSE}{text[end:]}"
    tokens = _RENDERER.parse(text)
    marker = _Marker()
    for token in tokens:
        if token.level == 0 and token.nesting == 1:
            token.attrSet("dir", "auto")
        if token.children is not None:
            token.children = [*marker.marked(_without_links(token.children))]
        elif token.content and _EDGE.search(token.content):
            marker.turn(token)
    if span is not None and marker.edges != [_OPEN, _CLOSE]:
        return None
    rendered: str = _RENDERER.renderer.render(tokens, _RENDERER.options, {})
    return nh3.clean(rendered, tags=_TAGS, attributes=_ATTRIBUTES, link_rel=None)


class _Marker:
    """Marks what stands between the two characters, over all tokens of a page."""

    def __init__(self) -> None:
        self.edges: list[str] = []
        self._is_inside = False
        self._has_begun = False

    def marked(self, children: Sequence[Token]) -> Iterator[Token]:
        """Return inline tokens with the passage in elements of its own."""
        for child in children:
            if child.type not in ("text", "code_inline", "text_special") or not child.content:
                yield child
            elif self._is_inside or _EDGE.search(child.content):
                yield Token("html_inline", "", 0, content=self.html(child))
            else:
                yield child

    def turn(self, token: Token) -> None:
        """Mark the passage in a block of code."""
        code = self.html(token)
        token.type, token.content = "html_block", f"<pre><code>{code}</code></pre>"

    def html(self, token: Token) -> str:
        """Return what a token says as HTML."""
        pieces = "".join(self._pieces(token.content))
        return f"<code>{pieces}</code>" if token.type == "code_inline" else pieces

    def _pieces(self, words: str) -> Iterator[str]:
        for piece in _EDGE.split(words):
            if piece in (_OPEN, _CLOSE):
                self.edges.append(piece)
                self._is_inside = piece == _OPEN
            elif piece and self._is_inside:
                yield _mark(piece, is_first=not self._has_begun)
                self._has_begun = True
            else:
                yield escape(piece)


def _mark(words: str, *, is_first: bool) -> str:
    place = f' id="{PASSAGE}" tabindex="-1" autofocus' if is_first else ""
    return f"<mark{place}>{escape(words)}</mark>"


def _without_links(children: Sequence[Token]) -> list[Token]:
    """Return inline tokens in which a link is its words: it leads nowhere."""
    return [each for each in children if each.type not in ("link_open", "link_close")]


def _blocks(text: str, span: tuple[int, int] | None) -> Iterator[str]:
    """Yield the text in its paragraphs, sign by sign; a passage over several is marked in each."""
    start, end = span or (0, 0)
    is_first = True
    for match in _BLOCK.finditer(text):
        words = match[0].rstrip("\n")
        if not words:
            continue
        low, high = (min(max(at - match.start(), 0), len(words)) for at in (start, end))
        marked = words[low:high]
        name = " source-heading" if _HEADING.match(words) else ""
        if not marked:
            yield f'<p dir="auto" class="source-signs{name}">{escape(words)}</p>'
            continue
        yield (
            f'<p dir="auto" class="source-signs{name}">{escape(words[:low])}'
            f"{_mark(marked, is_first=is_first)}{escape(words[high:])}</p>"
        )
        is_first = False
