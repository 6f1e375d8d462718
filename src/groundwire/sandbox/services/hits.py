"""Searching the library as a service does: with its limit, its domains and its dates."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, timedelta

from groundwire.sandbox.web import EVERYWHERE, Domains, Hit, SearchableWeb, WebPage

SPANS = {"hour": 1, "day": 1, "week": 7, "month": 31, "year": 366}
# How much is asked of the library when dates are sorted out only afterwards.
MANY = 100
SITE = re.compile(r"(-?)\bsite:(\S+?)(?=[\s)]|$)")
OPERATORS = re.compile(r"\bOR\b|[()]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What is searched for; a page without a date lies outside every span."""

    text: str
    limit: int
    offset: int = 0
    domains: Domains = EVERYWHERE
    since: date | None = None
    until: date | None = None

    def is_in_time(self, page: WebPage) -> bool:
        """Tell whether a page's date fits."""
        if self.since is None and self.until is None:
            return True
        if not page.published:
            return False
        published = date.fromisoformat(page.published)
        is_late_enough = self.since is None or published >= self.since
        return is_late_enough and (self.until is None or published <= self.until)


@dataclass(frozen=True, slots=True, kw_only=True)
class Finder:
    """The library on a certain day, seen through a service that may be broken."""

    library: SearchableWeb
    today: date
    is_blind: bool = False
    ignores_filters: bool = False

    def find(self, wanted: Wanted) -> list[Hit]:
        """Return the hits of one page of results, best first."""
        if self.is_blind:
            return []
        is_dated = (wanted.since or wanted.until) is not None
        end = wanted.offset + wanted.limit
        if self.ignores_filters:
            found = self.library.search(wanted.text, limit=end, domains=EVERYWHERE)
        else:
            limit = max(MANY, end) if is_dated else end
            found = self.library.search(wanted.text, limit=limit, domains=wanted.domains)
            found = [hit for hit in found if wanted.is_in_time(hit.page)]
        return found[wanted.offset : end]

    def open(self, url: str) -> WebPage | None:
        """Return a page, None if there is none at this URL."""
        return self.library.open(url)

    def knows_host(self, url: str) -> bool:
        """Tell whether the built-in web has a host, though not this page of it."""
        return url.split("/")[2:3] != [] and ".example." in url.split("/")[2]

    def since(self, span: str | None) -> date | None:
        """Return the first day of a span that ends today, None for no span."""
        return self.today - timedelta(days=SPANS[span]) if span else None


def without_sites(query: str) -> tuple[str, Domains]:
    """Return a query without its `site:` operators, and the domains that they name."""
    found = SITE.findall(query)
    domains = Domains(
        allowed=tuple(site for minus, site in found if not minus),
        blocked=tuple(site for minus, site in found if minus),
    )
    if not found:
        return query, EVERYWHERE
    return " ".join(OPERATORS.sub(" ", SITE.sub(" ", query)).split()), domains


def markdown(page: WebPage) -> str:
    """Return a page as the Markdown that a reader makes of it."""
    return f"# {page.title}\n\n{page.text}"
