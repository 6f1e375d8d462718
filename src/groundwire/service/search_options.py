"""What `search` and `read` take beside the query or URL, for the type checker and for the call."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias, TypedDict

from groundwire.model import SearchQuery
from groundwire.service.ask_options import domain_list

TimeRange: TypeAlias = Literal["d", "w", "m", "y", "all"]
"""How old a result may be: a day, a week, a month, a year, or any age."""


class SearchOptions(TypedDict, total=False):
    """The options of `search`; everything has a default."""

    limit: int
    """How many results at most; else 5."""

    domains: Sequence[str]
    """Only results of these domains and their subdomains."""

    time_range: TimeRange
    """How old a result may be; else any age."""

    provider: str | Sequence[str]
    """Which service searches, or several in order; else `search_provider` of the settings."""

    workspace: str
    """The workspace whose library is searched, by name or id; else the first one's."""


class ReadOptions(TypedDict, total=False):
    """The options of `read`; everything has a default."""

    provider: str | Sequence[str]
    """Which service reads, or several in order; else `read_provider` of the settings."""

    by_agent: bool
    """False for a page that a person asked for, to which robots.txt does not apply; else True."""

    workspace: str
    """The workspace whose library is read, by name or id; else the first one's."""


def search_query(text: str, options: SearchOptions) -> SearchQuery:
    """Return the query with its filters.

    Raises:
        ConfigError: `domains` is one text instead of a list.
    """
    return SearchQuery(
        text=text,
        limit=options.get("limit", 5),
        domains=domain_list(options.get("domains", ())),
        time_range=options.get("time_range", "all"),
    )


def service_names(options: SearchOptions | ReadOptions) -> list[str] | None:
    """Return the services to ask in order, None for those of the settings."""
    names = options.get("provider") or ()
    return ([names] if isinstance(names, str) else [*names]) or None
