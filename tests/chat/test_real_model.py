"""A turn with a real model on a server that others wrote, over the three protocols it speaks."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import groundwire
from groundwire import Keys, Settings
from groundwire.chat import SearchChoice
from groundwire.conversation import SearchMode, Status
from groundwire.library import Adder, Library, reader
from tests.adapters.test_real_model import SURFACES, base_url
from tests.chat.program import Told

__all__ = ["base_url"]

pytestmark = pytest.mark.slow

QUESTION = "What is the capital of France? Answer in one short sentence."


@pytest.mark.parametrize("search", ["off", "auto"])
@pytest.mark.parametrize("surface", SURFACES)
async def test_a_real_model_answers_a_turn_that_is_kept(
    base_url: str, tmp_path: Path, surface: str, search: str
) -> None:
    settings = Settings.model_validate(
        {
            "providers": {surface: {"base_url": base_url, "model": "smollm2"}},
            "chat": {"seconds": 240},
        }
    )
    keys = Keys(environment={}, dotenv=tmp_path / ".env", file=tmp_path / "keys.json")
    database = str(tmp_path / "talk.sqlite3")

    async with groundwire.open(settings=settings, keys=keys, database=database) as program:
        exact = replace(await program.agent(), temperature=0)
        await program.store.agents.update(exact)
        told = Told(
            events=[
                event
                async for event in program.stream(
                    QUESTION, provider=surface, search=SearchChoice(search)
                )
            ]
        )
        kept = await program.store.messages.get(told.started.message_id)

    assert told.started.mode is (SearchMode.OFF if search == "off" else SearchMode.CLIENT)
    assert told.message.status is Status.COMPLETE, told.message.error
    assert kept == told.message
    assert kept.content
    if search == "off":
        assert "Paris" in kept.content


def _pages(folder: Path) -> Path:
    folder.mkdir()
    (folder / "france.md").write_text(
        "# France\n\nParis is the capital of France. It lies on the river Seine.\n"
    )
    (folder / "italy.md").write_text("# Italy\n\nRome is the capital of Italy.\n")
    return folder


async def _library(folder: Path, path: Path) -> None:
    async with reader() as documents:
        with Library(path, writes=True) as library:
            await Adder(library, documents).add_folder(folder, name="capitals")


async def test_a_small_model_without_tools_answers_with_valid_citations(
    base_url: str, tmp_path: Path
) -> None:
    await _library(_pages(tmp_path / "pages"), tmp_path / "library.sqlite3")
    options = {"calls_tools": False, "context_characters": 1500}
    settings = Settings.model_validate(
        {
            "search_provider": "library",
            "read_provider": "library",
            "providers": {
                "openai": {"base_url": base_url, "model": "smollm2", "options": options},
                "library": {"options": {"path": str(tmp_path / "library.sqlite3")}},
            },
        }
    )
    keys = Keys(environment={}, dotenv=tmp_path / ".env", file=tmp_path / "keys.json")
    database = str(tmp_path / "talk.sqlite3")

    async with groundwire.open(settings=settings, keys=keys, database=database) as program:
        exact = replace(await program.agent(), temperature=0)
        await program.store.agents.update(exact)
        ended = await program.ask("What is the capital of France?", provider="openai")

    message = ended.message
    assert message.status is Status.COMPLETE, message.error
    assert message.mode is SearchMode.CLIENT
    assert "Paris" in message.content
    assert [each.url for each in message.citations or ()][:1] == [
        "https://library.test/capitals/france.md"
    ]
    assert ended.marked.unknown == ()
    assert "[1]" in message.content
