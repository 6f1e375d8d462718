"""A page as a judge sees it: what it is shown of it, and whether words that it names are there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from groundwire.checks.page import find_in, passages_near
from groundwire.checks.quotes import Fit

if TYPE_CHECKING:
    from groundwire.checks.page import PageIndex


class JudgedPage(Protocol):
    """A page that a judge is asked about."""

    async def passages(self, claim: str) -> str:
        """Return what of the page comes nearest to a claim, "" if there is nothing."""

    async def has(self, words: str) -> bool:
        """Tell whether words stand on the page to the letter."""


class IndexedPage:
    """A page that is indexed here."""

    def __init__(self, index: PageIndex) -> None:
        self._index = index

    async def passages(self, claim: str) -> str:
        """Return what of the page comes nearest to a claim."""
        return passages_near(claim, self._index)

    async def has(self, words: str) -> bool:
        """Tell whether words stand on the page to the letter."""
        return find_in(self._index, words).fit is Fit.LETTER
