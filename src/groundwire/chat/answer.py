"""`Answer`: what a question becomes. Text with numbered markers, its sources, what it cost."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING

from groundwire import citations
from groundwire.citations import Source
from groundwire.conversation import Status
from groundwire.text.plural import plural
from groundwire.wire.decoder import INCOMPLETE, REFUSALS, TOKEN_LIMITS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from groundwire.checks import CitationCheck
    from groundwire.citations import Marked
    from groundwire.conversation import ChatMessage
    from groundwire.model import Usage

_SHOWN_IN_REPR = 50


@dataclass(slots=True, kw_only=True)
class CheckedSource(Source):
    """A source of an answer, with what the claims that name it were compared with."""

    checks: tuple[CitationCheck, ...] = ()

    @property
    def check(self) -> CitationCheck | None:
        """Return what the first of its claims came to, None if none was compared."""
        return self.checks[0] if self.checks else None


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Answer:
    """A cited answer. `print(answer)` prints it with its sources.

    `message` is the answer as the store has it. `checks` are its citations, compared with their
    pages: by the places of the markers.
    """

    message: ChatMessage
    checks: tuple[CitationCheck, ...] = ()

    def __str__(self) -> str:
        # A terminal would obey escape sequences of the model or of a page.
        return citations.to_terminal(self.marked)

    def __repr__(self) -> str:
        text = " ".join(self.text.split())
        start = text if len(text) <= _SHOWN_IN_REPR else f"{text[: _SHOWN_IN_REPR - 1]}…"
        return f"<Answer {start!r}, {self.status}, {plural(len(self.sources), 'source')}>"

    @property
    def marked(self) -> Marked:
        """Return text, markers and sources, for `groundwire.citations` to render."""
        return self.message.marked or citations.Marked(text=self.message.content)

    @property
    def text(self) -> str:
        """Return the text with its markers, without the list of sources."""
        return self.message.content

    @property
    def markdown(self) -> str:
        """Return the text and the list of sources as Markdown."""
        return citations.to_markdown(self.marked)

    @property
    def sources(self) -> Sequence[CheckedSource]:
        """Return the sources by number: `[1]` in the text is the first."""
        return tuple(
            CheckedSource(
                **{each.name: getattr(source, each.name) for each in fields(source)},
                checks=tuple(each for each in self.checks if each.number == source.number),
            )
            for source in self.marked.sources
        )

    def with_checks(self, later: Iterable[CitationCheck]) -> Answer:
        """Return the same with citations that were compared only then; the last one holds."""
        found = {(each.position, each.number): each for each in (*self.checks, *later)}
        return replace(self, checks=tuple(found[key] for key in sorted(found)))

    @property
    def usage(self) -> Usage | None:
        """Return the tokens and searches that the provider counted; None if it did not."""
        return self.message.usage

    @property
    def cost_usd(self) -> float | None:
        """Return the cost in US dollars, None if unknown; see `cost_is_partial`."""
        return self.message.cost_usd

    @property
    def cost_is_partial(self) -> bool:
        """Tell whether a price is unknown, so that it cost at least `cost_usd`."""
        return self.message.cost_is_partial

    @property
    def provider(self) -> str:
        """Return the name of the provider that answered."""
        return self.message.provider

    @property
    def model(self) -> str:
        """Return the model that answered."""
        return self.message.model

    @property
    def session_id(self) -> str:
        """Return the session to go on with: `gw.ask("And why?", session=answer.session_id)`."""
        return self.message.session_id

    @property
    def status(self) -> Status:
        """Return how the turn ended; `incomplete` has the reason in words."""
        return self.message.status

    @property
    def incomplete(self) -> str:
        """Return why the answer is incomplete, "" if it is complete."""
        message = self.message
        if message.status is Status.AWAITING_APPROVAL:
            return "a tool waits for your approval"
        if message.error or message.status is not Status.COMPLETE:
            return message.error or message.status.value
        if message.stop_reason in (*TOKEN_LIMITS, INCOMPLETE):
            return "the model reached its limit of tokens"
        return f"{message.provider} refused" if message.stop_reason in REFUSALS else ""
