"""What lets the sandbox answer real questions: our library behind it, our extracts in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groundwire.extractive import (
    OPEN,
    SEARCH,
    Call,
    QuotedAnswer,
    SearchFailure,
    SourceText,
    ToolReply,
    extract,
    next_step,
)
from groundwire.library import open_library
from groundwire.library.addresses import redirect_to
from groundwire.sandbox import Hit, PlannedCall, Segment, WebPage
from groundwire.text.markdown import plain

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from groundwire.library import Document, Library
    from groundwire.sandbox import Domains, ToolResult

_MORE = 10
"""So many times as many results are asked for when domains are sorted out afterwards."""
AGENTS_SEARCH = "WebSearch"
"""What Claude Code calls its own."""
_ADVICE = ("Web search results for", "Links:", "REMINDER:")


class LibraryWeb:
    """The local library as the web of a sandbox; `options` are those of the provider `library`.

    Raises:
        ConfigError: There is no library.
    """

    def __init__(self, options: Mapping[str, object]) -> None:
        self._options = options
        open_library(options).close()

    def search(self, query: str, *, limit: int, domains: Domains) -> list[Hit]:
        """Return the documents that match, best first."""
        is_free = not (domains.allowed or domains.blocked)
        # It is opened for each question: a sandbox has threads, and a library belongs to one.
        with open_library(self._options) as library:
            found = library.search(query, limit=limit if is_free else _MORE * limit)
            return [
                Hit(page=page, passages=(hit.text, *page.passages))
                for hit in [hit for hit in found if domains.allow(hit.document.url)][:limit]
                for page in [_page(library, hit.document)]
            ]

    def open(self, url: str) -> WebPage | None:
        """Return one document, None if there is none at this URL."""
        with open_library(self._options) as library:
            document = library.document(url)
            return _page(library, document) if document else None


class Extractor:
    """Chooses what a sandbox quotes as the extractive model does."""

    def claims(self, question: str, pages: Sequence[WebPage]) -> list[Segment]:
        """Return the sentences that answer a question, in plain words, with their quotes."""
        sources = [
            SourceText(id=str(number), title=page.title, text=page.text)
            for number, page in enumerate(pages)
        ]
        return [
            Segment(
                text=" ".join(plain(quote.text).split()),
                page=pages[int(quote.source)],
                quote=quote.text,
            )
            for quote in extract(question, sources).quotes
            if not quote.is_code
        ]

    def go_on(
        self, question: str, results: Sequence[ToolResult], tools: Collection[str]
    ) -> PlannedCall | str | None:
        """Return what follows the results of web tools; other tools are not its business."""
        names = {result.name for result in results}
        if names == {AGENTS_SEARCH}:
            return _summed_up(results[-1].text)
        if not names <= {SEARCH, OPEN}:
            return None
        told = [ToolReply(tool=result.name, text=result.text) for result in results]
        # A sandbox sees the last results alone: it must not begin again from those of a page.
        usable = {OPEN} & {*tools} if names == {SEARCH} else frozenset[str]()
        match next_step(question, told, usable):
            case Call(tool=tool, arguments=arguments):
                return PlannedCall(name=tool, arguments=arguments)
            case QuotedAnswer(text=text):
                return text
            case SearchFailure(reason=reason):
                return f"I could not look that up: {reason}"


def _summed_up(text: str) -> str | None:
    """Return what Claude Code's search says beside its links and its advice, None if nothing."""
    said = [part for part in text.split("\n\n") if not part.strip().startswith(_ADVICE)]
    return "\n\n".join(said).strip() or None


def _page(library: Library, document: Document) -> WebPage:
    text = library.text(document)
    return WebPage(
        url=document.url,
        title=document.title,
        published=document.date.date().isoformat() if document.date else "",
        passages=tuple(text.markdown[each.start : each.end] for each in text.passages),
        redirect=redirect_to(document.url),
    )
