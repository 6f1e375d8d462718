"""Documents of offices and books, made by the libraries that people make them with."""

from __future__ import annotations

from datetime import datetime

import pytest

from groundwire.model import PageMetadata
from groundwire.reader import Extracted, Limits, Reader, read_document
from groundwire.reader.office import office_kind
from tests.reader.office_files import archive, docx, epub, ods, odt, pptx, saved, xlsx

URL = "https://example.org/file"
ZIP = "application/zip"


def test_a_docx_has_headings_lists_tables_and_its_author() -> None:
    extracted = read_document(docx(), "application/octet-stream", URL)

    assert extracted == Extracted(
        title="Otters",
        markdown=(
            "# Sea otters\n\nThey hold hands while they sleep.\n\n- Urchins\n- Crabs\n\n"
            "| Animal | Mass |\n| --- | --- |\n| Otter | 45 \\| kg |"
        ),
        metadata=PageMetadata(
            authors=("Ada Marsh",),
            published="2026-03-02T10:20:00+00:00",
            modified="2026-03-02T10:20:00+00:00",
        ),
    )


WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"


def docx_of(*paragraphs: str) -> bytes:
    """Return a document with some paragraphs of Word's own XML."""
    library = pytest.importorskip("docx")
    document = library.Document()
    for inner in paragraphs:
        xml = f'<w:p xmlns:w="{WORD}">{inner}</w:p>'
        document.element.body.insert(0, library.oxml.parse_xml(xml))
    return saved(document)


@pytest.mark.parametrize(
    ("inner", "text"),
    [
        ("<w:r><w:rPr><w:vanish/></w:rPr><w:t>INJECT</w:t></w:r>", "They swim."),
        ('<w:r><w:rPr><w:sz w:val="1"/></w:rPr><w:t>INJECT</w:t></w:r>', "They swim."),
        (
            '<w:r><w:rPr><w:vanish w:val="0"/><w:sz w:val="24"/></w:rPr><w:t> Fast.</w:t></w:r>',
            "They swim. Fast.",
        ),
        ('<w:ins w:id="1"><w:r><w:t> Fast.</w:t></w:r></w:ins>', "They swim. Fast."),
        ('<w:del w:id="1"><w:r><w:delText> Fast.</w:delText></w:r></w:del>', "They swim."),
        (
            "<w:sdt><w:sdtPr/><w:sdtContent><w:r><w:t> Fast.</w:t></w:r></w:sdtContent></w:sdt>",
            "They swim. Fast.",
        ),
    ],
)
def test_a_docx_is_what_a_reader_of_it_sees(inner: str, text: str) -> None:
    body = docx_of(f"<w:r><w:t>They swim.</w:t></w:r>{inner}")

    assert read_document(body, ZIP, URL).markdown == text


def test_a_docx_keeps_its_links_nests_its_lists_and_says_merged_cells_once() -> None:
    library = pytest.importorskip("docx")
    document = library.Document()
    paragraph = document.add_paragraph("See ")
    target = paragraph.part.relate_to(
        "https://example.org/o(1)", library.opc.constants.RELATIONSHIP_TYPE.HYPERLINK, True
    )
    link = library.oxml.OxmlElement("w:hyperlink")
    link.set(library.oxml.ns.qn("r:id"), target)
    link.append(library.oxml.parse_xml(f'<w:r xmlns:w="{WORD}"><w:t>otters</w:t></w:r>'))
    paragraph._p.append(link)
    document.add_paragraph("Food", style="List Bullet")
    document.add_paragraph("Crabs", style="List Bullet 2")
    table = document.add_table(rows=2, cols=2)
    table.cell(0, 0).merge(table.cell(0, 1)).text = "Both"
    table.cell(1, 0).text, table.cell(1, 1).text = "a", "b"

    assert read_document(saved(document), ZIP, URL).markdown == (
        "See [otters](https://example.org/o%281%29)\n\n- Food\n  - Crabs\n\n"
        "| Both |  |\n| --- | --- |\n| a | b |"
    )


def test_a_day_in_an_xlsx_has_no_time_and_an_empty_sheet_no_heading() -> None:
    book = pytest.importorskip("openpyxl").Workbook()
    book.active.append([datetime(2026, 3, 2), datetime(2026, 3, 2, 10, 20)])  # noqa: DTZ001 - As cells are.
    book.create_sheet("Empty")

    assert read_document(saved(book), ZIP, URL).markdown.splitlines()[2:] == [
        "| 2026-03-02 | 2026-03-02 10:20:00 |",
        "| --- | --- |",
    ]


def test_an_xlsx_is_a_table_for_each_sheet_that_is_shown() -> None:
    markdown = read_document(xlsx(), ZIP, URL).markdown

    assert markdown == (
        "## Weights\n\n| Animal | kg |\n| --- | --- |\n| Otter | 45 |\n| Beaver | 30.5 |"
    )


def test_an_ods_is_a_table_for_each_sheet_that_is_shown() -> None:
    extracted = read_document(ods(), ZIP, URL)

    assert extracted.markdown == (
        "## Weights\n\n| Animal | kg | kg |\n| --- | --- | --- |\n"
        "| Otter |  | 45,50 kg |\n| Otter |  | 45,50 kg |"
    )
    assert not extracted.is_cut


def test_a_row_of_an_ods_that_says_it_stands_a_billion_times_is_cut() -> None:
    word = "<text:p>otter</text:p>"
    cell = f'<table:table-cell table:number-columns-repeated="999999999">{word}</table:table-cell>'
    often = 'table:number-rows-repeated="999999999"'

    extracted = read_document(ods(f"<table:table-row {often}>{cell}</table:table-row>"), ZIP, URL)

    assert extracted.is_cut
    assert extracted.markdown.splitlines()[6].count("otter") == 200
    assert len(extracted.markdown) <= 5_000_000


def test_a_pptx_is_its_slides_with_rules_between_and_no_hidden_ones() -> None:
    extracted = read_document(pptx(), ZIP, URL)

    assert extracted.markdown == "## Otters\n\nThey swim.\n\n---\n\n## Food\n\nUrchins"
    assert extracted.metadata.pages == 2


def test_an_odt_has_headings_paragraphs_and_lists() -> None:
    extracted = read_document(odt(), ZIP, URL)

    assert extracted.markdown == "# Sea otters\n\nThey hold hands.\n\n- Urchins\n- Crabs"


def test_an_epub_is_its_chapters_in_the_order_of_the_book() -> None:
    extracted = read_document(epub(), "application/epub+zip", URL)

    assert extracted == Extracted(
        title="Otters",
        markdown="# One\n\nThey swim.\n\n# Two\n\nThey eat.",
        metadata=PageMetadata(authors=("Ada Marsh",), published="2026-03-02", language="en"),
    )


@pytest.mark.parametrize("name", ["word/document.xml", "xl/workbook.xml", "ppt/presentation.xml"])
async def test_an_archive_that_unpacks_to_gigabytes_is_not_unpacked(name: str) -> None:
    bomb = archive({name: b"0" * 20_000_000})

    async with Reader(Limits(processes=1)) as reader:
        page = await reader.read(bomb, ZIP, URL)

    assert page.error == "the file would unpack to 20 MB: it was not unpacked"


@pytest.mark.parametrize(
    "body", [archive({"word/document.xml": b"<no"}), archive({"xl/workbook.xml": b""})]
)
def test_a_broken_document_says_that_it_cannot_be_read(body: bytes) -> None:
    assert "file cannot be read" in read_document(body, ZIP, URL).problem


def test_a_file_that_is_no_document_of_an_office_is_told_by_its_short_name() -> None:
    declared = "application/vnd.oasis.opendocument.spreadsheet"

    problem = read_document(b"hello", declared, URL).problem

    assert problem == "it is no ODS file, or a damaged one: nothing was read"


def test_another_archive_is_no_document() -> None:
    assert office_kind(archive({"a.txt": b"a"})) == ""
    assert office_kind(b"PK\x03\x04 and nothing more") == ""
    assert "application/zip" in read_document(archive({"a.txt": b"a"}), ZIP, URL).problem
