"""What is kept when the store fails, or the turn is cancelled at an awkward moment."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

import groundwire
from groundwire.chat import SearchChoice, SendMessage
from groundwire.chat.checkpoint import SAVE_SECONDS, Checkpoint
from groundwire.chat.draft import Draft
from groundwire.chat.events import Noticed, TextShown, TurnEnded
from groundwire.conversation import ChatMessage, MessageKind, Status
from groundwire.errors import ConfigError, ConflictError, DiskFullError, StoreError
from groundwire.guard import ANYWHERE
from groundwire.sandbox import SandboxServer
from groundwire.service.actor import OWNER
from groundwire.store.messages import Messages
from tests.chat.program import OTTERS, Talk, Told, keys, opened, settings
from tests.patience import PATIENCE


@dataclass
class Flaky:
    """A keeper over a store whose disk is full for a number of calls, then has room again."""

    messages: Messages
    full_for: int = 0
    calls: list[str] = field(default_factory=list)

    async def begin(self, question: ChatMessage | None, answer: ChatMessage) -> None:
        """Keep both, if there is room."""
        self._count("begin")
        await self.messages.begin(question, answer)

    async def save(self, answer: ChatMessage) -> None:
        """Keep an answer, if there is room."""
        self._count("save")
        await self.messages.save(answer)

    def _count(self, call: str) -> None:
        self.calls.append(call)
        if len(self.calls) <= self.full_for:
            raise DiskFullError("the disk is full: make room")


class _Slow:
    """A keeper whose word gets lost: it keeps, and never says so."""

    def __init__(self, messages: Messages) -> None:
        self.messages = messages
        self.begun = asyncio.Event()
        self._is_first = True

    async def begin(self, question: ChatMessage | None, answer: ChatMessage) -> None:
        """Keep both; the first time, hang then."""
        await self.messages.begin(question, answer)
        if self._is_first:
            self._is_first = False
            self.begun.set()
            await asyncio.Event().wait()

    async def save(self, answer: ChatMessage) -> None:
        """Keep an answer."""
        await self.messages.save(answer)


class _Counting:
    """A keeper that counts what it is given to keep."""

    def __init__(self) -> None:
        self.characters = 0
        self.saved = asyncio.Event()

    async def begin(self, question: ChatMessage | None, answer: ChatMessage) -> None:
        """Keep nothing."""

    async def save(self, answer: ChatMessage) -> None:
        """Count."""
        self.characters += len(answer.content)
        self.saved.set()


class _Held:
    """A keeper that goes on with a save when it is let; `kept` is what it has."""

    def __init__(self) -> None:
        self.kept: list[str] = []
        self.began = asyncio.Event()
        self.goes_on = asyncio.Event()
        self.saved_again = asyncio.Event()

    async def begin(self, question: ChatMessage | None, answer: ChatMessage) -> None:
        """Keep nothing."""

    async def save(self, answer: ChatMessage) -> None:
        """Keep it, when it may."""
        self.began.set()
        await self.goes_on.wait()
        self.kept.append(answer.content)
        if len(self.kept) > 1:
            self.saved_again.set()


class _Stuck:
    """A keeper that takes its time with the end of an answer."""

    def __init__(self, messages: Messages) -> None:
        self.messages = messages
        self.is_asked = asyncio.Event()
        self.may_keep = asyncio.Event()

    async def begin(self, question: ChatMessage | None, answer: ChatMessage) -> None:
        """Keep both."""
        await self.messages.begin(question, answer)

    async def save(self, answer: ChatMessage) -> None:
        """Keep an answer, one that has ended when it may."""
        if answer.status is not Status.STREAMING:
            self.is_asked.set()
            await self.may_keep.wait()
        await self.messages.save(answer)


@pytest.fixture
async def slow_talk(tmp_path: Path) -> AsyncIterator[Talk]:
    """Return a program over a sandbox that takes its time, so that a turn saves in between."""
    with SandboxServer(pace_seconds=0.02) as slow:
        async with opened(slow, str(tmp_path / "talk.sqlite3")) as talk:
            yield talk


def _spoil(folder: Path) -> None:
    for file in folder.glob("talk.sqlite3*"):
        file.write_bytes(b"no database any more" * 100)


async def _told(talk: Talk, turn_store: Flaky) -> Told:
    chat = SendMessage(talk.program.search_context, turn_store)
    conversation = await talk.program.conversation(provider="anthropic", actor=OWNER)
    return Told(
        events=[
            event
            async for batch in chat.batches(conversation, conversation.question(OTTERS))
            for event in batch
        ]
    )


async def test_a_full_disk_is_a_warning_and_the_answer_streams_on(talk: Talk) -> None:
    turn_store = Flaky(talk.program.store.messages, full_for=10_000)

    told = await _told(talk, turn_store)

    assert told.text.endswith("That is all I found.")
    assert [event.code for event in told.of(Noticed)] == ["not_saved", "not_saved"]
    assert "the disk is full" in told.of(Noticed)[-1].message
    assert await talk.program.store.messages.history(told.started.session_id) == ()


async def test_what_did_not_fit_at_the_beginning_is_kept_when_there_is_room(
    slow_talk: Talk,
) -> None:
    turn_store = Flaky(slow_talk.program.store.messages, full_for=1)

    told = await _told(slow_talk, turn_store)

    kept = await slow_talk.program.store.messages.history(told.started.session_id)
    assert [(each.kind, each.content) for each in kept] == [
        (MessageKind.USER, OTTERS),
        (MessageKind.AI_RESPONSE, told.message.content),
    ]
    # The one at the beginning; at the end all is well.
    assert [event.code for event in told.of(Noticed)] == ["not_saved"]
    # Not only at the end: a crash before it would have lost everything.
    assert turn_store.calls[:3] == ["begin", "begin", "save"]
    assert turn_store.calls.count("save") > 1


async def test_all_saves_of_a_long_answer_cost_in_proportion_to_it(talk: Talk) -> None:
    conversation = await talk.program.conversation(provider="anthropic", actor=OWNER)
    answer = ChatMessage(session_id=conversation.session.id, kind=MessageKind.AI_RESPONSE)
    draft = Draft(answer, ANYWHERE)
    turn_store = _Counting()
    checkpoint = Checkpoint(turn_store, None, answer)
    checkpoint.is_kept = True
    saved = []

    for _ in range(2):
        for _ in range(200):
            draft.add_text("word " * 200)
            checkpoint.save_soon(draft)
            await asyncio.sleep(0)
        saved.append(turn_store.characters)

    assert 0 < saved[1] < 3 * saved[0]


async def test_the_last_words_of_a_model_that_falls_silent_are_kept(talk: Talk) -> None:
    conversation = await talk.program.conversation(provider="anthropic", actor=OWNER)
    answer = ChatMessage(session_id=conversation.session.id, kind=MessageKind.AI_RESPONSE)
    draft, turn_store = Draft(answer, ANYWHERE), _Counting()
    checkpoint = Checkpoint(turn_store, None, answer)
    checkpoint.is_kept = True

    draft.add_text("Few words.")
    checkpoint.save_soon(draft)
    at_once = turn_store.characters
    async with asyncio.timeout(PATIENCE):
        await turn_store.saved.wait()

    assert (at_once, turn_store.characters) == (0, len("Few words."))


async def test_words_that_came_while_a_slow_store_kept_those_before_are_kept(talk: Talk) -> None:
    conversation = await talk.program.conversation(provider="anthropic", actor=OWNER)
    answer = ChatMessage(session_id=conversation.session.id, kind=MessageKind.AI_RESPONSE)
    draft, turn_store = Draft(answer, ANYWHERE), _Held()
    checkpoint = Checkpoint(turn_store, None, answer)
    checkpoint.is_kept = True

    draft.add_text("Few words.")
    checkpoint.save_soon(draft)
    async with asyncio.timeout(PATIENCE):
        await turn_store.began.wait()
        draft.add_text(" And the last.")
        checkpoint.save_soon(draft)
        # All that was due is tried while the save still runs.
        later = asyncio.Event()
        asyncio.get_running_loop().call_later(2 * SAVE_SECONDS, later.set)
        await later.wait()
        turn_store.goes_on.set()
        await turn_store.saved_again.wait()

    assert turn_store.kept == ["Few words.", "Few words. And the last."]


async def test_nothing_is_kept_after_the_end(talk: Talk) -> None:
    conversation = await talk.program.conversation(provider="anthropic", actor=OWNER)
    answer = ChatMessage(session_id=conversation.session.id, kind=MessageKind.AI_RESPONSE)
    draft, turn_store = Draft(answer, ANYWHERE), _Counting()
    checkpoint = Checkpoint(turn_store, None, answer)
    checkpoint.is_kept = True
    draft.add_text("Few words.")
    checkpoint.save_soon(draft)
    later = asyncio.Event()
    asyncio.get_running_loop().call_later(SAVE_SECONDS, later.set)

    await checkpoint.finish(draft.snapshot())
    await later.wait()

    assert turn_store.characters == len("Few words.")


async def test_a_beginning_that_was_kept_without_a_word_is_no_conflict(talk: Talk) -> None:
    conversation = await talk.program.conversation(provider="anthropic", actor=OWNER)
    question = ChatMessage(session_id=conversation.session.id, kind=MessageKind.USER, content="x")
    answer = ChatMessage(session_id=conversation.session.id, kind=MessageKind.AI_RESPONSE)
    messages = talk.program.store.messages
    await messages.begin(question, answer)
    checkpoint = Checkpoint(Flaky(messages), question, answer)

    await checkpoint.finish(answer)

    assert checkpoint.warnings == []
    with pytest.raises(ConflictError):
        await Checkpoint(Flaky(messages), question, answer).begin()


async def test_a_turn_cancelled_while_its_question_is_kept_does_not_seem_to_go_on(
    talk: Talk,
) -> None:
    turn_store = _Slow(talk.program.store.messages)
    chat = SendMessage(talk.program.search_context, turn_store)
    conversation = await talk.program.conversation(provider="anthropic", actor=OWNER)
    turn = asyncio.ensure_future(anext(chat.batches(conversation, conversation.question(OTTERS))))
    await turn_store.begun.wait()

    turn.cancel()
    with pytest.raises(asyncio.CancelledError):
        await turn

    kept = await talk.program.store.messages.history(conversation.session.id)
    assert [(each.kind, each.status) for each in kept] == [
        (MessageKind.USER, Status.COMPLETE),
        (MessageKind.AI_RESPONSE, Status.CANCELLED),
    ]


async def test_a_turn_cancelled_while_its_end_is_kept_ends_when_that_is_done(talk: Talk) -> None:
    turn_store = _Stuck(talk.program.store.messages)
    conversation = await talk.program.conversation(provider="anthropic", actor=OWNER)

    async def read() -> None:
        async for _ in SendMessage(talk.program.search_context, turn_store).batches(
            conversation, conversation.question(OTTERS)
        ):
            pass

    turn = asyncio.ensure_future(read())
    await turn_store.is_asked.wait()
    for _ in range(2):
        turn.cancel()
        await asyncio.sleep(0)
    was_over = turn.done()
    turn_store.may_keep.set()
    with pytest.raises(asyncio.CancelledError):
        await turn

    kept = await talk.program.store.messages.history(conversation.session.id)
    assert not was_over
    assert [each.status for each in kept] == [Status.COMPLETE, Status.COMPLETE]


@pytest.mark.parametrize("search", ["hosted", "client"])
async def test_wherever_a_turn_is_left_it_is_cancelled_and_the_session_goes_on(
    talk: Talk, search: str
) -> None:
    session, left_after = "", 1
    while True:
        events = talk.program.stream(
            OTTERS, provider="anthropic", search=SearchChoice(search), session=session
        )
        seen = []
        async for event in events:
            seen.append(event)
            if len(seen) == left_after:
                break
        await events.aclose()
        session = Told(events=seen).started.session_id
        kept = (await talk.program.store.messages.history(session))[-1]
        if isinstance(seen[-1], TurnEnded):
            break

        assert kept.status is Status.CANCELLED
        shown = "".join(each.text for each in seen if isinstance(each, TextShown))
        assert kept.plain_text.startswith(shown[:40])
        left_after += 2
    assert kept.status is Status.COMPLETE


async def test_a_session_that_is_deleted_while_it_is_answered_is_a_warning(talk: Talk) -> None:
    events = talk.program.stream(OTTERS, provider="anthropic")
    started = Told(events=[await anext(events)]).started
    await talk.program.store.sessions.delete(started.session_id)

    told = Told(events=[started, *[event async for event in events]])

    assert told.text.endswith("That is all I found.")
    assert [event.code for event in told.of(Noticed)] == ["not_saved"]


async def test_a_store_that_is_gone_fails_with_a_reason(
    sandbox: SandboxServer, tmp_path: Path
) -> None:
    async with opened(sandbox, str(tmp_path / "talk.sqlite3")) as talk:
        first = await talk.turn()
        await asyncio.to_thread(_spoil, tmp_path)

        with pytest.raises(StoreError):
            await talk.turn(session=first.started.session_id)


async def test_the_plain_form_inside_a_running_loop_names_the_other_one(
    sandbox: SandboxServer, tmp_path: Path
) -> None:
    opening = groundwire.open(settings=settings(sandbox), keys=keys(tmp_path), keep=False)

    with pytest.raises(ConfigError, match="use `async with groundwire"):
        opening.__enter__()
