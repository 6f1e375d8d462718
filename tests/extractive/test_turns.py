"""A library, the tools and the extractive model in a whole turn, with nothing but this machine."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

import groundwire
from groundwire import Answer, Keys, Settings
from groundwire.citations import Source
from groundwire.errors import SearchFailedError
from groundwire.extractive import NOT_ANSWERED
from groundwire.service.program import Groundwire
from tests.extractive.pages import FILES
from tests.library.folders import adding, write

PAGES = "https://library.test/handbook/"
QUESTIONS = {
    "How do I reset the pump?": "pump.md",
    "What does --dry-run do?": "pump.md",
    "Why does resetting clear the hour counter?": "pump.md",
    "What is a sediment filter?": "filter.md",
    "filter.max_age": "filter.md",
    "How are rowing boats stored?": "boats/rowing.md",
}


def settings(library: Path, **values: object) -> Settings:
    return Settings.model_validate(
        {
            "search_provider": "library",
            "read_provider": "library",
            "providers": {"library": {"options": {"path": str(library)}}},
            **values,
        }
    )


def no_keys(folder: Path) -> Keys:
    return Keys(environment={}, dotenv=folder / ".env", file=folder / "keys.json")


@pytest.fixture
async def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Groundwire]:
    """A program without keys over a library of the handbook."""
    monkeypatch.setenv("HOME", str(tmp_path))
    folder = write(tmp_path / "handbook", FILES)
    async with adding(tmp_path / "l") as (adder, _):
        await adder.add_folder(folder)
    chosen = settings(tmp_path / "l")
    async with groundwire.open(settings=chosen, keys=no_keys(tmp_path), keep=False) as opened:
        yield opened


def quoted(ended: Answer) -> list[tuple[str, str]]:
    """Return the quotes of an answer with the paths of their pages."""
    urls = {source.number: source.url for source in ended.marked.sources}
    found = re.findall(r"^- “(.*?)” \[(\d+)\]$", ended.message.content, re.DOTALL | re.MULTILINE)
    return [(said, urls[int(number)].removeprefix(PAGES)) for said, number in found]


@pytest.mark.parametrize(("question", "page"), QUESTIONS.items())
async def test_a_question_is_answered_with_quotes_that_stand_on_the_cited_page(
    program: Groundwire, question: str, page: str
) -> None:
    ended = await program.ask(question)

    quotes = quoted(ended)
    assert ended.message.provider == "extractive"
    assert page in [path for _, path in quotes]
    assert all(said in FILES[path] for said, path in quotes)
    assert ended.marked.unknown == ()


@pytest.mark.parametrize("question", QUESTIONS)
async def test_every_quote_is_cited_with_its_words_from_the_page(
    program: Groundwire, question: str
) -> None:
    ended = await program.ask(question)

    marked = ended.marked
    used = {number for marker in marked.markers for number in marker.numbers}
    sources = {source.number: source for source in marked.sources}
    assert used
    assert {sources[number].evidence for number in used} == {"cited"}
    assert all(len(marker.numbers) == 1 for marker in marked.markers)
    for marker in marked.markers:
        [support] = marker.supports
        page = FILES[sources[support.number].url.removeprefix(PAGES)]
        assert support.quote in page
        assert marked.text[support.start : support.end].startswith(support.quote)
    kept = ended.message.citations or ()
    assert {
        (each.evidence, bool(each.quote)) for each in kept if each.url in _urls(used, sources)
    } == {("cited", True)}


def _urls(numbers: set[int], sources: dict[int, Source]) -> set[str]:
    return {sources[number].url for number in numbers}


async def test_what_was_read_and_not_quoted_is_not_cited(program: Groundwire) -> None:
    ended = await program.ask("How do I reset the pump?")

    used = {number for marker in ended.marked.markers for number in marker.numbers}
    others = [source for source in ended.marked.sources if source.number not in used]
    assert "cited" not in {source.evidence for source in others}


async def test_what_the_library_does_not_answer_is_said_to_be_so(program: Groundwire) -> None:
    ended = await program.ask("How do I bake a cake with a pump?")

    assert ended.message.status == "complete"
    assert ended.message.plain_text.startswith(NOT_ANSWERED)


async def test_the_same_question_gets_the_same_answer(program: Groundwire) -> None:
    first = await program.ask("How do I reset the pump?")
    second = await program.ask("How do I reset the pump?")

    assert first.message.content == second.message.content


async def test_a_turn_without_search_says_what_is_missing(program: Groundwire) -> None:
    ended = await program.ask("How do I reset the pump?", search="off")

    assert ended.message.plain_text.startswith("I can only quote sources")


async def test_without_a_library_the_turn_fails_with_the_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    chosen = settings(tmp_path / "nothing.sqlite3")

    async with groundwire.open(settings=chosen, keys=no_keys(tmp_path), keep=False) as program:
        with pytest.raises(SearchFailedError, match=r"nothing\.sqlite3") as caught:
            await program.ask("How do I reset the pump?")

    assert caught.value.answer is not None
    assert caught.value.answer.status == "failed"
