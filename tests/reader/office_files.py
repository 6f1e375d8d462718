"""Documents of offices and books, made by the libraries that people make them with."""

from __future__ import annotations

import io
import zipfile
from datetime import UTC, datetime

import pytest

WRITTEN = datetime(2026, 3, 2, 10, 20, tzinfo=UTC)


def saved(document: object) -> bytes:
    """Return a document as a file."""
    file = io.BytesIO()
    document.save(file)  # type: ignore[attr-defined]  # Each library's own, all with this method.
    return file.getvalue()


def archive(files: dict[str, bytes]) -> bytes:
    """Return a packed archive."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, body in files.items():
            packed.writestr(name, body)
    return file.getvalue()


def docx() -> bytes:
    """Return headings, a list, a table and an author."""
    document = pytest.importorskip("docx").Document()
    facts = document.core_properties
    facts.title, facts.author = "Otters", "Ada Marsh"
    facts.created = facts.modified = WRITTEN
    document.add_heading("Sea otters", level=1)
    document.add_paragraph("They hold hands while they sleep.")
    document.add_paragraph("Urchins", style="List Bullet")
    document.add_paragraph("Crabs", style="List Bullet")
    table = document.add_table(rows=2, cols=2)
    cells = (*table.rows[0].cells, *table.rows[1].cells)
    for cell, text in zip(cells, ("Animal", "Mass", "Otter", "45 | kg"), strict=True):
        cell.text = text
    return saved(document)


def xlsx() -> bytes:
    """Return a sheet that is shown and one that is not."""
    book = pytest.importorskip("openpyxl").Workbook()
    book.active.title = "Weights"
    for row in (("Animal", "kg"), ("Otter", 45), (None, None), ("Beaver", 30.5)):
        book.active.append(row)
    hidden = book.create_sheet("Secret")
    hidden.append(["INJECT"])
    hidden.sheet_state = "hidden"
    return saved(book)


def pptx() -> bytes:
    """Return three slides, the second of which is hidden."""
    show = pytest.importorskip("pptx").Presentation()
    for title, body, is_hidden in (
        ("Otters", "They swim.", False),
        ("Secret", "INJECT", True),
        ("Food", "Urchins", False),
    ):
        slide = show.slides.add_slide(show.slide_layouts[1])
        slide.shapes.title.text = title
        slide.placeholders[1].text = body
        if is_hidden:
            slide.element.set("show", "0")
    return saved(show)


def odt() -> bytes:
    """Return a heading, a paragraph and a list."""
    odfdo = pytest.importorskip("odfdo")
    document = odfdo.Document("text")
    document.body.clear()
    document.body.append(odfdo.Header(1, "Sea otters"))
    document.body.append(odfdo.Paragraph("They hold hands."))
    document.body.append(odfdo.List(["Urchins", "Crabs"]))
    return saved(document)


def ods(cells: str = "") -> bytes:
    """Return a sheet that is shown, and one that is not; `cells` are XML of one more row."""
    odfdo = pytest.importorskip("odfdo")
    document = odfdo.Document("spreadsheet")
    document.body.clear()
    shown = odfdo.Element.from_tag(_SHEET.format(name="Weights", style="", rows=_ROWS + cells))
    document.body.append(shown)
    style = odfdo.Element.from_tag(
        '<style:style style:name="gone" style:family="table">'
        '<style:table-properties table:display="false"/></style:style>'
    )
    document.content.get_element("//office:automatic-styles").append(style)
    secret = '<table:table-row><table:table-cell office:value-type="string"><text:p>INJECT</text:p>'
    rows = f"{secret}</table:table-cell></table:table-row>"
    hidden = _SHEET.format(name="Secret", style='table:style-name="gone"', rows=rows)
    document.body.append(odfdo.Element.from_tag(hidden))
    return saved(document)


_SHEET = '<table:table table:name="{name}" {style}>{rows}</table:table>'
# As LibreOffice writes them: rows and cells that are alike once, and the rest of the sheet as well.
_ROWS = """
<table:table-header-rows><table:table-row>
<table:table-cell office:value-type="string"><text:p>Animal</text:p></table:table-cell>
<table:table-cell table:number-columns-repeated="2"><text:p>kg</text:p></table:table-cell>
</table:table-row></table:table-header-rows>
<table:table-row table:number-rows-repeated="2">
<table:table-cell office:value-type="string">
<office:annotation><text:p>INJECT</text:p></office:annotation><text:p>Otter</text:p>
</table:table-cell>
<table:covered-table-cell/>
<table:table-cell office:value-type="float" office:value="45.5"><text:p>45,50 kg</text:p>
</table:table-cell>
<table:table-cell table:number-columns-repeated="16381"/>
</table:table-row>
<table:table-row table:visibility="collapse">
<table:table-cell><text:p>INJECT</text:p></table:table-cell>
</table:table-row>
<table:table-row table:number-rows-repeated="1048570">
<table:table-cell table:number-columns-repeated="16384"/></table:table-row>
"""


def epub() -> bytes:
    """Return a book of two chapters."""
    return archive(
        {
            "mimetype": b"application/epub+zip",
            "META-INF/container.xml": b'<container><rootfiles><rootfile full-path="OPS/b.opf"/>'
            b"</rootfiles></container>",
            "OPS/b.opf": b'<package xmlns:dc="http://purl.org/dc/elements/1.1/"><metadata>'
            b"<dc:title>Otters</dc:title><dc:creator>Ada Marsh</dc:creator>"
            b"<dc:language>en</dc:language><dc:date>2026-03-02</dc:date></metadata><manifest>"
            b'<item id="two" href="two%20.xhtml"/><item id="one" href="one.xhtml"/></manifest>'
            b'<spine><itemref idref="one"/><itemref idref="two"/></spine></package>',
            "OPS/one.xhtml": b"<html><body><h1>One</h1><p>They swim.</p>"
            b'<p style="display:none">INJECT</p></body></html>',
            "OPS/two .xhtml": b"<html><head><title/></head><body><h1>Two</h1><p>They eat.</p>"
            b"<script src='a'/></body></html>",
        }
    )
