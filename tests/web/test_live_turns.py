"""The list that all readers of a turn share."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence
from pathlib import Path

import pytest

from groundwire.chat.events import ChatEvent, TextShown, ThinkingShown, TurnStarted
from groundwire.conversation import ChatMessage, MessageKind, SearchMode, Session, Status
from groundwire.service.first_start import ASSISTANT, first_start
from groundwire.store import PERSONAL, Store
from groundwire.web.error_responses import WebError
from groundwire.web.frames import frames
from groundwire.web.live_turns import MAX_TURN_BYTES, LiveTurn, LiveTurns
from groundwire.web.login_limits import Attempts
from groundwire.web.options import Options


def read_all(turn: LiveTurn, after: int, most: int = 100) -> bytes:
    index, read = turn.place(after)
    while True:
        batch, index = turn.read(index, after, most)
        if not batch:
            return read
        read += batch


async def test_text_is_one_line_of_json_whatever_it_holds() -> None:
    encoded = frames([TextShown('a\n"b"\u2028🦦'), ThinkingShown("hm")], 7)

    assert encoded.decode() == (
        'id: 7\nevent: text\ndata: {"text":"a\\n\\"b\\"\u2028🦦"}\n\n'
        'id: 8\nevent: thinking\ndata: {"text":"hm"}\n\n'
    )


async def test_half_a_character_does_not_end_a_turn() -> None:
    encoded = frames([TextShown("x\ud83d")], 1)

    assert encoded == 'id: 1\nevent: text\ndata: {"text":"x\ufffd"}\n\n'.encode()


async def test_a_reader_gets_what_follows_any_event_also_inside_a_batch() -> None:
    turn = LiveTurn("key")
    events = [TextShown(str(number)) for number in range(1, 8)]
    turn.add(events[:3])
    turn.add(events[3:4])
    turn.add(events[4:])

    found = [read_all(turn, after) for after in range(8)]

    assert found == [frames(events[after:], after + 1) for after in range(8)]


async def test_a_long_turn_keeps_no_more_than_its_bound_and_its_end() -> None:
    turn = LiveTurn("key")
    for _ in range(50):
        turn.add([TextShown("x" * 100_000)])
    early = turn.place(3)

    waiting = turn.read(early[0], 3, 100)
    turn.end(b"id: 51\nevent: done\ndata: {}\n\n")

    assert turn.size <= MAX_TURN_BYTES
    assert waiting == (b"", early[0])
    assert read_all(turn, 3) == b"id: 51\nevent: done\ndata: {}\n\n"
    assert read_all(turn, 50) == b"id: 51\nevent: done\ndata: {}\n\n"


async def test_a_stopped_turn_whose_end_was_not_kept_ends_as_interrupted(tmp_path: Path) -> None:
    async with Store.open(tmp_path / "store.sqlite3") as store:
        await first_start(store)
        session = Session(workspace_id=PERSONAL, agent_id=ASSISTANT)
        await store.sessions.create(session)
        kind = MessageKind.AI_RESPONSE
        answer = ChatMessage(session_id=session.id, kind=kind, status=Status.STREAMING)
        await store.messages.add(answer)
        live_turns = LiveTurns(store, Options())

        async def events() -> AsyncGenerator[Sequence[ChatEvent], None]:
            yield [started(answer)]
            await asyncio.Event().wait()

        turn = live_turns.reserve("key")
        live_turns.begin(turn, events())
        await turn.started
        await live_turns.stop(turn)
        await live_turns.close()

    assert b'"status":"interrupted"' in turn.batches[-1]


async def test_a_server_that_stops_lets_a_turn_end_that_was_still_being_prepared(
    tmp_path: Path,
) -> None:
    async with Store.open(tmp_path / "store.sqlite3") as store:
        live_turns = LiveTurns(store, Options())
        turn = live_turns.reserve("key")
        draining = asyncio.create_task(live_turns.drain(60))
        await asyncio.sleep(0)  # It has looked which turns there are.
        go_on = asyncio.Event()

        live_turns.begin(turn, whole_turn(go_on))
        await turn.started
        await asyncio.sleep(0)
        was_drained = draining.done()
        go_on.set()
        await draining
        await live_turns.close()

    assert not was_drained
    assert turn.is_over
    assert turn.batches[-1] == frames([TextShown("all of it")], 2)


async def test_a_turn_that_cannot_begin_before_the_server_ends_is_to_be_asked_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("groundwire.web.live_turns.PREPARE_SECONDS", 0)
    async with Store.open(tmp_path / "store.sqlite3") as store:
        live_turns = LiveTurns(store, Options())
        turn = live_turns.reserve("key")

        await live_turns.close()
        live_turns.begin(turn, whole_turn(asyncio.Event()))
        with pytest.raises(WebError) as refusal:
            await turn.started

    assert (refusal.value.status, refusal.value.code) == (503, "stopping")
    assert turn.task is None


async def test_a_turn_is_not_cancelled_while_its_question_is_being_kept(tmp_path: Path) -> None:
    async with Store.open(tmp_path / "store.sqlite3") as store:
        live_turns = LiveTurns(store, Options())
        is_kept, go_on = asyncio.Event(), asyncio.Event()
        turn = live_turns.reserve("key")
        live_turns.begin(turn, whole_turn(go_on, is_kept))

        closing = asyncio.create_task(live_turns.close())
        await asyncio.sleep(0)
        is_kept.set()
        await turn.started  # As it began, whoever sent it knows of it.
        await closing

    assert turn.message_id == "answer"


async def test_a_turn_that_is_stopped_before_its_first_step_lets_its_readers_go(
    tmp_path: Path,
) -> None:
    async with Store.open(tmp_path / "store.sqlite3") as store:
        live_turns = LiveTurns(store, Options())
        turn = live_turns.reserve("key")
        live_turns.begin(turn, whole_turn(asyncio.Event()))

        await live_turns.stop(turn)
        with pytest.raises(WebError):
            await turn.started
        await live_turns.close()

    assert (turn.is_over, live_turns.running_count) == (True, 0)


async def whole_turn(
    go_on: asyncio.Event, is_kept: asyncio.Event | None = None
) -> AsyncGenerator[Sequence[ChatEvent], None]:
    """Begin once the question is kept, and end when told to."""
    if is_kept is not None:
        await is_kept.wait()
    yield [started(ChatMessage(id="answer", session_id="s", kind=MessageKind.AI_RESPONSE))]
    await go_on.wait()
    yield [TextShown("all of it")]


def started(answer: ChatMessage) -> TurnStarted:
    return TurnStarted(
        session_id=answer.session_id,
        question_id="",
        message_id=answer.id,
        provider="",
        model="",
        mode=SearchMode.OFF,
    )


def test_after_some_failures_each_one_waits_twice_as_long() -> None:
    now = [0.0]
    attempts = Attempts(free=2, clock=lambda: now[0])
    waits = []
    for _ in range(5):
        attempts.failed("olga")
        waits.append(attempts.wait_seconds("olga"))

    now[0] = 4.0

    assert waits == [0, 0, 1, 2, 4]
    assert attempts.wait_seconds("olga") == 0
    attempts.succeeded("olga")
    attempts.failed("olga")
    assert attempts.wait_seconds("olga") == 0


def test_who_stays_away_for_long_begins_anew() -> None:
    now = [0.0]
    attempts = Attempts(free=1, longest_wait_seconds=10, clock=lambda: now[0])
    for _ in range(9):
        attempts.failed("olga")
    longest = attempts.wait_seconds("olga")

    now[0] = 100.0
    attempts.failed("olga")

    assert (longest, attempts.wait_seconds("olga")) == (10, 0)
