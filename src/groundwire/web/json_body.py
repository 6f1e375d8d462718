"""Strangers' JSON at a bounded cost: what is in it is counted before anything is made of it.

A megabyte of `{"a":1,"b":1,…` becomes a hundred megabytes of objects and as many errors. So the
bytes are scanned first, string by string, which costs no objects; what has more parts than any body
of ours is refused. Large base64, which only attachments have, is cut out and becomes text without
a detour, so that what is parsed is small. Nothing here holds the interpreter for long at a time:
it may run in a thread beside the event loop.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from typing import TYPE_CHECKING

import orjson

if TYPE_CHECKING:
    import mmap
    from collections.abc import Iterable, Iterator

    from groundwire.model import Json

MAX_ELEMENTS = 1_500
MAX_KEYS = 256
MAX_CONTAINERS = 64
MAX_STRINGS = 2_000
MAX_STEPS = 1_000_000
MAX_REST_BYTES = 3_000_000
LARGE_BYTES = 65_536

_PIECE_BYTES = 1_048_576
_LONGEST_ESCAPE = 6
_DIGITS = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
# What encoders write for the two of these digits that some of them escape.
_ESCAPES = ((rb"\/", b"/"), (rb"\u002b", b"+"), (rb"\u002B", b"+"), (rb"\u002f", b"/"))


class TooComplexError(ValueError):
    """A body has more parts than any that could be used."""


@dataclass(slots=True, repr=False, eq=False)
class LargeBase64:
    """Text that is known to be base64; emptied once its request was answered.

    An error keeps the body that it is about for as long as the collector lets it.
    """

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsedJson:
    """What a body says, and the large texts in it."""

    value: Json
    large: tuple[LargeBase64, ...] = ()


def parse_json(body: bytes | mmap.mmap) -> ParsedJson:
    """Return what a body says, large base64 as `LargeBase64`.

    Raises:
        json.JSONDecodeError: It is no JSON.
        TooComplexError: It has too many parts.
    """
    scan = _Scan(body)
    tree = orjson.loads(b"".join(scan.pieces()))
    if not scan.cut:
        return ParsedJson(value=tree)
    return ParsedJson(value=_filled(tree, scan.cut), large=tuple(scan.cut.values()))


def is_base64(pieces: Iterable[bytes]) -> bool:
    """Tell whether these bytes, one after the other, are base64 as RFC 4648 has it."""
    length, padding = 0, b""
    for piece in pieces:
        other = piece.translate(None, _DIGITS)
        if (padding and piece.strip(b"=")) or not (padding + piece).endswith(other):
            return False
        padding += other
        length += len(piece)
        if padding.strip(b"=") or len(padding) > 2:
            return False
    return length % 4 == 0


class _Scan:
    """One walk over a body, from string to string."""

    def __init__(self, body: bytes | mmap.mmap) -> None:
        self.cut: dict[str, LargeBase64] = {}
        self._body = body
        self._mark = secrets.token_hex(8)
        self._strings = self._steps = self._elements = self._keys = self._containers = 0
        self._left = MAX_REST_BYTES

    def pieces(self) -> Iterator[bytes]:
        """Give the body piece by piece, with a mark for each large base64."""
        position = 0
        while (start := self._body.find(b'"', position)) >= 0:
            yield self._outside(position, start)
            end = self._end_of_string(start + 1)
            yield self._string(start, end)
            position = end
        yield self._outside(position, len(self._body))

    def _outside(self, start: int, end: int) -> bytes:
        piece = self._taken(start, end)
        self._elements += piece.count(b",")
        self._keys += piece.count(b":")
        self._containers += piece.count(b"[") + piece.count(b"{")
        if (
            self._elements > MAX_ELEMENTS
            or self._keys > MAX_KEYS
            or self._containers > MAX_CONTAINERS
        ):
            raise TooComplexError("the body has too many values or keys: send fewer")
        return piece

    def _string(self, start: int, end: int) -> bytes:
        self._strings += 1
        if self._strings > MAX_STRINGS:
            raise TooComplexError("the body has too many strings: send fewer")
        if end - start > LARGE_BYTES and (text := self._base64(start + 1, end - 1)) is not None:
            mark = f"{self._mark}{len(self.cut)}"
            self.cut[mark] = LargeBase64(text)
            return f'"{mark}"'.encode()
        return self._taken(start, end)

    def _taken(self, start: int, end: int) -> bytes:
        self._left -= end - start
        if self._left < 0:
            raise TooComplexError(
                f"the body has over {MAX_REST_BYTES // 1_000_000} MB besides its files: send less"
            )
        return self._body[start:end]

    def _end_of_string(self, start: int) -> int:
        """Return where a string ends, after its quote; at the end of the body if it never does."""
        position = start
        while (quote := self._body.find(b'"', position)) >= 0:
            before = quote
            while before > start and self._body[before - 1] == 0x5C:
                before -= 1
                self._step()
            if (quote - before) % 2 == 0:
                return quote + 1
            position = quote + 1
            self._step()
        return len(self._body)

    def _step(self) -> None:
        self._steps += 1
        if self._steps > MAX_STEPS:
            raise TooComplexError("the body has too many escaped characters: send less")

    def _base64(self, start: int, end: int) -> str | None:
        """Return a string's text if it is base64, None if it is anything else."""
        if not is_base64(self._unescaped(start, end)):
            return None
        if self._body.find(b"\\", start, end) < 0:
            with memoryview(self._body) as whole, whole[start:end] as view:
                return str(view, "ascii")
        return b"".join(self._unescaped(start, end)).decode("ascii")

    def _unescaped(self, start: int, end: int) -> Iterator[bytes]:
        """Give a string in slices; escapes that no base64 has stay as they are."""
        position = start
        while position < end:
            cut = min(position + _PIECE_BYTES, end)
            escape = self._body.rfind(b"\\", max(position, cut - _LONGEST_ESCAPE), cut)
            if position < escape and cut < end:
                cut = escape
            piece = self._body[position:cut]
            if b"\\" in piece:
                for written, meant in _ESCAPES:
                    piece = piece.replace(written, meant)
            yield piece
            position = cut


def _filled(tree: Json, cut: dict[str, LargeBase64]) -> Json:
    """Return a tree with what was cut out of it; a mark is random, so that no body has it."""
    if isinstance(tree, dict):
        return {name: _filled(value, cut) for name, value in tree.items()}
    if isinstance(tree, list):
        return [_filled(value, cut) for value in tree]
    return cut.get(tree, tree) if isinstance(tree, str) else tree
