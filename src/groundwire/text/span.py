"""A stretch of a text, told by where it starts and ends."""

from __future__ import annotations

from typing import NamedTuple


class Span(NamedTuple):
    """A stretch of a text: `text[start:end]`. A tuple, for a page has one for each line."""

    start: int
    end: int
