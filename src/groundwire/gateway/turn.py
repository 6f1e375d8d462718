"""One request of a client: the model is asked, our tools are run, the client's end the reply."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby
from typing import TYPE_CHECKING, TypeAlias

from groundwire.chat import search_first
from groundwire.chat.budgets import Deadline, Meter, billing_of
from groundwire.chat.draft import Draft
from groundwire.chat.events import TurnFailed
from groundwire.chat.reply import Reply, reply_stream
from groundwire.chat.tool_runner import ToolRunner
from groundwire.citations import is_cited
from groundwire.conversation import ChatMessage, MessageKind, Round, SearchMode, Status
from groundwire.errors import GroundwireError
from groundwire.events import (
    Citations,
    TextDelta,
    ToolCallDelta,
    ToolCallEnd,
    ToolCallStart,
    Warned,
)
from groundwire.gateway.client_calls import ClientCalls
from groundwire.gateway.history import SEARCH_NAME
from groundwire.gateway.memory import OpenTurn
from groundwire.gateway.refusals import RefusedTurnError, refusal_of_turn
from groundwire.gateway.turn_plan import narrowed
from groundwire.gateway.upstream_question import upstream_question
from groundwire.model import ToolCall
from groundwire.wire.decoder import REFUSALS, TOKEN_LIMITS
from groundwire.wire.outbound import Accepted, Ended, OutboundEvent, Stop, Text

if TYPE_CHECKING:
    from groundwire.chat import SendMessage
    from groundwire.citations import Marked
    from groundwire.events import StreamEvent
    from groundwire.gateway.history import Recalled
    from groundwire.gateway.reply_checks import ReplyChecks
    from groundwire.gateway.translation import Translator
    from groundwire.gateway.turn_plan import TurnPlan
    from groundwire.wire.contract import Question
    from groundwire.wire.inbound import InboundRequest

Told: TypeAlias = AsyncGenerator[Sequence[OutboundEvent], None]
_QUERY_PREFIX = "Perform a web search for the query:"


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnParts:
    """What one turn is made from. `reports_searches` tells the client how many there were."""

    request: InboundRequest
    recalled: Recalled
    plan: TurnPlan
    translator: Translator
    chat: SendMessage
    checks: ReplyChecks
    call_prefix: str
    reports_searches: bool = False


class GatewayTurn:
    """Answers one request. `open_turn` is set when it ended with calls of the client's tools.

    `answer` is the whole answer once it ended, as chat would keep it.
    """

    def __init__(self, parts: TurnParts) -> None:
        self.open_turn: OpenTurn | None = None
        self.answer: ChatMessage | None = None
        self._request = parts.request
        self._recalled = parts.recalled
        self._planned = parts.plan
        self._plan = parts.plan.plan
        self._conversation = parts.plan.conversation
        self._translator = parts.translator
        self._reports_searches = parts.reports_searches
        self._is_plain = self._plan.mode is SearchMode.OFF
        self._budgets = narrowed(parts.chat.budgets, parts.request)
        conversation = self._conversation
        billing = billing_of(conversation.endpoint.provider, conversation.model, parts.chat.prices)
        self._meter = Meter(budgets=self._budgets, billing=billing)
        client = parts.chat.search_context.client
        self._stream = partial(reply_stream, conversation, self._budgets, client)
        answer = ChatMessage(
            session_id=conversation.session.id,
            kind=MessageKind.AI_RESPONSE,
            status=Status.STREAMING,
            mode=self._plan.mode,
        )
        self._checks = parts.checks
        self._checks.begin(answer.id, conversation, self._plan)
        is_client = self._plan.mode is SearchMode.CLIENT
        self._draft = Draft(
            answer,
            self._plan.policy,
            earlier=parts.recalled.pages if is_client else {},
            searches=not self._is_plain,
        )
        named = conversation.services.search or parts.chat.search_context.settings.search_provider
        service = named if isinstance(named, str) else ", ".join(named)
        ours = {tool.name: tool for tool in parts.plan.ours.values()}
        self._runner = ToolRunner(ours, self._draft, self._meter, service)
        # With nothing of ours among them, calls are told while they are written: unless sources
        # follow, which belong to the words before.
        is_live = not parts.plan.ours and not parts.plan.cites_last
        self._calls = ClientCalls(prefix=parts.call_prefix, is_live=is_live)
        self._words: list[str] = []
        self._stop_reason = ""
        self._is_accepted = False

    @property
    def meter(self) -> Meter:
        """Return what counts its spending."""
        return self._meter

    async def events(self) -> Told:
        """Answer, telling all that comes together at a time.

        Raises:
            RefusedTurnError: There is no answer, or no whole one.
        """
        self._deadline = Deadline(self._meter.seconds_left)
        calls_tools = self._conversation.endpoint.access.options.get("calls_tools", True)
        is_form = self._plan.mode is SearchMode.CLIENT and not calls_tools
        rounds = self._search_first() if is_form else self._rounds()
        try:
            async with aclosing(rounds):
                async for told in rounds:
                    yield told
            marked, told = self._finished()
            if told:
                yield told
            # The words are all there: if anything is waited for, it is what they came to.
            compared = self._translator.take(await self._checks.finish(marked))
            if self.answer is not None:
                self.answer = replace(self.answer, checks_state=self._checks.state)
            yield [*compared, *self._calls.told(), self._ended()]
        finally:
            self._deadline.close()
            await self._checks.close()

    def _finished(self) -> tuple[Marked, Sequence[OutboundEvent]]:
        """Return what is left to tell, and have the answer ready to be kept."""
        cost = self._meter.cost()
        events, ended = self._draft.finish(
            status=Status.COMPLETE,
            usage=self._meter.total,
            cost_usd=cost.usd,
            cost_is_partial=cost.is_partial,
            stop_reason=self._stop_reason,
        )
        self.answer = ended.message
        if self._is_plain:
            said = "\n\n".join(one.text for one in self._draft.rounds if one.text)
            self.answer = replace(ended.message, content=said, plain_text=said)
        marked = ended.answer.marked
        return marked, self._translator.finish(events, filter(is_cited, marked.sources))

    async def _rounds(self) -> Told:
        if self._planned.must_search:
            call = self._first_search(self._planned.names[SEARCH_NAME])
            self._draft.rounds.append(Round(tool_calls=(call,)))
            async with aclosing(self._run_ours([call])) as running:
                async for told in running:
                    yield told
        limit = self._budgets.rounds
        for number in range(limit):
            reply = Reply(self._draft, self._meter, self._conversation.endpoint.provider.title)
            self._words.clear()
            async with aclosing(self._replied(reply, is_last=number == limit - 1)) as replied:
                async for told in replied:
                    yield told
            self._draft.rounds.append(self._round(reply))
            self._stop_reason = reply.stop_reason or self._stop_reason
            ours = [call for call in reply.calls if call.name in self._planned.ours]
            async with aclosing(self._run_ours(ours)) as running:
                async for told in running:
                    yield told
            theirs = [call for call in reply.calls if call not in ours]
            if theirs:
                self._hand_over(theirs)
                return
            if not ours:
                return

    async def _replied(self, reply: Reply, *, is_last: bool) -> Told:
        """Tell one reply of the model, to its end or its failure."""
        question = self._asked(is_last=is_last)
        async with aclosing(self._stream(question)) as stream:
            held: list[StreamEvent] = []
            while reply.may_go_on and (batch := await self._next(stream)) is not None:
                if self._is_held(batch):
                    held += batch
                    continue
                told = self._told(reply, self._together(held, batch) if held else batch)
                held.clear()
                if not self._is_accepted:
                    told = [*self._accepted(reply, batch), *told]
                if told:
                    yield told
        yield [*self._told(reply, held), *self._translator.take(reply.finish())]
        self._check(reply)

    def _is_held(self, batch: Sequence[StreamEvent]) -> bool:
        """Tell whether events can wait for others: most are words in the middle of a sentence.

        Nothing of them could be sent, and to take them together costs a fraction.
        """
        if self._is_plain or not self._is_accepted:
            return False
        holds = self._translator.holds
        for event in batch:  # noqa: SIM110 - all() costs as much again, at every event
            if type(event) is not TextDelta or not holds(event.text):
                return False
        return True

    def _together(
        self, held: Sequence[StreamEvent], batch: Sequence[StreamEvent]
    ) -> Sequence[StreamEvent]:
        """Return words that waited and what came behind them.

        Where nobody reads along, the sources come first: a link that the provider wrote for one
        can then give way to its marker. In a later reply their places are known by its words.
        """
        if self._request.streams or self._draft.rounds:
            return [*held, *batch]
        sources = [event for event in batch if type(event) is Citations]
        return [*sources, *held, *(event for event in batch if type(event) is not Citations)]

    def _accepted(self, reply: Reply, batch: Sequence[StreamEvent]) -> Sequence[OutboundEvent]:
        """Tell once that the model answers; what is dropped of a request is known before that."""
        is_failed = reply.failure is not None
        self._is_accepted = not is_failed and any(type(event) is not Warned for event in batch)
        return [Accepted()] if self._is_accepted else []

    async def _next(
        self, stream: AsyncGenerator[Sequence[StreamEvent], None]
    ) -> Sequence[StreamEvent] | None:
        try:
            return await self._deadline.next(stream)
        except GroundwireError as error:
            failure = TurnFailed(message=str(error), code=error.code)
        raise RefusedTurnError(refusal_of_turn(failure))

    def _told(self, reply: Reply, batch: Sequence[StreamEvent]) -> Sequence[OutboundEvent]:
        """Return what a batch is to the client, in its order; unsearched words go as they are."""
        if not self._is_plain and all(type(event) is TextDelta for event in batch):
            # Most batches are these, and there are thousands.
            return self._translator.take(reply.take_batch(batch))
        told: list[OutboundEvent] = []
        for kind, run in groupby(batch, self._kind):
            events = list(run)
            if kind == "words":
                words = [each.text for each in events if type(each) is TextDelta]
                self._words += words
                told.append(Text("".join(words)))
                continue
            if kind == "call" and self._calls.is_live:
                # What waits for its markers was said before the call.
                told += self._translator.flush()
            for event in events:
                if isinstance(event, ToolCallStart | ToolCallDelta | ToolCallEnd):
                    told += self._calls.take(event)
            told += self._translator.take(reply.take_batch(events))
        return told

    def _kind(self, event: StreamEvent) -> str:
        if type(event) is TextDelta:
            return "words" if self._is_plain else ""
        return "call" if isinstance(event, ToolCallStart | ToolCallDelta | ToolCallEnd) else ""

    def _check(self, reply: Reply) -> None:
        if reply.failure is not None:
            raise RefusedTurnError(refusal_of_turn(reply.failure))
        self._check_budgets(is_whole=bool(reply.stop_reason))

    def _check_budgets(self, *, is_whole: bool = False) -> None:
        """End the turn if a budget is used up; an answer that is whole stays so."""
        over = self._meter.spent() or self._meter.overused()
        if over is None or (is_whole and over[0] in ("searches", "pages")):
            return
        failure = TurnFailed(message=over[1], code=f"budget_{over[0]}")
        raise RefusedTurnError(refusal_of_turn(failure))

    def _round(self, reply: Reply) -> Round:
        one = reply.round()
        return replace(one, text="".join(self._words)) if self._is_plain else one

    async def _run_ours(self, calls: Sequence[ToolCall]) -> Told:
        """Run calls of our tools, and add what they gave to the round that made them."""
        if not calls:
            return
        ours = self._planned.ours
        plain = [replace(call, name=ours[call.name].name) for call in calls]
        async with aclosing(self._runner.run(plain)) as running:
            while (came := await self._deadline.next(running)) is not None:
                events, output = came
                if output is not None:
                    last = self._draft.rounds[-1]
                    self._draft.rounds[-1] = replace(last, outputs=(*last.outputs, output))
                yield self._translator.take(events)
        self._check_budgets()

    def _hand_over(self, calls: Sequence[ToolCall]) -> None:
        """Leave the rest to the client: its tools are called, and the turn waits."""
        ids = self._calls.hand_over(calls)
        self._stop_reason = "tools"
        self.open_turn = OpenTurn(
            rounds=tuple(self._draft.rounds),
            ids=ids,
            dialect=self._conversation.endpoint.name,
            pages=tuple(page for _, page in sorted(self._translator.pages.items())),
            numbers=dict(self._recalled.numbers.shown),
            snippets=dict(self._recalled.snippets),
        )

    async def _search_first(self) -> Told:
        """Search and open pages for a model that calls no tools, and let it fill in a form."""
        call = self._first_search(SEARCH_NAME) if self._plan.searches else None
        async with aclosing(self._run_for_model(call)) as running:
            async for told in running:
                yield told
        async with aclosing(self._run_for_model(self._first_pages(call))) as running:
            async for told in running:
                yield told
        endpoint, asked = self._conversation.endpoint, self._asked(is_last=True)
        reply = Reply(self._draft, self._meter, endpoint.provider.title, is_form=True)
        sources, options = self._runner.sources, endpoint.access.options
        asked = search_first.with_sources(asked, sources, options)
        async with aclosing(self._stream(asked)) as stream:
            while reply.may_go_on and (batch := await self._next(stream)) is not None:
                yield self._translator.take(reply.take_batch(batch))
        self._check(reply)
        self._stop_reason = reply.stop_reason
        yield self._translator.take(
            self._draft.add_text(search_first.written("".join(reply.texts)))
        )

    async def _run_for_model(self, call: ToolCall | None) -> Told:
        """Run a call that the model did not make."""
        if call is None:
            return
        async with aclosing(self._runner.run([call])) as running:
            while (came := await self._deadline.next(running)) is not None:
                yield self._translator.take(came[0])

    def _first_search(self, name: str) -> ToolCall:
        question = self._request.last_question.strip().removeprefix(_QUERY_PREFIX).strip()
        return replace(search_first.search_call(question), name=name)

    def _first_pages(self, search: ToolCall | None) -> ToolCall | None:
        found = self._draft.runs.get(search.id) if search else None
        return search_first.open_call(found) if found and self._plan.reads else None

    def _asked(self, *, is_last: bool) -> Question:
        return upstream_question(
            self._request,
            self._recalled,
            self._planned,
            rounds=self._draft.rounds,
            is_last=is_last,
        )

    def _ended(self) -> Ended:
        reason = self._stop_reason
        stop = Stop.END
        if self.open_turn is not None:
            stop = Stop.TOOLS
        elif reason in TOKEN_LIMITS:
            stop = Stop.LENGTH
        elif reason in REFUSALS:
            stop = Stop.REFUSAL
        counted = self._translator if self._reports_searches else None
        return Ended(
            stop=stop,
            usage=self._meter.total,
            searches=counted.search_count if counted else 0,
            pages=counted.page_count if counted else 0,
        )
