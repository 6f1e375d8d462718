"""How a conversation goes on: after an approval, a retry, a failure, another provider."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence
from pathlib import Path

import pytest

from groundwire.catalog import DEFAULT_MODELS
from groundwire.chat import ChatEvent
from groundwire.chat.events import ApprovalRequested, BudgetReached, TurnFailed
from groundwire.conversation import Agent, SearchMode, Status, Workspace
from groundwire.errors import ConfigError, ConflictError
from groundwire.model import Attachment, Json, Usage
from groundwire.sandbox import SandboxServer
from groundwire.store import ALL
from tests.chat.program import HOSTED, OTTERS, Talk, Told, opened

ADD = "Call create_provider, please"
PICTURE = Attachment(type="image", mime_type="image/png", base64_data="iVBORw0KGgo=")
PAPER = Attachment(
    type="file", mime_type="application/pdf", base64_data="JVBERi0xLjQK", file_name="a.pdf"
)


async def _told(batches: AsyncGenerator[Sequence[ChatEvent], None]) -> Told:
    return Told(events=[event async for batch in batches for event in batch])


async def _approve(talk: Talk, waiting: Told, *, approve: bool = False) -> Told:
    decisions = {run.id: approve for run in waiting.of(ApprovalRequested)[0].runs}
    return await _told(await talk.program.approve(waiting.message.id, decisions))


async def test_of_two_approvals_at_once_one_runs_the_calls(talk: Talk) -> None:
    waiting = await talk.turn(ADD, agent="Setup")

    done = await asyncio.gather(
        _approve(talk, waiting), _approve(talk, waiting), return_exceptions=True
    )

    assert sorted(type(each).__name__ for each in done) == ["ConflictError", "Told"]


async def test_of_several_calls_those_without_a_word_wait_on(talk: Talk) -> None:
    waiting = await talk.turn("Call both create_provider and create_provider", agent="Setup")
    first, second = (run.id for run in waiting.of(ApprovalRequested)[0].runs)

    half = await _told(await talk.program.approve(waiting.message.id, {first: False}))
    whole = await _told(await talk.program.approve(waiting.message.id, {second: False}))

    assert half.message.status is Status.AWAITING_APPROVAL
    assert [run.id for run in half.of(ApprovalRequested)[0].runs] == [second]
    assert whole.message.status is Status.COMPLETE
    assert [run.status for run in whole.message.tool_runs] == ["declined", "declined"]


async def test_an_approval_adds_to_what_the_turn_has_used(talk: Talk) -> None:
    waiting = await talk.turn(ADD, agent="Setup")

    told = await _approve(talk, waiting)

    before, after = waiting.message.usage or Usage(), told.message.usage or Usage()
    assert (after.input_tokens or 0) > 2 * (before.input_tokens or 0)
    assert (after.output_tokens or 0) > (before.output_tokens or 0)


async def test_whoever_approves_after_the_last_round_still_gets_an_answer(
    sandbox: SandboxServer, tmp_path: Path
) -> None:
    database = str(tmp_path / "talk.sqlite3")
    async with opened(sandbox, database) as talk:
        waiting = await talk.turn(ADD, agent="Setup")

    async with opened(sandbox, database, chat={"rounds": 1}) as talk:
        told = await _approve(talk, waiting)

    assert told.message.status is Status.COMPLETE
    assert "The user declined this" in told.message.content


async def test_a_retry_asks_the_same_provider_under_the_same_conditions(
    sandbox: SandboxServer, tmp_path: Path
) -> None:
    faults = {"openai-responses": "overloaded;times=1;id=same-conditions"}
    async with opened(sandbox, str(tmp_path / "talk.sqlite3"), faults) as talk:
        failed = await talk.turn(provider="openai-responses", domains=["wiki.example.net"])

        told = await _told(await talk.program.retry(failed.message.id))

        search = next(tool for tool in talk.asked()["tools"] if tool["type"] == "web_search")
    assert failed.message.status is Status.FAILED
    assert (told.started.provider, told.started.model) == ("openai-responses", "gpt-5.5")
    assert search["filters"] == {"allowed_domains": ["wiki.example.net"]}
    assert [each.domain for each in told.message.citations or ()] == ["wiki.example.net"]


async def test_a_retry_can_ask_somebody_else(talk: Talk) -> None:
    first = await talk.turn(provider="anthropic")

    told = await _told(
        await talk.program.retry(first.message.id, provider="gemini", search="client")
    )

    assert (told.started.provider, told.started.mode) == ("gemini", SearchMode.CLIENT)


async def test_a_retry_refuses_what_it_cannot_do(talk: Talk) -> None:
    first = await talk.turn(provider="anthropic")
    picture = Attachment(type="image", mime_type="image/png", base64_data="AA==")

    with pytest.raises(TypeError, match="did you mean 'search'"):
        await talk.program.retry(first.message.id, serch="off")  # type: ignore[call-arg] # a typo
    with pytest.raises(TypeError, match="the same question"):
        await talk.program.retry(first.message.id, attachments=[picture])


@pytest.mark.parametrize("fault", ["overloaded", "rate_limit", "overloaded_after_text"])
@pytest.mark.parametrize("provider", HOSTED)
async def test_after_a_failure_the_session_goes_on(
    sandbox: SandboxServer, tmp_path: Path, provider: str, fault: str
) -> None:
    faults = {provider: f"{fault};times=1;id=goes-on-{provider}-{fault}"}
    async with opened(sandbox, str(tmp_path / "talk.sqlite3"), faults) as talk:
        # Otherwise the list of models is asked for first, and gets the fault.
        whom = {"provider": provider, "model": DEFAULT_MODELS[provider]}
        failed = await talk.turn(**whom)

        told = await talk.turn(**whom, session=failed.started.session_id)

    assert failed.message.status is Status.FAILED
    assert told.message.status is Status.COMPLETE, told.message.error


async def test_a_source_of_an_earlier_turn_can_be_cited_again(talk: Talk) -> None:
    first = await talk.turn(search="client")

    told = await talk.turn(
        "Repeat this: see [1] and [9].", search="off", session=first.started.session_id
    )

    assert "see [1] and [9?]" in told.message.content
    assert told.cited == ["https://wiki.example.net/sea-otter"]
    assert told.message.state
    assert [*told.message.state.known] == ["1"]


@pytest.mark.parametrize("mode", ["hosted", "client"])
async def test_the_provider_can_change_with_every_turn(talk: Talk, mode: str) -> None:
    session = ""
    for provider in ("anthropic", "gemini", "openai-responses", "openrouter", "anthropic"):
        told = await talk.turn(provider=provider, search=mode, session=session)

        assert told.message.status is Status.COMPLETE, told.message.error
        session = told.started.session_id


@pytest.mark.parametrize(
    ("provider", "attachment"),
    [(name, PICTURE) for name in HOSTED] + [("anthropic", PAPER)],
)
async def test_attachments_are_sent_and_kept_for_the_turns_to_come(
    talk: Talk, provider: str, attachment: Attachment
) -> None:
    first = await talk.turn(provider=provider, attachments=[attachment])
    sent = str(talk.asked())

    await talk.turn("And now?", provider=provider, session=first.started.session_id)

    assert attachment.base64_data in sent
    assert attachment.base64_data in str(talk.asked())
    kept = await talk.program.store.messages.get(first.started.question_id)
    assert kept.attachments == (attachment,)


async def test_a_pause_of_anthropic_is_one_answer(talk: Talk) -> None:
    told = await talk.turn("pause please: how do sea otters sleep?", provider="anthropic")

    assert told.message.status is Status.COMPLETE
    assert len(told.message.rounds) == 1
    assert [run.status for run in told.message.tool_runs] == ["done"]
    assert len(talk.sandbox.requests) == 2


async def test_a_provider_that_pauses_for_ever_is_no_whole_answer(
    sandbox: SandboxServer, tmp_path: Path
) -> None:
    async with opened(sandbox, str(tmp_path / "t.sqlite3"), chat={"searches": 99}) as talk:
        told = await talk.turn("pause forever: how do sea otters sleep?", provider="anthropic")

    assert told.message.status is Status.FAILED
    assert [event.code for event in told.of(TurnFailed)] == ["paused"]


async def test_a_provider_with_its_own_limit_is_told_ours(
    sandbox: SandboxServer, tmp_path: Path
) -> None:
    async with opened(sandbox, str(tmp_path / "t.sqlite3"), chat={"searches": 1}) as talk:
        told = await talk.turn("compare otters and volcanoes", provider="anthropic")

        limits = {tool["name"]: tool["max_uses"] for tool in talk.asked()["tools"]}
    assert limits == {"web_search": 1, "web_fetch": 10}
    assert [run.status for run in told.message.tool_runs] == ["done", "failed"]
    assert told.message.status is Status.COMPLETE


async def test_a_provider_without_a_limit_is_stopped_at_ours(
    sandbox: SandboxServer, tmp_path: Path
) -> None:
    async with opened(sandbox, str(tmp_path / "t.sqlite3"), chat={"searches": 1}) as talk:
        told = await talk.turn("compare otters and volcanoes", provider="openai-responses")

    assert [event.budget for event in told.of(BudgetReached)] == ["searches"]
    assert told.failure.code == "budget_searches"
    assert told.message.status is Status.FAILED


async def test_searches_that_are_told_when_the_answer_is_there_leave_it_whole(
    sandbox: SandboxServer, tmp_path: Path
) -> None:
    async with opened(sandbox, str(tmp_path / "t.sqlite3"), chat={"searches": 1}) as talk:
        told = await talk.turn("compare otters and volcanoes", provider="gemini")

    assert [event.budget for event in told.of(BudgetReached)] == ["searches"]
    assert told.message.status is Status.COMPLETE
    assert (told.message.usage or Usage()).searches == 2


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({"domains": ["https://a.org"]}, "settings"),
        ({"search": "hosted", "model": "claude-2.1"}, "web_search_unsupported"),
    ],
)
async def test_what_cannot_be_planned_fails_with_its_reason_and_keeps_the_question(
    talk: Talk, options: dict[str, Json], code: str
) -> None:
    told = await talk.turn(**options)

    kept = await talk.program.store.messages.history(told.started.session_id)
    assert told.failure.code == code
    assert [(each.content, each.status) for each in kept] == [
        (OTTERS, Status.COMPLETE),
        ("", Status.FAILED),
    ]


@pytest.mark.parametrize(
    ("text", "options", "reason"),
    [
        ("  ", {}, "the question is empty"),
        ("x", {"search": "maybe"}, "one of auto, hosted, client, off"),
    ],
)
async def test_what_is_no_question_is_refused_and_leaves_no_session(
    talk: Talk, text: str, options: dict[str, str], reason: str
) -> None:
    with pytest.raises(ConfigError, match=reason):
        await talk.turn(text, **options)

    assert (await talk.program.store.sessions.list("personal", user_id=ALL)).sessions == ()


async def test_half_a_character_in_a_question_is_replaced(talk: Talk) -> None:
    told = await talk.turn("otters \ud83d sleep")

    kept = await talk.program.store.messages.get(told.started.question_id)
    assert kept.content == "otters � sleep"
    assert told.message.status is Status.COMPLETE


async def test_a_key_is_not_in_the_title_of_a_session_either(talk: Talk) -> None:
    told = await talk.turn("sk-ant-abcdefgh12345678 is my key")

    session = await talk.program.store.sessions.get(told.started.session_id)
    assert session.title == "[hidden] is my key"


async def test_an_agent_of_another_workspace_does_not_take_a_session_over(talk: Talk) -> None:
    store = talk.program.store
    other = await store.workspaces.create(Workspace(name="Other"))
    await store.agents.create(Agent(workspace_id=other.id, name="Stranger"))
    first = await talk.turn()

    with pytest.raises(ConflictError, match="another workspace"):
        await talk.turn(agent="Stranger", session=first.started.session_id)
