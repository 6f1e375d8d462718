"""What happens in a turn as what a client is told: searches, text with markers, thoughts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from groundwire.chat.events import (
    BudgetReached,
    ChatEvent,
    CitationChecked,
    MarkerShown,
    Noticed,
    PassageFolded,
    SourceNumbered,
    TextShown,
    ThinkingShown,
    ToolUpdate,
)
from groundwire.citations import title_of
from groundwire.conversation import SearchMode
from groundwire.events import ThinkingDelta
from groundwire.gateway.reply_checks import check_fields
from groundwire.gateway.text_release import Hold, MarkerStyle, TextRelease
from groundwire.model import Citation, SearchResult
from groundwire.wire.inbound import ReplayedPage, ReplayedSearch
from groundwire.wire.outbound import (
    Compared,
    FoundPage,
    OutboundEvent,
    PageRead,
    Remark,
    SearchBegan,
    SearchEnded,
    SentCitation,
    Text,
    new_id,
)

if TYPE_CHECKING:
    from groundwire.citations import Source
    from groundwire.conversation import ToolRun
    from groundwire.gateway.history import Recalled
    from groundwire.gateway.reply_checks import ReplyChecks
    from groundwire.gateway.state import Signer
    from groundwire.wire.inbound import InboundRequest

_QUOTE_LENGTH = 300
_READING = ("open_page", "web_fetch")


class Translator:
    """Belongs to one reply. `searches` are those that were made, as a client may send them back.

    `pages` are all that the model knows, by the ids that it knows them by.
    """

    def __init__(
        self,
        recalled: Recalled,
        signer: Signer,
        *,
        style: MarkerStyle,
        hold: Hold,
        request: InboundRequest,
        cites_last: bool,
        search_prefix: str,
        checks: ReplyChecks,
    ) -> None:
        self.searches: list[ReplayedSearch] = []
        self.pages: dict[int, tuple[str, str]] = {
            int(id_): (page.url, page.title) for id_, page in recalled.pages.items()
        }
        self.search_count = 0
        self.page_count = 0
        self._recalled = recalled
        self._signer = signer
        self._wants_thinking = request.wants_thinking
        self._checks = checks
        self._prefix = search_prefix
        self._release = TextRelease(style, self._cited, hold=hold)
        self.holds = self._release.holds
        self._sources: dict[int, Source] = {}
        self._running: dict[str, tuple[str, str]] = {}
        self._used_up = ""
        # Where nobody reads along, what is no text waits for it, with its place: markers may still
        # come for words before.
        self._is_waiting = hold is Hold.ALL and not request.streams
        self._waiting: list[tuple[int, Sequence[OutboundEvent]]] = []
        # In a stream, a search that is told of when the words are over would part them from their
        # citations, which come right after it.
        self._puts_off = cites_last and request.streams
        self._put_off: list[ToolRun] = []

    def take(self, events: Sequence[ChatEvent]) -> list[OutboundEvent]:
        """Return what events of a turn are to a client."""
        told: list[OutboundEvent] = []
        for event in self._checks.following(events):
            now = self._told(event)
            if self._is_waiting and now:
                self._waiting.append((self._release.place, now))
            else:
                told += now
        return told

    def flush(self) -> list[OutboundEvent]:
        """Return all that waits, because something of another kind comes next."""
        return [*self._waited(), *self._release.flush()]

    def finish(self, events: Sequence[ChatEvent], cited: Iterable[Source]) -> list[OutboundEvent]:
        """Return the rest of the text, and an end for every search that has none.

        `cited` are all sources of the answer: some providers name them for no words of it.
        """
        told = self.take(events)
        for source in cited:
            self._sources.setdefault(source.number, source)
            self._release.name(source.number)
        told += [*self._waited(), *self._release.finish()]
        self._is_waiting = self._puts_off = False
        told += [each for run in self._put_off for each in self._tool(run)]
        for id_, query in self._running.values():
            told.append(SearchEnded(id=id_, query=query, error="unavailable"))
        self._running.clear()
        return told

    def _waited(self) -> list[OutboundEvent]:
        """Return what waited for the text before it, each after that text."""
        told: list[OutboundEvent] = []
        for place, events in self._waiting:
            told += [*self._release.release_to(place), *events]
        self._waiting.clear()
        return told

    def _words_before(self) -> list[Text]:
        return [] if self._is_waiting else self._release.flush()

    def _told(self, event: ChatEvent) -> Sequence[OutboundEvent]:
        told: Sequence[OutboundEvent] = ()
        match event:
            case TextShown(text):
                told = self._release.show(text)
            case MarkerShown():
                self._release.mark(event)
            case SourceNumbered(source=source):
                self._sources[source.number] = source
            case PassageFolded():
                self._release.fold(event)
            case ThinkingShown(text):
                told = [ThinkingDelta(text)] if self._wants_thinking else ()
            case ToolUpdate(run=run):
                told = self._tool(run)
            case CitationChecked(citation=one):
                told = [Compared(key=(one.position, one.number), check=check_fields(one))]
            case BudgetReached(budget=budget, message=message):
                self._used_up = budget
                told = [Remark(text=message)]
            case Noticed(message=message):
                told = [Remark(text=message)]
        return told

    def _tool(self, run: ToolRun) -> Sequence[OutboundEvent]:
        if self._puts_off and (self._put_off or self._release.place):
            self._put_off.append(run)
            return ()
        if run.name in _READING:
            return self._page(run)
        if run.name != "web_search":
            return ()
        began: list[OutboundEvent] = []
        if run.id not in self._running:
            self.search_count += 1
            self._running[run.id] = (new_id(self._prefix), run.query)
            id_, query = self._running[run.id]
            began = [*self._words_before(), SearchBegan(id=id_, query=query)]
        return began if run.status == "running" else [*began, self._search_ended(run)]

    def _search_ended(self, run: ToolRun) -> SearchEnded:
        id_, query = self._running.pop(run.id)
        query = run.query or query
        error = self._error_of(run, "searches", "unavailable")
        pages = tuple(
            FoundPage(
                url=hit.url,
                title=hit.title,
                published=hit.published,
                state=self._state_of(hit.url, hit.title, hit.snippet),
            )
            for hit in run.results or self._cited_so_far(run)
        )
        kept = [ReplayedPage(url=page.url, title=page.title, state=page.state) for page in pages]
        self.searches.append(ReplayedSearch(id=id_, query=query, pages=tuple(kept), error=error))
        return SearchEnded(id=id_, query=query, pages=pages, error=error)

    def _cited_so_far(self, run: ToolRun) -> Sequence[SearchResult]:
        """Return what stands for the results of a provider that names only what it cites."""
        if run.mode is not SearchMode.HOSTED or run.status == "failed":
            return ()
        return [
            SearchResult(url=source.url, title=title_of(source))
            for source in self._sources.values()
        ]

    def _page(self, run: ToolRun) -> Sequence[OutboundEvent]:
        if run.status == "running":
            return ()
        urls = run.url.split(", ")
        self.page_count += len(urls)
        error = self._error_of(run, "pages", "url_not_accessible")
        return [*self._words_before(), *(self._read(run, url, error) for url in urls)]

    def _read(self, run: ToolRun, url: str, error: str) -> PageRead:
        page = self._recalled.read_pages.find(url)
        title = page.title or run.title
        if not error and not page.is_readable:
            error = "url_not_accessible"
        if not error:
            self.pages.setdefault(self._recalled.ledger.number(page.url, title), (page.url, title))
        id_ = new_id(self._prefix)
        return PageRead(id=id_, url=url, title=title, text=page.text, error=error)

    def _error_of(self, run: ToolRun, budget: str, usual: str) -> str:
        """Return the Messages API's code for a run that failed, "" for one that did not."""
        used_up, self._used_up = self._used_up, ""
        if run.status != "failed":
            return ""
        return "max_uses_exceeded" if used_up == budget else usual

    def _state_of(self, url: str, title: str, snippet: str) -> str:
        self._recalled.snippets.setdefault(url, snippet)
        id_ = self._recalled.ledger.number(url, title)
        self.pages.setdefault(id_, (url, title))
        return self._signer.sign({"i": id_, "s": snippet}, url)

    def _cited(self, number: int, quote: str | None) -> SentCitation:
        """Return a source under the number that it has for this client.

        What is quoted is what was named at the place; what nobody named is what the search showed.
        """
        source = self._sources[number]
        known = Citation(url=source.url, title=source.title, evidence=source.evidence)
        shown = self._recalled.numbers.number(known)
        if quote is None and source.quotes:
            quote = source.quotes[0]
        quote = quote or self._recalled.snippets.get(source.url, "")
        return SentCitation(
            number=shown,
            url=source.url,
            title=title_of(source),
            start=0,
            end=0,
            quote=quote[:_QUOTE_LENGTH],
            state=self._signer.sign({"n": shown}, source.url),
        )
