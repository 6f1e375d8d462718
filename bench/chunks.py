"""The least work that takes a chunked body apart, with no regard for what could go wrong."""

from __future__ import annotations


def unchunked(data: bytes) -> tuple[bytes, bytes, bool]:
    """Return the whole chunks' content, the bytes left over and whether the body is over."""
    at, pieces, is_over = 0, [], False
    while (end := data.find(b"\r\n", at)) >= 0:
        size = int(data[at:end], 16)
        if size == 0:
            is_over = True
            break
        if len(data) < end + size + 4:
            break
        pieces.append(data[end + 2 : end + 2 + size])
        at = end + size + 4
    return b"".join(pieces), data[at:], is_over
