"""Several services' answers to one query as one answer."""

from __future__ import annotations

from itertools import chain, zip_longest
from typing import TYPE_CHECKING

from groundwire.citations import canonical_url
from groundwire.model import SearchReply

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groundwire.errors import Attempt
    from groundwire.model import SearchResult


def merged(
    replies: Sequence[SearchReply], limit: int, attempts: Sequence[Attempt] = ()
) -> SearchReply:
    """Return the best of each service, then the second best of each, every page once.

    A filter counts as applied only if every service applied it, and as ignored if one did. The
    answer is as old as its oldest part.
    """
    by_rank = chain.from_iterable(zip_longest(*(reply.results for reply in replies)))
    pages: dict[str, SearchResult] = {}
    for hit in by_rank:
        if hit is not None:
            pages.setdefault(canonical_url(hit.url), hit)
    used = dict.fromkeys(name for reply in replies for name in _filters(reply))
    ignored = {name for reply in replies for name in reply.filters_ignored}
    applied = [name for name in used if all(name in reply.filters_applied for reply in replies)]
    ages = [reply.age_seconds for reply in replies if reply.age_seconds is not None]
    return SearchReply(
        service=" and ".join(reply.service for reply in replies),
        results=tuple(pages.values())[:limit],
        filters_applied=tuple(applied),
        filters_enforced=tuple(n for n in used if n not in ignored and n not in applied),
        filters_ignored=tuple(name for name in used if name in ignored),
        removed=sum(reply.removed for reply in replies),
        notes=tuple(f"{reply.service}: {note}" for reply in replies for note in reply.notes),
        attempts=tuple(attempts),
        age_seconds=max(ages, default=None),
    )


def _filters(reply: SearchReply) -> tuple[str, ...]:
    return (*reply.filters_applied, *reply.filters_enforced, *reply.filters_ignored)
