"""Untrusted text: JSON that may be invalid, and unpaired surrogates."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from groundwire.model import Json


def parsed(text: str | bytes) -> Json:
    """Return the value of a JSON text, None if it is invalid or nested too deeply."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def whole(text: str) -> str:
    """Return a text that UTF-8 can carry: the same one, unless half a character is in it.

    JSON can write one half of a surrogate pair. Two that belong together become their character,
    one alone the sign for what is no character.
    """
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text
