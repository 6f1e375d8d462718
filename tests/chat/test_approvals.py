"""Tools that write: the turn waits for the user, also over a restart, and goes on or ends."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from groundwire.chat.events import ApprovalRequested, ChatEvent, ToolUpdate
from groundwire.conversation import ProviderRecord, Status
from groundwire.errors import ConflictError
from groundwire.model import Json, Secret
from groundwire.sandbox import SandboxServer
from groundwire.service.agent_tools import provider_tools
from groundwire.tools import say_nothing
from tests.chat.program import CANARY, Talk, Told, opened

ADD = "Call create_provider, please"


async def _decided(talk: Talk, waiting: Told, *, approve: bool) -> Told:
    decisions = {run.id: approve for run in waiting.of(ApprovalRequested)[0].runs}
    events: list[ChatEvent] = []
    async for batch in await talk.program.approve(waiting.message.id, decisions):
        events += batch
    return Told(events=events)


async def _tool(talk: Talk, name: str, arguments: Json) -> Json:
    tool = next(
        each for each in provider_tools(talk.program.provider_settings) if each.name == name
    )
    return (await tool.run(arguments, say_nothing)).plain


async def test_a_tool_that_writes_waits_for_the_user(talk: Talk) -> None:
    told = await talk.turn(ADD, agent="Setup")

    requested = told.of(ApprovalRequested)[0]
    assert requested.message_id == told.message.id
    assert [(run.name, run.status) for run in requested.runs] == [("create_provider", "waiting")]
    assert told.message.status is Status.AWAITING_APPROVAL
    assert await talk.program.store.providers.list() == ()


async def test_an_approved_call_is_run_and_the_turn_goes_on(talk: Talk) -> None:
    waiting = await talk.turn(ADD, agent="Setup")
    wanted = json.loads(waiting.of(ApprovalRequested)[0].runs[0].arguments)
    wanted_type_is_known = wanted["type"] in ("openai", "anthropic", "gemini")

    told = await _decided(talk, waiting, approve=True)

    assert told.message.id == waiting.message.id
    assert told.message.status is Status.COMPLETE
    runs = {event.run.status for event in told.of(ToolUpdate)}
    assert runs == ({"running", "done"} if wanted_type_is_known else {"running", "failed"})
    assert "create_provider" in told.message.content


async def test_a_declined_call_is_not_run_and_the_model_is_told(talk: Talk) -> None:
    waiting = await talk.turn(ADD, agent="Setup")

    told = await _decided(talk, waiting, approve=False)

    assert [event.run.status for event in told.of(ToolUpdate)] == ["declined"]
    assert "The user declined this" in told.message.content
    assert told.message.status is Status.COMPLETE
    assert await talk.program.store.providers.list() == ()


async def test_a_request_for_approval_survives_a_restart(
    sandbox: SandboxServer, tmp_path: Path
) -> None:
    database = str(tmp_path / "talk.sqlite3")
    async with opened(sandbox, database) as talk:
        waiting = await talk.turn(ADD, agent="Setup")

    async with opened(sandbox, database) as talk:
        told = await _decided(talk, waiting, approve=False)

    assert told.message.status is Status.COMPLETE
    assert "The user declined this" in told.message.content


async def test_a_turn_is_approved_only_once(talk: Talk) -> None:
    waiting = await talk.turn(ADD, agent="Setup")
    await _decided(talk, waiting, approve=False)

    with pytest.raises(ConflictError, match="does not wait"):
        await talk.program.approve(waiting.message.id, {})


async def test_create_provider_fetch_models_and_set_default_model_do_what_they_say(
    talk: Talk, sandbox: SandboxServer
) -> None:
    base_url = sandbox.base_url("openai")
    created = await _tool(
        talk, "create_provider", {"name": "Mine", "type": "openai", "base_url": base_url}
    )
    fetched = await _tool(talk, "fetch_models", {"provider": "Mine"})
    missing = await _tool(talk, "set_default_model", {"provider": "Mine", "model": "no-such"})
    chosen = await _tool(
        talk, "set_default_model", {"provider": "Mine", "model": fetched["models"][0]}
    )

    record = await talk.program.provider_settings.get("Mine")
    assert created["provider"] == "Mine"
    assert "does not offer 'no-such'" in missing["error"]
    assert chosen["default_model"] == record.default_model == fetched["models"][0]
    kept = await talk.program.store.models.list(record.id)
    assert [each.model for each in kept] == sorted(fetched["models"])


async def test_no_tool_takes_a_key(talk: Talk) -> None:
    given = {"name": "sk-ant-abcdefgh12345678", "type": "anthropic"}

    refused = await _tool(talk, "create_provider", given)
    unknown = await _tool(talk, "create_provider", {**given, "name": "x", "key": CANARY})

    assert "a key was in the arguments and was thrown away" in refused["error"]
    assert "key: Extra inputs are not permitted" in unknown["error"]
    assert CANARY not in unknown["error"]
    assert await talk.program.store.providers.list() == ()


async def test_a_provider_of_an_unknown_type_is_refused(talk: Talk) -> None:
    refused = await _tool(talk, "create_provider", {"name": "x", "type": "nobody"})
    searching = await _tool(talk, "create_provider", {"name": "x", "type": "searxng"})

    assert "no provider is called 'nobody'" in refused["error"]
    assert "'searxng' cannot answer" in searching["error"]


async def test_a_key_goes_when_a_provider_gets_another_address(talk: Talk) -> None:
    """Otherwise whoever may change an address could have the key sent there."""
    provider_settings = talk.program.provider_settings
    record = await provider_settings.add(
        ProviderRecord(name="A", type="openai", base_url="http://127.0.0.1:1")
    )
    await provider_settings.set_key(record, Secret(CANARY))
    before = await provider_settings.key_place(record)

    moved = await provider_settings.update(replace(record, base_url="http://127.0.0.1:2"))

    assert before == "file"
    assert await provider_settings.key_place(moved) == ""
