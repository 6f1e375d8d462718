"""Rules of seed 002 that are about the course of a turn; its policy is in test_policy."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from groundwire.chat.events import (
    ApprovalRequested,
    SourcesRemoved,
    SuggestionsShown,
    ToolUpdate,
    TurnEnded,
)
from groundwire.conversation import SearchMode, Status
from groundwire.guard import DomainPolicy
from groundwire.sandbox import SandboxServer
from tests.chat.program import Talk, Told, opened

REDIRECT = "https://vertexaisearch.cloud.google.com/grounding-api-redirect/x"


async def _approved(talk: Talk, waiting: Told) -> TurnEnded:
    decisions = {run.id: False for run in waiting.of(ApprovalRequested)[0].runs}
    events = [
        event
        for batch in [
            batch async for batch in await talk.program.approve(waiting.message.id, decisions)
        ]
        for event in batch
    ]
    return Told(events=events).ended


async def test_search_results_are_broadcast_with_url_title_and_age(talk: Talk) -> None:
    told = await talk.turn()

    found = [hit for event in told.of(ToolUpdate) for hit in event.run.results]
    assert [(hit.url, hit.title) for hit in found[:1]] == [
        ("https://wiki.example.net/sea-otter", "Sea otter")
    ]
    assert any(hit.published for hit in found)


async def test_fetch_results_are_broadcast_with_url_and_title(talk: Talk) -> None:
    told = await talk.turn("Please read about how sea otters sleep")

    read = [event.run for event in told.of(ToolUpdate) if event.run.name == "web_fetch"][-1]
    assert (read.status, read.url, read.title) == (
        "done",
        "https://wiki.example.net/sea-otter",
        "Sea otter",
    )


@pytest.mark.parametrize("is_taken_away", [False, True])
async def test_an_approval_reads_the_web_configuration_afresh(
    talk: Talk, is_taken_away: bool
) -> None:
    setup = await talk.program.agent("Setup")
    await talk.program.store.agents.update(replace(setup, web_search_enabled=True))
    waiting = await talk.turn("Call create_provider, please", agent="Setup")
    if is_taken_away:
        await talk.allow()

    await _approved(talk, waiting)

    offered = [tool["name"] for tool in talk.asked()["tools"]]
    assert ("web_search" in offered) is not is_taken_away


async def test_an_approval_keeps_to_the_domains_of_its_message(talk: Talk) -> None:
    setup = await talk.program.agent("Setup")
    await talk.program.store.agents.update(replace(setup, web_search_enabled=True))
    waiting = await talk.turn(
        "Call create_provider, please", agent="Setup", domains=["wiki.example.net"]
    )

    await _approved(talk, waiting)

    search = next(tool for tool in talk.asked()["tools"] if tool["name"] == "web_search")
    assert search["allowed_domains"] == ["wiki.example.net"]


async def test_googles_redirects_are_judged_by_where_they_lead(talk: Talk) -> None:
    await talk.allow("wiki.example.net")

    told = await talk.turn(provider="gemini", search="hosted")

    assert told.started.mode is SearchMode.HOSTED
    assert [each.domain for each in told.message.citations or ()] == ["wiki.example.net"]
    assert [len(event.urls) for event in told.of(SourcesRemoved)] == [1]
    assert told.of(SuggestionsShown)
    assert told.message.suggestions == told.of(SuggestionsShown)[-1].html


@pytest.mark.parametrize(
    ("allowed", "domain", "is_permitted"),
    [
        ("google.com", "evil.example", False),
        ("google.com", "maps.google.com", True),
        ("wiki.example.net", "wiki.example.net", True),
        ("wiki.example.net", "A title, and no domain", False),
        ("wiki.example.net", "", False),
        ("*", "A title, and no domain", True),
        ("*", "", True),
    ],
)
def test_the_host_of_googles_redirects_is_no_domain_of_its_own(
    allowed: str, domain: str, is_permitted: bool
) -> None:
    policy = DomainPolicy(allowed=(allowed,))

    assert policy.permits_source(REDIRECT, domain) is is_permitted


@pytest.mark.parametrize("provider", ["gemini", "openai"])
async def test_the_whole_web_is_no_filter_that_somebody_has_to_enforce(
    talk: Talk, provider: str
) -> None:
    told = await talk.turn(provider=provider)

    assert [type(event).__name__ for event in told.events if event.type == "warning"] == []


async def test_a_page_that_ends_outside_is_no_source(
    sandbox: SandboxServer, tmp_path: Path
) -> None:
    async with opened(sandbox, str(tmp_path / "talk.sqlite3")) as talk:
        await talk.allow("wiki.example.net")

        told = await talk.turn(
            "Please open_page https://news.example.com/2026/05/otters-return",
            provider="openai-responses",
            search="client",
        )

    opened_pages = [run for run in told.message.tool_runs if run.name == "open_page"]
    assert [run.status for run in opened_pages] == ["failed"]
    assert "news.example.com is not among the allowed domains" in opened_pages[0].error
    assert told.message.citations is None
    assert told.message.status is Status.COMPLETE
