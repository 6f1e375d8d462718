"""From a request to a turn: whose session, after which message, and whether it runs already."""

from __future__ import annotations

import asyncio
import hashlib
import time
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from groundwire.conversation import ChatMessage, Status, new_id
from groundwire.errors import (
    ConflictError,
    GroundwireError,
    NotFoundError,
    StoreUnavailableError,
)
from groundwire.model import Attachment
from groundwire.service.ask_options import AskOptions, chosen
from groundwire.store.database import patience, saving
from groundwire.store.turn_contexts import answer_sent_as
from groundwire.web.error_responses import WebError
from groundwire.web.live_turns import LiveTurn

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from groundwire.conversation import Agent, Session
    from groundwire.store.turn_contexts import TurnContext
    from groundwire.web.access import Caller
    from groundwire.web.bodies import Decisions, NewMessage
    from groundwire.web.live_turns import Batches


LOCK_SECONDS = 10.0
"""For how long a server may prepare a turn before another one that got the same message does."""

UNKNOWN_SECONDS = 60.0
"""For how long a reader waits for a database that does not say whether an answer has ended."""


class Turns:
    """Begins turns for one caller."""

    def __init__(self, caller: Caller) -> None:
        self._caller = caller
        self._program = caller.site.program
        self._store = caller.site.store
        self._live_turns = caller.site.live_turns

    async def send(self, agent_id: str, body: NewMessage) -> LiveTurn | ChatMessage:
        """Begin to answer a message, and return the turn, or the answer that another process makes.

        Sent again with the same `client_id`, it is the same turn.

        Raises:
            GroundwireError: It cannot be answered.
        """
        if not body.retry_of and not (body.text.strip() or body.attachments):
            raise WebError(400, "the message is empty: write something, or attach a file")
        self._caller.site.refresh()
        context, is_new = await self._context(agent_id, body)
        session = _session_of(context)
        key = f"{session.id} {body.client_id or new_id()}"
        if running := self._live_turns.of_key(key):
            return await self._joined(running, session, body)
        # A session that was made here and now has no messages.
        if not is_new:
            messages = await self._store.messages.history(session.id)
            context = replace(context, messages=messages)
        if body.client_id and (answer := answer_sent_as(context.messages, body.client_id)):
            return self._live_turns.of_message(answer.id) or answer
        # Nothing is awaited from here to `reserve`: the same message again finds this turn.
        if running := self._live_turns.of_key(key):
            return await self._joined(running, session, body)
        try:
            return await self._begin(key, context, body)
        except (GroundwireError, WebError):
            if is_new:
                await self._forget_empty(session)
            raise

    async def _begin(
        self, key: str, context: TurnContext, body: NewMessage
    ) -> LiveTurn | ChatMessage:
        session, locks = _session_of(context), self._program.search_context.locks
        with self._reserved(key) as run:
            if body.client_id and not await locks.take(key, LOCK_SECONDS):
                self._live_turns.forget(run, ConflictError("another server answers this message"))
                return await self._elsewhere(session.id, body.client_id)
            try:
                self._live_turns.begin(run, await self._batches(context, body))
                return await self._joined(run, session, body)
            finally:
                # It is kept by now: whoever sends it again finds it there.
                if body.client_id:
                    await locks.release(key)

    @contextmanager
    def _reserved(self, key: str) -> Iterator[LiveTurn]:
        """Hold a key while its turn is prepared; one that cannot be prepared is forgotten."""
        run = self._live_turns.reserve(key)
        try:
            yield run
        except BaseException as error:
            if run.task is None:
                self._live_turns.forget(run, error)
            raise

    async def _joined(
        self, run: LiveTurn, session: Session, body: NewMessage
    ) -> LiveTurn | ChatMessage:
        """Return a turn once it has begun, or the answer of the process that was faster.

        Which of them begins is decided where messages are kept: all others are in conflict, those
        who wait for their turns included.
        """
        try:
            await asyncio.shield(run.started)
        except ConflictError:
            if not body.client_id:
                raise
            return await self._elsewhere(session.id, body.client_id)
        return run

    async def approve(self, agent: Agent, body: Decisions) -> LiveTurn | ChatMessage:
        """Go on with a turn that waits, and return it, or the answer that went on before.

        Sent again with the same decisions, it is the same turn.

        Raises:
            GroundwireError: There is no such answer, or it does not wait.
        """
        answer = await self._store.messages.get(body.message_id)
        session = await self._caller.session(answer.session_id)
        if session.workspace_id != agent.workspace_id:
            raise NotFoundError(f"there is no message {body.message_id!r}")
        key = f"{session.id} {answer.id} {sorted(body.decisions.items())}"
        if running := self._live_turns.of_key(key):
            await asyncio.shield(running.started)
            return running
        try:
            # Before the answer is claimed: a server that is stopping leaves it to another.
            with self._reserved(key) as run:
                batches = await self._program.approve(
                    answer.id, body.decisions, actor=self._caller.actor
                )
                self._live_turns.begin(run, batches)
                await asyncio.shield(run.started)
        except ConflictError:
            answer = await self._store.messages.get(answer.id)
            if not _went_on_with(answer, body.decisions):
                raise
            return self._live_turns.of_message(answer.id) or answer
        return run

    async def _context(self, agent_id: str, body: NewMessage) -> tuple[TurnContext, bool]:
        """Return agent, workspace, providers and the session, and whether that was made just now.

        The id of a new session follows from the `client_id`, so that also another process that
        gets the same message knows it.

        Raises:
            NotFoundError: There is no such agent or session that they may know of.
        """
        named = body.session_id
        if named is None and body.retry_of:
            named = (await self._store.messages.get(body.retry_of)).session_id
        context = await self._store.turn_contexts.get(agent_id, named or "")
        agent = context.agent
        if await self._caller.role_in(agent.workspace_id) is None:
            raise NotFoundError(f"there is no agent {agent_id!r}")
        if context.session is not None:
            await self._caller.check_session(context.session)
            if context.session.workspace_id != agent.workspace_id:
                raise NotFoundError(f"there is no session {named!r}")
            return context, False
        key = self._session_id(agent, body.client_id) if body.client_id else new_id()
        try:
            made = await self._program.new_session(
                agent, body.text, user_id=self._caller.user_id, key=key
            )
        except ConflictError:
            return replace(context, session=await self._caller.session(key)), False
        return replace(context, session=made), True

    def _session_id(self, agent: Agent, client_id: str) -> str:
        words = f"{agent.id} {self._caller.user_id} {client_id}"
        return hashlib.sha256(words.encode()).hexdigest()[:32]

    async def _batches(self, context: TurnContext, body: NewMessage) -> Batches:
        options = _options(body)
        if body.retry_of:
            options["session"] = _session_of(context).id
            options["agent"] = context.agent.id
            return await self._program.retry(
                body.retry_of, client_id=body.client_id, actor=self._caller.actor, **options
            )
        conversation = await self._program.conversation(
            context=context,
            provider=options.get("provider", ""),
            model=options.get("model", ""),
            # Left out, it is the newest; null is none.
            parent=body.parent_id if "parent_id" in body.model_fields_set else "",
            actor=self._caller.actor,
        )
        files = [Attachment(**each.model_dump()) for each in body.attachments]
        question = conversation.question(body.text, files, body.client_id)
        return self._program.chat.batches(conversation, question, chosen(options))

    async def _answered(self, session_id: str, client_id: str) -> ChatMessage | None:
        """Return the answer to a message that was sent before, None if there is none."""
        if await self._store.messages.by_client_id(session_id, client_id) is None:
            return None
        return answer_sent_as(await self._store.messages.shown(session_id), client_id)

    async def _elsewhere(self, session_id: str, client_id: str) -> ChatMessage:
        """Return the answer to a message that another process got in the same moment."""
        for _ in range(50):
            if answer := await self._answered(session_id, client_id):
                return answer
            await asyncio.sleep(0.1)
        raise ConflictError(
            "this message was received before and has no answer: send it again as a new one"
        )

    async def _forget_empty(self, session: Session) -> None:
        """Remove a session that was made here for a message which nobody could take.

        One that another process made is that one's to remove: it may be about to begin.
        """
        # It has precedence: what was refused because others wait shall not stay half done.
        with saving():
            if not await self._store.messages.shown(session.id):
                await self._store.sessions.delete(session.id)


def _session_of(context: TurnContext) -> Session:
    assert context.session is not None  # noqa: S101 - a turn always has one by then
    return context.session


def _went_on_with(answer: ChatMessage, decisions: Mapping[str, bool]) -> bool:
    """Tell whether an answer has gone on, and with these very decisions."""
    status = {run.id: run.status for run in answer.tool_runs}
    return bool(decisions) and all(
        status.get(call, "waiting") == "declined"
        if not is_approved
        else status.get(call, "waiting") not in ("waiting", "declined")
        for call, is_approved in decisions.items()
    )


def _options(body: NewMessage) -> AskOptions:
    """Return what is said of a question; null, and not left out, is the agent's own."""
    given: AskOptions = {}
    if "search" in body.model_fields_set:
        given["search"] = body.search
    if "domains" in body.model_fields_set:
        given["domains"] = body.domains
    if "provider_id" in body.model_fields_set:
        given["provider"] = body.provider_id or ""
    if "model" in body.model_fields_set:
        given["model"] = body.model or ""
    if "thinking" in body.model_fields_set:
        given["thinking"] = body.thinking or ""
    return given


async def ended(caller: Caller, message_id: str) -> ChatMessage | None:
    """Return an answer that another process makes, once it has ended, None if that is unknown.

    A reader waits for it longer than a request may, so a database that is busy or gone for a
    while is asked again. A server that stops does not wait: its reader asks another one.
    """
    store, asked_until = caller.site.store, time.monotonic() + UNKNOWN_SECONDS
    with patience():
        while True:
            with suppress(StoreUnavailableError):
                message = await store.messages.get(message_id)
                if message.status is not Status.STREAMING:
                    shown = await caller.site.program.messages(message.session_id)
                    return next((each for each in shown if each.id == message_id), message)
                asked_until = time.monotonic() + UNKNOWN_SECONDS
            if caller.site.is_closing or time.monotonic() > asked_until:
                return None
            await asyncio.sleep(0.5)
