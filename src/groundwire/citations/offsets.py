"""Offsets as services count them, turned into characters of the text in one pass."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

_TWO_UNITS = re.compile("[\U00010000-\U0010ffff]")


def from_utf8_bytes(text: str, offsets: Iterable[int]) -> dict[int, int]:
    """Return the character at each UTF-8 byte offset.

    An offset past the end means the end, one inside a character means that character's start.
    A negative one stays as it is: it is no place, and whoever places citations must see that.
    """
    if text.isascii():
        return {offset: min(offset, len(text)) for offset in offsets}
    encoded = text.encode("utf-8", "surrogatepass")
    positions: dict[int, int] = {}
    done = characters = 0
    for offset in sorted(set(offsets)):
        if offset < 0:
            positions[offset] = offset
            continue
        border = min(offset, len(encoded))
        while border < len(encoded) and encoded[border] & 0xC0 == 0x80:
            border -= 1
        characters += len(encoded[done:border].decode("utf-8", "surrogatepass"))
        done = border
        positions[offset] = characters
    return positions


def from_utf16(text: str, offsets: Iterable[int]) -> dict[int, int]:
    """Return the character at each UTF-16 offset (JavaScript, Java), by the same rules."""
    wide = [match.start() for match in _TWO_UNITS.finditer(text)]
    length = len(text) + len(wide)
    positions: dict[int, int] = {}
    before = 0
    for offset in sorted(set(offsets)):
        border = min(offset, length)
        # The n-th wide character starts n units behind its place: those before it have two each.
        while before < len(wide) and wide[before] + before < border:
            before += 1
        positions[offset] = border - before
    return positions
