"""`site:`, for search services that have the operator but no domain filter."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


def within_sites(words: str, domains: Iterable[str]) -> str:
    """Return a query for pages of these domains; of none, the words as they are."""
    sites = " OR ".join(f"site:{domain}" for domain in domains)
    return f"{words} ({sites})" if sites else words
