"""What a search came to, before it is put into the words of a tool."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from groundwire import citations, guard
from groundwire.events import Citations, Error, TextDelta, WebSearchResults
from groundwire.model import Citation, Evidence, Usage

if TYPE_CHECKING:
    from groundwire.events import StreamEvent
    from groundwire.guard import DomainPolicy
    from groundwire.model import Json, SearchResult


@dataclass(frozen=True, slots=True, kw_only=True)
class HostedAnswer:
    """An answer as Markdown with markers and its list, "" if there is none, and its sources.

    `failure` says why there is no whole answer; a part of one is none for a tool. `usage` is what
    the provider says that it used, None if it does not.
    """

    text: str = ""
    sources: Sequence[Json] = ()
    failure: str = ""
    usage: Usage | None = None


class Gathering:
    """Gathers the events of an answer until it is whole; what the domains exclude is struck."""

    def __init__(self, domains: DomainPolicy = guard.ANYWHERE) -> None:
        self._policy = domains
        self._failure = ""
        self._pieces: list[str] = []
        self._citations: list[Citation] = []
        self._results: list[SearchResult] = []
        self._usage: Usage | None = None

    def take(self, event: StreamEvent) -> None:
        """Keep what an event brings."""
        match event:
            case TextDelta(text):
                self._pieces.append(text)
            case Citations(citations):
                self._citations += map(self._judged, citations)
            case WebSearchResults(results):
                # Google's hits are redirects whose title is the domain they lead to.
                permits = self._policy.permits_source
                self._results += [hit for hit in results if permits(hit.url, hit.title)]
            case Usage():
                self._usage = event
            case Error(message):
                self._failure = self._failure or message

    def found(self) -> HostedAnswer:
        """Return the answer, its sources numbered by first use.

        Where nothing is cited, the pages that the search found are listed as just that.
        """
        text = "".join(self._pieces)
        if self._failure or not text.strip():
            return HostedAnswer(failure=self._failure, usage=self._usage)
        marked = citations.place(text, self._citations or _hits(self._results))
        sources = [
            {"web": {"title": citations.title_of(source), "uri": source.url}}
            for source in marked.sources
        ]
        text = citations.to_markdown(marked)
        return HostedAnswer(text=text, sources=sources, usage=self._usage)

    def _judged(self, citation: Citation) -> Citation:
        if self._policy.permits_source(citation.url, citation.domain):
            return citation
        return replace(citation, evidence=Evidence.REMOVED)


def _hits(results: Sequence[SearchResult]) -> list[Citation]:
    return [Citation(url=hit.url, title=hit.title, evidence=Evidence.FOUND) for hit in results]
