"""Walks a parsed page once and cuts it into blocks, leaving out what nobody would see."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from turbohtml import Element, Text

from groundwire.reader.blocks import ROLE_BIT, Block, Container, Level, Mark, Outline, Run
from groundwire.reader.formulas import tex_of
from groundwire.reader.hidden import Hiding
from groundwire.reader.names import groups_of
from groundwire.reader.tables import Grid, is_layout, rows_of
from groundwire.text.lengths import length_of

if TYPE_CHECKING:
    from turbohtml import Document, Node

MAX_DEPTH = 200  # Real pages stay below 100; each level takes three frames of Python's stack.
MAX_BLOCKS = 15_000  # Some three megabytes of table cells.

# fmt: off
_SKIPPED = frozenset({
    "script", "style", "noscript", "template", "head", "iframe", "object", "embed", "video",
    "audio", "canvas", "svg", "map", "img", "picture", "input", "select", "datalist", "textarea",
    "progress", "meter", "source", "track", "param", "link", "meta", "base", "title", "frameset",
    "noframes", "annotation", "annotation-xml", "rp", "applet", "noembed",
})
_INLINE = frozenset({
    "a", "abbr", "acronym", "b", "bdi", "bdo", "big", "cite", "code", "data", "del", "dfn", "em",
    "font", "i", "ins", "kbd", "label", "mark", "math", "mi", "mn", "mo", "msub", "msup", "mrow",
    "mfrac", "msqrt", "mtext", "semantics", "nobr", "q", "ruby", "rb", "rt", "s", "samp", "small",
    "span", "strike", "strong", "sub", "sup", "time", "tt", "u", "var", "wbr", "output",
    "msubsup", "munder", "mover", "munderover", "mstyle", "mtable", "mtr", "mtd", "mspace",
})
# fmt: on
# Two of these side by side, with no space in between, are pieces of their own: a name, a number.
_PIECES = frozenset({"span", "a", "time", "small", "label"})
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_MARKS = {
    "b": "strong",
    "strong": "strong",
    "em": "emphasis",
    "i": "emphasis",
    "code": "code",
    "kbd": "code",
    "samp": "code",
    "tt": "code",
}
_ROLES = {
    "main": "main",
    "article": "article",
    "nav": "nav",
    "header": "header",
    "footer": "footer",
    "aside": "aside",
    "form": "form",
    "table": "table",
    "ul": "list",
    "ol": "list",
    "dl": "list",
    "figure": "figure",
    "blockquote": "quote",
    "button": "button",
    "label": "label",
    "details": "details",
    "section": "section",
    "dialog": "dialog",
}
_ARIA_ROLES = {
    "main": "main",
    "article": "article",
    "navigation": "nav",
    "menu": "nav",
    "menubar": "nav",
    "tablist": "nav",
    "banner": "header",
    "contentinfo": "footer",
    "complementary": "aside",
    "search": "form",
    "form": "form",
    "dialog": "dialog",
    "alertdialog": "dialog",
    "button": "button",
}
_LANGUAGE = re.compile(
    r"(?:^|\s)(?:language|lang|highlight(?:-source)?|brush:?|sourceCode)[-_: ]?([\w+#-]+)"
)
_NOT_LANGUAGES = frozenset(
    {"default", "none", "notranslate", "text", "highlight", "source", "code"}
)


_AROUND = frozenset({"nav", "footer", "div", "ul", "ol", "section", "header"})
_MATTER = ROLE_BIT["main"] | ROLE_BIT["article"] | ROLE_BIT["quote"]


class Walker:
    """Collects the blocks of one page; `outline` is the result once `walk` has returned."""

    def __init__(self, document: Document, hiding: Hiding, *, reads_noscript: bool = False) -> None:
        self._skipped = _SKIPPED - {"noscript"} if reads_noscript else _SKIPPED
        self.outline = Outline()
        self._document = document
        self._hiding = hiding
        self._runs: list[Run] = []
        self._links = 0
        self._linked = 0
        self._in_link = ""
        self._open: list[str] = []
        self._levels: tuple[Level, ...] = ()
        self._groups = 0
        self._heading = 0
        self._tag = "div"
        self._is_whole_page = True
        self._container = Container("body", None, 0, 0, 0, 0)
        self.outline.containers.append(self._container)

    def walk(self, parts: list[Element] | None = None) -> Outline:
        """Return the outline of some parts of the page, in their order; of its body by default."""
        self._is_whole_page = parts is None
        body = self._document.find("body")
        for part in parts or ([] if body is None else [body]):
            if part.tag in _HEADINGS:
                self._structure(part, part.tag, 0)
            else:
                self._children(part, 0)
            self._end_block()
        return self.outline

    def _children(self, element: Node, depth: int) -> None:
        is_next = False  # To another piece of text, with nothing between them.
        for child in element.children:
            if type(child) is Text:
                is_next = False
                text = child.data
                if not self._runs and text.isspace():
                    continue
                self._runs.append(text)
                if self._in_link:
                    self._linked += len(text)
            elif type(child) is Element:
                tag = child.tag
                if tag in _PIECES:
                    if is_next:
                        self._keep_apart(child)
                    is_next = True
                elif tag in _INLINE:
                    is_next = False
                self._element(child, tag, depth + 1)

    def _keep_apart(self, element: Element) -> None:
        """Put a space before an element where only the page's style keeps two words apart."""
        last = next((run for run in reversed(self._runs[-3:]) if type(run) is str), "")
        if last[-1:].isalnum() and "code" not in self._open and _starts_with_a_word(element):
            self._runs.append(" ")

    def _element(self, element: Element, tag: str, depth: int) -> None:
        if tag in self._skipped:
            if tag == "script":
                self.outline.scripts += 1
            return
        if depth > MAX_DEPTH or len(self.outline.blocks) >= MAX_BLOCKS:
            self.outline.is_cut = True
            self.outline.is_too_deep = self.outline.is_too_deep or depth > MAX_DEPTH
            return
        # Only its tag hides an element without attributes, and one in five to seven has none.
        if (element.attrs or tag in self._hiding.tags) and self._hiding.hides(element, tag):
            return
        if self._is_whole_page and tag in _AROUND and self._is_around(element, tag):
            return
        if tag in _INLINE:
            self._inline(element, tag, depth)
        elif tag == "br":
            self._line_break()
        elif tag == "pre":
            self._code_block(element)
        else:
            self._structure(element, tag, depth)

    def _is_around(self, element: Element, tag: str) -> bool:
        """Tell whether an element is the site's frame: navigation, or a footer of the page itself.

        In the corpora these hold two fifths of all blocks and next to none of the content.
        """
        if tag == "footer":
            return not self._container.roles & _MATTER
        return tag == "nav" or element.attr("role") == "navigation"

    def _inline(self, element: Element, tag: str, depth: int) -> None:
        if tag == "a":
            self._link(element, depth)
        elif tag == "math" and (formula := tex_of(element)):
            self._runs.append(formula)
        elif (kind := _MARKS.get(tag)) and kind not in self._open:
            self._open.append(kind)
            self._runs.append(_BEGINS[kind])
            self._children(element, depth)
            self._runs.append(_ENDS[kind])
            self._open.remove(kind)
        else:
            self._children(element, depth)

    def _link(self, element: Element, depth: int) -> None:
        address = element.attr("href") or ""
        if not address or self._in_link:
            self._children(element, depth)
            return
        self._in_link = address
        self._links += 1
        self._runs.append(Mark("link", value=address))
        self._children(element, depth)
        self._runs.append(_ENDS["link"])
        self._in_link = ""

    def _line_break(self) -> None:
        if self._runs and self._runs[-1] is _BREAK:
            self._end_block()
        else:
            self._runs.append(_BREAK)

    def _structure(self, element: Element, tag: str, depth: int) -> None:
        if self._runs:
            self._end_block()
        outside = self._container, self._levels, self._heading, self._tag
        self._container = self._enter(element, tag)
        self._tag = tag
        self._heading = _HEADINGS.get(tag, 0)
        if tag in ("ul", "ol", "dl", "menu", "table"):
            self._collection(element, tag, depth)
        else:
            if tag == "blockquote":
                self._groups += 1
                self._levels = (*self._levels, Level("quote", self._groups))
            self._children(element, depth)
        if self._runs:
            self._end_block()
        self._container, self._levels, self._heading, self._tag = outside

    def _enter(self, element: Element, tag: str) -> Container:
        outer = self._container
        groups, role, name = 0, _ROLES.get(tag, ""), ""
        if attributes := len(element.attrs):
            name = element.attr("class") or ""
            if attributes > 1 or not name:
                names = f"{name} {element.attr('id') or ''}"
                groups = groups_of(names) if names != " " else 0
                role = _ARIA_ROLES.get(element.attr("role") or "", role)
            else:
                groups = groups_of(name)
        roles = outer.roles | ROLE_BIT[role] if role else outer.roles
        above = outer.all_groups
        container = Container(tag, outer, outer.depth + 1, groups, above | groups, roles, name)
        self.outline.containers.append(container)
        return container

    def _collection(self, element: Element, tag: str, depth: int) -> None:
        """Walk a list or a table, so that each item or cell knows its place."""
        self._groups += 1
        if tag == "table":
            self._table(element, depth)
            return
        kind = "ol" if tag == "ol" else "ul"
        outside, group, row = self._levels, self._groups, 0
        for child in element.children:
            if type(child) is Element:
                if tag != "dl":
                    row += 1
                    self._levels = (*outside, Level(kind, group, row))
                self._element(child, child.tag, depth + 1)
                self._end_block()
            elif type(child) is Text and not child.data.isspace():
                self._runs.append(child.data)
        self._levels = outside

    def _table(self, table: Element, depth: int) -> None:
        outside, group = self._levels, self._groups
        for child in table.children:
            if type(child) is Element and child.tag == "caption":
                self._element(child, "caption", depth + 1)
        rows = rows_of(table)
        only_arranges = is_layout(table, rows)
        unseen = {part for part in table.children if self._hides_part(part)}
        grid = Grid()
        for number, row in enumerate(rows):
            if row.parent in unseen or self._hiding.hides(row, "tr"):
                continue
            after = 0
            for cell in row.children:
                if type(cell) is not Element or cell.tag not in ("td", "th"):
                    continue
                column, after = grid.place(cell, number, after)
                if not only_arranges:
                    self._levels = (*outside, Level("cell", group, number, column))
                self._element(cell, cell.tag, depth + 1)
                self._end_block()
        self._levels = outside

    def _hides_part(self, part: Node) -> bool:
        return type(part) is Element and part.tag != "tr" and self._hiding.hides(part, part.tag)

    def _code_block(self, element: Element) -> None:
        self._end_block()
        text = self._hiding.seen_text(element, self._skipped).strip("\n")
        if not text.strip():
            return
        container = self._enter(element, "pre")
        self.outline.blocks.append(
            Block(
                container,
                [text],
                self._levels,
                text,
                *length_of(text),
                language=_language(element),
                tag="pre",
            )
        )

    def _end_block(self) -> None:
        runs = self._runs
        if not runs:
            return
        words = [
            run if type(run) is str else " " for run in runs if type(run) is str or run is _BREAK
        ]
        text = " ".join("".join(words).split())
        opened: list[Run] = []
        if self._open or self._in_link:
            marks = [_BEGINS[kind] for kind in self._open]
            if self._in_link:
                marks.insert(0, Mark("link", value=self._in_link))
            opened += marks
            runs += [_ENDS[mark.kind] for mark in reversed(marks)]
        if text.strip(_UNSEEN):
            self._add_block(text, runs)
        self._runs = opened
        self._links = 1 if self._in_link else 0
        self._linked = 0

    def _add_block(self, text: str, runs: list[Run]) -> None:
        characters, words = length_of(text)
        linked = min(self._linked, len(text))
        block = Block(
            self._container,
            runs,
            self._levels,
            text,
            characters,
            words,
            linked=linked if characters == len(text) else linked * characters // len(text),
            links=self._links,
            heading=self._heading or _heading_above(self._container),
            tag=self._tag,
        )
        self.outline.blocks.append(block)


_BREAK = Mark("break")
_BEGINS = {kind: Mark(kind) for kind in _MARKS.values()}
_ENDS = {kind: Mark(kind, is_end=True) for kind in ("link", *_MARKS.values())}
_UNSEEN = "\u200b\u200c\u200d\u2060\ufeff\u00ad"


def _starts_with_a_word(element: Element) -> bool:
    for _ in range(5):
        first = next(iter(element.children), None)
        if not isinstance(first, Element):
            return isinstance(first, Text) and first.data[:1].isalnum()
        element = first
    return False


def _heading_above(container: Container) -> int:
    for _ in range(2):
        if level := _HEADINGS.get(container.tag):
            return level
        if container.parent is None:
            return 0
        container = container.parent
    return 0


def _language(element: Element) -> str:
    """Return the language that a code block's classes, or those just around it, name; or ""."""
    inner = element.find("code")
    around = element.parent
    further = around.parent if isinstance(around, Element) else None
    for named in (inner, element, around, further):
        if isinstance(named, Element):
            for match in _LANGUAGE.finditer(named.attr("class") or ""):
                if match[1].lower() not in _NOT_LANGUAGES:
                    return match[1].lower()
    return ""
