"""What a program calls: `search`, `read`, `ask`, `stream` for events, `retry` and `approve`."""

from __future__ import annotations

from abc import ABC, abstractmethod
from contextlib import aclosing
from dataclasses import replace
from typing import TYPE_CHECKING, Unpack

from groundwire.chat.events import CitationChecked, TurnEnded, TurnFailed
from groundwire.conversation import Status
from groundwire.errors import ConfigError, ConflictError, ReadFailedError, SearchFailedError
from groundwire.search import ReadChain, SearchChain
from groundwire.service.actor import OWNER, Actor, check_owner
from groundwire.service.ask_again import answered, answerer_again, chosen_again
from groundwire.service.ask_options import (
    AskOptions,
    check_options,
    check_question,
    chosen,
    failure_of,
)
from groundwire.service.search_fix import search_fix
from groundwire.service.search_options import (
    ReadOptions,
    SearchOptions,
    search_query,
    service_names,
)
from groundwire.tools import check_names, own_tools

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Mapping, Sequence

    from groundwire.chat import Answer, Conversation, SendMessage
    from groundwire.chat.answer_checks import AnswerChecks
    from groundwire.chat.events import ChatEvent
    from groundwire.conversation import ChatMessage, Choices
    from groundwire.model import Page, SearchReply
    from groundwire.search import SearchContext
    from groundwire.service.ask_options import OwnTools
    from groundwire.store import Store
    from groundwire.tools import Tool

_NOTHING_KEPT = "agents and sessions are in the store: open Groundwire with keep=True to use them"


class Asker(ABC):
    """Searches, reads and answers, in the event loop that it was opened in."""

    chat: SendMessage
    checks: AnswerChecks
    search_context: SearchContext
    _keep: bool = True

    @abstractmethod
    async def conversation(
        self,
        *,
        agent: str = "",
        session: str = "",
        provider: str = "",
        model: str = "",
        title: str = "",
        parent: str | None = "",
        actor: Actor,
    ) -> Conversation:
        """Return what a turn rests on."""

    @abstractmethod
    async def search_context_of(self, workspace: str) -> SearchContext:
        """Return what searching needs in a workspace, "" for the first one."""

    @abstractmethod
    def check_loop(self) -> None:
        """Refuse to work in any other loop than the one that everything was opened in."""

    @property
    @abstractmethod
    def store(self) -> Store:
        """Return what is kept."""

    async def search(self, query: str, **options: Unpack[SearchOptions]) -> SearchReply:
        """Return pages that match, best first; `for result in reply` goes through them.

        Raises:
            TypeError: There is no such option; see `SearchOptions`.
            SearchFailedError: No service could be searched. Nothing found is no failure.
            NotFoundError: There is no such workspace.
            SettingsError: A filter is invalid.
        """
        check_options(options, SearchOptions)
        self.check_loop()
        search_context = await self.search_context_of(options.get("workspace", ""))
        chain = SearchChain(search_context, service_names(options))
        try:
            return await chain.find(search_query(query, options))
        except SearchFailedError as error:
            fix = search_fix(error, self.search_context.settings)
            raise SearchFailedError(error.query, error.attempts, fix=fix) from error

    async def read(self, url: str, **options: Unpack[ReadOptions]) -> Page:
        """Return a web page as Markdown, in `content`.

        Raises:
            TypeError: There is no such option; see `ReadOptions`.
            BlockedError: The page may not be opened, by any reader.
            NotFoundError: There is no such workspace.
            ReadFailedError: No reader could read it.
        """
        check_options(options, ReadOptions)
        self.check_loop()
        search_context = await self.search_context_of(options.get("workspace", ""))
        chain = ReadChain(search_context, names=service_names(options), reads_library=True)
        reply = await chain.read(url, by_agent=options.get("by_agent", True))
        if not reply.page.success:
            raise ReadFailedError(url, reply.attempts)
        return reply.page

    async def ask(self, text: str, **options: Unpack[AskOptions]) -> Answer:
        """Return a cited answer; `print(answer)` prints it with its sources.

        An answer that a limit cut short is returned, with the reason in `incomplete`. It comes
        when its citations are compared with their pages: `checks` has what they came to.

        Raises:
            TypeError: There is no such option; see `AskOptions`.
            ConfigError: An option cannot be used, or nobody could answer.
            GroundwireError: The turn failed; what had come is in the error's `answer`.
        """
        failed: TurnFailed | None = None
        answer: Answer | None = None
        async with aclosing(self.stream(text, **options)) as events:
            async for event in events:
                match event:
                    case TurnFailed():
                        failed = event
                    case TurnEnded():
                        answer = event.answer
                        if error := failure_of(answer, failed):
                            raise error
                    case CitationChecked(citation=check) if answer is not None:
                        answer = answer.with_checks([check])
        if answer is None:
            raise AssertionError("a turn ends with TurnEnded")
        return answer

    def stream(self, text: str, **options: Unpack[AskOptions]) -> AsyncGenerator[ChatEvent, None]:
        """Stream one turn: a question, its searches and pages, and the cited answer.

        After its end come the citations that were compared with their pages only then. Closing
        the generator cancels the turn.

        Raises:
            TypeError: There is no such option; see `AskOptions`.
            ConfigError: An option cannot be used, or nobody could answer.
            NotFoundError: There is no such agent or session.
        """
        check_options(options, AskOptions)
        self.check_loop()
        if not self._keep and (options.get("agent") or options.get("session")):
            raise ConfigError(_NOTHING_KEPT)
        check_question(text, options)
        choices, tools = chosen(options), options.get("tools")
        return self._events(text, choices, own_tools(tools) if tools else (), options)

    async def retry(
        self,
        answer_id: str,
        *,
        client_id: str | None = None,
        actor: Actor = OWNER,
        **options: Unpack[AskOptions],
    ) -> AsyncGenerator[Sequence[ChatEvent], None]:
        """Return a new answer to the question of an old one, beside it.

        What is not given is as it was: who searches, within which domains, who answers with which
        model, and how it thinks. A `provider`, `model` or `thinking` of "" is the agent's own.
        `client_id` is the sender's own id of this retry: a second one with it is in conflict.

        Raises:
            TypeError: There is no such option, or it is one of the question itself.
            NotFoundError: There is no such answer, or not in this session.
            ConflictError: It is still being made, or its provider was removed.
        """
        check_options(options, AskOptions)
        earlier = await answered(self.store, answer_id, options.get("session", ""))
        choices = chosen_again(earlier, options)
        whom = await answerer_again(self.store, earlier, options)
        conversation = await self.conversation(
            agent=options.get("agent", ""),
            session=earlier.answer.session_id,
            parent=earlier.question.parent_id,
            provider=whom.provider,
            model=whom.model,
            actor=actor,
        )
        if "tools" in options:
            conversation = with_tools(conversation, options["tools"])
        return self.chat.batches(
            conversation, earlier.question, choices, is_new=False, client_id=client_id
        )

    async def approve(
        self,
        message_id: str,
        decisions: Mapping[str, bool],
        *,
        tools: OwnTools = (),
        actor: Actor = OWNER,
    ) -> AsyncGenerator[Sequence[ChatEvent], None]:
        """Go on with a turn that waits: run what was approved, tell the model what was not.

        `tools` are those of the program's own that the question was asked with.

        Raises:
            ForbiddenError: `actor` may decline these calls, but not approve them.
            NotFoundError: There is no such answer.
            ConflictError: It does not wait.
            QuotaExceededError: Nothing is left of a quota today.
        """
        if any(decisions.values()):
            # What waits are tools that change providers.
            check_owner(actor)
        answer = await self.store.messages.get(message_id)
        if answer.status is not Status.AWAITING_APPROVAL or answer.parent_id is None:
            raise ConflictError(f"the answer {message_id!r} does not wait for an approval")
        question = await self.store.messages.get(answer.parent_id)
        conversation = await self.conversation(
            session=answer.session_id,
            parent=question.parent_id,
            provider=answer.raw_provider,
            model=answer.model,
            actor=actor,
        )
        conversation = with_tools(conversation, tools)
        await self.chat.check_quotas(conversation, answer)
        # Two who approve at once must not run the calls twice.
        if not await self.store.messages.claim(message_id, decisions):
            raise ConflictError(f"the answer {message_id!r} goes on already")
        answer = await self.store.messages.get(message_id)
        return self.chat.resume(conversation, question, answer, decisions)

    async def conversation_about(self, text: str, options: AskOptions) -> Conversation:
        """Return what a turn with these options rests on."""
        return await self.conversation(
            agent=options.get("agent", ""),
            session=options.get("session", ""),
            provider=options.get("provider", ""),
            model=options.get("model", ""),
            title=text,
            # Whoever runs a program on their own machine is its owner.
            actor=OWNER,
        )

    async def _events(
        self, text: str, choices: Choices, own: Sequence[Tool], options: AskOptions
    ) -> AsyncGenerator[ChatEvent, None]:
        conversation = await self.conversation_about(text, options)
        if own:
            conversation = with_tools(conversation, own)
        question = conversation.question(text, options.get("attachments", ()))
        async with aclosing(self.turn(conversation, question, choices)) as events:
            async for event in events:
                yield event

    async def turn(
        self, conversation: Conversation, question: ChatMessage, choices: Choices
    ) -> AsyncGenerator[ChatEvent, None]:
        """Stream a turn to its end, and the citations that are compared only then."""
        ended = ""
        async with aclosing(self.chat.batches(conversation, question, choices)) as batches:
            async for batch in batches:
                for event in batch:
                    yield event
                    if isinstance(event, TurnEnded) and event.message.checks_state:
                        ended = event.message.id
        if ended:
            async with aclosing(self.checks.late(ended)) as late:
                async for event in late:
                    yield event


def with_tools(conversation: Conversation, given: OwnTools) -> Conversation:
    """Return a conversation in which a model may call a program's own tools.

    Raises:
        ConfigError: One cannot be offered.
    """
    own = own_tools(given)
    check_names(own, conversation.tools)
    return replace(conversation, tools=(*conversation.tools, *own))
