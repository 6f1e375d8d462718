"""Bodies that never end, come too slowly, swell, or stop in the middle."""

from __future__ import annotations

import struct
import zlib
from functools import cache

from groundwire.sandbox.faults import Ending
from groundwire.sandbox.services.service import HTML, ServiceCall, ServiceReply
from groundwire.sandbox.site.articles import document

MEBIBYTE = 1 << 20
OPENING = b"<!doctype html><title>Long</title><p>The beginning."
PARAGRAPH = b"<p>And it goes on and on.</p>\n"
DRIP_SECONDS = 0.05
# Fits the stream whole after any flush: a last block without content.
LAST_BLOCK = b"\x03\x00"
MOST_MEBIBYTES = 1024


def drip(_call: ServiceCall) -> ServiceReply:
    """Send a byte every 50 ms, for ever."""
    return ServiceReply(
        body=OPENING,
        content_type=HTML,
        ending=Ending.ENDLESS,
        repeated=b".",
        pace_seconds=DRIP_SECONDS,
    )


def endless(_call: ServiceCall) -> ServiceReply:
    """Send paragraphs as fast as they are taken, for ever."""
    repeated = PARAGRAPH * 500
    return ServiceReply(body=OPENING, content_type=HTML, ending=Ending.ENDLESS, repeated=repeated)


def silent(_call: ServiceCall) -> ServiceReply:
    """Send the beginning, and then nothing more."""
    return ServiceReply(body=OPENING, content_type=HTML, ending=Ending.SILENT)


def slow(call: ServiceCall) -> ServiceReply:
    """Send nothing for `?seconds=` (30), then a page."""
    body = document("Slow", "<p>Here at last.</p>")
    seconds = call.query_number("seconds", 30)
    return ServiceReply(body=body, content_type=HTML, delay_seconds=seconds)


def gzip_bomb(call: ServiceCall) -> ServiceReply:
    """Swell to `?mebibytes=` (256) when unpacked."""
    return _encoded("gzip", _gzip(_mebibytes(call)))


def deflate_bomb(call: ServiceCall) -> ServiceReply:
    """Do the same in the other packing."""
    return _encoded("deflate", _zlib(_mebibytes(call)))


def double_bomb(call: ServiceCall) -> ServiceReply:
    """Swell when it is unpacked a second time."""
    return _encoded("gzip, gzip", zlib.compress(_gzip(_mebibytes(call)), wbits=31))


def false_gzip(_call: ServiceCall) -> ServiceReply:
    """Say that it is packed, though it is not."""
    return _encoded("gzip", document("Plain", "<p>Never packed.</p>"))


def half_gzip(_call: ServiceCall) -> ServiceReply:
    """End in the middle of the packed body, though the length fits."""
    packed = zlib.compress(document("Half", PARAGRAPH.decode() * 2000), wbits=31)
    return _encoded("gzip", packed[: len(packed) // 2])


def long_line(_call: ServiceCall) -> ServiceReply:
    """Send ten megabytes without a line's end."""
    words = b"word " * (2 * MEBIBYTE)
    return ServiceReply(body=b"<!doctype html><title>Line</title><p>" + words, content_type=HTML)


def deep(_call: ServiceCall) -> ServiceReply:
    """Nest a hundred thousand elements."""
    depth = 100_000
    inner = b"<p>The innermost words.</p>"
    body = b"<!doctype html><title>Deep</title>" + b"<div>" * depth + inner + b"</div>" * depth
    return ServiceReply(body=body, content_type=HTML)


def wide_table(_call: ServiceCall) -> ServiceReply:
    """Send a table of three megabytes."""
    row = b"<tr>" + b"".join(b"<td>%d</td>" % number for number in range(20)) + b"</tr>"
    body = b"<!doctype html><title>Table</title><table>" + row * 16_000 + b"</table>"
    return ServiceReply(body=body, content_type=HTML)


def cut(_call: ServiceCall) -> ServiceReply:
    """Close the connection in the middle."""
    body = document("Cut", PARAGRAPH.decode() * 50)
    return ServiceReply(body=body[: len(body) // 2], content_type=HTML, ending=Ending.CUT)


def length_too_long(_call: ServiceCall) -> ServiceReply:
    """Promise twice as much as comes."""
    body = document("Short", PARAGRAPH.decode())
    headers = {"content-length": str(2 * len(body))}
    return ServiceReply(body=body, content_type=HTML, headers=headers, ending=Ending.CUT)


def length_too_short(_call: ServiceCall) -> ServiceReply:
    """Promise half of what comes."""
    body = document("Long", PARAGRAPH.decode())
    return _raw({"Content-Type": HTML, "Content-Length": str(len(body) // 2)}, body)


def no_length(_call: ServiceCall) -> ServiceReply:
    """End the body with the connection only, so that nobody knows whether it is whole."""
    return _raw({"Content-Type": HTML}, document("Until the end", PARAGRAPH.decode()))


def no_type(_call: ServiceCall) -> ServiceReply:
    """Do not say what it is."""
    return _raw({}, document("Untyped", PARAGRAPH.decode()))


def huge_header(_call: ServiceCall) -> ServiceReply:
    """Send a head of a mebibyte."""
    return _raw({"Content-Type": HTML, "X-Noise": "n" * MEBIBYTE}, document("Head", "<p>Hm.</p>"))


def not_http(_call: ServiceCall) -> ServiceReply:
    """Speak another protocol."""
    return ServiceReply(body=b"SSH-2.0-OpenSSH_10.0\r\n", is_raw=True)


BODIES = {
    "drip": drip,
    "endless": endless,
    "silent": silent,
    "slow": slow,
    "gzip-bomb": gzip_bomb,
    "deflate-bomb": deflate_bomb,
    "double-bomb": double_bomb,
    "false-gzip": false_gzip,
    "half-gzip": half_gzip,
    "long-line": long_line,
    "deep": deep,
    "wide-table": wide_table,
    "cut": cut,
    "length-too-long": length_too_long,
    "length-too-short": length_too_short,
    "no-length": no_length,
    "no-type": no_type,
    "huge-header": huge_header,
    "not-http": not_http,
}


def _mebibytes(call: ServiceCall) -> int:
    return max(1, min(int(call.query_number("mebibytes", 256)), MOST_MEBIBYTES))


def _encoded(encoding: str, body: bytes) -> ServiceReply:
    headers = {"content-encoding": encoding, "content-length": str(len(body))}
    return ServiceReply(body=body, content_type=HTML, headers=headers)


def _raw(headers: dict[str, str], body: bytes) -> ServiceReply:
    lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    head = f"HTTP/1.1 200 OK\r\n{lines}Connection: close\r\n\r\n"
    return ServiceReply(body=head.encode() + body, is_raw=True)


def _packed_block() -> tuple[bytes, bytes]:
    """Return a mebibyte, and its packed form that can stand behind any other."""
    block = PARAGRAPH * (MEBIBYTE // len(PARAGRAPH) + 1)
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    return block, packer.compress(block) + packer.flush(zlib.Z_FULL_FLUSH)


@cache
def _gzip(mebibytes: int) -> bytes:
    block, packed = _packed_block()
    check = 0
    for _ in range(mebibytes):
        check = zlib.crc32(block, check)
    size = len(block) * mebibytes % (1 << 32)
    head = b"\x1f\x8b\x08" + b"\x00" * 6 + b"\xff"
    return head + packed * mebibytes + LAST_BLOCK + struct.pack("<II", check, size)


@cache
def _zlib(mebibytes: int) -> bytes:
    block, packed = _packed_block()
    check = 1
    for _ in range(mebibytes):
        check = zlib.adler32(block, check)
    return b"\x78\x9c" + packed * mebibytes + LAST_BLOCK + struct.pack(">I", check)
