"""The citations of one reply, compared with their pages beside it."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from groundwire.chat.answer_checks import Reading
from groundwire.chat.cited_claims import marker_positions
from groundwire.chat.cited_pages import cited_page
from groundwire.chat.events import CitationChecked, MarkerShown, TextShown
from groundwire.checks import CheckState, check_to_json
from groundwire.conversation import ChecksState, SearchMode

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from groundwire.chat.answer_checks import AnswerChecks
    from groundwire.chat.citation_checker import CitationChecker
    from groundwire.chat.events import ChatEvent
    from groundwire.chat.plan import Conversation, Plan
    from groundwire.checks import CitationCheck
    from groundwire.citations import Marked
    from groundwire.model import ReadReply

PENDING = "pending"


class ReplyChecks:
    """Belongs to one reply. Nobody compares where nobody searches, or where it is turned off.

    `wait_seconds` is how long the end of a reply waits for the rest: what was compared by then is
    told with it.
    """

    def __init__(self, owner: AnswerChecks, *, wait_seconds: float = 0.0) -> None:
        self._owner = owner
        self._wait_seconds = wait_seconds
        self._checker: CitationChecker | None = None
        self._is_handed_on = False
        self._unseen: list[ChatEvent] = []
        self._positions: set[int] = set()

    @property
    def is_on(self) -> bool:
        """Tell whether anything is compared."""
        return self._checker is not None

    @property
    def state(self) -> ChecksState:
        """Return what is noted of an answer that is kept before all of it is compared."""
        checker = self._checker
        has_any = checker is not None and (checker.pending or checker.checks)
        return ChecksState.PENDING if has_any else ChecksState.NONE

    def begin(self, message_id: str, conversation: Conversation, plan: Plan) -> None:
        """Compare from now on, unless the workspace or the settings are against it."""
        if plan.mode is SearchMode.OFF:
            return
        reading = Reading.of_turn(conversation, plan)
        self._checker = self._owner.checker(message_id, reading)

    def open(self, url: str, reply: ReadReply) -> None:
        """Take a page that was opened for the answer."""
        if self._checker is not None:
            self._checker.pages.add(url, cited_page(reply.page, reply.age_seconds))

    def following(self, events: Sequence[ChatEvent]) -> Sequence[ChatEvent]:
        """Return events of the turn, and behind them what was compared meanwhile."""
        if self._checker is None:
            return events
        self._unseen += events
        if all(type(event) is TextShown for event in events):
            # Nothing can have changed for a citation, and most events are these.
            return events
        return [*events, *self._ready()]

    def _ready(self) -> Sequence[ChatEvent]:
        if self._checker is None:
            return ()
        unseen, self._unseen = self._unseen, []
        self._positions |= {each.position for each in unseen if isinstance(each, MarkerShown)}
        self._checker.take(unseen)
        return self._checker.ready()

    async def finish(self, marked: Marked) -> Sequence[ChatEvent]:
        """Return what the whole answer came to, as far as it is known in time."""
        checker = self._checker
        if checker is None:
            return ()
        told = self._ready()
        checker.finish(marked)
        with suppress(TimeoutError):
            async with asyncio.timeout(self._wait_seconds):
                while self._wait_seconds and not checker.is_over:
                    await checker.changed()
        places = self._places(marked)
        return [*told, *(_moved(each, places) for each in checker.ready())]

    def _places(self, marked: Marked) -> dict[int, int]:
        """Return where each marker of the whole answer stood when it was shown.

        These differ where a link that the provider wrote gave way to a marker.
        """
        shown, final = sorted(self._positions), marker_positions(marked)
        return dict(zip(final, shown, strict=True)) if len(shown) == len(final) else {}

    def hand_on(self) -> None:
        """Have the rest compared although the reply is over: its answer is kept."""
        if self._checker is not None and self.state is ChecksState.PENDING:
            self._is_handed_on = True
            self._owner.follow(self._checker)

    async def close(self) -> None:
        """Stop comparing."""
        if self._checker is not None and not self._is_handed_on:
            await self._checker.close()


def _moved(event: CitationChecked, places: Mapping[int, int]) -> CitationChecked:
    one = event.citation
    place = places.get(one.position, one.position)
    return replace(event, citation=replace(one, position=place))


def check_fields(one: CitationCheck) -> dict[str, object]:
    """Return a check as a client gets it: the words that were compared, and what came of it."""
    return {"claim": one.claim, **check_to_json(one.check), "page_hash": one.page_hash}


def counted(states: Iterable[str], citations: int) -> str:
    """Return how many citations came to what, as the value of a header."""
    found = [*states]
    counts = {state.value: found.count(state.value) for state in CheckState}
    counts[PENDING] = citations - len(found)
    return ", ".join(f"{name}={count}" for name, count in counts.items())
