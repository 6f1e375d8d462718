"""Pages that are not what they say, and pages that are empty until a script has run."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import orjson

from groundwire.sandbox.services.service import HTML, JSON, ServiceCall, ServiceReply
from groundwire.sandbox.site.articles import document
from groundwire.sandbox.site.documents import LINES, pdf

GERMAN = "<p>Größe, Maß und Übermut kosten fünf €.</p>"
JAPANESE = "<p>新幹線は速い。</p>"
PNG = b"\x89PNG\r\n\x1a\n" + b"\x00\x00\x00\rIHDR" + bytes(17)


def html_as_image(_call: ServiceCall) -> ServiceReply:
    """Call a page an image."""
    return ServiceReply(body=document("No image", "<p>Words.</p>"), content_type="image/png")


def pdf_as_html(_call: ServiceCall) -> ServiceReply:
    """Call a PDF a page."""
    return ServiceReply(body=pdf(LINES), content_type=HTML)


def image_as_html(_call: ServiceCall) -> ServiceReply:
    """Call an image a page."""
    return ServiceReply(body=PNG, content_type=HTML)


def html_as_text(_call: ServiceCall) -> ServiceReply:
    """Call a page plain text."""
    return ServiceReply(body=document("Text?", "<p>Words.</p>"), content_type="text/plain")


def html_as_bytes(_call: ServiceCall) -> ServiceReply:
    """Say nothing of use about a page."""
    return ServiceReply(
        body=document("?", "<p>Words.</p>"), content_type="application/octet-stream"
    )


def html_as_json(_call: ServiceCall) -> ServiceReply:
    """Call a page JSON."""
    return ServiceReply(body=document("JSON?", "<p>Words.</p>"), content_type=JSON)


def broken_utf8(_call: ServiceCall) -> ServiceReply:
    """Mix bytes into a page that no character has."""
    body = document("Broken", GERMAN).replace("ö".encode(), b"\xff\xfe\xc3(")
    return ServiceReply(body=body, content_type=HTML)


def encoded(
    _call: ServiceCall, *, said: str, written: str, words: str, meta: str = ""
) -> ServiceReply:
    """Write a page in one encoding and say another in the header, or in the page itself."""
    text = (
        f"<!doctype html><html><head>{f'<meta charset={meta}>' if meta else ''}"
        f"<title>Encoding</title></head><body>{words}</body></html>"
    )
    content_type = f"text/html; charset={said}" if said else "text/html"
    return ServiceReply(body=text.encode(written), content_type=content_type)


def script_only(_call: ServiceCall) -> ServiceReply:
    """Show nothing until a script has fetched the content."""
    script = (
        'fetch("script-only.json").then(reply => reply.json()).then(page => setTimeout(() => {'
        'const root = document.getElementById("root");'
        "for (const [name, words] of page) { const made = document.createElement(name);"
        "made.textContent = words; root.append(made); }}, 50));"
    )
    content = (
        '<div id="root"></div><noscript>You need to enable JavaScript to run this app.</noscript>'
        f"<script>{script}</script>"
    )
    return ServiceReply(body=document("App", content), content_type=HTML)


def script_content(_call: ServiceCall) -> ServiceReply:
    """Return what the script fetches."""
    words = [["h1", "Made by a script"], ["p", "These words came after the page was loaded."]]
    return ServiceReply(body=orjson.dumps(words))


def script_private(call: ServiceCall) -> ServiceReply:
    """Try to reach this machine from inside the page, in every way a page has."""
    target = f"http://127.0.0.1:{call.port}/pages/secret?by="
    script = (
        f'fetch("{target}fetch").then(reply => reply.text()).then(words => '
        "document.body.append(words)).catch(() => {});"
        'fetch("http://169.254.169.254/latest/meta-data/").catch(() => {});'
    )
    content = (
        f'<p>Nothing to see.</p><img src="{target}image"><iframe src="{target}frame"></iframe>'
        f'<link rel="stylesheet" href="{target}style"><script src="{target}script"></script>'
        f"<script>{script}</script>"
    )
    return ServiceReply(body=document("Curious", content), content_type=HTML)


def script_redirect(call: ServiceCall) -> ServiceReply:
    """Leave for this machine by script."""
    target = f"http://127.0.0.1:{call.port}/pages/secret?by=location"
    return ServiceReply(
        body=document("Leaving", f'<script>location = "{target}";</script>'), content_type=HTML
    )


DISGUISES: dict[str, Callable[[ServiceCall], ServiceReply]] = {
    "html-as-image": html_as_image,
    "pdf-as-html": pdf_as_html,
    "image-as-html": image_as_html,
    "html-as-text": html_as_text,
    "html-as-bytes": html_as_bytes,
    "html-as-json": html_as_json,
    "broken-utf8": broken_utf8,
    "charset-wrong": partial(encoded, said="utf-8", written="cp1252", words=GERMAN),
    "charset-lying": partial(
        encoded, said="iso-8859-1", written="utf-8", words=GERMAN, meta="utf-8"
    ),
    "charset-unknown": partial(encoded, said="utf-99", written="utf-8", words=GERMAN),
    "charset-in-page": partial(
        encoded, said="", written="shift_jis", words=JAPANESE, meta="shift_jis"
    ),
    "charset-unsaid": partial(encoded, said="", written="cp1252", words=GERMAN),
    "charset-utf16": partial(encoded, said="", written="utf-16", words=JAPANESE),
    "script-private": script_private,
    "script-redirect": script_redirect,
}
