"""Bytes to text, and text without the characters that nobody sees."""

from __future__ import annotations

import codecs
import re
from email.message import Message

from turbohtml.detect import detect

# Format characters (zero-width, bidirectional controls, soft hyphens, tags), variation selectors,
# fillers that draw nothing, and control characters: all of them can carry words past a reader.
_INVISIBLE = re.compile(
    "[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u034f\u0600-\u0605\u061c\u06dd"
    "\u070f\u0890\u0891\u08e2\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\ud800-\udfff"
    "\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U000e0fff]"
)
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_DECLARED = re.compile(
    rb"""<(?:meta|\?xml)[^>]*?(?:charset|encoding)\s*=\s*["']?\s*([\w:.-]+)""", re.IGNORECASE
)
_HEAD_BYTES = 4_096
# Codecs of Python that no browser knows: most do not make text of bytes, or not of all bytes.
_NO_ENCODINGS = {
    *("base64", "bz2", "hex", "idna", "mbcs", "oem", "punycode", "quopri", "raw-unicode-escape"),
    *("rot-13", "rot13", "undefined", "unicode-escape", "utf-7", "uu", "zlib"),
}
# What pages call Latin-1 is Windows-1252 in every browser.
_BROWSER_NAMES = {"iso8859-1": "cp1252", "ascii": "cp1252", "gb2312": "gb18030", "gbk": "gb18030"}


def visible(text: str) -> str:
    """Return text without invisible characters."""
    return _INVISIBLE.sub("", text)


def decode(body: bytes, content_type: str) -> str:
    """Return the text of a body: by its mark, its header, its own declaration, or by its look.

    Bytes that do not fit become U+FFFD, never an error.
    """
    for mark, name in _MARKS:
        if body.startswith(mark):
            return body[len(mark) :].decode(name, errors="replace")
    try:
        # UTF-8 that is whole is never anything else by accident, whatever the header says.
        return body.decode("utf-8")
    except UnicodeDecodeError as problem:
        if _is_cut_at_the_end(problem, body):
            return body.decode("utf-8", errors="replace")
    declared = _known(charset(content_type)) or _known(_declaration(body))
    if declared and declared != "utf-8":
        return body.decode(declared, errors="replace")
    return body.decode(_guess(body, declared), errors="replace")


def charset(content_type: str) -> str:
    """Return the charset that a Content-Type header names, or ""."""
    header = Message()
    header["Content-Type"] = content_type.encode("ascii", "replace").decode()
    return str(header.get_param("charset", "")).strip()


def _is_cut_at_the_end(problem: UnicodeDecodeError, body: bytes) -> bool:
    return problem.start > 0 and len(body) - problem.start < 4


def _declaration(body: bytes) -> str:
    match = _DECLARED.search(body[:_HEAD_BYTES])
    return match[1].decode("ascii", errors="replace") if match else ""


def _known(name: str) -> str:
    try:
        found = codecs.lookup(name).name if name else ""
    except (LookupError, ValueError):
        return ""
    if found in ("utf-16", "utf-16-le", "utf-16-be") or found in _NO_ENCODINGS:
        return ""  # A page that says so in ASCII letters is mistaken.
    return _BROWSER_NAMES.get(found, found)


def _guess(body: bytes, declared: str) -> str:
    if declared:
        # UTF-8 was promised: a few broken bytes are likelier than another encoding.
        broken = body.decode("utf-8", errors="replace").count("\ufffd")
        if broken * 200 < len(body):
            return "utf-8"
    return _known(detect(body[:200_000]).encoding or "") or "cp1252"
