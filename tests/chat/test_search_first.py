"""Models that cannot call tools: we search first, and the answer's form is enforced."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from groundwire.chat import search_first
from groundwire.chat.events import ToolUpdate, WebSearchStarted
from groundwire.conversation import SearchMode, Status, ToolRun
from groundwire.extractive import SourceText
from groundwire.model import SearchResult
from groundwire.sandbox import SandboxServer
from tests.chat.program import OTTERS, Talk, opened
from tests.fences import inside


@pytest.fixture
async def talk(sandbox: SandboxServer, tmp_path: Path) -> AsyncIterator[Talk]:
    """Return a program whose model calls no tools."""
    async with opened(sandbox, str(tmp_path / "talk.sqlite3")) as talk:
        chosen = talk.program.settings.providers
        chosen["openai"] = chosen["openai"].model_copy(
            update={"options": {"calls_tools": False}, "model": "gpt-4o"}
        )
        yield talk


async def test_we_search_and_open_pages_before_the_model_is_asked(talk: Talk) -> None:
    told = await talk.turn(provider="openai")

    assert told.started.mode is SearchMode.CLIENT
    assert [event.query for event in told.of(WebSearchStarted)] == [OTTERS]
    done = [event.run.name for event in told.of(ToolUpdate) if event.run.status == "done"]
    assert done == ["web_search", "open_page"]
    assert told.message.status is Status.COMPLETE
    assert told.message.content


async def test_the_model_gets_numbered_passages_and_the_form_of_its_answer(talk: Talk) -> None:
    await talk.turn(provider="openai")

    asked = talk.asked()
    assert "tools" not in asked
    assert "[1] Sea otter" in asked["messages"][-1]["content"]
    assert asked["messages"][-1]["content"].endswith(f"Question: {OTTERS}")
    form = asked["response_format"]["json_schema"]["schema"]
    sentence = form["properties"]["sentences"]["items"]
    assert 1 in sentence["properties"]["sources"]["items"]["enum"]


def test_sentences_with_sources_become_text_with_markers() -> None:
    reply = {
        "sentences": [
            {"text": "They sleep.", "sources": [2, 1, 2]},
            {"text": "So.", "sources": [1]},
        ]
    }

    assert search_first.written(json.dumps(reply)) == "They sleep.[2][1] So.[1]"


@pytest.mark.parametrize("reply", ["They sleep.", "{}", '{"sentences": 3}', '{"sentences": [{}]}'])
def test_a_reply_that_ignores_the_form_is_shown_as_it_is(reply: str) -> None:
    assert search_first.written(reply) == reply


def test_passages_that_answer_come_before_how_a_page_begins() -> None:
    page = SourceText(
        id="4", title="Otter", text="Welcome. " * 200 + "Otters sleep in kelp at night."
    )

    told = search_first.prompt("Where do otters sleep?", [page], max_characters=300)

    assert inside(told)[0].startswith("[4] Otter\n")
    assert "Otters sleep in kelp at night." in told
    assert "Welcome. Welcome. Welcome." not in told


def test_a_search_without_results_opens_nothing() -> None:
    found = ToolRun(id="1", name="web_search")
    hit = SearchResult(url="https://a.org/", title="A")

    assert search_first.open_call(found) is None
    opened_call = search_first.open_call(ToolRun(id="1", name="web_search", results=(hit,)))
    assert opened_call is not None
    assert json.loads(opened_call.arguments) == {"url": ["https://a.org/"]}
