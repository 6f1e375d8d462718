"""RFC-031's testing strategy (seed 000), as far as it is about turns: the names are its own.

Its citation parsing is in tests/providers, its mappers and the migration 7 to 8 in tests/store.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from groundwire import citations
from groundwire.chat.events import ToolUpdate, WebSearchStarted
from groundwire.conversation import SearchMode, Status
from groundwire.model import Json
from groundwire.sandbox import SandboxServer
from tests.chat.program import HOSTED, OTTERS, Talk, opened

_SEARCH = {
    "anthropic": lambda body: [tool["name"] for tool in body.get("tools", ())][:1],
    "openai-responses": lambda body: [tool["type"] for tool in body.get("tools", ())],
    "gemini": lambda body: [name for tool in body.get("tools", ()) for name in tool][:1],
    "openrouter": lambda body: [each["id"] for each in body.get("plugins", ())],
    "openai": lambda body: [name for name in body if name == "web_search_options"],
}
_SENT = {
    "anthropic": ["web_search"],
    "openai-responses": ["web_search"],
    "gemini": ["googleSearch"],
    "openrouter": ["web"],
    "openai": ["web_search_options"],
}


def _search_in(provider: str, body: Json) -> list[str]:
    return _SEARCH[provider](body)


@pytest.mark.parametrize("provider", HOSTED)
async def test_web_search_enabled_is_passed_through_to_the_adapter(
    talk: Talk, provider: str
) -> None:
    await talk.turn(provider=provider)

    assert _search_in(provider, talk.asked()) == _SENT[provider]


@pytest.mark.parametrize("provider", HOSTED)
async def test_with_web_search_disabled_no_search_configuration_is_sent(
    talk: Talk, provider: str
) -> None:
    await talk.change_agent(web_search_enabled=False)

    await talk.turn(provider=provider)

    assert _search_in(provider, talk.asked()) == []


@pytest.mark.parametrize("provider", HOSTED)
async def test_citations_are_accumulated_over_the_answer_and_saved_on_the_message_once_each(
    talk: Talk, provider: str
) -> None:
    told = await talk.turn("compare otters and volcanoes", provider=provider)

    kept = await talk.program.store.messages.get(told.started.message_id)
    urls = [each.url for each in kept.citations or ()]
    assert len(urls) > 1
    assert len(set(urls)) == len(urls)
    assert kept.marked
    used = [each for each in kept.marked.sources if each.url in urls]
    assert [each.number for each in used] == [*range(1, len(urls) + 1)]


async def test_web_search_start_emits_web_search_started(talk: Talk) -> None:
    told = await talk.turn(provider="anthropic")

    assert told.of(WebSearchStarted) == [
        WebSearchStarted(
            query="How do sea otters sleep", mode=SearchMode.HOSTED, service="Anthropic"
        )
    ]


async def test_server_side_tool_events_do_not_trigger_local_tool_execution(talk: Talk) -> None:
    told = await talk.turn("Please read about how sea otters sleep", provider="anthropic")

    runs = {event.run.mode for event in told.of(ToolUpdate)}
    assert runs == {SearchMode.HOSTED}
    assert [entry.path for entry in talk.sandbox.requests] == ["/anthropic/v1/messages"]
    assert [each.tool_calls for each in told.message.rounds] == [()]


async def test_an_agent_with_web_search_enabled_persists_and_loads(
    sandbox: SandboxServer, tmp_path: Path
) -> None:
    database = str(tmp_path / "talk.sqlite3")
    async with opened(sandbox, database) as talk:
        setup = await talk.program.agent("Setup")
        await talk.program.store.agents.update(replace(setup, web_search_enabled=True))

    async with opened(sandbox, database) as talk:
        loaded = await talk.program.agent("Setup")

    assert (setup.web_search_enabled, loaded.web_search_enabled) == (False, True)


async def test_a_session_with_citations_displays_the_same_after_a_reload(
    sandbox: SandboxServer, tmp_path: Path
) -> None:
    database = str(tmp_path / "talk.sqlite3")
    async with opened(sandbox, database) as talk:
        told = await talk.turn(OTTERS)

    async with opened(sandbox, database) as talk:
        answer = (await talk.program.messages(told.started.session_id))[-1]

    assert answer.status is Status.COMPLETE
    assert answer.citations == told.message.citations
    assert answer.marked
    assert citations.to_json(answer.marked) == citations.to_json(told.ended.answer.marked)
    assert answer.content == told.message.content
    assert answer.state
    assert told.message.state
    assert (answer.state.choices, answer.state.reason) == (
        told.message.state.choices,
        told.message.state.reason,
    )
