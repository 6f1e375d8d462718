"""The sandbox with our library behind it and our extracts in it, on every provider."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from groundwire.errors import ConfigError
from groundwire.sandbox import Domains, Hit, SandboxServer, ToolResult, WebPage
from groundwire.sandbox.answers import AskedQuestion, Fetching, OfferedTool, Searching, plan
from groundwire.sandbox.web import EVERYWHERE
from groundwire.service.sandbox_library import Extractor, LibraryWeb
from tests.chat.program import HOSTED, Talk, opened
from tests.extractive.pages import FILES, FILTER, PUMP
from tests.library.folders import adding, write

PAGES = "https://library.test/handbook/"
QUESTION = "How do I reset the pump?"
VALVE = "# Valves\n\nTo open the valve, turn its wheel to the left.\n"
ANSWER = "To reset the pump, hold the green button for five seconds:"


@pytest.fixture
async def handbook(tmp_path: Path) -> LibraryWeb:
    """A library as a sandbox sees it."""
    folder = write(tmp_path / "handbook", FILES)
    async with adding(tmp_path / "l") as (adder, _):
        await adder.add_folder(folder)
    return LibraryWeb({"path": str(tmp_path / "l")})


@pytest.fixture
async def talk(handbook: LibraryWeb, tmp_path: Path) -> AsyncIterator[Talk]:
    """A program over a sandbox that answers from the library."""
    async with (
        SandboxServer(library=handbook, answerer=Extractor()) as sandbox,
        opened(sandbox, str(tmp_path / "talk.sqlite3")) as talk,
    ):
        await talk.allow("*")
        yield talk


async def test_the_library_is_searched_and_opened_as_the_sandboxes_web(
    handbook: LibraryWeb,
) -> None:
    (hit, *_) = handbook.search("reset pump", limit=3, domains=EVERYWHERE)

    assert isinstance(hit, Hit)
    assert hit.page.url == f"{PAGES}pump.md"
    assert ANSWER in hit.passages[0]
    assert handbook.open(hit.page.url) == hit.page
    assert handbook.open(f"{PAGES}none.md") is None


async def test_domains_hold_for_the_library_too(handbook: LibraryWeb) -> None:
    assert handbook.search("pump", limit=3, domains=Domains(allowed=("example.org",))) == []
    assert handbook.search("pump", limit=3, domains=Domains(blocked=("library.test",))) == []


def test_a_library_that_is_not_there_is_refused_at_once(tmp_path: Path) -> None:
    with pytest.raises(ConfigError):
        LibraryWeb({"path": str(tmp_path / "none")})


@pytest.mark.parametrize("provider", HOSTED)
async def test_a_hosted_search_quotes_what_answers_in_the_providers_own_form(
    talk: Talk, provider: str
) -> None:
    told = await talk.turn(QUESTION, provider=provider, search="hosted")

    assert ANSWER in told.message.plain_text
    assert told.message.citations


@pytest.mark.parametrize("provider", HOSTED)
async def test_a_hosted_search_that_finds_no_answer_says_so(talk: Talk, provider: str) -> None:
    told = await talk.turn("Who wrote Hamlet, the pump?", provider=provider, search="hosted")

    assert told.message.plain_text == "I searched, but no page answers that."


@pytest.mark.parametrize(
    ("provider", "model"),
    [
        ("anthropic", ""),
        ("openai", "gpt-5.5"),  # Its default model searches whether it is asked to or not.
        ("openai-responses", ""),
        ("openrouter", ""),
        ("gemini", ""),
    ],
)
async def test_with_our_tools_it_searches_opens_and_cites_by_the_ids_it_was_given(
    talk: Talk, provider: str, model: str
) -> None:
    told = await talk.turn(QUESTION, provider=provider, model=model, search="client")

    assert [run.name for run in told.message.tool_runs] == ["web_search", "open_page"]
    assert f"- “{ANSWER}” [1]" in told.message.content
    assert told.cited[0] == f"{PAGES}pump.md"
    assert told.ended.answer.marked.unknown == ()


def test_results_of_other_tools_are_told_as_ever(handbook: LibraryWeb) -> None:
    question = AskedQuestion(
        text="Weather?", tool_results=(ToolResult(name="weather", text="14 °C"),)
    )

    answer = plan(question, handbook, Extractor())

    assert answer.text == "The tool weather returned: 14 °C"


def test_of_the_pages_found_those_that_answer_are_cited() -> None:
    pages = [
        WebPage(url="https://a.org/filter", title="Filters", passages=(FILTER,)),
        WebPage(url="https://a.org/pump", title="Pump P-7", passages=(PUMP,)),
    ]

    claims = Extractor().claims(QUESTION, pages)

    assert [(claim.text, claim.page) for claim in claims] == [(ANSWER, pages[1])]
    assert all(claim.quote in PUMP for claim in claims)


class _Web:
    """A library that finds the page that answers last."""

    pages = (
        WebPage(url="https://a.org/filter", title="Filters", passages=(FILTER,)),
        WebPage(url="https://a.org/valve", title="Valves", passages=(VALVE,)),
    )

    def search(self, query: str, *, limit: int, domains: Domains) -> list[Hit]:
        """Find both, whatever is asked."""
        allowed = [page for page in self.pages if query and domains.allow(page.url)]
        return [Hit(page=page, passages=page.passages) for page in allowed[:limit]]

    def open(self, url: str) -> WebPage | None:
        """Return one of them."""
        return next((page for page in self.pages if page.url == url), None)


def test_a_page_that_was_opened_in_vain_does_not_hide_one_that_answers() -> None:
    text = "How do I open the valve?"
    question = AskedQuestion(text=text, searching=Searching(), fetching=Fetching())

    answer = plan(question, _Web(), Extractor())

    assert [fetch.url for fetch in answer.fetches] == ["https://a.org/filter"]
    assert [each.url for each in answer.pages] == ["https://a.org/valve"]
    assert not any(segment.was_fetched for segment in answer.segments)


def test_without_an_answerer_the_first_sentence_of_each_page_is_quoted(
    handbook: LibraryWeb,
) -> None:
    question = AskedQuestion(text="Who wrote Hamlet, the pump?", searching=Searching())

    assert plan(question, handbook).pages != ()
    assert plan(question, handbook, Extractor()).pages == ()


def _agents_tools(*names: str) -> tuple[OfferedTool, ...]:
    return tuple(
        OfferedTool(name=name, schema={"type": "object", "properties": {}}) for name in names
    )


def test_asked_through_an_agent_it_calls_the_search_and_nothing_that_nobody_asked_for(
    handbook: LibraryWeb,
) -> None:
    reminder = "<system-reminder>\nAvailable agents: call Agent.\n</system-reminder>\n"
    question = AskedQuestion(
        text=f"{reminder}{QUESTION}", tools=_agents_tools("Agent", "Bash", "WebSearch")
    )

    assert [call.name for call in plan(question, handbook, Extractor()).calls] == ["WebSearch"]
    asked = replace(question, text=f"{reminder}Call Bash, please")
    assert [call.name for call in plan(asked, handbook, Extractor()).calls] == ["Bash"]
    without = replace(question, tools=_agents_tools("Agent", "Bash"))
    assert plan(without, handbook, Extractor()).calls == ()
    assert plan(without, handbook, Extractor()).text.startswith("This model is played")
