"""The table of canaries is whole, and the ways to a model that are no tool's are closed too."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from groundwire import registry, service
from groundwire.chat import history
from groundwire.client import Client
from groundwire.config.keys import Keys
from groundwire.conversation import ChatMessage, MessageKind
from groundwire.model import Citation, Json, ReadReply
from groundwire.providers import crawl4ai
from groundwire.sandbox import SandboxServer
from groundwire.search import SearchContext
from groundwire.service.actor import OWNER
from groundwire.service.agent_tools import provider_tools
from groundwire.service.provider_settings import ProviderSettings
from groundwire.testing import sandbox
from groundwire.tools import BACKENDS, Ledger, page_result, say_nothing, web_tools
from groundwire.tools.page_opener import pages_output
from groundwire.wire.contract import Access, Endpoint, abilities
from mcp import Client as McpClient
from tests import loopback
from tests.chat.program import Talk, opened
from tests.fences import outside, texts_in
from tests.library.folders import adding, write
from tests.mcp.server import environment, over_stdio, served, variables_for
from tests.providers.test_crawl4ai import WELL, browser
from tests.search.services import settings
from tests.security import canaries, obedience
from tests.security.canaries import MARK, URL, WORD
from tests.tools.test_command import run

__all__ = ["sandbox"]

ELSEWHERE = {
    "library": "test_documents_of_the_library_are_fenced",
    "crawl4ai": "test_what_a_browser_read_is_fenced",
    "local": "page_rows",
}
"""Who searches or reads and has no rows over HTTP, and where its canaries are."""
NO_BACKEND = {
    "extractive": "it has no service: what it quotes is in tests/extracting",
    "openai": "test_an_error_of_a_model_is_not_told_to_the_next",
}
"""Who answers and stands behind no tool."""
WITHOUT_STRANGERS = {
    "create_provider": "it asks nobody",
    "set_default_model": "it asks nobody",
    "fetch_models": "test_models_that_a_provider_names_are_fenced",
    "check_claim": "test_the_passage_that_a_claim_is_compared_with_is_fenced",
}


def test_every_provider_and_every_tool_has_rows(tmp_path: Path) -> None:
    rows = canaries.rows()
    able = {name: abilities(registry.get(name)) for name in registry.names()}
    searchers = {row.by for row in rows if row.tool == "web_search"}
    readers = {row.by for row in rows if row.tool == "open_page"}
    hosted = {row.by for row in rows if row.tool.startswith("websearch")}

    assert {name for name in able if "search" in able[name]} <= searchers | {*ELSEWHERE}
    assert {name for name in able if "read" in able[name]} <= readers | {*ELSEWHERE}
    assert {name for name in able if "answer" in able[name]} <= hosted | {*NO_BACKEND}
    assert {backend.provider for backend in BACKENDS.values()} == hosted
    assert _tool_names(tmp_path) <= {row.tool for row in rows} | {*WITHOUT_STRANGERS}


def _tool_names(folder: Path) -> set[str]:
    keys = Keys(
        environment=dict.fromkeys(
            ("GEMINI_API_KEY", "OPENROUTER_API_KEY", "ANTHROPIC_API_KEY", "OPENAI_API_KEY"), "k"
        ),
        dotenv=folder / ".env",
        file=folder / "keys",
    )
    chosen = settings()
    search_context = service.search_context(chosen, keys, Client(chosen.network))
    nothing: Json = None  # Tools are named before anybody asks anything of it.
    provider_settings = ProviderSettings(nothing, keys, nothing, nothing, actor=OWNER)
    return {
        tool.name
        for tool in (*service.tools(keys, search_context), *provider_tools(provider_settings))
    }


def test_every_place_of_a_stranger_is_in_the_table() -> None:
    fields = {row.place for row in canaries.rows()}

    assert {
        *(
            "body",
            "title",
            "link text",
            "link",
            "status reason",
            "Content-Type",
            "Content-Encoding",
        ),
        *("Location, inward", "Location, host", "robots.txt", "feed title", "feed entry title"),
        *("PDF text", "PDF title and author", "JSON", "hit's title", "hit's snippet", "hit's url"),
        *("hit's date", "page's title", "page's content", "answer's text", "answer's title"),
        *("answer's url", "what it searched for", "an error in a stream"),
    } <= fields


@pytest.fixture
async def talk(sandbox: SandboxServer, tmp_path: Path) -> AsyncIterator[Talk]:
    async with opened(sandbox, str(tmp_path / "talk.sqlite3")) as talk:
        yield talk


def is_outside(texts: list[str]) -> list[str]:
    """Return the texts that show the canary outside of a fence."""
    return [text for text in texts if WORD in outside(text)]


async def test_the_passage_that_a_claim_is_compared_with_is_fenced(tmp_path: Path) -> None:
    page = f"# {MARK}\n\nSea otters hold hands {MARK} while they sleep. They eat {MARK} crabs."
    chosen = settings()
    keys = Keys(environment={}, dotenv=tmp_path / ".env", file=tmp_path / "keys")
    search_context = service.search_context(chosen, keys, Client(chosen.network))
    tool = next(each for each in service.tools(keys, search_context) if each.name == "check_claim")

    output = await tool.run({"claim": "Sea otters hold 45 hands", "text": page}, say_nothing)

    assert WORD in output.text
    assert is_outside([output.text, *texts_in(output.data)]) == []


async def test_models_that_a_provider_names_are_fenced(talk: Talk) -> None:
    create, fetch, choose = provider_tools(talk.program.provider_settings)
    named = loopback.reply(json.dumps({"data": [{"id": MARK}]}).encode())
    refused = canaries.sent({"error": {"message": MARK}}, "401 No")
    async with loopback.serve(named, refused) as far:
        given = {"name": "Mine", "type": "openai", "base_url": far.url}
        await create.run(given, say_nothing)
        listed = await fetch.run({"provider": "Mine"}, say_nothing)
        failed = await fetch.run({"provider": "Mine"}, say_nothing)
        unknown = await choose.run({"provider": "Mine", "model": "x"}, say_nothing)

    outputs = (listed, failed, unknown)
    texts = [text for each in outputs for text in (each.text, *texts_in(dict(each.data)))]
    assert any(WORD in text for text in texts_in(dict(listed.data)))
    assert is_outside(texts) == []


async def test_documents_of_the_library_are_fenced(tmp_path: Path) -> None:
    write(tmp_path / "notes", {"otter.md": f"# {MARK}\n\nSea otters: {MARK}, so they say.\n"})
    async with adding(tmp_path / "library") as (adder, _):
        await adder.add_folder(tmp_path / "notes")
    chosen = settings(search_provider="library", read_provider="library")

    def find(name: str) -> Endpoint:
        access = Access(base_url="", options={"path": str(tmp_path / "library")})
        return Endpoint(name=name, provider=registry.get(name), access=access)

    async with (
        Client(chosen.network) as client,
        SearchContext(chosen, client, find=find) as search_context,
    ):
        search, open_page = web_tools(search_context, Ledger())
        found = await search.run({"query": "sea otters"}, say_nothing)
        page = await open_page.run({"url": found.plain["results"][0]["url"]}, say_nothing)

    texts = [found.text, page.text, *texts_in(dict(found.data)), *texts_in(dict(page.data))]
    assert [each["status"] for each in [page.data]] == ["success"]
    assert sum(WORD in text for text in texts) >= 6
    assert is_outside(texts) == []


@pytest.mark.parametrize("part", ["title", "markdown", "problem", "url"])
def test_what_a_browser_read_is_fenced(part: str) -> None:
    said = {**WELL, part: f"https://a.example/{MARK}" if part == "url" else MARK}

    page = crawl4ai._page(URL, said, browser())
    if page.success:
        output = pages_output(
            [page_result(ReadReply(service="crawl4ai", page=page), max_length=99)]
        )
        texts = [output.text, *texts_in(dict(output.data))]
        assert any(WORD in text for text in texts)
        assert [text for text in texts if MARK in outside(text)] == []
    else:
        assert page.error == MARK  # And an error of a reader is quoted: see page_rows.


def test_an_old_conversation_is_told_with_its_sources_in_a_fence() -> None:
    cited = Citation(url=f"https://a.example/{MARK}", title=MARK)
    question = ChatMessage(session_id="s", kind=MessageKind.USER, content="What?" * 400)
    answer = ChatMessage(
        session_id="s",
        kind=MessageKind.AI_RESPONSE,
        plain_text=f"It says: {MARK}. " * 90,
        citations=(cited,),
    )

    told = history.model_messages(
        [question, answer, question], maker="x", dialect="openai", max_tokens=600
    )

    texts = [message.content for message in told]
    assert any(MARK in text for text in texts)
    assert [text for text in texts if MARK in outside(text)] == []


def test_quotes_of_the_extractive_model_are_strangers_words_to_the_next() -> None:
    question = ChatMessage(session_id="s", kind=MessageKind.USER, content="What?")
    answer = ChatMessage(
        session_id="s", kind=MessageKind.AI_RESPONSE, plain_text=f"“{MARK}” [1]", model="extractive"
    )

    told = history.model_messages([question, answer], maker="x", dialect="openai", max_tokens=600)

    assert MARK in told[1].content
    assert MARK not in outside(told[1].content)


async def test_passages_for_a_model_without_tools_are_fenced() -> None:
    hit = {"url": URL, "title": MARK, "content": f"Otters sleep in kelp. {MARK}"}
    page = f"Otters sleep in kelp at night. {MARK}"
    answer = obedience.say('{"sentences": [{"text": "In kelp.", "sources": [1]}]}')
    async with obedience.attacked(answer, page=page, hits=[hit]) as attack:
        endpoint = attack.conversation.endpoint
        access = replace(endpoint.access, options={"calls_tools": False})
        attack.conversation = replace(
            attack.conversation, endpoint=replace(endpoint, access=access)
        )
        await attack.ask("Where do otters sleep?")

    texts = [text for each in attack.model.requests for text in texts_in(json.loads(each.body))]
    assert any(MARK in text for text in texts)
    assert is_outside(texts) == []


async def test_an_error_of_a_model_is_not_told_to_the_next() -> None:
    refused = canaries.sent({"error": {"message": MARK, "code": MARK}}, "400 No")
    async with obedience.attacked(refused, obedience.say("Hello.")) as attack:
        first = await attack.ask("Hello?")
        question = ChatMessage(session_id="s", kind=MessageKind.USER, content="Hello?")
        attack.conversation = replace(attack.conversation, history=(question, first.message))
        await attack.ask("And now?")

    assert MARK in first.message.error
    texts = [text for each in attack.model.requests for text in texts_in(json.loads(each.body))]
    assert [text for text in texts if WORD in text] == []


PLAYED: dict[str, tuple[str, Json, str, loopback.Script]] = {
    "a hit": (
        "web_search",
        {"query": "otters"},
        "tavily",
        canaries.sent({"results": [{"url": URL, "title": MARK, "content": MARK}]}),
    ),
    "a refusal": (
        "web_search",
        {"query": "otters"},
        "tavily",
        canaries.sent({"detail": {"error": MARK}}, "400 No"),
    ),
    "an answer": (
        "websearch_gemini",
        {"query": "otters"},
        "gemini",
        canaries._gemini(MARK, title=MARK),
    ),
    "an error": (
        "websearch_gemini",
        {"query": "otters"},
        "gemini",
        canaries.sent({"error": {"message": MARK}}, "400 No"),
    ),
}
"""What is played to whole processes: a tool, its arguments, whose service, what it says."""


@pytest.mark.parametrize("what", [*PLAYED])
async def test_the_shell_prints_strangers_words_inside_of_fences(what: str) -> None:
    import asyncio  # noqa: PLC0415 - only here

    tool, arguments, name, script = PLAYED[what]
    async with loopback.serve(script) as far:
        variables = {**variables_for({name: far.url}), "GROUNDWIRE_SEARCH_PROVIDER": "tavily"}
        done = await asyncio.to_thread(
            run, "tool", tool, json.dumps(arguments), script=_CLI, **variables
        )

    texts = texts_in(json.loads(done.stdout))
    assert any(WORD in text for text in texts)
    assert is_outside([*texts, done.stderr]) == []


_CLI = "from groundwire.cli import main; main()"


@pytest.mark.parametrize("what", [*PLAYED])
@pytest.mark.parametrize("way", ["stdio", "http"])
async def test_a_client_of_mcp_gets_strangers_words_inside_of_fences(way: str, what: str) -> None:
    tool, arguments, name, script = PLAYED[what]
    async with loopback.serve(script) as far:
        variables = {**variables_for({name: far.url}), "GROUNDWIRE_SEARCH_PROVIDER": "tavily"}
        if way == "http":
            with served(variables) as url:
                async with McpClient(url) as client:
                    result = await client.call_tool(tool, arguments)
        else:
            command = over_stdio(environment(variables))
            async with McpClient(command) as client:
                result = await client.call_tool(tool, arguments)

    texts = [*(each.model_dump()["text"] for each in result.content)]
    texts += texts_in(result.structured_content)
    assert any(WORD in text for text in texts)
    assert is_outside(texts) == []
