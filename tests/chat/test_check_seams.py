"""Where checks meet the rest of chat: domain policy, removed sources, retries, workspaces."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from groundwire.chat.events import CitationChecked, TurnEnded
from groundwire.checks import NotCompared
from groundwire.conversation import Agent, ChecksState, Workspace
from groundwire.sandbox.played_citations import MISSING, PLAYED, WINDMILLS
from groundwire.testing import SandboxServer, sandbox
from tests.chat.program import Talk, opened

__all__ = ["sandbox"]

QUESTION = f"Windmills: {', '.join(each.words for each in PLAYED)}"
ONE = "Windmills: invent a number"
NEWS = "news.example.com"


@asynccontextmanager
async def _checking(sandbox: SandboxServer, folder: Path, reader: str = "") -> AsyncIterator[Talk]:
    """Open a program that compares citations, as every program does unless told otherwise."""
    faults = {"jina": reader} if reader else {}
    async with opened(sandbox, str(folder / "seams.sqlite3"), faults, checks={}) as talk:
        await talk.allow("*")
        yield talk


def _read(talk: Talk) -> list[str]:
    """Return the pages that somebody was asked to read."""
    return [each.body["url"] for each in talk.sandbox.requests if "/jina" in each.path]


async def _checked(talk: Talk, message_id: str) -> tuple[list[str], list[NotCompared | None]]:
    """Return what was compared of an answer once all of it is."""
    async for _ in talk.program.checks.late(message_id):
        pass
    found = await talk.program.open_checks.of(message_id)
    return [each.url for each in found], [each.check.not_compared for each in found]


@pytest.mark.parametrize("where", ["workspace", "message"])
async def test_a_page_that_policy_forbids_is_never_read_for_a_check(
    sandbox: SandboxServer, tmp_path: Path, where: str
) -> None:
    async with _checking(sandbox, tmp_path) as talk:
        if where == "workspace":
            await talk.allow(NEWS)
        told = await talk.turn(
            QUESTION, search="hosted", domains=(NEWS,) if where == "message" else ()
        )
        message_id = next(each.message.id for each in told.events if isinstance(each, TurnEnded))
        urls, _ = await _checked(talk, message_id)
        read = _read(talk)

    assert WINDMILLS.url not in [*read, *urls]
    assert MISSING.url in read
    assert all(NEWS in each for each in (*read, *urls))
    checked = [each.citation.url for each in told.events if isinstance(each, CitationChecked)]
    assert WINDMILLS.url not in checked


async def test_check_again_does_not_read_what_is_forbidden_by_now(
    sandbox: SandboxServer, tmp_path: Path
) -> None:
    async with _checking(sandbox, tmp_path) as talk:
        answer = await talk.program.ask(ONE, provider="anthropic", search="hosted")
        before = _read(talk)
        await talk.allow(NEWS)
        await talk.program.open_checks.again(answer.message)
        _, reasons = await _checked(talk, answer.message.id)
        after = _read(talk)

    assert [each.check.not_compared for each in answer.checks] == [None]
    assert reasons == [NotCompared.POLICY]
    assert after == before


async def test_what_a_program_left_open_is_not_read_if_it_is_forbidden_by_now(
    sandbox: SandboxServer, tmp_path: Path
) -> None:
    async with _checking(sandbox, tmp_path, "silence;late") as talk:
        stream = talk.program.stream(ONE, provider="anthropic", search="hosted")
        ended = await anext(each async for each in stream if isinstance(each, TurnEnded))
        await stream.aclose()
        await talk.allow(NEWS)
    before = len(sandbox.requests)

    async with opened(sandbox, str(tmp_path / "seams.sqlite3"), checks={}) as talk:
        await talk.program.open_checks.resume()
        _, reasons = await _checked(talk, ended.message.id)
        message = await talk.program.store.messages.get(ended.message.id)
        read = [each.path for each in sandbox.requests[before:] if "/jina" in each.path]

    assert read == []
    # Its source is struck from the answer that is shown, or it is not compared.
    assert None not in reasons
    assert message.checks_state is ChecksState.DONE


async def test_a_retry_is_compared_by_itself_beside_the_answer_before_it(
    sandbox: SandboxServer, tmp_path: Path
) -> None:
    async with _checking(sandbox, tmp_path) as talk:
        first = await talk.program.ask(ONE, provider="anthropic", search="hosted")
        kept = await talk.program.open_checks.of(first.message.id)
        batches = await talk.program.retry(first.message.id, session=first.message.session_id)
        events = [each async for batch in batches for each in batch]
        ended = next(each for each in events if isinstance(each, TurnEnded))
        _, reasons = await _checked(talk, ended.message.id)
        still = await talk.program.open_checks.of(first.message.id)

    assert ended.message.id != first.message.id
    assert reasons == [None]
    assert still == kept


async def test_each_workspace_compares_what_it_has_chosen(
    sandbox: SandboxServer, tmp_path: Path
) -> None:
    async with _checking(sandbox, tmp_path) as talk:
        store = talk.program.store
        names = {}
        for choice in ("off", "opened", "all"):
            space = Workspace(name=choice, web_allowed_domains=("*",), citation_checks=choice)
            await store.workspaces.create(space)
            agent = Agent(workspace_id=space.id, name=choice, web_search_enabled=True)
            names[choice] = (await store.agents.create(agent)).id
        answers = {
            choice: await talk.program.ask(
                ONE, provider="anthropic", search="hosted", agent=agent_id
            )
            for choice, agent_id in names.items()
        }
        read = _read(talk)

    reasons = {
        choice: [each.check.not_compared for each in answer.checks]
        for choice, answer in answers.items()
    }
    assert reasons == {"off": [], "opened": [NotCompared.NOT_OPENED], "all": [None]}
    assert read == [WINDMILLS.url]
