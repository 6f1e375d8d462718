"""A process that runs turns until somebody kills it, and says what it has kept."""

from __future__ import annotations

import asyncio
from multiprocessing.connection import Connection

import groundwire
from groundwire import Keys, Settings
from groundwire.chat.events import TurnStarted

TURNS_AT_ONCE = 4


def run(url: str, database: str, acknowledge: Connection) -> None:
    """Ask the sandbox for ever; send the id of every question that is kept."""
    asyncio.run(_ask_for_ever(url, database, acknowledge))


async def _ask_for_ever(url: str, database: str, acknowledge: Connection) -> None:
    settings = Settings.model_validate({"providers": {"anthropic": {"base_url": url}}})
    keys = Keys(environment={"ANTHROPIC_API_KEY": "any-key"})
    async with groundwire.open(settings=settings, keys=keys, database=database) as program:

        async def ask() -> None:
            while True:
                async for event in program.stream(
                    "Tell me of otters at length", provider="anthropic"
                ):
                    if isinstance(event, TurnStarted):
                        acknowledge.send((event.session_id, event.question_id, event.message_id))

        await asyncio.gather(*(ask() for _ in range(TURNS_AT_ONCE)))
