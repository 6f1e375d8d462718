"""A setting that names one service, or several of which the first comes first."""

from __future__ import annotations


def named(names: str | list[str]) -> tuple[str, ...]:
    """Return the names of a chain, each once."""
    return (names,) if isinstance(names, str) else tuple(dict.fromkeys(names))
