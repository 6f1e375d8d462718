"""Bytes packed for keeping: Zstandard where its package is installed, else zlib.

Zstandard packs a page in a third of the time, which is what keeping every page that is read has to
be judged by. What is packed says itself which of the two it is.
"""

from __future__ import annotations

import zlib
from importlib.util import find_spec

# It comes with the extra `web`.
_HAS_ZSTANDARD = find_spec("zstandard") is not None
_ZSTANDARD = b"\x28\xb5\x2f\xfd"
_FAST = 1


def pack(body: bytes) -> bytes:
    """Return bytes packed, fast rather than small."""
    if _HAS_ZSTANDARD:
        import zstandard  # noqa: PLC0415 - it may be missing

        return zstandard.ZstdCompressor(level=_FAST).compress(body)
    return zlib.compress(body, _FAST)


def unpack(packed: bytes, max_bytes: int) -> bytes:
    """Return what was packed.

    Raises:
        ValueError: It is damaged, larger than it may be, or packed by a package that is not here.
    """
    if packed.startswith(_ZSTANDARD):
        return _unpack_zstandard(packed, max_bytes)
    unpacker = zlib.decompressobj()
    try:
        body = unpacker.decompress(packed, max_bytes)
    except zlib.error as error:
        raise ValueError(f"packed bytes are damaged: {error}") from error
    if not unpacker.eof:
        raise ValueError(f"packed bytes are cut off, or over the limit of {max_bytes:,}")
    return body


def _unpack_zstandard(packed: bytes, max_bytes: int) -> bytes:
    if not _HAS_ZSTANDARD:
        raise ValueError("these bytes are packed with Zstandard: install groundwire[web]")
    import zstandard  # noqa: PLC0415 - it may be missing

    try:
        size = zstandard.frame_content_size(packed)
        if not 0 <= size <= max_bytes:
            raise ValueError(f"packed bytes are over the limit of {max_bytes:,}")
        return zstandard.ZstdDecompressor().decompress(packed, max_output_size=max_bytes)
    except zstandard.ZstdError as error:
        raise ValueError(f"packed bytes are damaged: {error}") from error
