"""A turn with a real model on a server that others wrote, over the three protocols it speaks."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import groundwire
from groundwire import Keys, Settings
from groundwire.chat import SearchChoice
from groundwire.checks import CheckState, state_of
from groundwire.conversation import SearchMode, Status
from groundwire.library import Adder, Library, reader
from tests.adapters.test_real_model import SURFACES, base_url
from tests.chat.program import Told
from tests.patience import PATIENCE

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
            "chat": {"seconds": 10 * PATIENCE},
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


PLAIN_PAGES = {
    "otters": "Sea otters hold each other's paws while they sleep, so that the current does not "
    "carry them apart. A resting group is called a raft, and the largest that was ever seen had "
    "2,000 animals. An adult eats a quarter of its own weight every day.",
    "windmills": "The windmills of the lower plain ground corn and drained the fields for three "
    "hundred years. In 1850 there were 450 windmills between the river and the sea. Only 38 of "
    "them still turn. Volunteers grease the bearings twice a year.",
}
NONSENSE = (
    "Write a poem about windmills and love.",
    "How many windmills still turn?",
    "Why do sea otters hold paws?",
)


async def test_no_marker_of_a_small_models_nonsense_looks_like_one_that_was_found(
    base_url: str, tmp_path: Path
) -> None:
    (tmp_path / "pages").mkdir()
    for name, text in PLAIN_PAGES.items():
        (tmp_path / "pages" / f"{name}.md").write_text(f"# {name.capitalize()}\n\n{text}\n")
    await _library(tmp_path / "pages", tmp_path / "library.sqlite3")
    keys = Keys(environment={}, dotenv=tmp_path / ".env", file=tmp_path / "keys.json")
    chosen = _chosen(base_url, tmp_path)

    async with groundwire.open(
        settings=chosen, keys=keys, database=str(tmp_path / "talk.sqlite3")
    ) as program:
        await program.store.agents.update(replace(await program.agent(), temperature=0))
        answers = [await program.ask(each, provider="openai") for each in NONSENSE]

    checks = [each for answer in answers for each in answer.checks]
    page = _letters(" ".join(PLAIN_PAGES.values()))
    assert checks
    for each in checks:
        if state_of(each.check) is CheckState.FOUND:
            # Held against the pages in the plainest way there is.
            assert len(each.claim.split()) > 2
            assert _letters(each.claim) in page
        words = {word for word in _words(each.claim) if len(word) > 3}
        if sum(word in page for word in words) < 0.2 * len(words):
            assert state_of(each.check) in (CheckState.ABSENT, CheckState.NOT_COMPARED), each.claim


def _words(text: str) -> list[str]:
    return "".join(each.lower() if each.isalnum() else " " for each in text).split()


def _letters(text: str) -> str:
    return " ".join(_words(text))


def _chosen(base_url: str, folder: Path) -> Settings:
    """Return settings under which the small model answers, and the library searches and reads."""
    options = {"calls_tools": False, "context_characters": 1500}
    return Settings.model_validate(
        {
            "search_provider": "library",
            "read_provider": "library",
            "chat": {"seconds": 10 * PATIENCE},
            "providers": {
                "openai": {"base_url": base_url, "model": "smollm2", "options": options},
                "library": {"options": {"path": str(folder / "library.sqlite3")}},
            },
        }
    )


async def test_a_small_model_without_tools_answers_with_valid_citations(
    base_url: str, tmp_path: Path
) -> None:
    await _library(_pages(tmp_path / "pages"), tmp_path / "library.sqlite3")
    settings = _chosen(base_url, tmp_path)
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
