"""How much code one question passes: a layer that only forwards is found here before it settles."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from contextvars import ContextVar
from pathlib import Path
from types import FrameType

import groundwire
from groundwire.chat.events import TurnEnded
from groundwire.conversation import Status
from groundwire.sandbox import SandboxServer
from groundwire.service.actor import OWNER
from groundwire.service.program import Groundwire
from tests.chat.program import OTTERS, keys, settings

SOURCE = Path(groundwire.__file__).parent
# 297 functions in 44 files, with a save that comes while the answer grows, and a little room.
MOST_FUNCTIONS = 300
MOST_FILES = 45
IS_ASKED = ContextVar("IS_ASKED", default=False)


@asynccontextmanager
async def opened(sandbox: SandboxServer, folder: Path) -> AsyncIterator[Groundwire]:
    database = str(folder / "path.sqlite3")
    async with groundwire.open(
        settings=settings(sandbox), keys=keys(folder), database=database
    ) as program:
        yield program


@contextmanager
def passed() -> Iterator[set[tuple[str, str]]]:
    """Collect the file and the name of every function of ours that is called from now on.

    Tasks that began before, such as the store's lease, belong to no question: on a slow machine
    they come in between.
    """
    found: set[tuple[str, str]] = set()

    def note(frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        path = Path(code.co_filename)
        is_ours = path.is_relative_to(SOURCE) and "sandbox" not in path.parts
        if event == "call" and IS_ASKED.get() and is_ours and not code.co_name.startswith("<"):
            found.add((code.co_filename, code.co_qualname))

    before, token = sys.getprofile(), IS_ASKED.set(True)
    sys.setprofile(note)
    try:
        yield found
    finally:
        sys.setprofile(before)
        IS_ASKED.reset(token)


async def test_a_question_that_the_provider_searches_for_passes_few_functions(
    sandbox: SandboxServer, tmp_path: Path
) -> None:
    async with opened(sandbox, tmp_path) as program:
        with passed() as functions:
            conversation = await program.conversation(provider="anthropic", actor=OWNER)
            turn = program.chat.batches(conversation, conversation.question(OTTERS))
            batches = [batch async for batch in turn]

    ended = batches[-1][-1]
    assert isinstance(ended, TurnEnded)
    assert (ended.message.status, bool(ended.message.citations)) == (Status.COMPLETE, True)
    assert len(functions) <= MOST_FUNCTIONS
    assert len({file for file, _ in functions}) <= MOST_FILES
