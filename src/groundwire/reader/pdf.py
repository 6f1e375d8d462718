"""Reads PDF: its text page by page, headings and links, without what nobody would see.

Needs pypdfium2, an extra. Rules stand between pages, so that a place in the text has a page number.
"""

from __future__ import annotations

import ctypes
import importlib
import re
from collections import Counter
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING

from groundwire.model import PageMetadata
from groundwire.reader.characters import visible
from groundwire.reader.extracted import Extracted
from groundwire.system.extras import install_command

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groundwire.model import Json

PAGE_BREAK = "\n\n---\n\n"
_MAX_PAGES = 500
_MAX_OBJECTS = 20_000
_TEXT, _PATH, _IMAGE = 1, 2, 3
_INVISIBLE, _CLIPPING = 3, 7
_LEAST_POINTS = 1.0
_WHITE = 250  # Of 255.
_CLEAR = 13  # Of 255.
_BIGGER = 1.15  # Than the letters of most of the text: a heading.
_MOST_OF_A_HEADING = 150
_MAX_LEVEL = 3
_CATALOG = re.compile(rb"(\d{1,9})\s+0\s+obj\s*<<[^>]{0,500}?/Type\s*/Catalog")
_DATE = re.compile(r"D:(\d{4})(\d\d)(\d\d)")
_SPACE = re.compile(r"\s+")


def read_pdf(body: bytes) -> Extracted:
    """Return the text of a PDF; without the package, or of a broken file, why there is none."""
    try:
        pdfium = importlib.import_module("pypdfium2")
        raw = importlib.import_module("pypdfium2.raw")
    except ImportError:
        return Extracted(problem=f"reading PDF needs one more package: {install_command('pdf')}")
    try:
        document = _opened(pdfium, body)
    except pdfium.PdfiumError as error:
        return Extracted(problem=f"the PDF cannot be read: {error}")
    count = len(document)
    reader = _PdfReader(document, raw, pdfium.PdfiumError)
    pages = [reader.page(number) for number in range(min(count, _MAX_PAGES))]
    facts = document.get_metadata_dict()
    document.close()
    # A page without words keeps its place, so that the others keep their numbers.
    markdown = PAGE_BREAK.join(reader.written(pages)) if any(page.lines for page in pages) else ""
    return Extracted(
        title=visible(facts.get("Title", "")),
        markdown=markdown,
        problem="" if markdown else "the PDF has no text, only pictures",
        is_cut=count > _MAX_PAGES,
        metadata=_metadata(facts, count),
    )


def _opened(pdfium: Json, body: bytes) -> Json:
    """Return a document, also one whose end, with the table of its objects, is missing."""
    try:
        return pdfium.PdfDocument(body)
    except pdfium.PdfiumError:
        root = _CATALOG.search(body)
        if root is None:
            raise
        return pdfium.PdfDocument(body + b"\ntrailer<</Root %s 0 R>>\n%%%%EOF" % root[1])


def _metadata(facts: dict[str, str], pages: int) -> PageMetadata:
    author = " ".join(visible(facts.get("Author", "")).split())
    return PageMetadata(
        authors=(author[:200],) if author else (),
        published=_date(facts.get("CreationDate", "")),
        modified=_date(facts.get("ModDate", "")),
        pages=pages,
    )


def _date(written: str) -> str:
    match = _DATE.match(written)
    return f"{match[1]}-{match[2]}-{match[3]}" if match else ""


@dataclass(slots=True)
class _Page:
    """The lines of a page, how high their letters are, and where its links lead, by their words."""

    lines: list[str] = field(default_factory=list)
    sizes: Counter[float] = field(default_factory=Counter)
    heights: dict[str, float] = field(default_factory=dict)
    links: dict[str, str] = field(default_factory=dict)


class _PdfReader:
    def __init__(self, document: Json, raw: Json, failure: type[Exception]) -> None:
        self._document = document
        self._raw = raw
        self._failure = failure

    def page(self, number: int) -> _Page:
        """Return what one page says; of one that is broken, nothing."""
        found = _Page()
        try:
            page = self._document[number]
            self._take_out_hidden(page)
            text = page.get_textpage()
        except self._failure:
            return found
        words = visible(text.get_text_bounded().replace("\r\n", "\n")).strip()
        found.lines = words.split("\n") if words else []
        self._measure_lines(text, found)
        self._find_links(page, text, found)
        text.close()
        page.close()
        return found

    def written(self, pages: Sequence[_Page]) -> list[str]:
        """Return pages as Markdown; what is set bigger than most of the text is a heading."""
        sizes: Counter[float] = sum((page.sizes for page in pages), Counter())
        usual = sizes.most_common(1)[0][0] if sizes else 0.0
        bigger = sorted((size for size in sizes if size > _BIGGER * usual), reverse=True)
        levels = {size: min(level, _MAX_LEVEL) for level, size in enumerate(bigger, start=1)}
        return [_written(page, levels) for page in pages]

    def _take_out_hidden(self, page: Json) -> None:
        """Take out of a page the text that nobody sees."""
        objects = list(islice(page.get_objects(max_depth=1), _MAX_OBJECTS))
        texts = [each for each in objects if each.type == _TEXT]
        behind = [each for each in objects if each.type in (_PATH, _IMAGE)]
        hidden = [each for each in texts if self._is_hidden(each, behind)]
        # A scan has its words unseen above a picture of them: all of them, or it is no scan.
        is_scan = len(hidden) == len(texts) and any(each.type == _IMAGE for each in behind)
        for each in hidden if not is_scan else ():
            page.remove_obj(each)

    def _is_hidden(self, text: Json, behind: list[Json]) -> bool:
        mode = self._raw.FPDFTextObj_GetTextRenderMode(text)
        if mode in (_INVISIBLE, _CLIPPING) or self._points(text) < _LEAST_POINTS:
            return True
        red, green, blue, alpha = self._fill(text)
        if alpha < _CLEAR:
            return True
        if min(red, green, blue) < _WHITE:
            return False
        return not any(self._shows_white(each, text) for each in behind)

    def _shows_white(self, other: Json, text: Json) -> bool:
        """Tell whether white words can be read on a picture or a coloured shape behind them."""
        left, bottom, right, top = text.get_bounds()
        from_left, from_bottom, to_right, to_top = other.get_bounds()
        x, y = (left + right) / 2, (bottom + top) / 2
        if not (from_left <= x <= to_right and from_bottom <= y <= to_top):
            return False
        return other.type == _IMAGE or min(self._fill(other)[:3]) < _WHITE

    def _points(self, text: Json) -> float:
        size = ctypes.c_float()
        self._raw.FPDFTextObj_GetFontSize(text, ctypes.byref(size))
        matrix = text.get_matrix()
        scale: float = abs(matrix.a * matrix.d - matrix.b * matrix.c) ** 0.5
        return size.value * scale

    def _fill(self, each: Json) -> tuple[int, int, int, int]:
        parts = [ctypes.c_uint(0) for _ in range(3)] + [ctypes.c_uint(255)]
        self._raw.FPDFPageObj_GetFillColor(each, *map(ctypes.byref, parts))
        red, green, blue, alpha = (part.value for part in parts)
        return red, green, blue, alpha

    def _measure_lines(self, text: Json, found: _Page) -> None:
        """Note how high the letters of each line are, by its first and last one."""
        at = 0
        for line in text.get_text_range().split("\r\n"):
            words = line.strip()
            if key := _key(words):
                first = at + line.index(words)
                heights = {self._height(text, place) for place in (first, first + len(words) - 1)}
                found.sizes[max(heights)] += len(key)
                if len(heights) == 1:
                    found.heights[key] = heights.pop()
            at += len(line) + 2

    def _height(self, text: Json, place: int) -> float:
        """Return the height of a line of letters like the one at a place, in half points."""
        box = self._raw.FS_RECTF()
        index = self._raw.FPDFText_GetCharIndexFromTextIndex(text, place)
        if index < 0 or not self._raw.FPDFText_GetLooseCharBox(text, index, ctypes.byref(box)):
            return 0.0
        height: float = abs(box.top - box.bottom)
        return round(2 * height) / 2

    def _find_links(self, page: Json, text: Json, found: _Page) -> None:
        place, link = ctypes.c_int(0), self._raw.FPDF_LINK()
        while len(found.links) < _MOST_OF_A_HEADING and self._raw.FPDFLink_Enumerate(
            page, ctypes.byref(place), ctypes.byref(link)
        ):
            address, rectangle = self._address(link), self._raw.FS_RECTF()
            if not address.startswith(("http://", "https://")):
                continue
            if self._raw.FPDFLink_GetAnnotRect(link, ctypes.byref(rectangle)):
                sides = (rectangle.left, rectangle.bottom, rectangle.right, rectangle.top)
                words = " ".join(visible(text.get_text_bounded(*sides)).split())
                if words:
                    found.links.setdefault(words, address)

    def _address(self, link: Json) -> str:
        action = self._raw.FPDFLink_GetAction(link)
        size = self._raw.FPDFAction_GetURIPath(self._document, action, None, 0) if action else 0
        if not 0 < size < 2_000:
            return ""
        buffer = ctypes.create_string_buffer(size)
        self._raw.FPDFAction_GetURIPath(self._document, action, buffer, size)
        return visible(buffer.value.decode("ascii", "replace"))


def _key(words: str) -> str:
    return _SPACE.sub("", visible(words))


def _written(page: _Page, levels: dict[float, int]) -> str:
    lines = [_line(line, page, levels) for line in page.lines]
    text = re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()
    for words, address in page.links.items():
        escaped = address.replace("(", "%28").replace(")", "%29").replace(" ", "%20")
        if f"[{words}](" not in text:
            text = text.replace(words, f"[{words}]({escaped})", 1)
    return text


def _line(line: str, page: _Page, levels: dict[float, int]) -> str:
    """Return a line as a heading where all of it is set in one bigger size."""
    key = _key(line)
    level = levels.get(page.heights.get(key, 0.0))
    if level is None or not 2 < len(key) <= _MOST_OF_A_HEADING:
        return line
    return f"\n{'#' * level} {line.strip()}\n"
