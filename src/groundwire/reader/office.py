"""Reads documents of offices and books: DOCX, ODT, ODS, XLSX, PPTX and EPUB.

All of them are ZIP archives. A well-kept library reads each, as an extra; a book is pages of HTML,
which our own reader reads. Before any of them sees an archive, its table of contents says how much
it would unpack to.
"""

from __future__ import annotations

import importlib
import io
import posixpath
import re
import zipfile
import zlib
from datetime import datetime, time
from typing import TYPE_CHECKING
from urllib.parse import unquote

import turbohtml

from groundwire.model import PageMetadata
from groundwire.reader.dates import iso_date
from groundwire.reader.extracted import Extracted
from groundwire.reader.hidden import Hiding
from groundwire.reader.markdown import write
from groundwire.reader.office_parts import (
    MAX_CHARACTERS,
    MAX_COLUMNS,
    MAX_ROWS,
    extracted,
    markdown_table,
    people,
    spaced,
)
from groundwire.reader.opendocument import read_ods, read_odt
from groundwire.reader.walker import Walker
from groundwire.system.extras import install_command
from groundwire.text.markdown import PAGE_BREAK

if TYPE_CHECKING:
    from collections.abc import Callable

    from groundwire.model import Json

_MAX_UNPACKED = 200_000_000
_MAX_RATIO = 200  # Of a file of some size; what people write packs twenty times at most.
_MIN_SUSPECT = 5_000_000
_MAX_FILES = 10_000
_WORD = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_WRAPPERS = ("ins", "moveTo", "smartTag", "sdt", "sdtContent")
# XML may end an element where it begins; what reads HTML takes all that follows for its content.
_CLOSED_AT_ONCE = re.compile(
    r"<(script|style|title|iframe|noscript|textarea|template|a|i|b|em|span|div|p|h\d)(\s[^<>]*)?/>"
)
_CONTAINER = "META-INF/container.xml"
# What the standard library raises at an archive that is none, or whose parts lie outside of it.
_BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, OSError, RuntimeError, ValueError)


def office_kind(body: bytes) -> str:
    """Return docx, odt, ods, xlsx, pptx or epub for what an archive holds; "" for any other."""
    try:
        with zipfile.ZipFile(io.BytesIO(body)) as archive:
            names = set(archive.namelist()[:_MAX_FILES])
            if "mimetype" in names:
                with archive.open("mimetype") as file:
                    said = file.read(100).decode("ascii", "replace").strip()
                return OFFICE_TYPES.get(said, "")
    except _BROKEN:
        return ""
    return next((kind for name, kind in _BY_NAME.items() if name in names), "")


_BY_NAME = {"word/document.xml": "docx", "xl/workbook.xml": "xlsx", "ppt/presentation.xml": "pptx"}
_OPENXML = "application/vnd.openxmlformats-officedocument."
OFFICE_TYPES = {
    f"{_OPENXML}wordprocessingml.document": "docx",
    f"{_OPENXML}spreadsheetml.sheet": "xlsx",
    f"{_OPENXML}presentationml.presentation": "pptx",
    "application/vnd.oasis.opendocument.text": "odt",
    "application/vnd.oasis.opendocument.spreadsheet": "ods",
    "application/epub+zip": "epub",
}
"""What headers, and some of the archives themselves, call such a document."""


def read_office(kind: str, body: bytes) -> Extracted:
    """Return what such a document says, or why it cannot be read."""
    if problem := _archive_problem(body):
        return Extracted(problem=problem)
    try:
        return _READERS[kind](body)
    except ImportError:
        needed = install_command("documents")
        return Extracted(problem=f"reading {kind.upper()} needs one more package: {needed}")
    except (MemoryError, RecursionError):
        raise
    # The libraries raise what they like at a broken file, and it is the file's fault.
    except Exception as error:  # noqa: BLE001
        return Extracted(problem=f"the {kind.upper()} file cannot be read: {type(error).__name__}")


def _archive_problem(body: bytes) -> str:
    """Return why an archive is not unpacked: a small file can hold gigabytes of zeros."""
    try:
        with zipfile.ZipFile(io.BytesIO(body)) as archive:
            files = archive.infolist()
    except _BROKEN as error:
        return f"the file cannot be unpacked: {error}"
    if len(files) > _MAX_FILES:
        return f"the file holds more than {_MAX_FILES:,} others: it was not unpacked"
    size = sum(each.file_size for each in files)
    is_bomb = any(
        each.file_size > _MIN_SUSPECT and each.file_size > _MAX_RATIO * max(1, each.compress_size)
        for each in files
    )
    if size > _MAX_UNPACKED or is_bomb:
        return f"the file would unpack to {size / 1_000_000:,.0f} MB: it was not unpacked"
    return ""


def _docx(body: bytes) -> Extracted:
    library = importlib.import_module("docx")
    document = library.Document(io.BytesIO(body))
    _open_up(document.element.body)
    parts: list[str] = []
    for part in document.iter_inner_content():
        if hasattr(part, "rows"):
            parts.append(_docx_table(part))
        else:
            parts.append(_docx_paragraph(part))
    facts = document.core_properties
    return extracted(spaced(parts), facts.title or "", _core_metadata(facts))


def _open_up(body: Json) -> None:
    """Put what was inserted, or stands in a control, where it is read; take out hidden words."""
    for wrapper in list(body.iter(*(f"{_WORD}{name}" for name in _WRAPPERS))):
        around, place = wrapper.getparent(), wrapper.getparent().index(wrapper)
        around[place : place + 1] = list(wrapper)
    for mark in list(body.iter(f"{_WORD}vanish", f"{_WORD}webHidden", f"{_WORD}sz")):
        said = mark.get(f"{_WORD}val") or "true"
        run = mark.getparent().getparent()
        is_size = mark.tag == f"{_WORD}sz"
        is_hidden = said in ("0", "1", "2") if is_size else said not in ("0", "false", "off")
        if is_hidden and run is not None and run.tag == f"{_WORD}r" and run.getparent() is not None:
            run.getparent().remove(run)


def _docx_table(table: Json) -> str:
    seen: set[object] = set()  # A cell over several rows or columns is named in each of them.
    rows: list[list[str]] = []
    for row in table.rows:
        rows.append([])
        for cell in row.cells:
            rows[-1].append("" if cell._tc in seen else cell.text)  # noqa: SLF001
            seen.add(cell._tc)  # noqa: SLF001
    return markdown_table(rows)


def _docx_paragraph(paragraph: Json) -> str:
    text = " ".join("".join(map(_docx_run, paragraph.iter_inner_content())).split())
    style = (paragraph.style.name if paragraph.style is not None else "") or ""
    level = style.rpartition(" ")[2]
    depth = int(level) if level.isdecimal() else 1
    if not text or style.lower().startswith("toc "):
        return ""
    if style == "Title":
        return f"# {text}"
    if style.startswith("Heading"):
        return f"{'#' * min(6, depth)} {text}"
    if style.startswith("List"):
        return f"{'  ' * (min(6, depth) - 1)}- {text}"
    return f"> {text}" if "Quote" in style else text


def _docx_run(run: Json) -> str:
    address = getattr(run, "address", "")
    if not address.startswith(("http://", "https://")) or not run.text.strip():
        return str(run.text)
    target = address.replace("(", "%28").replace(")", "%29").replace(" ", "%20")
    return f"[{run.text}]({target})"


def _xlsx(body: bytes) -> Extracted:
    library = importlib.import_module("openpyxl")
    book = library.load_workbook(io.BytesIO(body), read_only=True, data_only=True)
    parts: list[str] = []
    rows = 0
    for sheet in book.worksheets:
        if sheet.sheet_state != "visible":
            continue
        found = [
            [_cell_text(value) for value in row[:MAX_COLUMNS]]
            for row in sheet.iter_rows(values_only=True, max_row=MAX_ROWS - rows or 1)
        ]
        rows += len(found)
        if filled := [row for row in found if any(row)]:
            parts += [f"## {sheet.title}", markdown_table(filled)]
        if rows >= MAX_ROWS:
            break
    facts = book.properties
    book.close()
    is_cut = rows >= MAX_ROWS
    return extracted(spaced(parts), facts.title or "", _core_metadata(facts), is_cut=is_cut)


def _cell_text(value: object) -> str:
    """Return what a cell shows; a day is kept as its first moment."""
    if isinstance(value, datetime) and value.time() == time.min:
        value = value.date()
    return "" if value is None else str(value)


def _pptx(body: bytes) -> Extracted:
    library = importlib.import_module("pptx")
    show = library.Presentation(io.BytesIO(body))
    slides = [_slide(slide) for slide in show.slides if slide.element.get("show") != "0"]
    facts = show.core_properties
    metadata = _core_metadata(facts, pages=len(slides))
    return extracted(PAGE_BREAK.join(slides), facts.title or "", metadata)


def _slide(slide: Json) -> str:
    title = slide.shapes.title
    parts: list[str] = []
    for shape in slide.shapes:
        if shape.has_text_frame:
            lines = [" ".join(each.text.split()) for each in shape.text_frame.paragraphs]
            is_title = title is not None and shape.shape_id == title.shape_id
            text = " ".join(filter(None, lines)) if is_title else "\n\n".join(filter(None, lines))
            parts.append(f"## {text}" if is_title and text else text)
        elif getattr(shape, "has_table", False) and shape.has_table:
            rows = ([cell.text for cell in row.cells] for row in shape.table.rows)
            parts.append(markdown_table([*rows]))
    return spaced(parts)


def _epub(body: bytes) -> Extracted:
    with zipfile.ZipFile(io.BytesIO(body)) as archive:
        container = turbohtml.parse_xml(_unpacked(archive, _CONTAINER))
        path = next((each.attr("full-path") or "" for each in container.find_all("rootfile")), "")
        package = turbohtml.parse_xml(_unpacked(archive, path))
        items = {
            each.attr("id"): posixpath.normpath(
                posixpath.join(posixpath.dirname(path), unquote(each.attr("href") or ""))
            )
            for each in package.find_all("item")
        }
        spine = [items.get(each.attr("idref")) for each in package.find_all("itemref")]
        chapters: list[str] = []
        for name in spine:
            if name in archive.namelist() and sum(map(len, chapters)) < MAX_CHARACTERS:
                page = _CLOSED_AT_ONCE.sub(r"<\1\2></\1>", _unpacked(archive, str(name)))
                document = turbohtml.parse(page)
                chapters.append(write(Walker(document, Hiding(document)).walk().blocks))
    said = {
        name: [" ".join(each.text.split()) for each in package.find_all(f"dc:{name}")]
        for name in ("title", "creator", "date", "language", "publisher", "rights")
    }
    return extracted(spaced(chapters), _first(said["title"]), _book_metadata(said))


def _book_metadata(said: dict[str, list[str]]) -> PageMetadata:
    return PageMetadata(
        authors=people(*said["creator"]),
        published=iso_date(_first(said["date"])),
        site_name=_first(said["publisher"])[:200],
        language=_first(said["language"])[:20],
        licence=_first(said["rights"])[:200],
    )


def _unpacked(archive: zipfile.ZipFile, name: str) -> str:
    with archive.open(name) as file:
        return file.read(MAX_CHARACTERS).decode("utf-8", "replace")


def _core_metadata(facts: Json, pages: int | None = None) -> PageMetadata:
    return PageMetadata(
        authors=people(getattr(facts, "author", None) or getattr(facts, "creator", None)),
        published=iso_date(str(facts.created or "")),
        modified=iso_date(str(facts.modified or "")),
        language=str(facts.language or "")[:20],
        pages=pages,
    )


def _first(said: list[str]) -> str:
    return said[0] if said else ""


_READERS: dict[str, Callable[[bytes], Extracted]] = {
    "docx": _docx,
    "odt": read_odt,
    "ods": read_ods,
    "xlsx": _xlsx,
    "pptx": _pptx,
    "epub": _epub,
}
OFFICE_KINDS = frozenset(_READERS)
"""What `read_office` reads."""
