"""Reads the live pages of an answer again, and says what has changed since."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from difflib import SequenceMatcher
from enum import StrEnum
from typing import TYPE_CHECKING

from groundwire.chat.cited_pages import cited_page
from groundwire.checks import Check, Fit, NotCompared, from_json, index_page, label_of
from groundwire.checks.page import find_in
from groundwire.checks.plain_text import plain
from groundwire.errors import GroundwireError
from groundwire.library.addresses import HOST, host_of
from groundwire.search import ReadChain

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence

    from groundwire.chat.cited_pages import CitedPage
    from groundwire.checks.records import CheckRecord
    from groundwire.evidence.dossier import Dossier
    from groundwire.guard import DomainPolicy
    from groundwire.search import SearchContext


_HIDDEN = (NotCompared.BLOCKED, NotCompared.UNREADABLE)
_NO_PAGE = re.compile(r"\b(?:404|410)\b")
_ENDING = re.compile(r"[*_`]{0,3}[.!?。！？…]{0,3}[\"'”’)\]]{0,3}")


class PassageChange(StrEnum):
    """What became of a passage that an answer rests on."""

    SAME = "still there"
    MOVED = "moved"
    CHANGED = "changed"
    GONE = "page gone"
    UNREAD = "page not read"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rechecked:
    """One citation, against its page as it is now.

    `passage` is what the page said, `now` what comes nearest to it today, "" where the page cannot
    be read; then `reason` says why. `difference` are words taken away (-) and added (+).
    """

    number: int
    url: str
    claim: str
    change: PassageChange
    passage: str = ""
    now: str = ""
    difference: tuple[str, ...] = field(default=())
    reason: str = ""


class Rechecker:
    """Reads each page once, under a policy, and compares every passage with it."""

    def __init__(
        self, search_context: SearchContext, policy: DomainPolicy, readers: Sequence[str] = ()
    ) -> None:
        self._chain = ReadChain(search_context, policy=policy, names=[*readers] or None)
        self._pages: dict[str, CitedPage | str] = {}

    async def recheck(self, dossier: Dossier) -> AsyncIterator[Rechecked]:
        """Yield what became of each passage that was compared, in the order of the answer."""
        kept = {each.text_hash: each.text for each in dossier.snapshots}
        kept |= {each.text_hash: each.text for each in dossier.source_pages if each.text}
        for record in dossier.checks:
            found = await self._one(record, kept)
            if found is not None:
                yield found

    async def _one(self, record: CheckRecord, kept: dict[str, str]) -> Rechecked | None:
        check = from_json(record.data)
        nearest = check.check.nearest
        if not check.page_hash or nearest is None:
            return None
        page = await self._page(check.url)
        base = Rechecked(
            number=check.number,
            url=check.url,
            claim=check.claim,
            passage=nearest.exact,
            change=PassageChange.GONE,
        )
        if isinstance(page, str):
            is_gone = _NO_PAGE.search(page) is not None or host_of(check.url) == HOST
            change = PassageChange.GONE if is_gone else PassageChange.UNREAD
            return replace(base, change=change, reason=page)
        before = kept.get(check.page_hash, "")[: nearest.start]
        return _compared(base, before, page)

    async def _page(self, url: str) -> CitedPage | str:
        """Return a page as it is now, or why it is not to be had."""
        if url not in self._pages:
            try:
                reply = await self._chain.read(url, by_agent=False, is_fresh=True)
                page = reply.page
                self._pages[url] = cited_page(page) if page.success else page.error
            except GroundwireError as error:
                self._pages[url] = str(error)
        return self._pages[url]


def _compared(base: Rechecked, before: str, page: CitedPage) -> Rechecked:
    """Return what became of a passage that stood behind `before`."""
    index = index_page(page.text, page.url)
    match = find_in(index, base.passage)
    if match.fit is Fit.NONE and (why := index.not_comparable) in _HIDDEN:
        reason = label_of(Check(not_compared=why))
        return replace(base, change=PassageChange.UNREAD, reason=reason)
    if match.start is None or match.end is None or match.fit is Fit.NONE:
        return replace(base, change=PassageChange.CHANGED, difference=_difference(base.passage, ""))
    # What ends a sentence is no word, and may or may not be part of a match.
    ending = _ENDING.match(page.text, match.end)
    now = page.text[match.start : ending.end() if ending else match.end]
    if plain(now) != plain(base.passage):
        difference = _difference(base.passage, now)
        return replace(base, change=PassageChange.CHANGED, now=now, difference=difference)
    is_there = page.text[: match.start] == before or match.start == len(before)
    return replace(base, change=PassageChange.SAME if is_there else PassageChange.MOVED, now=now)


def _difference(before: str, after: str) -> tuple[str, ...]:
    """Return what was taken away and what was added, word by word."""
    old, new = plain(before).split(), plain(after).split()
    found: list[str] = []
    for kind, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind != "equal":
            found += [f"- {' '.join(old[a:b])}"] if a < b else []
            found += [f"+ {' '.join(new[c:d])}"] if c < d else []
    return tuple(found)


def counted(found: Sequence[Rechecked]) -> dict[PassageChange, int]:
    """Return how many passages came to each."""
    return {change: sum(each.change is change for each in found) for change in PassageChange}
