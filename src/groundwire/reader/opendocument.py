"""Reads OpenDocument: texts (ODT) and spreadsheets (ODS)."""

from __future__ import annotations

import importlib
import io
from itertools import chain, islice, repeat
from typing import TYPE_CHECKING

from groundwire.model import PageMetadata
from groundwire.reader.dates import iso_date
from groundwire.reader.office_parts import (
    MAX_CHARACTERS,
    MAX_COLUMNS,
    MAX_ROWS,
    extracted,
    markdown_table,
    people,
    spaced,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from groundwire.model import Json
    from groundwire.reader.extracted import Extracted

_ROWS = "descendant::table:table-row[not(ancestor::table:table-cell)]"
_CELLS = ("table:table-cell", "table:covered-table-cell")
_MOST_DIGITS = 9  # Python refuses to read a number of thousands of digits.


def read_odt(body: bytes) -> Extracted:
    """Return what a text says."""
    document = _opened(body)
    parts = [_text_part(part) for part in document.body.children]
    return extracted(spaced(parts), str(document.meta.title or ""), _metadata(document))


def read_ods(body: bytes) -> Extracted:
    """Return a table for each sheet that is shown, with what its cells show."""
    document = _opened(body)
    parts: list[str] = []
    room = MAX_ROWS
    for sheet in document.body.get_elements("table:table"):
        if room and not _is_hidden(document, sheet):
            rows = [*islice(_rows(sheet), room)]
            room -= len(rows)
            name = " ".join((sheet.get_attribute_string("table:name") or "").split())
            parts += [f"## {name}", markdown_table(rows)] if rows else []
    title, is_cut = str(document.meta.title or ""), not room
    return extracted(spaced(parts), title, _metadata(document), is_cut=is_cut)


def _opened(body: bytes) -> Json:
    return importlib.import_module("odfdo").Document(io.BytesIO(body))


def _metadata(document: Json) -> PageMetadata:
    facts = document.meta
    return PageMetadata(
        authors=people(facts.initial_creator or facts.creator),
        published=iso_date(str(facts.creation_date or "")),
        modified=iso_date(str(facts.date or "")),
    )


def _text_part(part: Json) -> str:
    text = " ".join((part.text_recursive or "").split())
    match part.tag:
        case "text:h":
            return f"{'#' * min(6, int(part.get_attribute('text:outline-level') or 1))} {text}"
        case "text:list":
            items = part.get_elements("descendant::text:list-item")
            return "\n".join(f"- {' '.join((item.text_recursive or '').split())}" for item in items)
        case "table:table":
            return markdown_table([*islice(_rows(part), MAX_ROWS)])
        case "text:p" | "text:section":
            return text
        case _:
            return ""


def _is_hidden(document: Json, sheet: Json) -> bool:
    style = sheet.get_attribute_string("table:style-name")
    said = document.get_style_properties("table", style) if style else None
    return (said or {}).get("table:display") == "false"


def _rows(sheet: Json) -> Iterator[list[str]]:
    """Yield the rows that say something."""
    for row in sheet.get_elements(_ROWS):
        if (row.get_attribute_string("table:visibility") or "visible") != "visible":
            continue
        cells = (
            repeat(text, _times(cell, "columns", len(text)))
            for cell in row.children
            if cell.tag in _CELLS
            for text in (_shown(cell),)
        )
        said = [*islice(chain.from_iterable(cells), MAX_COLUMNS)]
        while said and not said[-1]:
            said.pop()
        if said:
            times = _times(row, "rows", sum(map(len, said)))
            yield from repeat(said, times)


def _shown(cell: Json) -> str:
    """Return the words of a cell as they are shown, without remarks at its side."""
    lines = (part.inner_text for part in cell.children if part.tag == "text:p")
    return " ".join(lines) or cell.get_attribute_string("office:value") or ""


def _times(part: Json, what: str, characters: int) -> int:
    """Return how often a row or cell stands there: a few bytes can say a billion times."""
    said = (part.get_attribute_string(f"table:number-{what}-repeated") or "1")[:_MOST_DIGITS]
    times = int(said) if said.isdecimal() else 1
    return min(times, 1 + MAX_CHARACTERS // max(1, characters))
