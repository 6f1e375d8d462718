"""How many of something, in words."""

from __future__ import annotations


def plural(count: int, one: str, many: str = "") -> str:
    """Return a count with its noun: "1 page", "2 pages", "1,200 searches".

    `many` is for nouns that do not just take an s.
    """
    return f"{count:,} {one if count == 1 else many or f'{one}s'}"
