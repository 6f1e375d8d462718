"""Documents that are not HTML, and headers that do not tell the truth."""

from __future__ import annotations

import zlib

import pytest

from groundwire.reader import Extracted, read_document

URL = "https://example.org/file"
PAGE = "<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Resources<</Font<</F1 3 0 R>>>>"


def pdf(*pages: str) -> bytes:
    """Return a small PDF with one line of text on each page."""
    kids = " ".join(f"{4 + 2 * n} 0 R" for n in range(len(pages)))
    objects = [
        "<</Type/Catalog/Pages 2 0 R>>",
        f"<</Type/Pages/Kids[{kids}]/Count {len(pages)}>>",
        "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
    ]
    for number, text in enumerate(pages):
        content = f"BT /F1 12 Tf 72 720 Td ({text}) Tj ET"
        objects += [
            f"{PAGE}/Contents {5 + 2 * number} 0 R>>",
            f"<</Length {len(content)}>>stream\n{content}\nendstream",
        ]
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

    assert extracted == Extracted(markdown="Otters swim\n\n---\n\nOtters eat")


def test_a_page_of_a_pdf_without_words_keeps_its_place() -> None:
    pytest.importorskip("pypdfium2")

    extracted = read_document(pdf("Otters swim", "", "Otters eat"), "application/pdf", URL)

    assert extracted.markdown.split("\n\n---\n\n") == ["Otters swim", "", "Otters eat"]


def test_a_pdf_is_known_by_its_first_bytes_and_a_broken_one_is_refused() -> None:
    pytest.importorskip("pypdfium2")

    extracted = read_document(b"%PDF-1.7 and nothing more", "text/html", URL)

    assert extracted.problem.startswith("the PDF cannot be read")


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


def test_rss_is_a_list_of_entries_with_links() -> None:
    feed = """<?xml version="1.0"?><rss version="2.0"><channel><title>River News</title>
    <link>https://example.org/</link><item><title>Otters &amp; fish</title><link>/otters</link>
    <pubDate>Mon, 02 Nov 2026</pubDate><description>&lt;p&gt;They eat.&lt;/p&gt;</description>
    </item></channel></rss>"""

    assert read_document(feed.encode(), "application/rss+xml", URL) == Extracted(
        title="River News",
        markdown="- [Otters & fish](https://example.org/otters) (Mon, 02 Nov 2026): They eat.",
    )


def test_atom_is_read_too() -> None:
    feed = """<feed xmlns="http://www.w3.org/2005/Atom"><title>River</title><entry>
    <title>Otters</title><link rel="self" href="/self"/><link href="https://example.org/o"/>
    <updated>2026-11-02</updated><summary>They swim.</summary></entry></feed>"""

    assert read_document(feed.encode(), "application/atom+xml", URL) == Extracted(
        title="River", markdown="- [Otters](https://example.org/o) (2026-11-02): They swim."
    )


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
