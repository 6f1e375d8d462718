"""Pictures as sites serve them: as few bytes as a browser still shows."""

from __future__ import annotations

from struct import pack
from zlib import compress, crc32


def _chunk(name: bytes, data: bytes) -> bytes:
    return pack(">I", len(data)) + name + data + pack(">I", crc32(name + data))


def png(width: int, height: int) -> bytes:
    """Return a PNG that says that it has this size; one of a single green pixel is whole."""
    header = _chunk(b"IHDR", pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
    pixels = _chunk(b"IDAT", compress(b"\x00\x0b\x6b\x4c"))
    return b"\x89PNG\r\n\x1a\n" + header + pixels + _chunk(b"IEND", b"")


def bitmap(width: int, height: int) -> bytes:
    """Return a picture as it stands in an ICO without its pixels: picture and mask."""
    return pack("<IiiHHIIiiII", 40, width, height * 2, 1, 32, 0, 0, 0, 0, 0, 0)


def ico(*pictures: bytes) -> bytes:
    """Return an ICO of some pictures."""
    start, entries = 6 + 16 * len(pictures), b""
    for picture in pictures:
        entries += pack("<BBBBHHII", 16, 16, 0, 0, 1, 32, len(picture), start)
        start += len(picture)
    return b"\x00\x00\x01\x00" + pack("<H", len(pictures)) + entries + b"".join(pictures)


PNG = png(1, 1)
ICO = ico(PNG)
GIF = (
    b"GIF89a\x01\x00\x01\x00\x80\x00\x00\x0bkL\xff\xff\xff,\x00\x00\x00\x00\x01\x00\x01\x00\x00"
    b"\x02\x02D\x01\x00;"
)
