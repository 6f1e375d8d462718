"""Compares claims with pages in a process of its own, so that no page can hold up a stream."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import TYPE_CHECKING

from groundwire.checks import Check, CitationCheck, NotCompared, from_json
from groundwire.conversation import now
from groundwire.system.worker import SingleWorker

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groundwire.chat.cited_claims import AnswerClaim
    from groundwire.chat.cited_pages import CitedPage
    from groundwire.model import Json

_MODULE = "groundwire.checks.worker"
SECONDS = 10.0
MEMORY_BYTES = 1_500_000_000


class Comparer:
    """One process for all answers of a program; it starts when first needed.

    Belongs to one event loop; whoever made it closes it.
    """

    def __init__(self, *, seconds: float = SECONDS) -> None:
        self._worker = SingleWorker(_MODULE, MEMORY_BYTES, seconds=seconds)

    async def compare(self, page: CitedPage, claims: Sequence[AnswerClaim]) -> list[CitationCheck]:
        """Return what each claim came to; a page that takes too long is not compared."""
        reply = await self._asked(page, claims=[asdict(each) for each in claims])
        if reply is None:
            return [not_compared(each, NotCompared.TIMEOUT) for each in claims]
        moment, about = now(), page.metadata
        return [
            replace(
                from_json(each),
                checked_at=moment,
                page_hash=page.text_hash,
                title=page.title,
                authors=about.authors,
                published=about.published,
                modified=about.modified,
                site_name=about.site_name,
                licence=about.licence,
            )
            for each in reply
        ]

    async def passages(self, page: CitedPage, claim: str) -> str:
        """Return what of a page comes nearest to a claim, "" if that takes too long."""
        return await self._asked(page, passages_for=claim) or ""

    async def has(self, page: CitedPage, words: str) -> bool:
        """Tell whether words stand on a page to the letter, as far as that can be told."""
        return bool(await self._asked(page, words=words))

    async def close(self) -> None:
        """Stop the process."""
        await self._worker.close()

    async def _asked(self, page: CitedPage, **asked: Json) -> Json | None:
        """Return what the process says of a page, None if it takes too long."""
        request = {
            "page_hash": page.text_hash,
            "has_pages": page.has_pages,
            "is_cut": page.is_cut,
            **asked,
        }
        return await self._worker.ask(request, page.text.encode("utf-8", "surrogatepass"))


def not_compared(claim: AnswerClaim, reason: NotCompared) -> CitationCheck:
    """Return what is told of a claim that could not be compared."""
    return CitationCheck(
        number=claim.number,
        position=claim.position,
        claim=claim.claim,
        url=claim.url,
        check=Check(not_compared=reason),
        checked_at=now(),
    )
