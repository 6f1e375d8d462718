"""One reply of a model: what each event of its stream means for the answer."""

from __future__ import annotations

import re
import time
from dataclasses import replace
from itertools import count
from typing import TYPE_CHECKING

from groundwire.chat.events import (
    ChatEvent,
    Noticed,
    SuggestionsShown,
    ThinkingShown,
    ToolUpdate,
    TurnFailed,
    UsageReported,
    WebSearchStarted,
)
from groundwire.client import ModelApiAdapter
from groundwire.conversation import Round, SearchMode, ToolRun
from groundwire.errors import ToolFailedError
from groundwire.events import (
    Citations,
    Done,
    Error,
    RawBlocks,
    SearchSuggestions,
    TextDelta,
    ThinkingDelta,
    ToolCallDelta,
    ToolCallEnd,
    ToolCallStart,
    Usage,
    Warned,
    WebFetchResult,
    WebFetchStart,
    WebSearchResults,
    WebSearchStart,
)
from groundwire.model import Json, ToolCall
from groundwire.system.determinism import seconds_since

_PAUSED = "pause_turn"
_LINKING = re.compile(r"[\[\]()]")
_CLOSING = (Citations, Usage, RawBlocks, SearchSuggestions, Warned, Done)

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Iterable, Sequence

    from groundwire.chat.budgets import Budgets, Meter
    from groundwire.chat.draft import Draft
    from groundwire.chat.plan import Conversation
    from groundwire.client import Client
    from groundwire.events import StreamEvent
    from groundwire.wire.contract import Question


def reply_stream(
    conversation: Conversation, budgets: Budgets, client: Client, question: Question
) -> AsyncGenerator[Sequence[StreamEvent], None]:
    """Ask a model; a provider that can limit its searches and pages is told how."""
    endpoint = conversation.endpoint
    limits = {"max_searches": max(1, budgets.searches), "max_fetches": max(1, budgets.pages)}
    access = replace(endpoint.access, options={**limits, **endpoint.access.options})
    adapter = ModelApiAdapter(
        replace(endpoint, access=access), client, names_address=conversation.names_addresses
    )
    return adapter.answer_batches(question)


class Reply:
    """Reads one stream into the draft; `calls` are what the model wants done.

    `texts` are what it says. With `is_form` that is a form to fill in, nothing to show.
    """

    def __init__(self, draft: Draft, meter: Meter, service: str, *, is_form: bool = False) -> None:
        self.failure: TurnFailed | None = None
        self.stop_reason = ""
        self.texts: list[str] = []
        self.may_go_on = True
        self._is_form = is_form
        self._draft = draft
        self._meter = meter
        self._service = service
        self._raw_blocks: Json = None
        self._names: dict[str, str] = {}
        self._arguments: dict[str, list[str]] = {}
        self.calls: list[ToolCall] = []
        self._started: dict[str, float] = {}
        self._ids = count(1 + sum(run.mode is SearchMode.HOSTED for run in draft.runs.values()))
        draft.begin_round()
        meter.begin_reply()

    def round(self) -> Round:
        """Return the reply as it is sent back to the provider."""
        text, calls = "".join(self.texts), tuple(self.calls)
        return Round(text=text, tool_calls=calls, raw_blocks=self._raw_blocks)

    def take_batch(self, batch: Sequence[StreamEvent]) -> list[ChatEvent]:
        """Return what events of the stream mean, and note whether the stream may go on.

        It may not when a budget is used up, or the provider has used its tools too often. Some
        tell of that at the end, when the answer is there: what only closes a reply is taken.
        """
        told: list[ChatEvent] = []
        for event in _with_text_joined(batch):
            if self._meter.overused() and not isinstance(event, _CLOSING):
                self.may_go_on = False
                return told
            told += self.take(event)
        self.may_go_on = self._meter.spent() is None
        return told

    def take(self, event: StreamEvent) -> Sequence[ChatEvent]:
        """Return what one event of the stream means to whoever reads the answer."""
        match event:
            case TextDelta(text):
                self.texts.append(text)
                return [] if self._is_form else self._draft.add_text(text)
            case ThinkingDelta(text):
                self._draft.thinking.append(text)
                return [ThinkingShown(text)]
            case Citations(citations):
                return self._draft.cite(citations)
            case Usage():
                self._meter.take(event)
                cost = self._meter.cost()
                return [
                    UsageReported(
                        usage=self._meter.total,
                        cost_usd=cost.usd,
                        cost_is_partial=cost.is_partial,
                    )
                ]
            case ToolCallStart() | ToolCallDelta() | ToolCallEnd():
                self._take_call(event)
                return []
            case _:
                return self._take_rare(event)

    def finish(self) -> list[ChatEvent]:
        """Return the end of what the provider began and never ended."""
        return [
            self._ended(run, status="done")
            for run in [*self._draft.runs.values()]
            if run.id in self._started
        ]

    def _take_call(self, event: ToolCallStart | ToolCallDelta | ToolCallEnd) -> None:
        match event:
            case ToolCallStart(id_, name):
                self._names[id_] = name
                self._arguments[id_] = []
            case ToolCallDelta(id_, piece):
                self._arguments[id_].append(piece)
            case ToolCallEnd(id_):
                arguments = "".join(self._arguments[id_]) or "{}"
                name = self._names[id_]
                self.calls.append(ToolCall(id=self._unique(id_), name=name, arguments=arguments))

    def _unique(self, id_: str) -> str:
        """Return an id that no call of the turn has: some servers count anew in every reply."""
        taken = {*self._draft.runs, *(call.id for call in self.calls)}
        return id_ if id_ not in taken else f"{id_}-{len(taken) + 1}"

    def _take_rare(self, event: StreamEvent) -> list[ChatEvent]:
        match event:
            case WebSearchStart() | WebSearchResults() | WebFetchStart() | WebFetchResult():
                return self._take_web(event)
            case SearchSuggestions(html):
                self._draft.suggestions = html
                return [SuggestionsShown(html=html)]
            case RawBlocks(blocks):
                self._raw_blocks = blocks
            case Warned(message, code):
                return [*self._refused(message, code), Noticed(message=message, code=code)]
            case Error(message, code, wait):
                self.failure = self.failure or TurnFailed(
                    message=message, code=code, retry_after_seconds=wait
                )
            case Done(stop_reason):
                self.stop_reason = stop_reason
                if stop_reason == _PAUSED:
                    message = "the provider paused again and again: ask for less at once"
                    self.failure = self.failure or TurnFailed(message=message, code="paused")
            case _:
                pass
        return []

    def _refused(self, message: str, code: str) -> list[ChatEvent]:
        """End a search that the provider did not make; it counts for nothing."""
        running = [self._draft.runs[id_] for id_ in self._started]
        searches = [run for run in running if run.name == "web_search"]
        if code != ToolFailedError.code or not searches:
            return []
        self._meter.hosted_searches -= 1
        return [self._ended(searches[0], status="failed", error=message)]

    def _take_web(
        self, event: WebSearchStart | WebSearchResults | WebFetchStart | WebFetchResult
    ) -> list[ChatEvent]:
        match event:
            case WebSearchStart(query):
                self._meter.hosted_searches += 1
                return [
                    WebSearchStarted(query=query, mode=SearchMode.HOSTED, service=self._service),
                    self._began("web_search", query=query or ""),
                ]
            case WebSearchResults(results):
                kept, events = self._draft.find(results)
                run = self._running("web_search")
                return [*events, self._ended(run, status="done", results=tuple(kept))]
            case WebFetchStart(url):
                self._meter.hosted_pages += 1
                return [self._began("web_fetch", url=url)]
            case WebFetchResult(url, title, error):
                return self._fetched(url, title, error)

    def _fetched(self, url: str, title: str, error: str) -> list[ChatEvent]:
        run = self._running("web_fetch", url)
        if error:
            return [self._ended(run, status="failed", url=url, error=error)]
        is_permitted, events = self._draft.read(url, title)
        if is_permitted:
            return [self._ended(run, status="done", url=url, title=title)]
        return [*events, self._ended(run, status="failed", url=url, error="removed by policy")]

    def _began(self, name: str, *, query: str = "", url: str = "") -> ToolUpdate:
        run = ToolRun(
            id=f"hosted-{next(self._ids)}",
            name=name,
            mode=SearchMode.HOSTED,
            service=self._service,
            query=query,
            url=url,
        )
        self._started[run.id] = time.monotonic()
        self._draft.runs[run.id] = run
        return ToolUpdate(run=run)

    def _running(self, name: str, url: str = "") -> ToolRun:
        """Return the run that an event is about; some providers tell only the end."""
        running = [
            run
            for run in self._draft.runs.values()
            if run.id in self._started and run.name == name and url in (run.url, "")
        ]
        return running[0] if running else self._began(name, url=url).run

    def _ended(self, run: ToolRun, **changes: Json) -> ToolUpdate:
        seconds = seconds_since(self._started.pop(run.id))
        ended = self._draft.runs[run.id] = replace(run, seconds=seconds, **changes)
        return ToolUpdate(run=ended)


def _with_text_joined(batch: Sequence[StreamEvent]) -> Iterable[StreamEvent]:
    """Return events that came together; words that follow one another as one piece.

    What may be part of a link stays as it came: its citation follows it, and what is shown must
    not depend on how the events came together.
    """
    if len(batch) == 1:
        return batch
    joined: list[StreamEvent] = []
    words: list[str] = []
    for event in batch:
        if type(event) is TextDelta and not _LINKING.search(event.text):
            words.append(event.text)
            continue
        if words:
            joined.append(TextDelta("".join(words)))
            words = []
        joined.append(event)
    if words:
        joined.append(TextDelta("".join(words)))
    return joined
