"""Reads any document that has text in it, by what it is and not only by what its header says."""

from __future__ import annotations

import importlib
import json
import re
from typing import TYPE_CHECKING

from groundwire.reader.characters import decode, visible
from groundwire.reader.extracted import Extracted
from groundwire.reader.feeds import read_feed
from groundwire.reader.html import extract
from groundwire.text.markdown import fence_for

if TYPE_CHECKING:
    from groundwire.model import Json

_HTML = re.compile(
    rb"\s*(?:<!--.{0,500}?-->\s*)*<(?:!doctype html|html|head|body)\b", re.IGNORECASE | re.DOTALL
)
_FEED = re.compile(r"<(?:rss|feed|rdf:RDF)\b")
_BINARY_STARTS = (
    b"\x89PNG",
    b"\xff\xd8\xff",
    b"GIF8",
    b"PK\x03\x04",
    b"\x1f\x8b",
    b"RIFF",
    b"\x7fELF",
)
_KINDS = {
    "html": re.compile(r".*html.*"),
    "json": re.compile(r"(?:application|text)/(?:.*\+)?json"),
    "xml": re.compile(r"(?:application|text)/(?:.*\+)?xml"),
    "text": re.compile(
        r"|text/.*|application/(?:octet-stream|javascript|x-javascript|yaml|x-yaml|toml|x-sh|sql"
        r"|x-ndjson|jsonl)"
    ),
}
_MAX_PDF_PAGES = 500
_NO_PDF = "reading PDF needs one more package: pip install 'groundwire[pdf]'"


def read_document(body: bytes, content_type: str, url: str) -> Extracted:
    """Return what a body says, whether HTML, PDF, JSON, a feed or plain text.

    Anything else comes back as a problem that names the type.
    """
    kind = _kind(body, content_type)
    match kind:
        case "html":
            return extract(body, content_type, url)
        case "pdf":
            return _pdf(body)
        case "json":
            return _json(decode(body, content_type))
        case "xml":
            text = decode(body, content_type)
            return read_feed(text, url) if _FEED.search(text[:2_000]) else _fenced(text, "xml")
        case "text":
            return _text(decode(body, content_type))
        case _:
            return Extracted(problem=f"{kind!r} is not a document with text: nothing was read")


def _kind(body: bytes, content_type: str) -> str:
    """Return html, pdf, json, xml or text; for anything else what the header calls it."""
    declared = content_type.partition(";")[0].strip().lower()
    if body[:1024].lstrip().startswith(b"%PDF-"):
        return "pdf"
    if body.startswith(_BINARY_STARTS) or _is_binary(body):
        return declared or "application/octet-stream"
    if _HTML.match(body[:2_000]):
        return "html"
    return next((kind for kind, types in _KINDS.items() if types.fullmatch(declared)), declared)


def _is_binary(body: bytes) -> bool:
    start = body[:2_000]
    return start.count(0) > len(start) // 20 and not start.startswith((b"\xff\xfe", b"\xfe\xff"))


def _text(text: str) -> Extracted:
    markdown = visible(text.replace("\r\n", "\n").replace("\r", "\n")).strip()
    return Extracted(markdown=markdown, problem="" if markdown else "the page has no text")


def _fenced(text: str, language: str) -> Extracted:
    fence = fence_for(text)
    return Extracted(markdown=visible(f"{fence}{language}\n{text.strip()}\n{fence}"))


def _json(text: str) -> Extracted:
    try:
        value: Json = json.loads(text)
    except (ValueError, RecursionError):
        return _fenced(text, "json")  # Half a document still says something.
    return _fenced(json.dumps(value, indent=2, ensure_ascii=False), "json")


def _pdf(body: bytes) -> Extracted:
    try:
        pdfium = importlib.import_module("pypdfium2")
    except ImportError:
        return Extracted(problem=_NO_PDF)
    try:
        document = pdfium.PdfDocument(body)
    except pdfium.PdfiumError as error:
        return Extracted(problem=f"the PDF cannot be read: {error}")
    count = min(len(document), _MAX_PDF_PAGES)
    pages = [_pdf_page(document, number, pdfium.PdfiumError) for number in range(count)]
    title = document.get_metadata_dict().get("Title", "")
    is_cut = len(document) > _MAX_PDF_PAGES
    document.close()
    # A page without words keeps its place, so that the others keep their numbers.
    markdown = "\n\n---\n\n".join(pages) if any(pages) else ""
    problem = "" if markdown else "the PDF has no text, only pictures"
    return Extracted(
        title=visible(title), markdown=markdown, problem=problem, is_cut=is_cut, has_pages=True
    )


def _pdf_page(document: Json, number: int, failure: type[Exception]) -> str:
    """Return the words of a page; of one that is broken, none."""
    try:
        page = document[number]
        text = page.get_textpage()
    except failure:
        return ""
    words: str = text.get_text_bounded()
    text.close()
    page.close()
    return visible(words.replace("\r\n", "\n")).strip()
