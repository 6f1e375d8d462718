"""Where an agent may go: the rules of seed 002, each by name."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from groundwire.chat.events import SourcesRemoved, ToolUpdate
from groundwire.conversation import Agent, SearchMode, Status, Workspace
from groundwire.errors import InvalidDomainsError
from groundwire.model import Json
from groundwire.sandbox import SandboxServer
from tests.chat.program import HOSTED, Talk, opened

WIKI = "wiki.example.net"


def _web_tools(body: Json) -> dict[str, Json]:
    return {tool["name"]: tool for tool in body.get("tools", ()) if "max_uses" in tool}


async def test_both_web_tools_are_sent_with_their_limits_and_the_domains(talk: Talk) -> None:
    await talk.allow(WIKI, "*.example.org")

    await talk.turn()

    sent = _web_tools(talk.asked())
    assert sent["web_search"] == {
        "type": "web_search_20250305",
        "name": "web_search",
        "max_uses": 5,
        "allowed_domains": [WIKI, "example.org"],
    }
    assert sent["web_fetch"] == {
        "type": "web_fetch_20250910",
        "name": "web_fetch",
        "max_uses": 10,
        "allowed_domains": [WIKI, "example.org"],
        "citations": {"enabled": True},
    }
    beta = talk.sandbox.requests[-1].headers["anthropic-beta"]
    assert beta == "web-fetch-2025-09-10"


@pytest.mark.parametrize(
    ("search", "fetch", "offered"),
    [
        (True, True, ["web_search", "web_fetch"]),
        (True, False, ["web_search"]),
        (False, True, ["web_fetch"]),
        (False, False, []),
    ],
)
async def test_each_toggle_offers_its_own_tool(
    talk: Talk, search: bool, fetch: bool, offered: list[str]
) -> None:
    await talk.allow("*", web_search_enabled=search, web_fetch_enabled=fetch)

    await talk.turn()

    assert [*_web_tools(talk.asked())] == offered


@pytest.mark.parametrize(
    ("search", "fetch", "offered"),
    [(True, False, ["web_search"]), (False, True, ["open_page"]), (False, False, None)],
)
async def test_each_toggle_offers_its_own_tool_in_client_search(
    talk: Talk, search: bool, fetch: bool, offered: list[str] | None
) -> None:
    await talk.allow("*", web_search_enabled=search, web_fetch_enabled=fetch)

    await talk.turn(provider="openai", model="gpt-4o", search="client")

    first = next(each for each in talk.sandbox.requests if each.path.endswith("/completions"))
    tools = [tool["function"]["name"] for tool in first.body.get("tools", ())]
    assert tools == (offered or [])


@pytest.mark.parametrize("provider", sorted({*HOSTED} - {"openai"}))
async def test_without_a_domain_the_tool_is_not_offered(talk: Talk, provider: str) -> None:
    await talk.allow()

    told = await talk.turn(provider=provider)

    assert told.started.mode is SearchMode.OFF
    assert told.started.reason == "the workspace 'Personal' allows no domain"
    assert "tools" not in talk.asked()
    assert "plugins" not in talk.asked()
    assert "web_search_options" not in talk.asked()


async def test_without_the_agents_switch_the_tool_is_not_offered(talk: Talk) -> None:
    await talk.change_agent(web_search_enabled=False)

    told = await talk.turn(search="hosted")

    assert told.started.mode is SearchMode.OFF
    assert told.started.reason == "web search is off for the agent 'Assistant'"
    assert "tools" not in talk.asked()


async def test_new_agents_default_to_web_search_off() -> None:
    assert Agent(workspace_id="personal", name="Somebody").web_search_enabled is False


async def test_a_new_workspace_has_the_default_list_and_the_personal_one_the_whole_web(
    talk: Talk,
) -> None:
    made = await talk.program.store.workspaces.create(Workspace(name="Later"))
    personal = await talk.program.store.workspaces.get("personal")

    assert (made.web_search_enabled, made.web_fetch_enabled) == (True, True)
    assert made.web_allowed_domains == ("help.sap.com",)
    assert personal.web_allowed_domains == ("*",)


async def test_a_change_of_domains_works_on_the_next_message_without_a_restart(
    talk: Talk,
) -> None:
    first = await talk.turn()
    await talk.allow(WIKI)

    second = await talk.turn(session=first.started.session_id)

    assert first.cited == [
        "https://wiki.example.net/sea-otter",
        "https://news.example.com/2026/05/otters-return",
    ]
    assert second.cited == ["https://wiki.example.net/sea-otter"]


async def test_bad_domains_are_refused_each_with_its_reason(talk: Talk) -> None:
    workspace = await talk.program.store.workspaces.get("personal")
    entries = ("https://sap.com", "sap.com", "münchen.de", "a.*.org", "-a.org", "*.sap.com")

    with pytest.raises(InvalidDomainsError) as caught:
        await talk.program.store.workspaces.update(replace(workspace, web_allowed_domains=entries))

    refused = dict(caught.value.problems)
    assert [*refused] == ["https://sap.com", "münchen.de", "a.*.org", "-a.org"]
    assert "scheme" in refused["https://sap.com"]
    assert "not ASCII" in refused["münchen.de"]
    assert "in front" in refused["a.*.org"]
    assert "hyphen" in refused["-a.org"]


async def test_what_a_provider_returns_from_outside_is_struck_and_told(
    sandbox: SandboxServer, tmp_path: Path
) -> None:
    """Gemini has no filter, and hosted search was asked for."""
    async with opened(sandbox, str(tmp_path / "talk.sqlite3")) as talk:
        await talk.allow(WIKI)

        told = await talk.turn(provider="gemini", search="hosted")

    removed = told.of(SourcesRemoved)
    assert [event.where for event in removed] == ["citations"]
    assert [each.domain for each in told.message.citations or ()] == [WIKI]
    assert "[removed]" in told.message.content
    assert "news.example.com" not in told.message.content
    assert [each.domain for each in told.ended.answer.marked.removed] == ["news.example.com"]
    assert told.message.status is Status.COMPLETE


async def test_where_the_provider_cannot_filter_we_search_and_say_so(talk: Talk) -> None:
    await talk.allow(WIKI)

    told = await talk.turn(provider="gemini")

    assert told.started.mode is SearchMode.CLIENT
    assert told.started.reason.endswith("cannot keep its own search to the allowed domains")


async def test_client_search_finds_only_what_is_allowed(talk: Talk) -> None:
    await talk.allow(WIKI)

    told = await talk.turn(provider="anthropic", search="client")

    found = [hit.url for event in told.of(ToolUpdate) for hit in event.run.results]
    assert found == ["https://wiki.example.net/sea-otter"]


async def test_a_message_can_narrow_the_domains_and_never_widen_them(talk: Talk) -> None:
    await talk.allow("example.net")

    narrowed = await talk.turn(domains=[WIKI])
    narrowed_domains = _web_tools(talk.asked())["web_search"]["allowed_domains"]
    widened = await talk.turn(domains=["news.example.com"])

    assert narrowed.started.mode is SearchMode.HOSTED
    assert narrowed_domains == [WIKI]
    assert widened.started.mode is SearchMode.OFF
    assert widened.started.reason == (
        "none of news.example.com is allowed in the workspace 'Personal'"
    )


async def test_pages_that_the_provider_reads_are_read_and_not_cited(talk: Talk) -> None:
    told = await talk.turn("Please read about how sea otters sleep")

    fetched = [event.run for event in told.of(ToolUpdate) if event.run.name == "web_fetch"]
    assert [run.status for run in fetched] == ["running", "done"]
    assert fetched[-1].url == "https://wiki.example.net/sea-otter"


async def test_web_tools_need_no_approval(talk: Talk) -> None:
    told = await talk.turn(search="client")

    assert told.message.status is Status.COMPLETE


async def test_the_web_section_is_in_the_system_prompt_only_while_a_tool_is_active(
    talk: Talk,
) -> None:
    await talk.change_agent(system_prompt="You are brief.")
    await talk.allow(WIKI, web_instructions="Prefer pages about SAP.")

    await talk.turn()
    active = talk.asked()["system"]
    await talk.turn(search="off")
    inactive = talk.asked()["system"]

    assert active.startswith("You are brief.\n\n# Searching and reading the web")
    assert f"only within these domains: {WIKI}." in active
    assert "Prefer pages about SAP." in active
    assert inactive == "You are brief."


async def test_client_search_is_told_how_to_cite(talk: Talk) -> None:
    await talk.turn(search="client")

    assert "append the citation ID in brackets, e.g. [1]" in talk.asked()["system"]
