"""Small pictures known by their first bytes, whatever their server calls them.

Only formats that hold nothing but pixels: an SVG is a document, and may have scripts and links.
"""

from __future__ import annotations

from struct import error as struct_error
from struct import unpack_from

MAX_SIDE = 512
"""Most pixels of a side: a few bytes can say that they are a picture of gigabytes."""

_PNG = b"\x89PNG\r\n\x1a\n"
_GIF = (b"GIF87a", b"GIF89a")
_ICO = b"\x00\x00\x01\x00"
_MOST_IN_ICO = 64


def media_type_of(body: bytes) -> str:
    """Return the media type of a PNG, GIF or ICO, "" of anything else and of one too large."""
    try:
        if body.startswith(_PNG):
            return "image/png" if _fits(*unpack_from(">II", body, 16)) else ""
        if body.startswith(_GIF):
            return "image/gif" if _fits(*unpack_from("<HH", body, 6)) else ""
        if body.startswith(_ICO):
            return "image/x-icon" if _all_fit(body) else ""
    except struct_error:
        pass
    return ""


def _all_fit(body: bytes) -> bool:
    """Tell whether every picture of an ICO is small; a browser may choose any."""
    (count,) = unpack_from("<H", body, 4)
    if not 0 < count <= _MOST_IN_ICO:
        return False
    return all(_fits(*_size_in_ico(body, 6 + 16 * number)) for number in range(count))


def _size_in_ico(body: bytes, entry: int) -> tuple[int, int]:
    (start,) = unpack_from("<I", body, entry + 12)
    if body[start : start + len(_PNG)] == _PNG:
        width, height = unpack_from(">II", body, start + 16)
        return width, height
    width, height = unpack_from("<ii", body, start + 4)
    # A bitmap's height counts its mask as well; a negative one begins at the top.
    return width, abs(height) // 2


def _fits(width: int, height: int) -> bool:
    return 0 < width <= MAX_SIDE and 0 < height <= MAX_SIDE
