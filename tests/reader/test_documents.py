"""Documents that are not HTML, and headers that do not tell the truth."""

from __future__ import annotations

import zlib
from collections.abc import Callable

import pytest

from groundwire.model import PageMetadata
from groundwire.reader import Extracted, read_document
from groundwire.reader.characters import decode

URL = "https://example.org/file"
PAGE = "<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Resources<</Font<</F1 3 0 R>>>>"


def pdf(*pages: str) -> bytes:
    """Return a small PDF with one line of text on each page."""
    return drawn_pdf(*(f"BT /F1 12 Tf 72 720 Td ({text}) Tj ET" for text in pages))


def drawn_pdf(*pages: str, more: str = "", contents: str = "") -> bytes:
    """Return a PDF whose pages are drawn like this; `more` is of each page's object.

    `contents` is a title of the document's own contents that leads to the first page.
    """
    kids = " ".join(f"{4 + 2 * n} 0 R" for n in range(len(pages)))
    objects = [
        "<</Type/Catalog/Pages 2 0 R>>",
        f"<</Type/Pages/Kids[{kids}]/Count {len(pages)}>>",
        "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
    ]
    outline: list[str] = []
    if contents:
        first, last = 4 + 2 * len(pages), 5 + 2 * len(pages)
        objects[0] = f"<</Type/Catalog/Pages 2 0 R/Outlines {first} 0 R>>"
        outline = [
            f"<</Type/Outlines/First {last} 0 R/Last {last} 0 R/Count 1>>",
            f"<</Title({contents})/Parent {first} 0 R/Dest[4 0 R/Fit]>>",
        ]
    for number, content in enumerate(pages):
        objects += [
            f"{PAGE}{more}/Contents {5 + 2 * number} 0 R>>",
            f"<</Length {len(content)}>>stream\n{content}\nendstream",
        ]
    objects += outline
    body, places = b"%PDF-1.4\n", []
    for number, source in enumerate(objects, 1):
        places.append(len(body))
        body += f"{number} 0 obj\n{source}\nendobj\n".encode()
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    return (
        body
        + (
            f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}"
            f"trailer<</Size {len(objects) + 1}/Root 1 0 R>>\nstartxref\n{len(body)}\n%%EOF"
        ).encode()
    )


def test_a_pdf_is_text_with_its_pages_apart() -> None:
    pytest.importorskip("pypdfium2")

    extracted = read_document(pdf("Otters swim", "Otters eat"), "application/pdf", URL)

    assert extracted == Extracted(
        markdown="Otters swim\n\n---\n\nOtters eat", metadata=PageMetadata(pages=2)
    )


def test_a_page_of_a_pdf_without_words_keeps_its_place() -> None:
    pytest.importorskip("pypdfium2")

    extracted = read_document(pdf("Otters swim", "", "Otters eat"), "application/pdf", URL)

    assert extracted.markdown.split("\n\n---\n\n") == ["Otters swim", "", "Otters eat"]


def test_a_pdf_is_known_by_its_first_bytes_and_a_broken_one_is_refused() -> None:
    pytest.importorskip("pypdfium2")

    extracted = read_document(b"%PDF-1.7 and nothing more", "text/html", URL)

    assert extracted.problem.startswith("the PDF cannot be read")


SEEN = "BT 0 g /F1 12 Tf 72 700 Td (Otters swim in the long river every day.) Tj ET "
UNSEEN = {
    "white": "BT 1 1 1 rg /F1 12 Tf 72 600 Td (INJECT) Tj ET",
    "invisible": "BT 3 Tr /F1 12 Tf 72 600 Td (INJECT) Tj ET",
    "white outlines": "BT 1 Tr 1 1 1 RG /F1 12 Tf 72 600 Td (INJECT) Tj ET",
    "half a point": "BT /F1 0.5 Tf 72 600 Td (INJECT) Tj ET",
    "tiny by its matrix": "BT /F1 12 Tf 0.01 0 0 0.01 72 600 Tm (INJECT) Tj ET",
    "off the page": "BT /F1 12 Tf 72 -600 Td (INJECT) Tj ET",
}


@pytest.mark.parametrize("how", UNSEEN)
def test_text_of_a_pdf_that_nobody_sees_is_left_out(how: str) -> None:
    pytest.importorskip("pypdfium2")

    extracted = read_document(drawn_pdf(SEEN + UNSEEN[how]), "application/pdf", URL)

    assert extracted.markdown == "Otters swim in the long river every day."


def test_a_pdf_behind_lines_of_its_server_is_read() -> None:
    pytest.importorskip("pypdfium2")
    body = b"X-Sent-By: a server\r\n\r\n" + drawn_pdf(SEEN)

    assert "Otters swim" in read_document(body, "application/pdf", URL).markdown


def test_a_pdf_that_breaks_off_inside_of_a_page_is_read_up_to_there() -> None:
    pytest.importorskip("pypdfium2")
    whole = drawn_pdf(SEEN, SEEN)
    cut = whole[: whole.rindex(b"every day")]

    assert "Otters swim" in read_document(cut, "application/pdf", URL).markdown


def test_white_text_of_a_pdf_on_a_dark_shape_is_seen() -> None:
    pytest.importorskip("pypdfium2")
    box = "0 0 0 rg 60 590 200 40 re f BT 1 1 1 rg /F1 12 Tf 72 600 Td (They eat.) Tj ET"

    markdown = read_document(drawn_pdf(SEEN + box), "application/pdf", URL).markdown

    assert markdown.endswith("They eat.")


def test_what_a_pdf_sets_bigger_is_a_heading_and_its_links_stay() -> None:
    pytest.importorskip("pypdfium2")
    title = "BT 0 g /F1 24 Tf 72 740 Td (All about otters) Tj ET "
    link = (
        "/Annots[<</Type/Annot/Subtype/Link/Rect[70 695 108 715]"
        "/A<</S/URI/URI(https://example.org/a)>>>>]"
    )

    extracted = read_document(drawn_pdf(title + SEEN, more=link), "application/pdf", URL)

    assert extracted.markdown == (
        "# All about otters\n\n[Otters](https://example.org/a) swim in the long river every day."
    )


def test_a_title_of_a_pdfs_own_contents_is_a_heading() -> None:
    pytest.importorskip("pypdfium2")
    title = "BT 0 g /F1 12 Tf 72 720 Td (1. What they eat) Tj ET "

    extracted = read_document(
        drawn_pdf(title + SEEN, contents="What they eat"), "application/pdf", URL
    )

    assert extracted.markdown.startswith("## 1. What they eat\n")


def test_hyphens_in_a_pdf_do_not_end_a_page() -> None:
    pytest.importorskip("pypdfium2")
    rule = "BT 0 g /F1 12 Tf 72 650 Td (-----) Tj 0 -30 Td (They eat.) Tj ET"

    markdown = read_document(drawn_pdf(SEEN + rule), "application/pdf", URL).markdown

    assert markdown.startswith("Otters swim")
    assert markdown.endswith("They eat.")
    assert "--" not in markdown


GRID = "1 w 70 600 200 60 re S 70 630 m 270 630 l S 170 600 m 170 660 l S "
CELLS = "".join(
    f"BT 0 g /F1 12 Tf {x} {y} Td ({words}) Tj ET "
    for x, y, words in [(75, 640, "Animal"), (175, 640, "Food | drink"), (75, 610, "Otter")]
)
BELOW = "BT 0 g /F1 12 Tf 72 500 Td (They swim on.) Tj ET "


def test_a_table_that_a_pdf_draws_with_lines_is_a_table() -> None:
    pytest.importorskip("pypdfium2")
    fish = "BT 0 g /F1 12 Tf 175 610 Td (Fish) Tj ET "

    markdown = read_document(
        drawn_pdf(SEEN + GRID + CELLS + fish + BELOW), "application/pdf", URL
    ).markdown

    assert markdown == (
        "Otters swim in the long river every day.\n\n"
        "| Animal | Food \\| drink |\n| --- | --- |\n| Otter | Fish |\n\nThey swim on."
    )


@pytest.mark.parametrize(
    "drawn",
    [
        CELLS + "BT 0 g /F1 12 Tf 300 610 Td (Beside it) Tj ET ",
        CELLS + "BT 0 g /F1 12 Tf 140 610 Td (Across a line) Tj ET ",
    ],
)
def test_words_that_do_not_fit_into_the_cells_of_a_pdf_stay_lines_of_text(drawn: str) -> None:
    pytest.importorskip("pypdfium2")

    markdown = read_document(drawn_pdf(SEEN + GRID + drawn), "application/pdf", URL).markdown

    assert "| ---" not in markdown
    assert "Otter" in markdown.splitlines()[-1]


def test_cells_of_a_pdf_with_no_line_between_them_are_one() -> None:
    pytest.importorskip("pypdfium2")
    lines = "70 630 m 270 630 l S 70 600 m 270 600 l S 170 570 m 170 630 l S "
    words = [(140, 640, "All about otters"), (75, 610, "Food"), (175, 610, "Fish")]
    words += [(75, 580, "Home"), (175, 580, "Rivers")]
    cells = "".join(f"BT 0 g /F1 12 Tf {x} {y} Td ({word}) Tj ET " for x, y, word in words)

    drawn = f"1 w 70 570 200 90 re S {lines}{cells}"
    markdown = read_document(drawn_pdf(drawn), "application/pdf", URL).markdown

    assert markdown == "| All about otters |  |\n| --- | --- |\n| Food | Fish |\n| Home | Rivers |"


@pytest.mark.parametrize(
    "damage",
    [
        lambda body: body.replace(b"startxref\n", b"startxref\n9"),
        lambda body: body[: body.index(b"xref")],
    ],
)
def test_a_pdf_with_a_damaged_table_of_objects_is_read(damage: Callable[[bytes], bytes]) -> None:
    pytest.importorskip("pypdfium2")

    extracted = read_document(damage(pdf("Otters swim")), "application/pdf", URL)

    assert extracted.markdown == "Otters swim"


def test_json_is_pretty_and_fenced() -> None:
    extracted = read_document(
        '{"name":"Ötter"}'.encode(), "application/ld+json; charset=utf-8", URL
    )

    assert extracted == Extracted(markdown='```json\n{\n  "name": "Ötter"\n}\n```')


def test_half_of_a_json_document_is_shown_as_it_is() -> None:
    assert (
        read_document(b'{"a": [1,', "application/json", URL).markdown == '```json\n{"a": [1,\n```'
    )


def test_plain_text_and_markdown_pass_as_they_are() -> None:
    assert read_document(b"# Otters\r\n\r\nswim\r\n", "text/markdown", URL) == Extracted(
        markdown="# Otters\n\nswim"
    )


def test_html_that_calls_itself_plain_text_is_still_html() -> None:
    assert read_document(b"<!DOCTYPE html><title>T</title><p>x", "text/plain", URL).title == "T"


JAPANESE = f"<html><p>{'ラッコは一生を海にすむ動物である。' * 5}</p></html>"
FRENCH = f"<meta charset=CHARSET><p>{'plain words ' * 300}un café déjà fermé</p>"


@pytest.mark.parametrize(
    "encoding", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be", "utf-32", "iso2022_jp"]
)
def test_an_encoding_that_nothing_names_is_found(encoding: str) -> None:
    assert decode(JAPANESE.encode(encoding), "text/html") == JAPANESE
    assert "ラッコ" in read_document(JAPANESE.encode(encoding), "text/html", URL).markdown


def test_a_few_broken_bytes_do_not_make_utf_8_another_encoding() -> None:
    page = f"<p>{'Café crème sur la côte. ' * 5}</p>".encode()

    assert decode(page + b"\xff" + page, "text/html") == f"{page.decode()}\ufffd{page.decode()}"


def test_thai_that_nothing_names_is_told_from_letters_with_accents() -> None:
    page = "<p>นากทะเลอาศัยอยู่ตามชายฝั่งมหาสมุทรแปซิฟิกตอนเหนือ</p>"

    assert decode(page.encode("tis-620"), "text/html") == page


@pytest.mark.parametrize("declared", ["utf-8", "big5", "gb2312"])
def test_latin_letters_under_a_wrong_declaration_are_found(declared: str) -> None:
    page = FRENCH.replace("CHARSET", declared)

    assert decode(page.encode("latin-1"), "text/html") == page


def test_other_xml_is_shown_as_xml() -> None:
    assert read_document(b"<a><b/></a>", "text/xml", URL).markdown == "```xml\n<a><b/></a>\n```"


@pytest.mark.parametrize(
    ("body", "content_type", "named"),
    [
        (b"\x89PNG\r\n\x1a\n", "image/png", "image/png"),
        (b"PK\x03\x04rest", "text/html", "text/html"),
        (zlib.compress(b"x") + b"\0" * 400, "", "application/octet-stream"),
        (b"MZ", "application/x-msdownload", "application/x-msdownload"),
    ],
)
def test_what_has_no_text_is_refused_by_name(body: bytes, content_type: str, named: str) -> None:
    assert read_document(body, content_type, URL) == Extracted(
        problem=f"{named!r} is not a document with text: nothing was read"
    )
