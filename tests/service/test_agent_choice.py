"""Which agent a turn is of: the named one, by id or name, else the assistant or the oldest."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

import groundwire
from groundwire.conversation import Agent
from groundwire.errors import NotFoundError
from groundwire.sandbox import SandboxServer
from groundwire.service.actor import OWNER
from groundwire.service.first_start import ASSISTANT, SETUP
from groundwire.service.program import Groundwire
from groundwire.store import PERSONAL
from tests.chat.program import keys, settings


@asynccontextmanager
async def _opened(sandbox: SandboxServer, folder: Path) -> AsyncIterator[Groundwire]:
    database = str(folder / "agents.sqlite3")
    async with groundwire.open(
        settings=settings(sandbox), keys=keys(folder), database=database
    ) as program:
        yield program


async def _chosen(program: Groundwire, agent: str = "", session: str = "") -> str:
    conversation = await program.conversation(
        agent=agent, session=session, provider="anthropic", actor=OWNER
    )
    return conversation.agent.id


async def test_an_agent_is_found_by_id_and_by_name_and_is_the_assistant_by_default(
    sandbox: SandboxServer, tmp_path: Path
) -> None:
    async with _opened(sandbox, tmp_path) as program:
        assert await _chosen(program) == ASSISTANT
        assert await _chosen(program, SETUP) == SETUP
        assert await _chosen(program, "Setup") == SETUP


async def test_nobody_takes_over_an_agent_by_calling_another_one_by_its_id(
    sandbox: SandboxServer, tmp_path: Path
) -> None:
    async with _opened(sandbox, tmp_path) as program:
        await program.store.agents.create(Agent(workspace_id=PERSONAL, name=SETUP))

        assert await _chosen(program, SETUP) == SETUP


async def test_without_the_assistant_the_oldest_agent_answers(
    sandbox: SandboxServer, tmp_path: Path
) -> None:
    async with _opened(sandbox, tmp_path) as program:
        await program.store.agents.delete(ASSISTANT)

        assert await _chosen(program) == SETUP


async def test_a_session_goes_on_with_its_own_agent(sandbox: SandboxServer, tmp_path: Path) -> None:
    async with _opened(sandbox, tmp_path) as program:
        setup = await program.store.agents.get(SETUP)
        session = await program.new_session(setup, "What is there?")

        assert await _chosen(program, session=session.id) == SETUP


async def test_an_agent_that_is_not_there_is_told_with_those_that_are(
    sandbox: SandboxServer, tmp_path: Path
) -> None:
    async with _opened(sandbox, tmp_path) as program:
        with pytest.raises(NotFoundError, match="no agent is called 'Nobody': there are Assistant"):
            await _chosen(program, "Nobody")
        with pytest.raises(NotFoundError, match="there is no session 's9'"):
            await _chosen(program, session="s9")
