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
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_DECLARED = re.compile(
    rb"""<(?:meta|\?xml)[^>]*?(?:charset|encoding)\s*=\s*["']?\s*([\w:.-]+)""", re.IGNORECASE
)
_HEAD_BYTES = 4_096
_WIDE_BYTES = 4_000  # A multiple of four.
_LOOKED_AT = 200_000
_FEW_OF_WHOLE = 10  # One of so many characters of several bytes may be broken in UTF-8.
_FEW_BROKEN = 200  # One character of so many may be broken in an encoding that is right.
# In which of four bytes zeros are always, often, as of the markup's ASCII letters, or hardly ever:
# one of the commonest Chinese characters ends in a zero.
_ALWAYS, _OFTEN, _HARDLY = (0.95, 1.0), (0.04, 1.0), (0.0, 0.08)
_WIDE = {
    "utf-32-le": (_HARDLY, _OFTEN, _ALWAYS, _ALWAYS),
    "utf-32-be": (_ALWAYS, _ALWAYS, _OFTEN, _HARDLY),
    "utf-16-le": (_HARDLY, _OFTEN, _HARDLY, _OFTEN),
    "utf-16-be": (_OFTEN, _HARDLY, _OFTEN, _HARDLY),
}
_NO_TEXT = re.compile("[\x00-\x08\x0e-\x1f\x7f\ue000-\uf8ff\ufffd-\uffff]")
_HIGH = re.compile(rb"[\x80-\xff]")
_THAI = re.compile(rb"[\xa1-\xda\xdf-\xfb]{6,}")
_NOT_ASCII = re.compile(r"[^\x00-\x7f]+")
_ACCENTED = re.compile(rb"[A-Za-z][\xc0-\xff]|[\xc0-\xff][A-Za-z]")
_JAPANESE = re.compile(rb"\x1b(?:\$[@B]|\([IJ])")
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
    if unmarked := wide_encoding(body) or _escaping_encoding(body):
        return body.decode(unmarked, errors="replace")
    try:
        # UTF-8 that is whole is never anything else by accident, whatever the header says.
        return body.decode("utf-8")
    except UnicodeDecodeError as problem:
        if _is_cut_at_the_end(problem, body):
            return body.decode("utf-8", errors="replace")
    declared = _known(charset(content_type)) or _known(_declaration(body))
    if declared and declared != "utf-8":
        text = body.decode(declared, errors="replace")
        broken, whole = _broken_and_whole(text)
        if broken * _FEW_BROKEN < len(text) and broken <= whole:
            return text
    return body.decode(_guess(body, declared), errors="replace")


def _escaping_encoding(body: bytes) -> str:
    """Return the encoding that changes alphabets by an escape, all in ASCII; "" if invalid."""
    is_japanese = _JAPANESE.search(body[:_LOOKED_AT]) is not None and body.isascii()
    return "iso2022_jp_ext" if is_japanese else ""


def wide_encoding(body: bytes) -> str:
    """Return UTF-16 or UTF-32, whichever a text without a byte order mark is in; "" if neither.

    Markup is ASCII in every language, so that one byte of two, or three of four, are often zero.
    """
    start = body[:_WIDE_BYTES]
    if len(start) < 8 or 0 not in start:
        return ""
    zeros = [start[place::4].count(0) * 4 / len(start) for place in range(4)]
    for name, limits in _WIDE.items():
        if all(least <= zero <= most for zero, (least, most) in zip(zeros, limits, strict=True)):
            text = start[: len(start) // 4 * 4].decode(name, "replace")
            return name if len(_NO_TEXT.findall(text)) * _FEW_BROKEN <= len(text) else ""
    return ""


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


def _broken_and_whole(text: str) -> tuple[int, int]:
    """Return how many characters outside of ASCII could not be decoded, and how many could."""
    broken = text.count("\ufffd")
    return broken, sum(map(len, _NOT_ASCII.findall(text))) - broken


def _guess(body: bytes, declared: str) -> str:
    text = body.decode("utf-8", errors="replace")
    broken, whole = _broken_and_whole(text)
    # Bytes of another encoding are hardly ever whole characters by accident, let alone nearly all.
    if broken * _FEW_OF_WHOLE <= whole:
        return "utf-8"
    if declared:
        # UTF-8 was promised: a few broken bytes are likelier than another encoding. Not so where
        # hardly a character is whole, and the bytes stand beside letters as accented ones do.
        are_letters = whole < broken <= 2 * len(_ACCENTED.findall(body))
        if broken * _FEW_BROKEN < len(body) and not are_letters:
            return "utf-8"
    # What the page says of itself was wrong; the detector would believe it.
    look = _DECLARED.sub(b"<", body[:_LOOKED_AT])
    found = _known(detect(look).encoding or "") or "cp1252"
    # Letters with accents stand alone among others; in Thai, hardly a word has any other.
    is_thai = found == "cp1252" and len(b"".join(_THAI.findall(look))) * 2 > len(
        _HIGH.findall(look)
    )
    return "cp874" if is_thai else found
