"""Asking, as programs do it: the events of a turn, or its end."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from contextlib import aclosing
from dataclasses import replace
from typing import TYPE_CHECKING, Unpack

from groundwire.chat.events import TurnEnded, TurnFailed
from groundwire.errors import ConfigError
from groundwire.service.actor import OWNER
from groundwire.service.ask_options import ask_of, check_options, failure_of
from groundwire.tools import check_names, own_tools

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Sequence

    from groundwire.chat import Ask, Conversation, SendMessage
    from groundwire.chat.events import ChatEvent
    from groundwire.service.actor import Actor
    from groundwire.service.ask_options import AskOptions, OwnTools
    from groundwire.tools import Tool


class Asker(ABC):
    """Answers questions, in the event loop that it was opened in."""

    chat: SendMessage
    _loop: asyncio.AbstractEventLoop | None = None

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

    def ask(self, text: str, **options: Unpack[AskOptions]) -> AsyncGenerator[ChatEvent, None]:
        """Stream one turn: a question, its searches and pages, and the cited answer.

        Closing the generator cancels the turn. For the options see `AskOptions`.

        Raises:
            TypeError: There is no such option.
            ConfigError: An option cannot be used, or nobody could answer.
            NotFoundError: There is no such agent or session.
        """
        check_options(options)
        self.check_loop()
        own = own_tools(options.get("tools", ()))
        return self._events(ask_of(text, options), own, options)

    async def answer(self, text: str, **options: Unpack[AskOptions]) -> TurnEnded:
        """Return the end of a turn: `markdown` is the answer with its sources.

        The options are those of `ask`. An answer that a limit cut short says so in `incomplete`.

        Raises:
            ConfigError: An option cannot be used, or nobody could answer.
            GroundwireError: The turn failed; what had come is in the error's `answer`.
        """
        failed: TurnFailed | None = None
        async with aclosing(self.ask(text, **options)) as events:
            async for event in events:
                failed = event if isinstance(event, TurnFailed) else failed
                if isinstance(event, TurnEnded):
                    if error := failure_of(event, failed):
                        raise error
                    return event
        raise AssertionError("a turn ends with TurnEnded")

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
        async with aclosing(self.chat.events(conversation, asked)) as events:
            async for event in events:
                yield event


def with_tools(conversation: Conversation, given: OwnTools) -> Conversation:
    """Return a conversation in which a model may call a program's own tools.

    Raises:
        ConfigError: One cannot be offered.
    """
    own = own_tools(given)
    check_names(own, conversation.tools)
    return replace(conversation, tools=(*conversation.tools, *own))
