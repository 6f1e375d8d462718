"""Where a grounded Gemini answer says that it found something, in characters of its text."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from itertools import chain
from typing import TYPE_CHECKING

from groundwire.citations import from_utf8_bytes
from groundwire.guard.domains import REDIRECT_HOST
from groundwire.model import Citation, SearchResult, domain_of
from groundwire.wire.decoder import is_link

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from groundwire.model import Json

UNKNOWN_DOMAIN = "unknown"

# How far from its offsets a segment's text is looked for. Enough for a proxy that replaced some
# typographic characters, and little enough to keep the work linear.
MAX_DRIFT = 64

_KINDS = ("web", "retrievedContext", "maps", "image")
_HOST = re.compile(r"(?:[\w-]+\.)+[^\W\d_]{2,}")


def field(thing: Json, name: str) -> Json:
    """Return a field in Gemini's spelling, or in the snake_case of Vertex and proxies."""
    value = thing.get(name)
    return thing.get(_snake_case(name)) if value is None else value


@cache
def _snake_case(name: str) -> str:
    return re.sub(r"(?=[A-Z])", "_", name).lower()


@dataclass(frozen=True, slots=True, kw_only=True)
class GroundingSource:
    """A page that Google names; `domain` is never that of Google's redirect."""

    url: str
    title: str
    domain: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Grounding:
    """What the metadata say about a text.

    `unlinked` are the names of cited sources that have no link, "" for one that has no name;
    `dangling` counts indices that lead to no chunk.
    """

    citations: tuple[Citation, ...]
    found: tuple[SearchResult, ...]
    unlinked: tuple[str, ...]
    dangling: int


def source_of(url: str, title: str, domain: str = "") -> GroundingSource:
    """Return a source as a person should read it."""
    shown = domain or _domain_behind(url, title)
    return GroundingSource(url=url, title=title or shown, domain=shown)


def _domain_behind(url: str, title: str) -> str:
    host = domain_of(url)
    name = title.strip().lower().removeprefix("www.")
    looks_like_host = _HOST.fullmatch(name) is not None
    if host == REDIRECT_HOST:
        # Google writes the target's host as title; a redirect has nothing better to offer.
        return name if looks_like_host else title or UNKNOWN_DOMAIN
    # A page's own title must not be able to claim somebody else's domain.
    return name if looks_like_host and f".{host}".endswith(f".{name}") else host


def read_grounding(metadata: Mapping[str, Json], text: str) -> Grounding:
    """Return citations, and the pages that no part of the text rests on."""
    chunks = field(metadata, "groundingChunks") or ()
    sources = [_source(chunk) for chunk in chunks]
    supports = field(metadata, "groundingSupports") or ()
    spans = _spans(supports, text)
    # A dict keeps the order and drops what repeats both page and place.
    citations: dict[tuple[str, int | None, int | None], Citation] = {}
    supported: set[int] = set()
    dangling = 0
    for support, (start, end) in zip(supports, spans, strict=True):
        for index in field(support, "groundingChunkIndices") or ():
            if not 0 <= index < len(sources):
                dangling += 1
                continue
            supported.add(index)
            if (source := sources[index]) is not None:
                cited = Citation(
                    url=source.url, title=source.title, domain=source.domain, start=start, end=end
                )
                citations.setdefault((source.url, start, end), cited)
    found = {
        source.url: SearchResult(url=source.url, title=source.title)
        for index, source in enumerate(sources)
        if source is not None and index not in supported
    }
    return Grounding(
        citations=tuple(citations.values()),
        found=tuple(found.values()),
        unlinked=tuple(_name(chunks[at]) for at in sorted(supported) if sources[at] is None),
        dangling=dangling,
    )


def _source(chunk: Json) -> GroundingSource | None:
    for kind in _KINDS:
        page = field(chunk, kind)
        if not page:
            continue
        url = page.get("uri") or field(page, "sourceUri")
        if is_link(url):
            return source_of(url, page.get("title") or "", page.get("domain") or "")
    return None


def _name(chunk: Json) -> str:
    """Return what a source without a link is called, "" if it has no name."""
    pages = [page for kind in _KINDS if isinstance(page := field(chunk, kind), dict)]
    names = [field(page, name) for page in pages for name in ("title", "documentName", "uri")]
    return next((name for name in names if isinstance(name, str) and name), "")


def _spans(supports: Sequence[Json], text: str) -> Sequence[tuple[int, int] | tuple[None, None]]:
    """Return the place of each support, Nones where the wire names none."""
    segments = [support.get("segment") or {} for support in supports]
    ends = [field(segment, "endIndex") for segment in segments]
    # Zero is not sent.
    starts = [field(segment, "startIndex") or 0 for segment in segments]
    characters = from_utf8_bytes(text, chain(starts, filter(None, ends)))
    spans: list[tuple[int, int] | tuple[None, None]] = []
    for segment, first, last in zip(segments, starts, ends, strict=True):
        if not last:
            spans.append((None, None))
            continue
        end = max(0, characters[last])
        start = max(0, min(characters[first], end))
        start, end = _settle(text, start, end, segment.get("text") or "")
        # Behind the end there are no words that a page could support.
        spans.append((start, end) if start < end else (None, None))
    return spans


def _settle(text: str, start: int, end: int, wanted: str) -> tuple[int, int]:
    """Move a span onto the words it is said to hold, if they stand close by."""
    if not wanted or (len(wanted) == end - start and text.startswith(wanted, start)):
        return start, end
    found = text.find(wanted, max(0, start - MAX_DRIFT), start + len(wanted) + MAX_DRIFT)
    return (start, end) if found < 0 else (found, found + len(wanted))
