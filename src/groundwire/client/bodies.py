"""Read bodies of replies, with a size limit before and after decompression."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING

from groundwire.errors import BadReplyError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

ACCEPT_ENCODING = "gzip, deflate"
_AUTOMATIC = zlib.MAX_WBITS | 32  # gzip or zlib, by the header
_BARE = -zlib.MAX_WBITS  # deflate without a header, which some servers send


class Unpacker:
    """Undoes a content encoding, never beyond `max_bytes` in all."""

    def __init__(self, encoding: str, max_bytes: int, service: str) -> None:
        self.is_full = False
        self._service = service
        self._room = max_bytes
        name = encoding.strip().lower()
        if name not in ("", "identity", "gzip", "x-gzip", "deflate"):
            raise BadReplyError(service, f"the body is encoded as {name!r}, which was not offered")
        self.is_packed = name not in ("", "identity")
        self._may_be_bare = name == "deflate"
        self._inflater = zlib.decompressobj(_AUTOMATIC)

    def unpack(self, data: bytes) -> bytes:
        """Return the next decoded bytes; nothing more once the limit is reached."""
        # One byte more than there is room for: whether there is one tells a whole body from a cut
        # one, also where only the checksum of a packed one has yet to come.
        piece = self._inflate(data, self._room + 1) if self.is_packed else data
        self.is_full = self.is_full or len(piece) > self._room
        piece = piece[: self._room]
        self._room -= len(piece)
        return piece

    def _inflate(self, data: bytes, room: int) -> bytes:
        pieces: list[bytes] = []
        while data and room > 0:
            piece = self._inflate_member(data, room)
            pieces.append(piece)
            room -= len(piece)
            if not self._inflater.eof:
                break
            data = self._inflater.unused_data  # A gzip file may be several, one after another.
            self._inflater = zlib.decompressobj(_AUTOMATIC)
        return b"".join(pieces)

    def _inflate_member(self, data: bytes, room: int) -> bytes:
        try:
            piece = self._inflater.decompress(data, room)
        except zlib.error:
            is_bare = self._may_be_bare
        else:
            self._may_be_bare = False
            return piece
        if not is_bare:
            raise BadReplyError(self._service, "the body is not encoded as its header says")
        self._may_be_bare = False
        self._inflater = zlib.decompressobj(_BARE)
        return self._inflate_member(data, room)


async def read_up_to(
    read: Callable[[], Awaitable[bytes]], unpacker: Unpacker, max_bytes: int, body: bytearray
) -> bool:
    """Read a body into `body` and tell whether all of it is within the limit.

    What was read stays in `body` also if the reading is interrupted.
    """
    received = 0
    while chunk := await read():
        received += len(chunk)
        over = received - max_bytes
        body += unpacker.unpack(chunk[:-over] if over > 0 else chunk)
        if over > 0 or unpacker.is_full:
            return False
    return True
