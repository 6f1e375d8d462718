"""Reads any document that has text in it, by what it is and not only by what its header says."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from groundwire.reader.characters import decode, visible, wide_encoding
from groundwire.reader.extracted import Extracted
from groundwire.reader.feeds import START_OF_FEED, is_json_feed, read_feed, read_json_feed
from groundwire.reader.html import extract
from groundwire.reader.office import OFFICE_KINDS, OFFICE_TYPES, office_kind, read_office
from groundwire.reader.pdf import read_pdf
from groundwire.text.markdown import fence_for

if TYPE_CHECKING:
    from groundwire.model import Json

_HTML = re.compile(
    rb"\s*(?:<!--.{0,500}?-->\s*)*<(?:!doctype html|html|head|body)\b", re.IGNORECASE | re.DOTALL
)
_FEED = re.compile(START_OF_FEED)
_FEED_START = re.compile(
    rb"[\s\xef\xbb\xbf]*(?:<\?xml[^>]{0,500}>\s*)?(?:<(?:!--.{0,500}?--|\?[^>]{0,500})>\s*)*"
    + START_OF_FEED.encode(),
    re.DOTALL,
)
_ARCHIVE = b"PK\x03\x04"
_BINARY_STARTS = (
    b"\x89PNG",
    b"\xff\xd8\xff",
    b"GIF8",
    _ARCHIVE,
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


def read_document(body: bytes, content_type: str, url: str) -> Extracted:
    """Return what a body says, whether HTML, PDF, a document of an office, JSON, a feed or text.

    Anything else comes back as a problem that names the type.
    """
    kind = _kind(body, content_type)
    if kind in OFFICE_KINDS:
        return read_office(kind, body)
    match kind:
        case "html":
            return extract(body, content_type, url)
        case "pdf":
            return read_pdf(body)
        case "json" | "xml" | "text":
            return _written(kind, decode(body, content_type), url)
        case _ if kind in OFFICE_TYPES:
            name = OFFICE_TYPES[kind].upper()
            return Extracted(problem=f"it is no {name} file, or a damaged one: nothing was read")
        case _:
            return Extracted(problem=f"{kind!r} is not a document with text: nothing was read")


def _written(kind: str, text: str, url: str) -> Extracted:
    if kind == "json":
        return _json(text, url)
    if kind == "text":
        return _text(text)
    return read_feed(text, url) if _FEED.search(text[:2_000]) else _fenced(text, "xml")


def _kind(body: bytes, content_type: str) -> str:
    """Return html, pdf, docx and the like, json, xml or text; else what the header calls it."""
    declared = content_type.partition(";")[0].strip().lower()
    start = body[:1024]
    # Some servers leave lines of their own before it.
    if start.lstrip().startswith(b"%PDF-") or (declared == "application/pdf" and b"%PDF-" in start):
        return "pdf"
    if body.startswith(_ARCHIVE) and (kind := office_kind(body)):
        return kind
    if body.startswith(_BINARY_STARTS) or _is_binary(body):
        return declared or "application/octet-stream"
    if _HTML.match(body[:2_000]):
        return "html"
    if _FEED_START.match(body[:2_000]):
        return "xml"
    return next((kind for kind, types in _KINDS.items() if types.fullmatch(declared)), declared)


def _is_binary(body: bytes) -> bool:
    start = body[:2_000]
    is_marked = start.startswith((b"\xff\xfe", b"\xfe\xff"))
    return start.count(0) > len(start) // 20 and not is_marked and not wide_encoding(body)


def _text(text: str) -> Extracted:
    markdown = visible(text.replace("\r\n", "\n").replace("\r", "\n")).strip()
    return Extracted(markdown=markdown, problem="" if markdown else "the page has no text")


def _fenced(text: str, language: str) -> Extracted:
    fence = fence_for(text)
    return Extracted(markdown=visible(f"{fence}{language}\n{text.strip()}\n{fence}"))


def _json(text: str, url: str) -> Extracted:
    try:
        value: Json = json.loads(text)
    except (ValueError, RecursionError):
        return _fenced(text, "json")  # Half a document still says something.
    if is_json_feed(value):
        return read_json_feed(value, url)
    return _fenced(json.dumps(value, indent=2, ensure_ascii=False), "json")
