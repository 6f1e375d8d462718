"""From a client's request to the reply that answers it, with what is remembered between them."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from groundwire.chat.quotas import QuotaHolder, counted
from groundwire.conversation import SearchMode
from groundwire.conversation.quota import Wish
from groundwire.gateway.dialects import RESPONSES
from groundwire.gateway.history import READ_NAME, recall
from groundwire.gateway.kept_answers import keep_answer, wants_kept
from groundwire.gateway.memory import Memory, RememberedReply
from groundwire.gateway.model_names import ModelNames
from groundwire.gateway.repeats import Repeats, digest_of, repeating
from groundwire.gateway.reply import Pace, TurnReply
from groundwire.gateway.reply_checks import ReplyChecks
from groundwire.gateway.state import Signer, signing_key
from groundwire.gateway.text_release import Hold, MarkerStyle
from groundwire.gateway.translation import Translator
from groundwire.gateway.turn import GatewayTurn, TurnParts
from groundwire.gateway.turn_plan import conversation_of, may_search, planned
from groundwire.model import AssistantMessage
from groundwire.service.provider_choice import services_for
from groundwire.wire.contract import AnswersDirectly
from groundwire.wire.openai.responses_inbound import said_in
from groundwire.wire.outbound import Ended

if TYPE_CHECKING:
    from groundwire.conversation import Round
    from groundwire.gateway.dialects import Dialect
    from groundwire.gateway.guest import Guest
    from groundwire.gateway.history import Recalled
    from groundwire.gateway.model_names import Target
    from groundwire.gateway.reply import Outgoing
    from groundwire.gateway.turn import Told
    from groundwire.gateway.turn_plan import TurnPlan
    from groundwire.service.program import Groundwire
    from groundwire.wire.inbound import InboundRequest
    from groundwire.wire.outbound import OutboundEvent, Writer

SEARCH_HEADER = "x-groundwire-search"
STATUS_HEADER = "x-groundwire-status"
MARKERS_HEADER = "x-groundwire-markers"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asking:
    """A request that was read, with whoever asks and whoever is asked."""

    body: Mapping[str, object]
    request: InboundRequest
    target: Target
    guest: Guest
    headers: Mapping[str, str]
    dialect: Dialect


class Responder:
    """Answers requests over one program; what it remembers is for a while, and for this process."""

    def __init__(self, program: Groundwire) -> None:
        self.models = ModelNames(program)
        self._program = program
        self._memory = Memory()
        self._repeats = Repeats()
        self._signer: Signer | None = None

    async def begin(
        self,
        body: Mapping[str, object],
        dialect: Dialect,
        guest: Guest,
        *,
        headers: Mapping[str, str],
        outgoing: Outgoing,
    ) -> TurnReply:
        """Return the reply to a request, ready to be sent.

        Raises:
            GroundwireError: It cannot be carried out as it is.
        """
        wants_status = headers.get(STATUS_HEADER, "").lower() == "on"
        request = replace(dialect.read(body), wants_status=wants_status)
        target = await self.models.find(request.model, guest)
        signer = await self._ready_signer()
        recalled = recall(
            request, guest, memory=self._memory, signer=signer, settings=self._program.settings
        )
        asking = _Asking(
            body=body, request=request, target=target, guest=guest, headers=headers, dialect=dialect
        )
        checks = self._checks(request)
        plan = await self._plan(asking, recalled, checks)
        translator = Translator(
            recalled,
            signer,
            style=self._style(request, headers),
            hold=_hold(asking, plan),
            request=request,
            cites_last=plan.cites_last,
            search_prefix=dialect.search_prefix,
            checks=checks,
        )
        parts = self._parts(asking, plan, recalled, translator, checks=checks)
        return self._reply(asking, parts, outgoing)

    def _checks(self, request: InboundRequest) -> ReplyChecks:
        settings = self._program.settings.gateway
        wait = settings.stream_check_seconds if request.streams else settings.check_seconds
        return ReplyChecks(self._program.checks, wait_seconds=wait)

    async def _plan(self, asking: _Asking, recalled: Recalled, checks: ReplyChecks) -> TurnPlan:
        """Decide who searches, with tools that are not run again for a request that comes again."""
        request, target, guest = asking.request, asking.target, asking.guest
        program, headers = self._program, asking.headers
        library = guest.workspace.library
        services = await services_for(target.choice.endpoint, program.settings, guest.workspace)
        plan = planned(
            request,
            conversation_of(request, guest, target, services),
            searches=may_search(
                request,
                is_always_on=self._is_always_on(request, target, guest, headers),
                user_agent=headers.get("user-agent", ""),
            ),
            ledger=recalled.ledger,
            context=program.search_context.within(library),
            checks=checks,
        )
        outputs = self._repeats.outputs(digest_of(guest.key, asking.body))
        ours = {name: repeating(tool, outputs, recalled.ledger) for name, tool in plan.ours.items()}
        if request.hosted and request.hosted.reads and (name := plan.names.get(READ_NAME)):
            ours[name] = recalled.read_pages.noting(ours[name])
        return replace(plan, ours=ours)

    def _parts(
        self,
        asking: _Asking,
        plan: TurnPlan,
        recalled: Recalled,
        translator: Translator,
        *,
        checks: ReplyChecks,
    ) -> TurnParts:
        return TurnParts(
            request=asking.request,
            recalled=recalled,
            plan=plan,
            translator=translator,
            chat=self._program.chat,
            checks=checks,
            call_prefix=asking.dialect.call_prefix,
            reports_searches=self._program.settings.gateway.reports_searches,
        )

    def _reply(self, asking: _Asking, parts: TurnParts, outgoing: Outgoing) -> TurnReply:
        request, settings = asking.request, self._program.settings.gateway
        turn = GatewayTurn(parts)
        writer = asking.dialect.writer(request, request.model)
        keeper = _Keeper(self._memory, asking.guest, parts.recalled)
        named = writer if asking.dialect is RESPONSES else None
        return TurnReply(
            events=self._counted(asking, parts, turn),
            writer=writer,
            outgoing=outgoing,
            pace=Pace(
                status_seconds=settings.status_seconds,
                keep_alive_seconds=settings.keep_alive_seconds,
            ),
            streams=request.streams,
            remember=partial(keeper.keep, turn, parts.translator, named),
            keep=partial(self._keep, asking, turn, parts.checks) if self._keeps(asking) else None,
            has_checks=parts.checks.is_on,
        )

    def _counted(self, asking: _Asking, parts: TurnParts, turn: GatewayTurn) -> Told:
        """Return what a turn tells, counted towards the quotas of whoever asks."""
        quotas = self._program.quotas
        holder = QuotaHolder(user_id=asking.guest.user_id, workspace=asking.guest.workspace)
        if not quotas.concerns(holder.workspace):
            return turn.events()
        searches = parts.plan.plan.mode is not SearchMode.OFF
        wish = Wish(answers=1, asks_model=True, may_search=searches)
        events = turn.events()
        return counted(events, quotas, holder, wish, meter=turn.meter, is_last=_is_last)

    def _keeps(self, asking: _Asking) -> bool:
        return wants_kept(self._program, asking.headers)

    async def _keep(self, asking: _Asking, turn: GatewayTurn, checks: ReplyChecks) -> None:
        if turn.answer is not None and turn.open_turn is None:
            is_kept = await keep_answer(
                self._program,
                asking.guest,
                asking.target,
                question=asking.request.last_question,
                answer=turn.answer,
            )
            if is_kept:
                checks.hand_on()

    async def _ready_signer(self) -> Signer:
        if self._signer is None:
            self._signer = Signer(await asyncio.to_thread(signing_key, self._program.keys))
        return self._signer

    def _is_always_on(
        self, request: InboundRequest, target: Target, guest: Guest, headers: Mapping[str, str]
    ) -> bool:
        settings = self._program.settings.gateway
        wish = headers.get(SEARCH_HEADER, "").lower()
        if wish in ("on", "off"):
            return wish == "on"
        names = {"*", request.model, target.name, f"{target.choice.endpoint.name}/{target.model}"}
        by_token = guest.actor.name.removeprefix("token ") in settings.always_on_tokens
        return target.is_always_on or by_token or bool(names & {*settings.always_on})

    def _style(self, request: InboundRequest, headers: Mapping[str, str]) -> MarkerStyle:
        if request.reply_schema is not None:
            return MarkerStyle.NONE
        wish = headers.get(MARKERS_HEADER, "").lower()
        known = {style.value for style in MarkerStyle}
        return MarkerStyle(wish if wish in known else self._program.settings.gateway.markers)


def _is_last(told: Sequence[OutboundEvent]) -> bool:
    return bool(told) and isinstance(told[-1], Ended)


def _hold(asking: _Asking, plan: TurnPlan) -> Hold:
    """Return what of the text waits for its markers."""
    if isinstance(asking.target.choice.endpoint.provider, AnswersDirectly):
        return Hold.ALL
    is_split = asking.dialect.splits_text and asking.request.hosted is not None
    is_hosted = plan.plan.mode is SearchMode.HOSTED
    if is_hosted and not asking.request.streams:
        # Nobody reads along, and sources that are named at the end find all of their places.
        return Hold.ALL
    return Hold.SENTENCE if is_hosted or is_split else Hold.NOTHING


class _Keeper:
    """Keeps of a reply what its client may come back to."""

    def __init__(self, memory: Memory, guest: Guest, recalled: Recalled) -> None:
        self._memory = memory
        self._guest = guest.key
        self._recalled = recalled

    def keep(self, turn: GatewayTurn, translator: Translator, writer: Writer | None) -> None:
        """Keep searches and open calls by their ids, and of Responses whatever has one."""
        for search in translator.searches:
            self._memory.keep(self._guest, search.id, search, size=1_000)
        if (open_turn := turn.open_turn) is not None:
            size = sum(_size(one) for one in open_turn.rounds)
            for id_ in open_turn.ids:
                self._memory.keep(self._guest, id_, open_turn, size=size)
        if writer is None:
            return
        output = writer.body()["output"]
        for item in output:
            if item["type"] == "message":
                text = item["content"][0]["text"]
                said = AssistantMessage(content=text)
                self._memory.keep(self._guest, item["id"], said, size=len(text))
        exchange = RememberedReply(said=(*self._recalled.said, *said_in(output)))
        size = sum(len(getattr(each, "content", "")) for each in exchange.said)
        self._memory.keep(self._guest, writer.id, exchange, size=size)


def _size(one: Round) -> int:
    return len(one.text) + sum(len(text) for _, text, _ in one.outputs)
