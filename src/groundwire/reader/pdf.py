"""Reads PDF: its text page by page, headings and links, without what nobody would see.

Needs pypdfium2, an extra. Rules stand between pages, so that a place in the text has a page number.
"""

from __future__ import annotations

import ctypes
import importlib
import re
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING

from groundwire.model import PageMetadata
from groundwire.reader.characters import visible
from groundwire.reader.extracted import Extracted
from groundwire.reader.pdf_tables import DrawnTable, find_tables, lines_of
from groundwire.system.extras import install_command
from groundwire.text.markdown import PAGE_BREAK

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groundwire.model import Json

_MAX_PAGES = 500
_MAX_OBJECTS = 20_000
_TEXT, _PATH, _IMAGE = 1, 2, 3
_INVISIBLE, _CLIPPING = 3, 7
_OUTLINES = (1, 5)  # Modes in which only the outlines of letters are drawn.
_LEAST_POINTS = 1.0
_WHITE = 250  # Of 255.
_CLEAR = 13  # Of 255.
_BIGGER = 1.15  # Than the letters of most of the text: a heading.
_MOST_OF_A_HEADING = 150
_MAX_LEVEL = 3
_MAX_TITLES = 5_000
_CATALOG = re.compile(rb"(\d{1,9})\s+0\s+obj\s*<<[^>]{0,500}?/Type\s*/Catalog")
_DATE = re.compile(r"D:(\d{4})(\d\d)(\d\d)")
_RULE = re.compile(r"-{3,}")
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
    has_text = any(line for page in pages for line in page.lines)
    markdown = PAGE_BREAK.join(reader.written(pages)) if has_text else ""
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
        return pdfium.PdfDocument(
            body + b"\nendstream endobj\ntrailer<</Root %s 0 R>>\n%%%%EOF" % root[1]
        )


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
    """The lines of a page, how high their letters are, and where its links lead, by their words.

    `titles` are those of the document's own contents that lead here, with their levels.
    """

    lines: list[str] = field(default_factory=list)
    sizes: Counter[float] = field(default_factory=Counter)
    heights: dict[str, float] = field(default_factory=dict)
    links: dict[str, str] = field(default_factory=dict)
    titles: dict[str, int] = field(default_factory=dict)


class _PdfReader:
    def __init__(self, document: Json, raw: Json, failure: type[Exception]) -> None:
        self._document = document
        self._raw = raw
        self._failure = failure
        self._titles = self._find_titles()

    def page(self, number: int) -> _Page:
        """Return what one page says; of one that is broken, nothing."""
        found = _Page(titles=self._titles[number])
        try:
            page = self._document[number]
            objects = list(islice(page.get_objects(max_depth=1), _MAX_OBJECTS))
            self._take_out_hidden(page, objects)
            text = page.get_textpage()
        except self._failure:
            return found
        tables = find_tables(lines_of(self._raw, (e for e in objects if e.type == _PATH)))
        found.lines = _lines(text, page.get_bbox(), tables)
        self._measure_lines(text, found)
        self._find_links(page, text, found)
        text.close()
        page.close()
        return found

    def _find_titles(self) -> dict[int, dict[str, int]]:
        """Return the titles of the document's own contents by the page that they lead to."""
        found: dict[int, dict[str, int]] = defaultdict(dict)
        try:
            for mark in islice(self._document.get_toc(), _MAX_TITLES):
                place = mark.get_dest()
                page = place.get_index() if place else None
                if page is not None:
                    found[page].setdefault(_title_key(mark.get_title()), min(mark.level + 2, 6))
        except self._failure:
            pass  # What was found before the damage is as good as it was.
        return found

    def written(self, pages: Sequence[_Page]) -> list[str]:
        """Return pages as Markdown; what is set bigger than most of the text is a heading."""
        sizes: Counter[float] = sum((page.sizes for page in pages), Counter())
        usual = sizes.most_common(1)[0][0] if sizes else 0.0
        bigger = sorted((size for size in sizes if size > _BIGGER * usual), reverse=True)
        levels = {size: min(level, _MAX_LEVEL) for level, size in enumerate(bigger, start=1)}
        return [_written(page, levels) for page in pages]

    def _take_out_hidden(self, page: Json, objects: list[Json]) -> None:
        """Take out of a page the text that nobody sees."""
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
        red, green, blue, alpha = self._fill(text, is_outline=mode in _OUTLINES)
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

    def _fill(self, each: Json, *, is_outline: bool = False) -> tuple[int, int, int, int]:
        """Return the colour of an object, or that of its outline where nothing else is drawn."""
        raw = self._raw
        get = raw.FPDFPageObj_GetStrokeColor if is_outline else raw.FPDFPageObj_GetFillColor
        parts = [ctypes.c_uint(0) for _ in range(3)] + [ctypes.c_uint(255)]
        get(each, *map(ctypes.byref, parts))
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


def _lines(text: Json, page: Sequence[float], tables: Sequence[DrawnTable]) -> list[str]:
    """Return the lines of a page; those of a table with nothing beside it are Markdown already."""
    left, bottom, right, top = page
    found: list[str] = []
    for table in tables:
        rows = _rows(text, table) if table.top <= top else []
        words = _words(text, (left, table.bottom, right, table.top))
        # Not a letter may be lost, said twice or stand beside: else the lines are not of a table.
        if rows and Counter(_key("".join(map("".join, rows)))) == Counter(_key(words)):
            above = _words(text, (left, table.top, right, top))
            found += [*above.split("\n"), "", *_drawn(rows), ""]
            top = table.bottom
    return [*found, *_words(text, (left, bottom, right, top)).split("\n")]


def _words(text: Json, place: tuple[float, float, float, float]) -> str:
    """Return the words between the left, the bottom, the right and the top of a place."""
    words = text.get_text_bounded(*place)
    return visible(words.replace("\r\n", "\n")).strip()


def _rows(text: Json, table: DrawnTable) -> list[list[str]]:
    """Return the words of a table's cells, without rows and columns that have none."""
    rows = [[""] * table.columns for _ in range(table.rows)]
    for cell in table.cells:
        words = _words(text, (cell.left, cell.bottom, cell.right, cell.top))
        rows[cell.row][cell.column] = " ".join(words.split())
    used = [number for number in range(table.columns) if any(row[number] for row in rows)]
    return [[row[number] for number in used] for row in rows if any(row)] if len(used) > 1 else []


def _drawn(rows: list[list[str]]) -> list[str]:
    lines = ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows]
    return [lines[0], "|" + " --- |" * len(rows[0]), *lines[1:]]


def _key(words: str) -> str:
    return _SPACE.sub("", visible(words))


def _title_key(words: str) -> str:
    """Return the letters of a title, without its number and the size of its letters."""
    return _key(words).lower().lstrip("0123456789.")


def _written(page: _Page, levels: dict[float, int]) -> str:
    lines = [_line(line, page, levels) for line in page.lines]
    text = re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()
    for words, address in page.links.items():
        escaped = address.replace("(", "%28").replace(")", "%29").replace(" ", "%20")
        if f"[{words}](" not in text:
            text = text.replace(words, f"[{words}]({escaped})", 1)
    return text


def _line(line: str, page: _Page, levels: dict[float, int]) -> str:
    """Return a line as a heading where all of it is set in one bigger size, or the contents say so.

    A line of hyphens would read like the end of a page.
    """
    key = _key(line)
    level = levels.get(page.heights.get(key, 0.0)) or page.titles.get(_title_key(line), 0)
    if not level or not 2 < len(key) <= _MOST_OF_A_HEADING:
        return "" if _RULE.fullmatch(key) else line
    return f"\n{'#' * level} {line.strip()}\n"
