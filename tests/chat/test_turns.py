"""A turn: what happens, what is kept, and how it ends."""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from pathlib import Path

import pytest

from groundwire.chat.events import (
    MarkerShown,
    Noticed,
    SourceNumbered,
    TextShown,
    ThinkingShown,
    ToolUpdate,
    TurnEnded,
    TurnFailed,
    TurnStarted,
    UsageReported,
    WebSearchStarted,
)
from groundwire.conversation import MessageKind, SearchMode, Status
from groundwire.model import Evidence, Usage
from groundwire.sandbox import SandboxServer
from groundwire.store import ALL
from tests.chat.program import CANARY, HOSTED, OTTERS, Talk, opened


@pytest.mark.parametrize("provider", HOSTED)
async def test_every_provider_answers_with_its_own_search_and_cited_sources(
    talk: Talk, provider: str
) -> None:
    told = await talk.turn(provider=provider)

    assert told.started.mode is SearchMode.HOSTED
    assert told.message.status is Status.COMPLETE
    assert "wiki.example.net" in [each.domain for each in told.message.citations or ()]
    assert all(each.evidence is Evidence.CITED for each in told.message.citations or ())
    assert told.ended.answer.marked.text == told.message.content


@pytest.mark.parametrize("provider", [name for name in HOSTED if name != "openai"])
async def test_every_provider_answers_with_our_search_when_told_to(
    talk: Talk, provider: str
) -> None:
    told = await talk.turn(provider=provider, search="client")

    assert told.started.mode is SearchMode.CLIENT
    assert told.started.search_service == "searxng"
    assert [event.service for event in told.of(WebSearchStarted)] == ["searxng"]
    runs = [event.run for event in told.of(ToolUpdate)]
    assert [(run.name, run.status) for run in runs] == [
        ("web_search", "running"),
        ("web_search", "done"),
    ]
    assert runs[-1].results
    assert told.message.status is Status.COMPLETE


async def test_a_turn_begins_with_who_searches_and_ends_with_what_is_kept(talk: Talk) -> None:
    told = await talk.turn()

    kinds = [type(event) for event in told.events]
    assert kinds[0] is TurnStarted
    assert kinds[-1] is TurnEnded
    assert set(kinds) == {
        TurnStarted,
        UsageReported,
        WebSearchStarted,
        ToolUpdate,
        TextShown,
        SourceNumbered,
        MarkerShown,
        TurnEnded,
    }
    assert told.message == await talk.program.store.messages.get(told.started.message_id)


async def test_markers_shown_while_streaming_are_those_of_the_kept_answer(talk: Talk) -> None:
    told = await talk.turn()

    shown = {event.position: event.numbers for event in told.of(MarkerShown)}
    text, moved = told.text, 0
    for position, numbers in sorted(shown.items()):
        label = "".join(f"[{number}]" for number in numbers)
        text = text[: position + moved] + label + text[position + moved :]
        moved += len(label)
    assert text == told.message.content
    given = [event.source.number for event in told.of(SourceNumbered)]
    assert given == list(range(1, len(given) + 1))


async def test_the_question_is_kept_before_the_first_byte_goes_out(talk: Talk) -> None:
    events = talk.program.stream(OTTERS, provider="anthropic")
    async with aclosing(events):
        started = await anext(events)

        assert isinstance(started, TurnStarted)
        assert talk.sandbox.requests == []
        kept = await talk.program.store.messages.history(started.session_id)
        assert [(each.kind, each.content, each.status) for each in kept] == [
            (MessageKind.USER, OTTERS, Status.COMPLETE),
            (MessageKind.AI_RESPONSE, "", Status.STREAMING),
        ]


async def test_closing_a_turn_cancels_it_keeps_what_came_and_leaves_the_provider(
    sandbox: SandboxServer, tmp_path: Path
) -> None:
    database = str(tmp_path / "talk.sqlite3")
    async with opened(sandbox, database, {"anthropic": "silence;after=4"}) as talk:
        events = talk.program.stream(OTTERS, provider="anthropic")
        shown: list[str] = []
        async for event in events:
            if isinstance(event, TextShown):
                shown.append(event.text)
            if len("".join(shown)) > 10:
                break

        await events.aclose()

        entry = await asyncio.to_thread(sandbox.wait_for_end)
        session = (await talk.program.store.sessions.list("personal", user_id=ALL)).sessions[0]
        answer = (await talk.program.messages(session.id))[-1]
    assert entry.ended == "closed by the client"
    assert answer.status is Status.CANCELLED
    assert answer.content.startswith("".join(shown))


@pytest.mark.parametrize(
    ("fault", "code"),
    [
        ("unauthorized", "auth"),
        ("rate_limit", "rate_limit"),
        ("quota", "quota"),
        ("overloaded", "overloaded"),
        ("error_in_200", "overloaded"),
        ("overloaded_after_text", "overloaded"),
        ("cut_in_event", "truncated"),
        ("end_without_terminal", "truncated"),
        ("wrong_content_type", "bad_reply"),
    ],
)
async def test_a_failure_ends_the_turn_with_its_own_error_and_keeps_what_came(
    sandbox: SandboxServer, tmp_path: Path, fault: str, code: str
) -> None:
    database = str(tmp_path / "talk.sqlite3")
    async with opened(sandbox, database, {"anthropic": fault}) as talk:
        told = await talk.turn()
        kept = await talk.program.store.messages.get(told.started.message_id)

    is_lost = code == "truncated" and told.text
    assert told.failure.code == code
    assert told.message.status is (Status.INTERRUPTED if is_lost else Status.FAILED)
    assert (kept.error_code, kept.error) == (code, told.failure.message)
    assert kept.plain_text == told.text
    assert CANARY not in repr(told.events)


async def test_a_provider_that_cannot_be_reached_is_a_failure_with_its_name(
    sandbox: SandboxServer, tmp_path: Path
) -> None:
    async with opened(sandbox, str(tmp_path / "talk.sqlite3")) as talk:
        chosen = talk.program.settings
        nowhere = chosen.providers["anthropic"].model_copy(
            update={"base_url": "http://127.0.0.1:9/v1"}
        )
        chosen.providers["anthropic"] = nowhere

        told = await talk.turn()

    assert told.failure.code == "connect"
    assert "127.0.0.1" in told.failure.message


async def test_the_next_turn_carries_the_conversation_on(talk: Talk) -> None:
    first = await talk.turn()

    await talk.turn("And what do they eat?", session=first.started.session_id)

    said = [(each["role"], str(each["content"])) for each in talk.asked()["messages"]]
    assert [role for role, _ in said] == ["user", "assistant", "user"]
    assert OTTERS in said[0][1]
    assert "kelp" in said[1][1]
    assert "And what do they eat?" in said[2][1]


async def test_raw_blocks_go_back_only_to_the_provider_that_made_them(talk: Talk) -> None:
    first = await talk.turn(provider="anthropic")
    session = first.started.session_id

    await talk.turn("Go on.", provider="anthropic", session=session)
    own = str(talk.asked()["messages"][1]["content"])
    await talk.turn("Go on.", provider="openai-responses", session=session)
    others = str(talk.asked()["input"])

    assert "encrypted_content" in own
    assert "encrypted_content" not in others
    assert "kelp" in others
    assert "[1]" not in others


async def test_usage_is_that_of_all_replies_together(talk: Talk) -> None:
    told = await talk.turn(search="client")

    reported = told.of(UsageReported)[-1].usage
    assert told.message.usage == reported
    assert isinstance(reported, Usage)
    calls = [entry for entry in talk.sandbox.requests if entry.path.endswith("/messages")]
    assert len(calls) == 2
    assert (reported.input_tokens or 0) > 400


async def test_thinking_is_shown_and_kept(sandbox: SandboxServer, tmp_path: Path) -> None:
    async with opened(sandbox, str(tmp_path / "talk.sqlite3")) as talk:
        chosen = talk.program.settings.providers
        options = {"thinking": "on", "thinking_display": "summarized"}
        chosen["anthropic"] = chosen["anthropic"].model_copy(update={"options": options})

        told = await talk.turn()

    thought = "".join(event.text for event in told.of(ThinkingShown))
    assert thought
    assert told.message.thinking == thought


async def test_what_looks_like_a_key_is_taken_out_of_a_message(talk: Talk) -> None:
    told = await talk.turn("My key is sk-ant-abcdefgh12345678, what are otters?")

    kept = await talk.program.store.messages.get(told.started.question_id)
    assert kept.content == "My key is [hidden], what are otters?"
    assert "sk-ant" not in str(talk.asked())
    assert [event.code for event in told.of(Noticed)] == ["key_hidden"]


async def test_a_retry_answers_the_same_question_beside_the_old_answer(
    sandbox: SandboxServer, tmp_path: Path
) -> None:
    faults = {"anthropic": "overloaded;times=1;id=retry"}
    async with opened(sandbox, str(tmp_path / "talk.sqlite3"), faults) as talk:
        failed = await talk.turn()

        batches = await talk.program.retry(failed.started.message_id)
        ended = [event async for batch in batches for event in batch][-1]

        assert isinstance(ended, TurnEnded)
        kept = await talk.program.store.messages.history(failed.started.session_id)
    assert ended.message.status is Status.COMPLETE
    assert [(each.kind, each.parent_id) for each in kept] == [
        (MessageKind.USER, None),
        (MessageKind.AI_RESPONSE, failed.started.question_id),
        (MessageKind.AI_RESPONSE, failed.started.question_id),
    ]


async def test_numbers_that_the_model_made_up_are_shown_as_unknown(talk: Talk) -> None:
    first = await talk.turn(search="client")

    told = await talk.turn("Repeat this: see [7].", search="off", session=first.started.session_id)

    assert "[7?]" in told.message.content
    assert told.message.citations is None
    assert [event.unknown for event in told.of(MarkerShown)] == [("7",)]


@pytest.mark.parametrize("search", ["off", "client"])
async def test_where_no_source_is_known_text_stays_as_it_came(talk: Talk, search: str) -> None:
    await talk.allow()

    told = await talk.turn("Repeat this: matrix[0][1], see [7].", search=search)

    assert told.message.content == told.message.plain_text == told.text
    assert "matrix[0][1], see [7]." in told.message.content
    assert told.of(MarkerShown) == []


async def test_a_search_that_fails_is_told_to_the_model_and_to_the_user(
    sandbox: SandboxServer, tmp_path: Path
) -> None:
    faults = {"searxng": "engines_failed"}
    async with opened(sandbox, str(tmp_path / "talk.sqlite3"), faults) as talk:
        told = await talk.turn(search="client")

    failed = [event.run for event in told.of(ToolUpdate)][-1]
    assert failed.status == "failed"
    assert "searxng" in failed.error
    assert told.message.status is Status.COMPLETE
    assert not told.of(TurnFailed)
