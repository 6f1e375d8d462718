"""The filters of a search: what a service is asked, and what we apply again to its results."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from groundwire import guard
from groundwire.errors import SettingsError, UrlRefusedError
from groundwire.model import SearchQuery, SearchReply

if TYPE_CHECKING:
    from collections.abc import Iterable

    from groundwire.model import SearchResult
    from groundwire.wire.contract import Provider

WIDER_LIMIT = 20
"""How many hits are asked for when only we can sort out those of other domains."""

SPARE_LIMIT = 10
"""The same for a service that has a filter: some let other domains pass all the same."""

_AGES = {
    "d": timedelta(days=1),
    "w": timedelta(days=7),
    "m": timedelta(days=31),
    "y": timedelta(days=366),
}
# Dates often have no hour and no zone.
_SLACK = timedelta(days=1)
_WRITTEN_OUT = ("%B %d, %Y", "%b %d, %Y", "%d %B %Y", "%d %b %Y")
_AGO = re.compile(r"(\d{1,9}|an?) (minute|hour|day|week|month|year)s? ago", re.IGNORECASE)
_UNIT_DAYS = {"minute": 0, "hour": 0, "day": 1, "week": 7, "month": 30, "year": 365}


def checked(query: SearchQuery) -> SearchQuery:
    """Return a query whose filters can be kept, its domains spelled as hosts are.

    Raises:
        SettingsError: There is no word to look for, or a filter is none.
    """
    if query.time_range not in (*_AGES, "all"):
        raise SettingsError("time_range", f"{query.time_range!r} is none of d, w, m, y and all")
    if not query.text.strip():
        raise SettingsError("query", "it is empty: say what to look for")
    if query.limit < 1:
        raise SettingsError("limit", f"{query.limit} is less than one result")
    lists = guard.DomainPolicy(allowed=query.domains, blocked=query.blocked_domains)
    domains = () if "*" in lists.allowed else lists.allowed
    return replace(query, domains=domains, blocked_domains=lists.blocked)


def narrowed(query: SearchQuery, policy: guard.DomainPolicy) -> SearchQuery:
    """Return a query that looks for nothing outside a policy.

    Raises:
        SettingsError: Nothing that it asks for is allowed, or an entry is none.
    """
    wish = guard.DomainPolicy(allowed=query.domains or ("*",), blocked=query.blocked_domains)
    both = policy.narrowed(wish)
    if not both.allowed:
        what = ", ".join(query.domains) or "the web"
        reason = f"nothing of {what} is allowed ({policy.words}): see search.allowed_domains and "
        raise SettingsError("domains", f"{reason}search.blocked_domains in the settings")
    return replace(query, domains=both.allowed, blocked_domains=both.blocked)


def asked_of(provider: Provider, query: SearchQuery) -> SearchQuery:
    """Return a checked query as a service should get it."""
    if not query.domains:
        return (
            replace(query, limit=max(query.limit, SPARE_LIMIT)) if query.blocked_domains else query
        )
    is_short = len(query.domains) <= provider.max_domains
    is_filtered = is_short and "domains" in provider.filters
    return replace(
        query,
        # What only our own lists know is left out: a star in front.
        domains=tuple(domain.removeprefix("*.") for domain in query.domains if is_short),
        limit=max(query.limit, SPARE_LIMIT if is_filtered else WIDER_LIMIT),
    )


def filtered(
    results: Iterable[SearchResult], query: SearchQuery, *, provider: Provider, now: datetime
) -> SearchReply:
    """Return what of a service's results a checked query asks for, and who saw to it."""
    found = [*results]
    kept = [result for result in found if _is_web_page(result.url)]
    if query.domains or query.blocked_domains:
        policy = guard.DomainPolicy(allowed=query.domains or ("*",), blocked=query.blocked_domains)
        kept = [result for result in kept if _is_within(policy, result.url)]
    dates = [date_of(result.published, now) for result in kept]
    if query.time_range != "all":
        first = now - _AGES[query.time_range] - _SLACK
        young = [
            (result, date)
            for result, date in zip(kept, dates, strict=True)
            if date is None or date >= first
        ]
        kept, dates = [result for result, _ in young], [date for _, date in young]
    is_dated = None not in dates[: query.limit]
    reply = _reported(query, provider, is_dated=is_dated)
    return replace(reply, results=tuple(kept[: query.limit]), removed=len(found) - len(kept))


def _reported(query: SearchQuery, provider: Provider, *, is_dated: bool) -> SearchReply:
    used = ["limit"]
    used += ["domains"] if query.domains or query.blocked_domains else []
    used += ["time_range"] if query.time_range != "all" else []
    sent = set(provider.filters)
    if len(query.domains) > provider.max_domains or query.blocked_domains:
        sent.discard("domains")
    applied = tuple(name for name in used if name in sent)
    ignored = tuple(
        name for name in used if name not in sent and name == "time_range" and not is_dated
    )
    return SearchReply(
        service="",
        results=(),
        filters_applied=applied,
        filters_enforced=tuple(name for name in used if name not in (*applied, *ignored)),
        filters_ignored=ignored,
    )


def date_of(published: str, now: datetime) -> datetime | None:
    """Return the date that a service's own wording means, None if it cannot be told."""
    words = published.strip()
    if ago := _AGO.search(words):
        count = int(ago[1]) if ago[1].isdigit() else 1
        return now - timedelta(days=min(count * _UNIT_DAYS[ago[2].lower()], 100_000))
    for read in (datetime.fromisoformat, parsedate_to_datetime, _written_out):
        try:
            date = read(words)
        except (ValueError, TypeError):
            continue
        return date if date.tzinfo else date.replace(tzinfo=UTC)
    return None


def _written_out(words: str) -> datetime:
    for form in _WRITTEN_OUT:
        try:
            return datetime.strptime(words, form).replace(tzinfo=UTC)
        except ValueError:
            continue
    raise ValueError(words)


def _is_web_page(url: str) -> bool:
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    return parts.scheme.lower() in ("http", "https") and bool(parts.netloc)


def _is_within(policy: guard.DomainPolicy, url: str) -> bool:
    try:
        return policy.permits(guard.parse(url, ports=guard.ANY_PORT).host)
    except UrlRefusedError:
        return False
