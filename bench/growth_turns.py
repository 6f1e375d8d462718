"""Turns of growing size through the whole program: client, chat, citations and store.

    python -m bench.growth_turns

As a program it is the provider: it answers `POST /CHARACTERS-CITATIONS-SOURCES-PAUSE/…` with an
answer of that make in Anthropic's form, and says its port in the first line of output. PAUSE is
in milliseconds after every hundred events, 0 for all at once.
"""

from __future__ import annotations

import asyncio
import json
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractAsyncContextManager, AsyncExitStack, contextmanager
from dataclasses import dataclass
from functools import cache
from itertools import cycle, islice
from pathlib import Path

import groundwire
from bench.model_streams import Pieces, composed
from bench.relay import process
from groundwire import Keys, Settings
from groundwire.chat.events import TurnEnded
from groundwire.conversation import ChatMessage, MessageKind, Round, Session, Status
from groundwire.sandbox.answers import AnswerPlan, Search, Segment
from groundwire.sandbox.web import Hit, WebPage
from groundwire.service.first_start import ASSISTANT
from groundwire.service.program import Groundwire
from groundwire.store import PERSONAL

LEAST_SECONDS = 0.3
STRETCH = 100
SENTENCE = "The otter holds hands while it sleeps, so they say, and it eats urchins all day. "
SAID = SENTENCE * 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Make:
    """What an answer is made of; `messages` is how many the session has before it.

    `pause` is how many milliseconds the provider rests between two stretches of the answer, so
    that it is saved while it grows.
    """

    characters: int
    citations: int
    sources: int
    messages: int = 0
    pause: int = 0

    @property
    def path(self) -> str:
        """Return where the provider has it."""
        return f"{self.characters}-{self.citations}-{self.sources}-{self.pause}"


def plan(make: Make) -> AnswerPlan:
    """Return an answer: as much text as asked for, cut evenly into what is cited and what not."""
    pages = [
        WebPage(url=f"https://example.org/{number}", title=f"Page {number}", passages=(SENTENCE,))
        for number in range(make.sources)
    ]
    hits = tuple(Hit(page=page, passages=page.passages) for page in pages)
    each = make.characters // make.citations
    text = (SENTENCE * (each // len(SENTENCE) + 1))[: each - 1].rstrip()
    cited = [
        segment
        for page in islice(cycle(pages), make.citations)
        for segment in (Segment(text=text, page=page, quote=SENTENCE), Segment(text="\n"))
    ]
    return AnswerPlan(searches=(Search(query="otters", hits=hits),), segments=tuple(cited))


@contextmanager
def turns(make: Make) -> Iterator[Callable[[], float]]:
    """Give what measures a turn: its CPU seconds in this process, the mean of a stretch."""
    with (
        process("bench.growth_turns") as (_, said),
        tempfile.TemporaryDirectory() as folder,
        asyncio.Runner() as runner,
    ):
        stack = AsyncExitStack()
        try:
            url = f"{said['url']}/{make.path}"
            database = str(Path(folder) / "growth.sqlite3")
            program = runner.run(stack.enter_async_context(_opened(url, database)))
            session = runner.run(_session(program, make.messages))
            runner.run(_ask(program, session))  # Imports and caches are not what is measured.
            yield lambda: runner.run(_cost(program, session))
        finally:
            runner.run(stack.aclose())


def _opened(url: str, database: str) -> AbstractAsyncContextManager[Groundwire]:
    settings = Settings.model_validate({"providers": {"anthropic": {"base_url": url}}})
    keys = Keys(environment={"ANTHROPIC_API_KEY": "any-key"})
    return groundwire.open(settings=settings, keys=keys, database=database)


async def _cost(program: Groundwire, session: str) -> float:
    times, begun = 0, time.process_time()
    while (spent := time.process_time() - begun) < LEAST_SECONDS:
        await _ask(program, session)
        times += 1
    return spent / times


async def _ask(program: Groundwire, session: str) -> None:
    async for event in program.stream("Otters?", provider="anthropic", session=session):
        if isinstance(event, TurnEnded) and event.message.status is not Status.COMPLETE:
            raise SystemExit(f"a turn failed: {event.message.error}")


async def _session(program: Groundwire, messages: int) -> str:
    """Make a session with so many messages, "" for a new one with every turn."""
    if not messages:
        return ""
    session = Session(workspace_id=PERSONAL, agent_id=ASSISTANT)
    await program.store.sessions.create(session)
    parent = None
    for number in range(messages):
        message = _message(session.id, parent, number)
        await program.store.messages.add(message)
        parent = message.id
    return session.id


def _message(session: str, parent: str | None, number: int) -> ChatMessage:
    if number % 2 == 0:
        return ChatMessage(
            session_id=session, parent_id=parent, kind=MessageKind.USER, content=f"Why {number}?"
        )
    return ChatMessage(
        session_id=session,
        parent_id=parent,
        kind=MessageKind.AI_RESPONSE,
        content=SAID,
        plain_text=SAID,
        rounds=(Round(text=SAID, raw_blocks=[{"type": "text", "text": SAID}]),),
        raw_provider="anthropic",
    )


@cache
def _pieces(path: str) -> Pieces:
    characters, citations, sources, _ = map(int, path.split("-"))
    make = Make(characters=characters, citations=citations, sources=sources)
    return Pieces(composed("anthropic", plan(make)))


async def _handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while True:
            head = (await reader.readuntil(b"\r\n\r\n")).lower()
            size = head.partition(b"content-length:")[2].partition(b"\r\n")[0]
            await reader.readexactly(int(size or 0))
            await _send(writer, head.split(b" ")[1].decode().split("/")[1])
    except (asyncio.IncompleteReadError, ConnectionError):
        writer.close()


async def _send(writer: asyncio.StreamWriter, path: str) -> None:
    pieces, pause = _pieces(path), int(path.rpartition("-")[2])
    writer.write(pieces.head)
    for first in range(0, len(pieces.chunks), STRETCH):
        writer.write(b"".join(pieces.chunks[first : first + STRETCH]))
        if pause:
            await asyncio.sleep(pause / 1000)
    writer.write(pieces.end)
    await writer.drain()


async def serve() -> None:
    """Answer for ever; the first line of output tells the port."""
    server = await asyncio.start_server(_handle, "127.0.0.1", 0)
    print(json.dumps({"port": server.sockets[0].getsockname()[1]}), flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(serve())
