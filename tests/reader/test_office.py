"""Documents of offices and books, made by the libraries that people make them with."""

from __future__ import annotations

import pytest

from groundwire.model import PageMetadata
from groundwire.reader import Extracted, Limits, Reader, read_document
from groundwire.reader.office import office_kind
from tests.reader.office_files import archive, docx, epub, odt, pptx, xlsx

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


def test_an_xlsx_is_a_table_for_each_sheet_that_is_shown() -> None:
    markdown = read_document(xlsx(), ZIP, URL).markdown

    assert markdown == (
        "## Weights\n\n| Animal | kg |\n| --- | --- |\n| Otter | 45 |\n| Beaver | 30.5 |"
    )


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


def test_another_archive_is_no_document() -> None:
    assert office_kind(archive({"a.txt": b"a"})) == ""
    assert office_kind(b"PK\x03\x04 and nothing more") == ""
    assert "application/zip" in read_document(archive({"a.txt": b"a"}), ZIP, URL).problem
