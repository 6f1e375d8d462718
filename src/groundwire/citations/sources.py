"""Sources by number: one for each distinct page, in order of first use, or struck if removed."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from groundwire.model import Citation, Evidence

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

# Parameters that say where a visitor came from and never what a page shows.
_TRACKING = re.compile(
    r"(?:utm_[a-z_]+|gclid|gclsrc|dclid|gbraid|wbraid|fbclid|msclkid|yclid|twclid|ttclid|igshid"
    r"|mc_cid|mc_eid|_hsenc|_hsmi|srsltid)(?:=|$)",
    re.IGNORECASE,
)
_DEFAULT_PORTS = {"http": "80", "https": "443"}
# A removal outdoes all that an answer could rest on.
STRENGTH = {Evidence.REMOVED: -1, Evidence.CITED: 0, Evidence.READ: 1, Evidence.FOUND: 2}
"""The rank of evidence; less is stronger."""
STRUCK = "[removed]"
"""What stands for sources that a policy removed."""


@lru_cache(maxsize=1 << 14)  # The same pages come again and again, once for each citation.
def canonical_url(url: str) -> str:
    """Return the key under which two URLs are the same source.

    Dropped are only differences that no server answers differently in practice: http or https,
    the host's case, a default port, a fragment, tracking parameters, and the slash of an empty
    path. `www.`, other slashes and the order of parameters stay: they can lead elsewhere.
    What is no web address is its own key.
    """
    try:
        parts = urlsplit(url.strip())
        host, port = parts.hostname, parts.port
    except ValueError:
        return url
    if parts.scheme not in _DEFAULT_PORTS or not host:
        return url
    shown_port = "" if port is None or str(port) == _DEFAULT_PORTS[parts.scheme] else f":{port}"
    user, at, _ = parts.netloc.rpartition("@")
    host = f"[{host}]" if ":" in host else host
    query = "&".join(pair for pair in parts.query.split("&") if not _TRACKING.match(pair))
    path = parts.path if parts.path != "/" else ""
    return f"https://{user}{at}{host}{shown_port}{path}{'?' if query else ''}{query}"


@dataclass(slots=True, kw_only=True)
class Source:
    """A page that an answer names; not frozen, as `Support` is not.

    `url` is as first given, `evidence` the strongest that any citation has, and `spans` are the
    stretches of the marked text that it supports, as start and end.
    """

    number: int
    url: str
    title: str
    domain: str
    evidence: Evidence
    quotes: tuple[str, ...] = ()
    spans: tuple[tuple[int, int], ...] = ()
    is_marked: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Removed:
    """A page that a domain policy removed from an answer; `url` is as first given."""

    url: str
    title: str
    domain: str


@dataclass(slots=True)
class _Entry:
    number: int
    first: Citation
    title: str
    evidence: Evidence
    is_marked: bool = False
    quotes: list[str] = field(default_factory=list)
    spans: list[tuple[int, int]] = field(default_factory=list)

    def source(self) -> Source:
        """Return the source as it is known now."""
        return Source(
            number=self.number,
            url=self.first.url,
            title=self.title,
            domain=self.first.domain,
            evidence=self.evidence,
            quotes=tuple(dict.fromkeys(self.quotes)),
            spans=tuple(sorted(set(self.spans))),
            is_marked=self.is_marked,
        )


class SourceList:
    """Gives numbers to sources. A number once given stays.

    `numbered` are URLs whose numbers are given already, from 1 on: those that a reader of a
    stream has seen.
    """

    def __init__(self, numbered: Iterable[str] = ()) -> None:
        self._reserved = {
            key: number for number, key in enumerate(map(canonical_url, numbered), start=1)
        }
        self._last = len(self._reserved)
        self._entries: dict[str, _Entry] = {}
        self._new: list[_Entry] = []

    def number(self, citation: Citation, *, is_marked: bool = False) -> int:
        """Return the number of a citation's source, a new one at first use."""
        key = canonical_url(citation.url)
        entry = self._entries.get(key)
        if entry is None:
            number = self._reserved.get(key)
            if number is None:
                number = self._last = self._last + 1
            entry = self._entries[key] = _Entry(
                number=number,
                first=citation,
                title=citation.title,
                evidence=citation.evidence,
            )
            self._new.append(entry)
        entry.evidence = min(entry.evidence, citation.evidence, key=STRENGTH.__getitem__)
        entry.title = entry.title or citation.title
        entry.is_marked = entry.is_marked or is_marked
        if citation.quote:
            entry.quotes.append(citation.quote)
        return entry.number

    def add_span(self, citation: Citation, span: tuple[int, int]) -> int:
        """Note what a numbered citation supports, in the marked text; return its number."""
        entry = self._entries[canonical_url(citation.url)]
        entry.spans.append(span)
        return entry.number

    def given(self, url: str) -> int | None:
        """Return the number that a URL's source was given, None if it has none."""
        entry = self._entries.get(canonical_url(url))
        return None if entry is None else entry.number

    def sources(self) -> tuple[Source, ...]:
        """Return the sources by number."""
        entries = sorted(self._entries.values(), key=lambda entry: entry.number)
        return tuple(entry.source() for entry in entries)

    def take_new(self) -> tuple[Source, ...]:
        """Return the sources that were numbered since the last call, by number."""
        new, self._new = self._new, []
        return tuple(entry.source() for entry in new)


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """What stands at one place: the numbers of sources, and the URLs of those removed."""

    numbers: tuple[int, ...]
    struck: tuple[str, ...]


@dataclass(slots=True)
class Removals:
    """The sources that a domain policy removed. A source once removed stays removed.

    By canonical URL, `causes` are the citations that removed them, and `struck` those that the
    answer names, in order of first occurrence.
    """

    causes: dict[str, Citation] = field(default_factory=dict)
    struck: dict[str, Removed] = field(default_factory=dict)

    def add(self, citation: Citation) -> bool:
        """Remove a citation's source if the citation says so; return whether that is new."""
        if citation.evidence is not Evidence.REMOVED:
            return False
        key = canonical_url(citation.url)
        is_new = key not in self.causes
        self.causes.setdefault(key, citation)
        return is_new

    def cause(self, url: str) -> Citation | None:
        """Return the citation that removed a URL's source, None if it may be shown."""
        return self.causes.get(canonical_url(url)) if self.causes else None

    def strike(self, citation: Citation) -> str:
        """Note that an answer names a removed source; return its URL as first given."""
        key = canonical_url(citation.url)
        struck = self.struck.get(key)
        if struck is None:
            struck = Removed(url=citation.url, title=citation.title, domain=citation.domain)
            self.struck[key] = struck
        elif citation.title and not struck.title:
            self.struck[key] = replace(struck, title=citation.title)
        return struck.url


@dataclass(frozen=True, slots=True, kw_only=True)
class Naming:
    """Numbers the sources that may be shown and strikes the others."""

    sources: SourceList
    removals: Removals

    def name(self, citations: Iterable[Citation], *, is_marked: bool = False) -> Named:
        """Return what citations of one place are called, each source once."""
        numbers: set[int] = set()
        struck: dict[str, None] = {}
        for citation in citations:
            if self.removals.cause(citation.url):
                struck[self.removals.strike(citation)] = None
            else:
                numbers.add(self.sources.number(citation, is_marked=is_marked))
        return Named(numbers=tuple(sorted(numbers)), struck=tuple(struck))


def label(numbers: Sequence[int], struck: Sequence[str], unknown: Sequence[str]) -> str:
    """Return a marker as plain text; however many are struck, it says so once."""
    known = "".join([f"[{number}]" for number in numbers])
    if not struck and not unknown:
        return known
    return known + (STRUCK if struck else "") + "".join([f"[{id_}?]" for id_ in unknown])
