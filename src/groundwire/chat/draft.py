"""An answer while it grows: text with markers, sources of every kind, tools, rounds."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from groundwire import citations
from groundwire.chat.events import (
    ChatEvent,
    SourceNumbered,
    SourcesRemoved,
    TextShown,
    TurnEnded,
)
from groundwire.citations import STRENGTH, MarkerStream, PassageFolded, canonical_url
from groundwire.conversation import ChatMessage, Choices, Round, Status, ToolRun, TurnState, now
from groundwire.model import Citation, Evidence, SearchResult

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from groundwire.citations import Marked, Piece
    from groundwire.guard import DomainPolicy
    from groundwire.model import Json

_NUMBER = re.compile(r"\d+")


class Draft:
    """Takes what happens and keeps the answer's state; nothing here waits.

    Every `[n]` comes from here: a model's own are checked against the ids that its tools gave,
    and a provider's citations are placed by their spans. What the policy does not permit is
    struck. `earlier` are the ids that tools gave before in the conversation, `choices` what the
    user chose for this message, `reason` why it was planned so. `searches` tells whether somebody
    searches in this turn.
    """

    def __init__(
        self,
        message: ChatMessage,
        policy: DomainPolicy,
        *,
        earlier: Mapping[str, Citation] | None = None,
        choices: Choices | None = None,
        reason: str = "",
        searches: bool = False,
    ) -> None:
        self.runs: dict[str, ToolRun] = {run.id: run for run in message.tool_runs}
        self.rounds: list[Round] = [*message.rounds]
        self.thinking: list[str] = [message.thinking] if message.thinking else []
        self.suggestions = message.suggestions
        self.text_length = 0
        self._message = message
        self._policy = policy
        # Nothing is known at first, so that a number which the model made up shows as such.
        self._markers = MarkerStream(known={}, expects_sources=searches)
        self._text: list[str] = []
        self._round_start = 0
        self._separates = False
        self._cited: list[Citation] = []
        self._known: dict[str, Citation] = {}
        self._earlier = {id_: self._judged(each) for id_, each in (earlier or {}).items()}
        if self._earlier:
            self._markers.learn(self._earlier)
        self._choices = choices
        self._reason = reason
        self._pages: dict[str, Citation] = {}
        if message.state or message.plain_text:
            self._restore(message)

    def _restore(self, message: ChatMessage) -> None:
        """Go on with an answer that was kept half-way."""
        state = message.state or TurnState()
        if self._choices is None:
            self._choices, self._reason = state.choices, state.reason
        self.learn(state.known)
        for page in state.pages:
            self._note(page)
        if message.plain_text:
            self.add_text(message.plain_text)
        self._cited = [*state.citations]
        self._markers.cite(self._cited)

    def begin_round(self) -> None:
        """Expect another reply of the model; its text is a paragraph of its own."""
        self._separates = self.text_length > 0
        self._round_start = self.text_length

    def add_text(self, text: str) -> Sequence[ChatEvent]:
        """Take the next text of the reply."""
        if self._separates and text:
            self._separates = False
            text = f"\n\n{text}"
            self._round_start += 2
        self._text.append(text)
        self.text_length += len(text)
        return self._shown(self._markers.feed(text))

    def cite(self, citations: Iterable[Citation]) -> Sequence[ChatEvent]:
        """Take citations with spans in the present reply; the policy strikes what is outside."""
        if self._round_start:
            citations = map(self._moved, citations)
        judged = [self._judged(each) for each in citations]
        self._cited += judged
        shown = self._shown(self._markers.cite(judged))
        if removed := [each for each in judged if each.evidence is Evidence.REMOVED]:
            return [self._removed(removed, "citations"), *shown]
        return shown

    def find(self, results: Iterable[SearchResult]) -> tuple[list[SearchResult], list[ChatEvent]]:
        """Take what a search found; return what of it may stay."""
        kept, removed = [], []
        for hit in results:
            # Google's hits are redirects whose title is the domain they lead to.
            citation = Citation(url=hit.url, title=hit.title, evidence=Evidence.FOUND)
            if self._policy.permits_source(hit.url, hit.title):
                kept.append(hit)
                self._note(citation)
            else:
                removed.append(citation)
                self._note(replace(citation, evidence=Evidence.REMOVED))
        return kept, [self._removed(removed, "results")] if removed else []

    def read(self, url: str, title: str) -> tuple[bool, list[ChatEvent]]:
        """Take a page that was opened; return whether it may be a source."""
        citation = self._judged(Citation(url=url, title=title, evidence=Evidence.READ))
        self._note(citation)
        if citation.evidence is Evidence.REMOVED:
            return False, [self._removed([citation], "pages")]
        return True, []

    def learn(self, known: Mapping[str, Citation]) -> None:
        """Take ids that a tool has told the model, for the pages they name."""
        judged = {id_: self._judged(citation) for id_, citation in known.items()}
        for id_, citation in judged.items():
            earlier = self._known.get(id_)
            if earlier is None or _is_stronger(citation, earlier):
                self._known[id_] = citation
        self._markers.learn({id_: self._known[id_] for id_ in judged})

    def snapshot(self, **changes: Json) -> ChatMessage:
        """Return the answer as it is, to be kept while it grows: cheap, and without markers."""
        text = "".join(self._text)
        return replace(
            self._message,
            content=text,
            plain_text=text,
            marked=None,
            **{**self._common(), **changes},
        )

    def finish(self, **changes: Json) -> tuple[Sequence[ChatEvent], TurnEnded]:
        """Return what was still held back, and the whole answer; no tool runs on after it."""
        for run in self.runs.values():
            if run.status == "running":
                self.runs[run.id] = replace(run, status="failed", error="the answer ended first")
        # What was read or found and never cited, the stronger first.
        uncited = sorted(self._pages.values(), key=lambda page: STRENGTH[page.evidence])
        self._markers.cite(uncited)
        finished = self._markers.finish()
        marked = finished.marked
        message = replace(
            self._message,
            content=marked.text,
            plain_text="".join(self._text),
            citations=_citations(marked),
            marked=marked,
            **{**self._common(), **changes},
        )
        return self._shown(finished.pieces), TurnEnded(message=message)

    def _common(self) -> dict[str, Json]:
        # Of the conversation's ids only those that this answer may use: all would pile up.
        named = {*_NUMBER.findall("".join(self._text))} if self._earlier else ()
        reused = {id_: self._earlier[id_] for id_ in named if id_ in self._earlier}
        return {
            "state": TurnState(
                choices=self._choices,
                reason=self._reason,
                citations=tuple(self._cited),
                known={**reused, **self._known},
                pages=tuple(self._pages.values()),
            ),
            "suggestions": self.suggestions,
            "thinking": "".join(self.thinking),
            "tool_runs": tuple(self.runs.values()),
            "rounds": tuple(self.rounds),
            # Distinct pages that were opened and could be read, whoever opened them.
            "pages_read": sum(each.evidence is Evidence.READ for each in self._pages.values()),
            "updated_at": now(),
        }

    def _moved(self, citation: Citation) -> Citation:
        """Return a citation of this reply as one of the whole answer."""
        if citation.start is None or citation.end is None:
            return citation
        return replace(
            citation,
            start=citation.start + self._round_start,
            end=citation.end + self._round_start,
        )

    def _judged(self, citation: Citation) -> Citation:
        if self._policy.permits_source(citation.url, citation.domain):
            return citation
        return replace(citation, evidence=Evidence.REMOVED)

    def _note(self, citation: Citation) -> None:
        key = canonical_url(citation.url)
        earlier = self._pages.get(key)
        if earlier is None or _is_stronger(citation, earlier):
            self._pages[key] = citation
        self._markers.know_sources()

    def _removed(self, citations: Sequence[Citation], where: str) -> SourcesRemoved:
        domains = {each.url: each.domain for each in citations}
        return SourcesRemoved(
            urls=tuple(domains),
            where=where,
            reason=self._policy.reason,
            domains=tuple(domains.values()),
        )

    def _shown(self, pieces: Sequence[Piece]) -> Sequence[ChatEvent]:
        if len(pieces) == 1 and type(pieces[0]) is TextShown:
            return pieces
        # A marker's source is told before it, so that nobody shows a number without a page.
        numbered = [SourceNumbered(source=each) for each in self._markers.sources.take_new()]
        reasoned = [
            replace(each, reason=self._policy.reason) if isinstance(each, PassageFolded) else each
            for each in pieces
        ]
        return [*numbered, *reasoned]


def restored(message: ChatMessage, policy: DomainPolicy) -> ChatMessage:
    """Return an answer with its markers and sources where it is kept without; others as they are.

    A crash leaves an answer half-kept. One of an older revision of the database, or of another
    program that writes it, has its citations and nothing else.
    """
    if message.marked is not None:
        return message
    if message.state is None and message.citations:
        # What is kept is shown: no policy held when it was written.
        return replace(message, marked=citations.place(message.content, message.citations))
    if message.status is not Status.INTERRUPTED:
        return message
    _, ended = Draft(message, policy).finish(updated_at=message.updated_at)
    return ended.message


def _citations(marked: Marked) -> tuple[Citation, ...] | None:
    """Return the sources that the answer rests on, by number; None if there are none."""
    used = tuple(
        Citation(
            url=source.url,
            title=source.title,
            domain=source.domain,
            quote=source.quotes[0] if source.quotes else "",
            start=source.spans[0][0] if source.spans else None,
            end=source.spans[0][1] if source.spans else None,
            evidence=source.evidence,
        )
        for source in marked.sources
        if citations.is_used(source)
    )
    return used or None


def _is_stronger(one: Citation, other: Citation) -> bool:
    return STRENGTH[one.evidence] < STRENGTH[other.evidence]
