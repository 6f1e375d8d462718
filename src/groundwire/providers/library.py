"""The local library: documents that the user added, searched and read on this machine."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import TYPE_CHECKING

from groundwire.errors import NotInstalledError
from groundwire.model import Page, SearchQuery, SearchResult
from groundwire.wire.contract import QUERY_VECTOR, Access, Provider

if TYPE_CHECKING:
    from groundwire.library import Hit, Meaning, OpenLibraries
    from groundwire.model import Json

_DAYS = {"d": 2, "w": 8, "m": 32, "y": 367}  # A day more than asked for: the caller is exact.


class LibraryProvider(Provider):
    """Searches and reads documents of your own; needs no key and no network."""

    title = "Local library"
    base_url = "https://library.test"
    filters = frozenset({"limit", "domains"})
    is_local = True
    is_per_workspace = True

    def installed(self, access: Access) -> str:
        from groundwire.library import library_path  # noqa: PLC0415 - it loads a parser of HTML

        path = library_path(access.options)
        if not path.exists():
            missing = f"documents, and there is no library at {path}"
            fix = "add some with `groundwire library add FOLDER`"
            raise NotInstalledError("library", missing, fix=fix)
        return str(path)

    async def search(self, query: SearchQuery, access: Access) -> list[SearchResult]:
        return await asyncio.to_thread(_search, query, access)

    async def read_url(self, url: str, access: Access) -> Page:
        return await asyncio.to_thread(_read, url, access)


@cache
def _libraries() -> OpenLibraries:
    """Return those that stay open: all programs of a process may share them."""
    from groundwire.library import OpenLibraries  # noqa: PLC0415 - it loads a parser of HTML

    return OpenLibraries()


def _search(query: SearchQuery, access: Access) -> list[SearchResult]:
    days = _DAYS.get(query.time_range)
    since = datetime.now(UTC) - timedelta(days=days) if days else None
    options = {**access.options}
    meaning = _meaning(options.pop(QUERY_VECTOR, None))
    with _libraries().borrowed(options) as library:
        hits = library.search(
            query.text, limit=query.limit, domains=query.domains, since=since, meaning=meaning
        )
    return [_result(hit) for hit in hits]


def _meaning(given: Json) -> Meaning | None:
    from groundwire.library import Meaning  # noqa: PLC0415 - it loads a parser of HTML

    return Meaning(form=given["form"], vector=tuple(given["vector"])) if given else None


def _result(hit: Hit) -> SearchResult:
    document = hit.document
    return SearchResult(
        url=document.url,
        title=document.title,
        snippet=hit.snippet,
        published=document.date.date().isoformat() if document.date else "",
    )


def _read(url: str, access: Access) -> Page:
    with _libraries().borrowed(access.options) as library:
        page = library.read(url)
    if page is None:
        # No exception: that a page is on the web and not here is no failure of the library.
        return Page(url=url, success=False, error="the library has no document at this address")
    return page


provider = LibraryProvider()
