"""What a search came to, before it is put into the words of a tool."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from groundwire import citing
from groundwire.events import Citations, Error, TextDelta, WebSearchResults
from groundwire.model import Citation, Evidence

if TYPE_CHECKING:
    from groundwire.events import StreamEvent
    from groundwire.model import Json, SearchResult


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """An answer as Markdown with markers and its list, "" if there is none, and its sources.

    `failure` says why there is no whole answer; a part of one is none for a tool.
    """

    text: str = ""
    sources: Sequence[Json] = ()
    failure: str = ""


class Gathering:
    """Gathers the events of an answer until it is whole."""

    def __init__(self) -> None:
        self._failure = ""
        self._pieces: list[str] = []
        self._citations: list[Citation] = []
        self._results: list[SearchResult] = []

    def take(self, event: StreamEvent) -> None:
        """Keep what an event brings."""
        match event:
            case TextDelta(text):
                self._pieces.append(text)
            case Citations(citations):
                self._citations += citations
            case WebSearchResults(results):
                self._results += results
            case Error(message):
                self._failure = self._failure or message

    def found(self) -> Found:
        """Return the answer, its sources numbered by first use.

        Where nothing is cited, the pages that the search found are listed as just that.
        """
        text = "".join(self._pieces)
        if self._failure or not text.strip():
            return Found(failure=self._failure)
        marked = citing.place(text, self._citations or _hits(self._results))
        sources = [
            {"web": {"title": citing.title_of(source), "uri": source.url}}
            for source in marked.sources
        ]
        return Found(text=citing.to_markdown(marked), sources=sources)


def _hits(results: Sequence[SearchResult]) -> list[Citation]:
    return [Citation(url=hit.url, title=hit.title, evidence=Evidence.FOUND) for hit in results]
