"""What a citation is called in an answer: by its number, or struck where a policy removed it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from groundwire.citations.sources import Removed, SourceList, canonical_url
from groundwire.model import Citation, Evidence


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """What stands at one place: the numbers of sources, and the URLs of those removed."""

    numbers: tuple[int, ...]
    struck: tuple[str, ...]


class Removals:
    """The sources that a domain policy removed. A source once removed stays removed."""

    def __init__(self, citations: Iterable[Citation] = ()) -> None:
        self._causes: dict[str, Citation] = {}
        self._struck: dict[str, Removed] = {}
        for citation in citations:
            self.add(citation)

    def __bool__(self) -> bool:
        return bool(self._causes)

    def __iter__(self) -> Iterator[Citation]:
        return iter(self._causes.values())

    def add(self, citation: Citation) -> bool:
        """Remove a citation's source if the citation says so; return whether that is new."""
        if citation.evidence is not Evidence.REMOVED:
            return False
        key = canonical_url(citation.url)
        is_new = key not in self._causes
        self._causes.setdefault(key, citation)
        return is_new

    def cause(self, url: str) -> Citation | None:
        """Return the citation that removed a URL's source, None if it may be shown."""
        return self._causes.get(canonical_url(url)) if self._causes else None

    def strike(self, citation: Citation) -> str:
        """Note that an answer names a removed source; return its URL as first given."""
        key = canonical_url(citation.url)
        struck = self._struck.get(key)
        if struck is None:
            struck = Removed(url=citation.url, title=citation.title, domain=citation.domain)
            self._struck[key] = struck
        elif citation.title and not struck.title:
            self._struck[key] = replace(struck, title=citation.title)
        return struck.url

    def removed(self) -> tuple[Removed, ...]:
        """Return the removed sources that the answer names, in order of first occurrence."""
        return tuple(self._struck.values())


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
