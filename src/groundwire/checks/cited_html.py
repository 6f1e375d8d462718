"""HTML that cites, as Markdown: links, raised references and the notes that they lead to stay.

Our reader takes the text of a page and leaves its apparatus out; here the apparatus is what counts.
"""

from __future__ import annotations

import re
from html.parser import HTMLParser

_BLOCKS = frozenset(
    ("p", "div", "section", "article", "main", "blockquote", "ul", "ol", "table", "dl", "dd", "dt",
     "figure", "pre", "aside", "header", "form", "h1", "h2", "h3", "h4", "h5", "h6", "li", "tr")
)  # fmt: skip
_SKIPPED = frozenset(
    ("script", "style", "nav", "head", "template", "noscript", "svg", "button", "select", "footer")
)
_VOID = frozenset(("br", "img", "hr", "input", "meta", "link", "source", "wbr", "col", "area"))
_NOTE_HOLDERS = frozenset(("li", "p", "div", "dd", "td", "aside", "tr"))
_HEADINGS = {f"h{level}": "#" * level + " " for level in range(1, 7)}
_SPACE = re.compile(r"[ \t\r\n\f\u00a0]{1,1000}")
_LINES = re.compile(r"\n[ \t]{0,8}(?:\n[ \t]{0,8}){2,1000}")
_INTERNAL = re.compile(r"href\s{0,2}=\s{0,2}[\"']?#([^\"'\s>]{1,200})", re.IGNORECASE)
_LABEL = re.compile(r"\W{0,3}(?:\d{1,3}|[a-z]|\*|\u2020|note \d{1,3})\W{0,3}", re.IGNORECASE)
_UNSAFE = re.compile(r"[^\w.-]")
_BACK = re.compile(r"[\s^\u2191\u21a9\ufe0e\ufe0f]{0,8}")
_ORDINAL = re.compile(r"[0-9]{1,6}")
_MAX_DEPTH = 400


def html_to_markdown(html: str) -> str:
    """Return an HTML document as Markdown with its footnotes as `[^name]`."""
    parser = _Converter(frozenset(_INTERNAL.findall(html)))
    parser.feed(html)
    parser.close()
    return _LINES.sub("\n\n", parser.text()).strip() + "\n"


def looks_like_html(text: str) -> bool:
    """Tell whether a text is HTML rather than Markdown."""
    start = text[:2_000].lstrip("\ufeff \t\r\n").lower()
    return start.startswith(("<!doctype html", "<html", "<head", "<body", "<?xml")) or (
        start.startswith("<") and bool(re.match(r"<(?:div|p|article|section|main|h\d)\b", start))
    )


def _number(written: str | None, otherwise: int) -> int:
    return int(written) if written and _ORDINAL.fullmatch(written) else otherwise


class _Converter(HTMLParser):
    """Writes Markdown while tags come; notes are written after all else."""

    def __init__(self, anchors: frozenset[str]) -> None:
        super().__init__(convert_charrefs=True)
        self._anchors = anchors
        self._body: list[str] = []
        self._notes: dict[str, list[str]] = {}
        self._note: tuple[str, int] | None = None  # The name of the open note, and its depth.
        self._open: list[str] = []
        self._skipped = 0
        self._links: list[tuple[str, int]] = []
        self._lists: list[int | None] = []

    def text(self) -> str:
        """Return all that was written."""
        notes = [
            f"[^{name}]: {_SPACE.sub(' ', ''.join(pieces)).strip()}"
            for name, pieces in self._notes.items()
        ]
        return "".join((*self._body, "\n\n", "\n\n".join(notes)))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Open an element."""
        if tag in _VOID:
            if tag == "br":
                self._write("\n")
            return
        if len(self._open) >= _MAX_DEPTH:
            return
        self._open.append(tag)
        if self._skipped or tag in _SKIPPED:
            self._skipped += 1
            return
        given = dict(attrs)
        self._begin_note(tag, given.get("id") or "")
        if tag in _BLOCKS and self._note is None:
            self._block(tag, given)
        elif tag in ("td", "th"):
            self._write(" ")
        elif tag == "a":
            self._links.append((given.get("href") or "", len(self._out())))

    def handle_endtag(self, tag: str) -> None:
        """Close an element, and whatever was left open in it."""
        if tag not in self._open:
            return
        while self._open:
            last = self._open.pop()
            self._close(last)
            if last == tag:
                return

    def handle_data(self, data: str) -> None:
        """Write words, a run of white space as one space."""
        if not self._skipped:
            self._write(_SPACE.sub(" ", data).replace("[", "\\[").replace("]", "\\]"))

    def _close(self, tag: str) -> None:
        if self._skipped:
            self._skipped -= 1
            return
        if tag == "a" and self._links:
            self._end_link(*self._links.pop())
        elif tag in ("td", "th"):
            self._write(" |")
        elif tag in ("ul", "ol") and self._lists:
            self._lists.pop()
        if tag in _BLOCKS and self._note is None:
            self._write("" if tag in ("li", "tr") else "\n\n")
        if self._note is not None and len(self._open) < self._note[1]:
            self._note = None

    def _out(self) -> list[str]:
        return self._notes[self._note[0]] if self._note else self._body

    def _write(self, text: str) -> None:
        self._out().append(text)

    def _begin_note(self, tag: str, name: str) -> None:
        """Take what an element says for a note, if a link leads to it."""
        if self._note is None and tag in _NOTE_HOLDERS and name in self._anchors:
            name = _UNSAFE.sub("-", name)
            self._notes.setdefault(name, [])
            self._note = (name, len(self._open))

    def _block(self, tag: str, given: dict[str, str | None]) -> None:
        if tag in ("ul", "ol"):
            self._lists.append(_number(given.get("start"), 1) - 1 if tag == "ol" else None)
        if tag == "li":
            self._write(f"\n{self._item(given.get('value'))}")
        elif tag == "tr":
            self._write("\n| ")
        else:
            self._write(f"\n\n{_HEADINGS.get(tag, '')}")

    def _item(self, value: str | None) -> str:
        if self._lists and (count := self._lists[-1]) is not None:
            self._lists[-1] = number = _number(value, count + 1)
            return f"{number}. "
        return "- "

    def _end_link(self, address: str, start: int) -> None:
        """Put a link where its words are, or the sign of a note."""
        out = self._out()
        if start > len(out):
            return
        words = "".join(out[start:])
        del out[start:]
        if address.startswith("#"):
            name = _UNSAFE.sub("-", address[1:])
            said = words.replace("\\", "")
            if self._note is not None or _BACK.fullmatch(said):
                return
            is_sign = _LABEL.fullmatch(said) is not None
            out.append(f"[^{name}]" if is_sign else words)
        elif address.lower().startswith(("http://", "https://")) and ")" not in address:
            out.append(f"[{words.strip()}]({address.replace(' ', '%20')})")
        else:
            out.append(words)
