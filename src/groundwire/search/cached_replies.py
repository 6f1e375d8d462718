"""Replies as the bytes that a cache keeps, and back."""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, TypeVar

from groundwire.cache import key_of
from groundwire.model import Fetched, Page, PageMetadata, SearchReply, SearchResult
from groundwire.wire.http import MALFORMED

if TYPE_CHECKING:
    from groundwire.cache import CacheEntry
    from groundwire.config.settings import NetworkSettings
    from groundwire.guard import DomainPolicy, WebUrl
    from groundwire.model import Json, SearchQuery
    from groundwire.wire.contract import Endpoint

T = TypeVar("T")

_FORM = 3  # Raised when what is kept changes its form, so that an old file says nothing.


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptPage:
    """A page, and what its server wants to hear to say that it has not changed.

    `fetched` is what it was made from, where that is to be kept.
    """

    page: Page
    etag: str = ""
    last_modified: str = ""
    fetched: Fetched | None = None

    @property
    def validators(self) -> dict[str, str]:
        """Return the headers of a request that asks only for what is new."""
        headers = {"If-None-Match": self.etag, "If-Modified-Since": self.last_modified}
        return {name: value for name, value in headers.items() if value}


def search_key(endpoint: Endpoint, query: SearchQuery) -> str:
    """Return the cache key of a search: the service, its options, the query and its filters."""
    return key_of("search", form=_FORM, **_asked(endpoint), query=asdict(query))


def service_page_key(endpoint: Endpoint, url: WebUrl, policy: DomainPolicy) -> str:
    """Return the key of a page that a service reads."""
    return key_of("page", form=_FORM, **_asked(endpoint), url=str(url), policy=asdict(policy))


def local_page_key(url: WebUrl, policy: DomainPolicy, network: NetworkSettings) -> str:
    """Return the key of a page that we open: the policy and the limits decide what is seen."""
    limits = network.model_dump(
        include={
            "max_decoded_page_bytes",
            "max_page_bytes",
            "max_redirects",
            "page_ports",
            "user_agent",
        }
    )
    return key_of(
        "page", form=_FORM, provider="local", url=str(url), policy=asdict(policy), limits=limits
    )


def _asked(endpoint: Endpoint) -> dict[str, Json]:
    access = endpoint.access
    return {
        "provider": endpoint.name,
        "base_url": access.base_url,
        "options": dict(access.options),
        "has_key": access.key is not None,
    }


def dump_search(reply: SearchReply) -> bytes:
    """Return a reply as bytes."""
    return _dumped(asdict(replace(reply, attempts=(), age_seconds=None)))


def load_search(entry: CacheEntry | None, max_age_seconds: float) -> SearchReply | None:
    """Return a cached reply with its age, None if missing or too old."""
    if entry is None or entry.age_seconds >= max_age_seconds:
        return None
    return _loaded(entry, lambda value: _search(value, entry.age_seconds))


def dump_page(kept: KeptPage) -> bytes:
    """Return a page as bytes."""
    return _dumped(asdict(kept))


def _text_of(value: bytes) -> str:
    return b64encode(value).decode()


def load_page(entry: CacheEntry | None) -> KeptPage | None:
    """Return a cached page of any age, None if missing."""
    if entry is None:
        return None
    return _loaded(entry, _page)


def _search(value: Json, age_seconds: float) -> SearchReply:
    names = ("filters_applied", "filters_enforced", "filters_ignored", "notes")
    return SearchReply(
        service=value["service"],
        results=tuple(SearchResult(**result) for result in value["results"]),
        removed=value["removed"],
        age_seconds=age_seconds,
        **{name: tuple(value[name]) for name in names},
    )


def _page(value: Json) -> KeptPage:
    page = value["page"]
    metadata = PageMetadata.from_json(page["metadata"])
    page = Page(**{**page, "notes": tuple(page["notes"]), "metadata": metadata})
    fetched = value["fetched"]
    if fetched is not None:
        fetched = Fetched(**{**fetched, "packed": b64decode(fetched["packed"])})
    return KeptPage(**{**value, "page": page, "fetched": fetched})


def _dumped(value: Json) -> bytes:
    # ASCII, because half of a character has no other spelling.
    return json.dumps(value, separators=(",", ":"), default=_text_of).encode()


def _loaded(entry: CacheEntry, read: Callable[[Json], T]) -> T | None:
    """A file may have been written by anyone; what cannot be read counts as nothing."""
    try:
        return read(json.loads(entry.value))
    except MALFORMED:
        return None
