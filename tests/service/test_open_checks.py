"""Checks outlive their turn, their program and their server."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager
from pathlib import Path

import pytest

import groundwire
from groundwire import Settings
from groundwire.chat.cited_pages import CitedPage
from groundwire.chat.events import CitationChecked, MarkerShown, TurnEnded
from groundwire.checks import NotCompared
from groundwire.conversation import ChecksState
from groundwire.model import PageMetadata
from groundwire.sandbox.played_citations import PLAYED
from groundwire.service.open_checks import StoredChecks
from groundwire.service.program import Groundwire
from groundwire.testing import SandboxServer, sandbox
from tests.chat.program import keys, settings
from tests.prepared import prepare

__all__ = ["sandbox"]

QUESTION = f"Windmills: {', '.join(each.words for each in PLAYED)}"
ONE = "Windmills: cite rightly"
# A server's process that has answered, and whose pages never come.
KILLED = """
import asyncio, sys
from pathlib import Path
import groundwire
from groundwire import Settings
from groundwire.chat.events import TurnEnded
from tests.chat.program import keys

async def main(chosen, database, question):
    settings = Settings.model_validate_json(Path(chosen).read_text())
    async with groundwire.open(
        settings=settings, keys=keys(Path(chosen).parent), database=database
    ) as program:
        async for event in program.stream(question, provider="anthropic", search="hosted"):
            if isinstance(event, TurnEnded):
                print(event.message.id, flush=True)

asyncio.run(main(*sys.argv[1:]))
"""


def _chosen(sandbox: SandboxServer, reader: str = "", **checks: object) -> Settings:
    """Return settings with checks; `reader` is the fault of the one who reads pages."""
    faults = {"jina": reader} if reader else {}
    return settings(sandbox, faults, checks=checks)


@asynccontextmanager
async def _opened(
    chosen: Settings, folder: Path, *, keep: bool = True
) -> AsyncIterator[Groundwire]:
    database = str(folder / "checks.sqlite3")
    if keep:
        prepare(Path(database))
    async with groundwire.open(
        settings=chosen, keys=keys(folder), database=database, keep=keep
    ) as program:
        yield program


async def _until_done(program: Groundwire, message_id: str) -> None:
    async for _ in program.checks.late(message_id):
        pass
    assert (await program.store.messages.get(message_id)).checks_state is ChecksState.DONE


async def _ended(program: Groundwire, question: str) -> TurnEnded:
    """Return the end of an answer, without waiting for its checks."""
    async with aclosing(program.stream(question, provider="anthropic", search="hosted")) as events:
        async for event in events:
            if isinstance(event, TurnEnded):
                return event
    raise AssertionError


async def test_an_answer_has_its_checks_beside_its_sources(
    sandbox: SandboxServer, tmp_path: Path
) -> None:
    async with _opened(_chosen(sandbox), tmp_path) as program:
        answer = await program.ask(QUESTION, provider="anthropic", search="hosted")
        kept = await program.open_checks.of(answer.message.id)
        state = (await program.store.messages.get(answer.message.id)).checks_state

    first = answer.sources[0]
    assert [each.claim for each in answer.checks] == [each.text for each in PLAYED]
    assert first.check is not None
    assert first.check.claim == PLAYED[0].text
    assert [each.claim for each in first.checks] == [each.text for each in PLAYED[:3]]
    assert (kept, state) == (answer.checks, ChecksState.DONE)


async def test_checks_follow_their_markers_and_come_also_after_the_end(
    sandbox: SandboxServer, tmp_path: Path
) -> None:
    async with _opened(_chosen(sandbox), tmp_path) as program:
        told = [
            each async for each in program.stream(QUESTION, provider="anthropic", search="hosted")
        ]

    places = {
        event.position: index for index, event in enumerate(told) if isinstance(event, MarkerShown)
    }
    checked = [(i, each) for i, each in enumerate(told) if isinstance(each, CitationChecked)]
    assert {each.citation.position for _, each in checked} == {*places}
    assert all(index > places[each.citation.position] for index, each in checked)


async def test_without_a_store_checks_come_all_the_same(
    sandbox: SandboxServer, tmp_path: Path
) -> None:
    async with _opened(_chosen(sandbox), tmp_path, keep=False) as program:
        answer = await program.ask(ONE, provider="anthropic", search="hosted")

    assert [each.check.not_compared for each in answer.checks] == [None]


async def test_the_end_of_an_answer_does_not_wait_for_pages(
    sandbox: SandboxServer, tmp_path: Path
) -> None:
    async with _opened(_chosen(sandbox, "silence;late"), tmp_path) as program:
        ended = await _ended(program, ONE)
        message = await program.store.messages.get(ended.message.id)
        is_followed = message.id in program.checks.busy

    assert message.checks_state is ChecksState.PENDING
    assert is_followed


async def test_pages_that_never_come_end_as_not_compared(
    sandbox: SandboxServer, tmp_path: Path
) -> None:
    chosen = _chosen(sandbox, "silence;late", seconds=0.5)
    async with _opened(chosen, tmp_path) as program:
        answer = await program.ask(ONE, provider="anthropic", search="hosted")

    assert [each.check.not_compared for each in answer.checks] == [NotCompared.TIMEOUT]


async def test_what_a_closed_program_left_open_another_goes_on_with(
    sandbox: SandboxServer, tmp_path: Path
) -> None:
    async with _opened(_chosen(sandbox, "silence;late"), tmp_path) as program:
        ended = await _ended(program, QUESTION)
        message_id = ended.message.id

    async with _opened(_chosen(sandbox), tmp_path) as program:
        resumed = await program.open_checks.resume()
        await _until_done(program, message_id)
        kept = await program.open_checks.of(message_id)

    assert resumed == 1
    assert [each.claim for each in kept] == [each.text for each in PLAYED]
    assert [each.check.not_compared for each in kept[:3]] == [None] * 3


@pytest.mark.skipif(os.name != "posix", reason="needs signals")
async def test_after_a_kill_between_answer_and_checks_nothing_is_lost(
    sandbox: SandboxServer, tmp_path: Path
) -> None:
    (tmp_path / "settings.json").write_text(_chosen(sandbox, "silence;late").model_dump_json())
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-c",
        KILLED,
        str(tmp_path / "settings.json"),
        str(tmp_path / "checks.sqlite3"),
        QUESTION,
        stdout=asyncio.subprocess.PIPE,
    )
    assert process.stdout is not None
    message_id = (await process.stdout.readline()).decode().strip()
    process.send_signal(signal.SIGKILL)
    await process.wait()

    async with _opened(_chosen(sandbox), tmp_path) as program:
        before = await program.open_checks.of(message_id)
        await program.open_checks.resume()
        await _until_done(program, message_id)
        kept = await program.open_checks.of(message_id)

    assert before == ()
    assert [each.claim for each in kept] == [each.text for each in PLAYED]
    assert kept[1].check.missing_numbers == ("97",)


async def test_a_document_that_was_kept_before_a_crash_keeps_its_page_numbers(
    sandbox: SandboxServer, tmp_path: Path
) -> None:
    preface = "The first page only says what this report is about, and who has written it."
    page = CitedPage(
        url="https://a.example/download?id=7",
        text=f"{preface}\n\n---\n\n{PLAYED[0].text}",
        text_hash="0" * 64,
        is_cut=True,
        metadata=PageMetadata(pages=2, authors=("Ada Ek",), published="2026-05-01"),
    )
    async with _opened(_chosen(sandbox, "silence;late"), tmp_path) as program:
        message = (await _ended(program, ONE)).message
        await StoredChecks(program.store.citation_checks).save(message.id, (), {1: page})

    async with _opened(_chosen(sandbox, "silence;late"), tmp_path) as program:
        await program.open_checks.resume()
        await _until_done(program, message.id)
        kept = await program.open_checks.of(message.id)

    nearest = kept[0].check.nearest
    assert nearest is not None
    assert (nearest.exact, nearest.page_number) == (PLAYED[0].text, 2)
    assert kept[0].check.is_cut
    assert (kept[0].authors, kept[0].published) == (("Ada Ek",), "2026-05-01")


async def test_two_programs_at_one_database_do_not_compare_the_same_answer(
    sandbox: SandboxServer, tmp_path: Path
) -> None:
    async with _opened(_chosen(sandbox, "silence;late"), tmp_path) as program:
        for _ in range(3):
            await _ended(program, ONE)

    async with (
        _opened(_chosen(sandbox), tmp_path) as one,
        _opened(_chosen(sandbox), tmp_path) as other,
    ):
        resumed = await asyncio.gather(one.open_checks.resume(), other.open_checks.resume())

    assert sum(resumed) == 3


async def test_an_answer_in_a_workspace_that_compares_nothing_any_more_is_left(
    sandbox: SandboxServer, tmp_path: Path
) -> None:
    async with _opened(_chosen(sandbox, "silence;late"), tmp_path) as program:
        ended = await _ended(program, ONE)
        message_id = ended.message.id

    async with _opened(_chosen(sandbox, pages="off"), tmp_path) as program:
        await program.open_checks.resume()
        message = await program.store.messages.get(message_id)
        kept = await program.open_checks.of(message_id)

    assert (message.checks_state, kept) == (ChecksState.DONE, ())
