"""The body of a client's request: bounded, unpacked and parsed."""

from __future__ import annotations

import asyncio
import zlib
from typing import TYPE_CHECKING

import orjson
import zstandard

from groundwire.gateway.refusals import RefusedTurnError, invalid

if TYPE_CHECKING:
    from starlette.types import Receive

    from groundwire.model import Json

MAX_BYTES = 32_000_000
"""What Claude Code tells its user that a request may have."""
MAX_PARTS = 2_000_000
"""Most values of a body: a list of empty lists takes fifty times its bytes as objects."""
MAX_DEPTH = 100
"""Most levels of a body: what is deeper cannot be written as JSON again."""
_ON_LOOP_BYTES = 262_144
# A window is memory that the sender chooses: as much as a whole body may have.
_WINDOW_BYTES = 1 << 25
# So little that what it unpacks to fits into memory: zstd packs some 33,000 to 1 at most.
_PIECE_BYTES = 1_024


async def read_json(receive: Receive, encoding: str, length: str) -> Json:
    """Return what a body says.

    Raises:
        RefusedTurnError: It is too large, packed in an unknown way, or no JSON.
    """
    if length.isdecimal() and int(length) > MAX_BYTES:
        raise _too_large()
    body = await _received(receive)
    if len(body) <= _ON_LOOP_BYTES:
        return _parsed(body, encoding)
    return await asyncio.to_thread(_parsed, body, encoding)


async def _received(receive: Receive) -> bytes:
    body = bytearray()
    while True:
        message = await receive()
        if message["type"] != "http.request":
            raise asyncio.CancelledError
        body += message.get("body", b"")
        if len(body) > MAX_BYTES:
            raise _too_large()
        if not message.get("more_body", False):
            return bytes(body)


def _parsed(body: bytes, encoding: str) -> Json:
    plain = _unpacked(body, encoding.strip().lower())
    if sum(plain.count(sign) for sign in (b",", b"[", b"{")) > MAX_PARTS:
        raise RefusedTurnError(invalid("The body has too many values: send less at once."))
    try:
        value: Json = orjson.loads(plain)
    except ValueError as error:
        reason = str(error)
    else:
        if not _is_too_deep(value):
            return value
        reason = f"it has more than {MAX_DEPTH} levels"
    raise RefusedTurnError(invalid(f"The body is no JSON that is read here: {reason[:200]}"))


def _is_too_deep(value: Json) -> bool:
    level: list[Json] = [value] if isinstance(value, dict | list) else []
    for _ in range(MAX_DEPTH):
        holders = [each.values() if isinstance(each, dict) else each for each in level]
        level = [one for each in holders for one in each if isinstance(one, dict | list)]
        if not level:
            return False
    return True


def _unpacked(body: bytes, encoding: str) -> bytes:
    if encoding in ("", "identity"):
        return body
    if encoding == "gzip":
        return _gunzipped(body)
    if encoding == "zstd":
        return _unpacked_zstd(body)
    raise RefusedTurnError(
        invalid(
            f"Bodies in {encoding!r} are not read here: send gzip or zstd, or leave it unpacked.",
            status=415,
            code="unsupported_media_type",
        )
    )


def _gunzipped(body: bytes) -> bytes:
    reader = zlib.decompressobj(wbits=31)
    try:
        plain = reader.decompress(body, MAX_BYTES + 1)
    except zlib.error:
        raise RefusedTurnError(invalid("The body is no gzip.")) from None
    if len(plain) > MAX_BYTES:
        raise _too_large()
    if not reader.eof:
        raise RefusedTurnError(invalid("The gzip of the body ends too early."))
    return plain


def _unpacked_zstd(body: bytes) -> bytes:
    """Return what a body of one zstd frame says, never more of it than a body may have."""
    reader = zstandard.ZstdDecompressor(max_window_size=_WINDOW_BYTES).decompressobj()
    plain = bytearray()
    for start in range(0, len(body), _PIECE_BYTES):
        try:
            plain += reader.decompress(body[start : start + _PIECE_BYTES])
        except zstandard.ZstdError:
            raise RefusedTurnError(invalid("The body is no zstd.")) from None
        if len(plain) > MAX_BYTES:
            raise _too_large()
    if not reader.eof:
        raise RefusedTurnError(invalid("The zstd of the body ends too early."))
    return bytes(plain)


def _too_large() -> RefusedTurnError:
    limit = MAX_BYTES // 1_000_000
    message = f"The request is over the limit of {limit} MB: send less at once."
    return RefusedTurnError(invalid(message, status=413, code="request_too_large"))
