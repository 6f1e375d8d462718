"""One turn: a question goes out, searches and pages come in, a cited answer is kept."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

from groundwire import guard
from groundwire.catalog import ThinkingChoice
from groundwire.chat import history, search_first
from groundwire.chat.budgets import Deadline, Meter, billing_of
from groundwire.chat.checkpoint import Checkpoint
from groundwire.chat.cited_pages import read_page
from groundwire.chat.draft import Draft
from groundwire.chat.events import (
    ApprovalRequested,
    BudgetReached,
    ChatEvent,
    TurnEnded,
    TurnFailed,
    TurnStarted,
)
from groundwire.chat.plan import Conversation, Plan, offered, plan
from groundwire.chat.prompt import definitions, system_prompt
from groundwire.chat.reply import Reply, reply_stream
from groundwire.chat.tool_runner import Output, ToolRunner
from groundwire.checks.records import Purpose
from groundwire.conversation import (
    EVERYWHERE,
    ChatMessage,
    ChecksState,
    Choices,
    SearchMode,
    Status,
    now,
)
from groundwire.errors import GroundwireError, TruncatedError
from groundwire.model import UserMessage
from groundwire.tools import web_tools
from groundwire.wire.contract import Question

if TYPE_CHECKING:
    from groundwire.chat.answer_checks import TurnChecks
    from groundwire.chat.send_message import SendMessage
    from groundwire.events import StreamEvent
    from groundwire.model import ReadReply, ToolCall

Batches: TypeAlias = AsyncGenerator[Sequence[ChatEvent], None]


class Turn:
    """One turn while it runs."""

    def __init__(
        self,
        owner: SendMessage,
        conversation: Conversation,
        choices: Choices,
        *,
        question: ChatMessage,
        answer: ChatMessage,
    ) -> None:
        self._owner = owner
        self._conversation = conversation
        self._question = question
        self._answer = answer
        self._choices = choices
        self._notices: Sequence[ChatEvent] = ()
        self._status = Status.INTERRUPTED
        self._failure: TurnFailed | None = None
        self._stop_reason = ""
        billing = billing_of(conversation.endpoint.provider, conversation.model, owner.prices)
        self._meter = Meter(budgets=owner.budgets, billing=billing)
        self._stream = partial(
            reply_stream, conversation, owner.budgets, owner.search_context.client
        )
        self._plan = Plan(mode=SearchMode.OFF, reason="")
        self._draft = Draft(answer, self._plan.policy)
        self._service = ""
        self._checks: TurnChecks | None = None

    @property
    def meter(self) -> Meter:
        """Return what counts its spending."""
        return self._meter

    def start(self, *, is_new: bool, notices: Sequence[ChatEvent] = ()) -> Batches:
        """Keep the question, and answer it."""
        self._notices = notices
        self._prepare(self._question if is_new else None)
        calls_tools = self._conversation.endpoint.access.options.get("calls_tools", True)
        is_first = self._plan.mode is SearchMode.CLIENT and not calls_tools
        return self._run(
            self._checkpoint.begin, self._search_first() if is_first else self._rounds()
        )

    def go_on(self, decisions: Mapping[str, bool]) -> Batches:
        """Run what the user approved, and answer on."""
        self._meter.resume(self._answer)
        self._prepare(None)
        self._checkpoint.is_kept = True
        keep = partial(self._checkpoint.save, self._draft.snapshot())
        return self._run(keep, self._decided(decisions))

    def _prepare(self, new: ChatMessage | None) -> None:
        """Decide who searches; where that fails, so does the turn, once a new question is kept."""
        owner = self._owner
        try:
            self._arrange(plan(self._conversation, self._choices, owner.search_context.domains))
        except GroundwireError as error:
            self._failure = TurnFailed(message=str(error), code=error.code)
        self._checkpoint = Checkpoint(owner.turn_store, new, self._answer, owner.snapshots)

    def _arrange(self, plan: Plan) -> None:
        conversation, search_context = self._conversation, self._owner.search_context
        self._plan = plan
        if self._owner.checks is not None:
            self._checks = self._owner.checks.of_turn(conversation, plan, self._answer.id)
        # Of an answer in the making: also one that a crash cuts short has citations.
        state = ChecksState.PENDING if self._checks else ChecksState.NONE
        self._answer = replace(self._answer, mode=plan.mode, checks_state=state)
        is_hosted = plan.mode is SearchMode.HOSTED
        self._draft = Draft(
            self._answer,
            plan.policy,
            # A provider that searches has numbers of its own.
            earlier={} if is_hosted else history.known_pages(conversation.history),
            choices=self._choices,
            reason=plan.reason,
            searches=plan.mode is not SearchMode.OFF,
        )
        self._tools = conversation.tools
        if plan.mode is SearchMode.CLIENT:
            ledger = history.ledger_of(
                (*conversation.history, self._question), search_context.settings
            )
            services, told = conversation.services, self._note_page
            within = search_context.within(conversation.workspace.library)
            web = web_tools(within, ledger, plan.policy, services, on_page=told)
            self._tools = (*offered(web, plan), *conversation.tools)
        named = conversation.services.search or search_context.settings.search_provider
        client_service = named if isinstance(named, str) else ", ".join(named)
        hosted = conversation.endpoint.provider.title
        self._service = (
            "" if plan.mode is SearchMode.OFF else hosted if is_hosted else client_service
        )
        tools = {tool.name: tool for tool in self._tools}
        self._tool_runner = ToolRunner(tools, self._draft, self._meter, client_service)

    def _note_page(self, url: str, reply: ReadReply) -> None:
        """Take a page that was opened; one that a policy forbids was not read."""
        page = read_page(url, reply, Purpose.OPENED)
        self._checkpoint.pages.append(page)
        if self._checks:
            self._checks.open(page)

    async def _run(self, keep: Callable[[], Awaitable[None]], rounds: Batches) -> Batches:
        """Stream the rounds between the first and the last event, and keep what there is."""
        try:
            await keep()
        except asyncio.CancelledError:
            # What is cancelled just then must not seem to go on for ever.
            self._status = Status.CANCELLED
            await self._keep_end()
            raise
        self._deadline = Deadline(self._meter.seconds_left)
        try:
            yield [self._started(), *self._notices, *self._checkpoint.warnings]
            async with aclosing(rounds):
                if self._failure is None:
                    async for batch in rounds:
                        yield self._checks.following(batch) if self._checks else batch
                        self._checkpoint.save_soon(self._draft)
            self._end()
        except (GeneratorExit, asyncio.CancelledError):
            self._status = Status.CANCELLED
            raise
        finally:
            self._deadline.close()
            events, ended = await self._keep_end()
        if self._failure is not None:
            events = [*events, self._failure]
        yield [*events, *self._checkpoint.warnings, ended]

    async def _keep_end(self) -> tuple[Sequence[ChatEvent], TurnEnded]:
        """Keep the answer as it ended; a turn cancelled just then is over when that is done."""
        failure, cost = self._failure, self._meter.cost()
        events, ended = self._draft.finish(
            status=self._status,
            usage=self._meter.total,
            cost_usd=cost.usd,
            cost_is_partial=cost.is_partial,
            stop_reason=self._stop_reason,
            error_code=failure.code if failure else "",
            error=failure.message if failure else "",
        )
        if self._checks:
            events, ended = self._checks.finish(events, ended)
        keeping = asyncio.ensure_future(self._checkpoint.finish(ended.message))
        cancelled: asyncio.CancelledError | None = None
        while not keeping.done():
            try:
                await asyncio.wait([keeping])
            except asyncio.CancelledError as error:
                cancelled = error
        if self._checks:
            self._checks.follow()
        if cancelled is not None:
            raise cancelled
        keeping.result()
        return events, ended

    async def _rounds(self) -> Batches:
        """Ask the model until it calls nothing more."""
        done, limit = len(self._draft.rounds), self._owner.budgets.rounds
        # Whoever approved something after the last round still gets an answer.
        for number in range(done, max(limit, done + 1)):
            reply = Reply(self._draft, self._meter, self._conversation.endpoint.provider.title)
            async with aclosing(self._stream(self._asked(is_last=number >= limit - 1))) as stream:
                while (events := await self._next_of(reply, stream)) is not None:
                    yield events
            yield [*reply.finish(), *self._overspent(is_whole=bool(reply.stop_reason))]
            self._draft.rounds.append(reply.round())
            self._failure = self._failure or reply.failure
            self._stop_reason = reply.stop_reason or self._stop_reason
            if self._failure is not None or not reply.calls:
                return
            waiting = [call for call in reply.calls if self._tool_runner.needs_approval(call)]
            free = [call for call in reply.calls if call not in waiting]
            async with aclosing(self._call(free)) as batches:
                async for batch in batches:
                    yield batch
            if waiting:
                runs = self._tool_runner.wait(waiting)
                self._status = Status.AWAITING_APPROVAL
                yield [ApprovalRequested(message_id=self._answer.id, runs=runs)]
                return
            if self._failure is not None:
                return
        message = f"the limit of {limit} replies for one answer is used up"
        self._failure = TurnFailed(message=message, code="budget_rounds")
        yield [BudgetReached(budget="rounds", message=message)]

    async def _search_first(self) -> Batches:
        """Search and open pages ourselves, then let the model answer from what they say."""
        if others := search_first.not_called(self._conversation.tools):
            yield [others]
        search = search_first.search_call(self._question.content) if self._plan.searches else None
        async with aclosing(self._call_for_model(search)) as batches:
            async for batch in batches:
                yield batch
        found = self._draft.runs.get(search.id) if search else None
        pages = search_first.open_call(found) if found and self._plan.reads else None
        async with aclosing(self._call_for_model(pages)) as batches:
            async for batch in batches:
                yield batch
        endpoint, asked = self._conversation.endpoint, self._asked(is_last=True)
        reply = Reply(self._draft, self._meter, endpoint.provider.title, is_form=True)
        sources, options = self._tool_runner.sources, endpoint.access.options
        asked = search_first.with_sources(asked, sources, options)
        async with aclosing(self._stream(asked)) as stream:
            while (events := await self._next_of(reply, stream)) is not None:
                yield events
        yield [*reply.finish(), *self._overspent(is_whole=bool(reply.stop_reason))]
        yield self._draft.add_text(search_first.written("".join(reply.texts)))
        self._failure = self._failure or reply.failure
        self._stop_reason = reply.stop_reason

    async def _call_for_model(self, call: ToolCall | None) -> Batches:
        """Run a call that the model did not make."""
        if call is None or self._failure is not None:
            return
        async with aclosing(self._tool_runner.run([call])) as running:
            while (told := await self._deadline.next(running)) is not None:
                yield told[0]
        yield self._overspent()

    async def _decided(self, decisions: Mapping[str, bool]) -> Batches:
        """Run or decline the calls that waited; those without a word wait on."""
        last = self._draft.rounds[-1]
        done = {call_id for call_id, *_ in last.outputs}
        open_calls = [call for call in last.tool_calls if call.id not in done]
        declined = [
            self._tool_runner.decline(c) for c in open_calls if decisions.get(c.id) is False
        ]
        self._add_outputs([output for output, _ in declined])
        yield [event for _, event in declined]
        approved = [call for call in open_calls if decisions.get(call.id) is True]
        async with aclosing(self._call(approved)) as batches:
            async for batch in batches:
                yield batch
        if undecided := [call for call in open_calls if call.id not in decisions]:
            self._status = Status.AWAITING_APPROVAL
            runs = tuple(self._draft.runs[call.id] for call in undecided)
            yield [ApprovalRequested(message_id=self._answer.id, runs=runs)]
            return
        async with aclosing(self._rounds()) as rounds:
            async for batch in rounds:
                yield batch

    async def _next_of(
        self, reply: Reply, stream: AsyncGenerator[Sequence[StreamEvent], None]
    ) -> Sequence[ChatEvent] | None:
        """Return what a reply says next, None when it ends or the turn's time or budget does.

        A coroutine: one more generator would be paid for at every event.
        """
        if not reply.may_go_on:
            return None
        try:
            batch = await self._deadline.next(stream)
        except GroundwireError as error:
            self._failure = TurnFailed(message=str(error), code=error.code)
            return None
        return None if batch is None else reply.take_batch(batch)

    async def _call(self, calls: Sequence[ToolCall]) -> Batches:
        """Run tools and add what they gave back to the round that called them."""
        if not calls:
            return
        async with aclosing(self._tool_runner.run(calls)) as running:
            while (told := await self._deadline.next(running)) is not None:
                events, output = told
                if output is not None:
                    self._add_outputs([output])
                yield events
        yield self._overspent()

    def _overspent(self, *, is_whole: bool = False) -> list[ChatEvent]:
        """End the turn if a budget is used up; an answer that is whole stays so."""
        over = self._meter.spent() or self._meter.overused()
        if over is None or self._failure is not None:
            return []
        budget, message = over
        if not (is_whole and budget in ("searches", "pages")):
            self._failure = TurnFailed(message=message, code=f"budget_{budget}")
        return [BudgetReached(budget=budget, message=message)]

    def _add_outputs(self, outputs: Sequence[Output]) -> None:
        last = self._draft.rounds[-1]
        self._draft.rounds[-1] = replace(last, outputs=(*last.outputs, *outputs))

    def _asked(self, *, is_last: bool) -> Question:
        conversation, plan = self._conversation, self._plan
        is_hosted = plan.mode is SearchMode.HOSTED
        policy = plan.policy if is_hosted else guard.ANYWHERE
        tools = () if is_last or not self._tools else definitions(self._tools)
        asked, dialect = self._question, conversation.endpoint.name
        wish = self._choices.thinking or conversation.agent.thinking
        earlier, rounds = conversation.history, self._draft.rounds
        limit = self._owner.history_tokens
        said = partial(history.model_messages, maker=conversation.maker, max_tokens=limit)
        return Question(
            model=conversation.model,
            messages=(
                *(said(earlier, dialect=dialect) if earlier else ()),
                UserMessage(content=asked.content, attachments=asked.attachments),
                *(history.round_messages(rounds, dialect) if rounds else ()),
            ),
            system_prompt=system_prompt(conversation, plan, now().date(), tools),
            tools=tools,
            web_search=is_hosted and plan.searches,
            web_fetch=is_hosted and plan.reads,
            allowed_domains=() if policy.allowed == EVERYWHERE else policy.allowed,
            blocked_domains=policy.blocked,
            temperature=conversation.agent.temperature,
            thinking=ThinkingChoice(wish) if wish else None,
        )

    def _started(self) -> TurnStarted:
        return TurnStarted(
            session_id=self._answer.session_id,
            question_id=self._question.id,
            message_id=self._answer.id,
            provider=self._answer.provider,
            model=self._answer.model,
            mode=self._plan.mode,
            search_service=self._service,
            reason=self._plan.reason,
            is_restricted=self._plan.mode is SearchMode.HOSTED and not self._plan.policy.is_open,
        )

    def _end(self) -> None:
        if self._status is Status.AWAITING_APPROVAL:
            return
        if self._failure is None:
            self._status = Status.COMPLETE
        else:
            is_lost = self._failure.code == TruncatedError.code and self._draft.text_length
            self._status = Status.INTERRUPTED if is_lost else Status.FAILED
