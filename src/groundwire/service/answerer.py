"""What a program calls: `search`, `read`, `ask` for an answer, `stream` for a turn's events."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from contextlib import aclosing
from dataclasses import replace
from typing import TYPE_CHECKING, Unpack

from groundwire.chat.events import CitationChecked, TurnEnded, TurnFailed
from groundwire.errors import ConfigError, ReadFailedError, SearchFailedError
from groundwire.search import ReadChain, SearchChain
from groundwire.service.actor import OWNER
from groundwire.service.ask_options import AskOptions, ask_of, check_options, failure_of
from groundwire.service.search_fix import search_fix
from groundwire.service.search_options import (
    ReadOptions,
    SearchOptions,
    search_query,
    service_names,
)
from groundwire.tools import check_names, own_tools

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Sequence

    from groundwire.chat import Answer, Ask, Conversation, SendMessage
    from groundwire.chat.events import ChatEvent
    from groundwire.model import Page, SearchReply
    from groundwire.search import SearchContext
    from groundwire.service.actor import Actor
    from groundwire.service.ask_options import OwnTools
    from groundwire.tools import Tool

_NOTHING_KEPT = "agents and sessions are in the store: open Groundwire with keep=True to use them"


class Asker(ABC):
    """Searches, reads and answers, in the event loop that it was opened in."""

    chat: SendMessage
    means: SearchContext
    _loop: asyncio.AbstractEventLoop | None = None
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
        actor: Actor,
    ) -> Conversation:
        """Return what a turn rests on."""

    async def search(self, query: str, **options: Unpack[SearchOptions]) -> SearchReply:
        """Return pages that match, best first; `for result in reply` goes through them.

        Raises:
            TypeError: There is no such option; see `SearchOptions`.
            SearchFailedError: No service could be searched. Nothing found is no failure.
            SettingsError: A filter is invalid.
        """
        check_options(options, SearchOptions)
        self.check_loop()
        chain = SearchChain(self.means, service_names(options))
        try:
            return await chain.find(search_query(query, options))
        except SearchFailedError as error:
            fix = search_fix(error, self.means.settings)
            raise SearchFailedError(error.query, error.attempts, fix=fix) from error

    async def read(self, url: str, **options: Unpack[ReadOptions]) -> Page:
        """Return a web page as Markdown, in `content`.

        Raises:
            TypeError: There is no such option; see `ReadOptions`.
            BlockedError: The page may not be opened, by any reader.
            ReadFailedError: No reader could read it.
        """
        check_options(options, ReadOptions)
        self.check_loop()
        chain = ReadChain(self.means, names=service_names(options))
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
        tools = options.get("tools")
        return self._events(ask_of(text, options), own_tools(tools) if tools else (), options)

    def check_loop(self) -> None:
        """Refuse to work in any other loop than the one that everything was opened in.

        Raises:
            ConfigError: This is another loop, or nothing is open.
        """
        if self._loop is None:
            raise ConfigError("Groundwire is not open: use `async with groundwire.open() as gw`")
        try:
            here = asyncio.get_running_loop()
        except RuntimeError:
            here = None
        if self._loop is not here:
            raise ConfigError(
                "this Groundwire was opened in another event loop: open one here, or share that "
                "of `with groundwire.open() as gw` between threads"
            )

    async def _events(
        self, asked: Ask, own: Sequence[Tool], options: AskOptions
    ) -> AsyncGenerator[ChatEvent, None]:
        conversation = await self.conversation(
            agent=options.get("agent", ""),
            session=options.get("session", ""),
            provider=options.get("provider", ""),
            model=options.get("model", ""),
            title=asked.text,
            # Whoever runs a program on their own machine is its owner.
            actor=OWNER,
        )
        if own:
            conversation = with_tools(conversation, own)
        ended = ""
        async with aclosing(self.chat.batches(conversation, asked)) as batches:
            async for batch in batches:
                for event in batch:
                    yield event
                    if isinstance(event, TurnEnded) and event.message.checks_state:
                        ended = event.message.id
        if ended:
            async with aclosing(self.chat.checks.late(ended)) as late:
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
