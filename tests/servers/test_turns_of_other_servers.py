"""Two servers of one database and one Redis: a turn of one, followed and stopped at the other."""

from __future__ import annotations

import asyncio
import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from groundwire.cache.redis_connection import RedisConnection
from groundwire.conversation import ChatMessage, MessageKind, Session, Status
from groundwire.model import Json
from groundwire.sandbox import SandboxServer
from groundwire.service.first_start import ASSISTANT, first_start
from groundwire.store import PERSONAL, Store
from groundwire.testing import sandbox
from groundwire.web import Options
from groundwire.web.error_responses import WebError
from groundwire.web.live_turns import LiveTurns
from groundwire.web.redis_turns import RedisTurns
from tests.patience import wait_until, wait_until_async
from tests.redis import RedisServer, redis_server
from tests.web.server import HANGING, Event, Web, events_of, until

__all__ = ["sandbox"]

TOKEN = "scrape-me-if-you-can"


@pytest.fixture(autouse=True)
def own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep settings away from anybody's own."""
    monkeypatch.setenv("GROUNDWIRE_HOME", str(tmp_path))


def server(sandbox: SandboxServer, folder: Path, redis: RedisServer, **more: Json) -> Web:
    """Return a server, not yet started, that shares folder, database and Redis with the others."""
    shared, off = {"url": redis.url}, {"pages": "off"}
    return Web(sandbox, folder, redis=shared, checks=off, metrics={"token": TOKEN}, **more)


def test_a_turn_is_followed_and_stopped_at_another_server(
    sandbox: SandboxServer, tmp_path: Path, redis: RedisServer
) -> None:
    with (
        server(sandbox, tmp_path, redis, faults=HANGING) as one,
        server(sandbox, tmp_path, redis) as other,
        one.asking() as events,
    ):
        seen = until(events, "text")
        message_id = seen[0].data["message_id"]
        path = f"/api/messages/{message_id}/events?after=1"
        with other.client.stream("GET", path) as reply:
            there = events_of(reply)
            # Not the end alone: what came before it, as it was numbered there.
            followed = until(there, "text")
            stopped = other.client.post(f"/api/messages/{message_id}/stop", json={})
            followed += list(there)
        last = [*seen, *events][-1]

    assert stopped.status_code == 204
    assert [event.id for event in followed] == [*range(2, followed[-1].id + 1)]
    assert followed[-1] == last
    assert followed[-1].data["message"]["status"] == "cancelled"


def test_the_same_message_at_two_servers_is_one_turn(
    sandbox: SandboxServer, tmp_path: Path, redis: RedisServer
) -> None:
    with (
        server(sandbox, tmp_path, redis, faults=HANGING) as one,
        server(sandbox, tmp_path, redis) as other,
        one.asking(client_id="twice") as events,
    ):
        first = until(events, "text")
        with other.asking(client_id="twice") as again:
            joined = until(again, "text")
            one.client.post(f"/api/messages/{first[0].data['message_id']}/stop", json={})
            joined += list(again)
        first += list(events)

    assert joined == first


def test_a_turn_that_just_ended_is_read_at_another_server(
    sandbox: SandboxServer, tmp_path: Path, redis: RedisServer
) -> None:
    with server(sandbox, tmp_path, redis) as one, server(sandbox, tmp_path, redis) as other:
        events = one.ask()
        _until_written(redis, events)
        read = other.events(events[0].data["message_id"], after=2)

    assert read == events[2:]


def test_without_redis_answers_go_on_and_with_it_they_are_followed_again(
    sandbox: SandboxServer, tmp_path: Path
) -> None:
    with (
        redis_server() as redis,
        server(sandbox, tmp_path, redis) as one,
        server(sandbox, tmp_path, redis) as other,
    ):
        with redis.stopped():
            alone = one.ask()
            ready = one.get("/api/ready")
            wait_until(lambda: _is_lost(one))
            there = other.events(alone[0].data["message_id"])
        for each in (one, other):
            _until_up(each)
        again = one.ask()
        _until_written(redis, again)
        followed = other.events(again[0].data["message_id"])
        shared = one.get("/api/ready")["shared"]

    assert alone[-1].data["message"]["status"] == "complete"
    assert (ready["status"], ready["shared"]) == ("ready", "Redis does not answer")
    assert there == []  # It ended: the session has it.
    assert (followed, shared) == (again, "ok")


def test_a_turn_whose_server_is_gone_ends_as_interrupted_at_another(
    sandbox: SandboxServer, tmp_path: Path, redis: RedisServer
) -> None:
    with (
        server(sandbox, tmp_path, redis) as other,
        server(sandbox, tmp_path, redis, faults=HANGING) as one,
        one.asking() as events,
    ):
        message_id = until(events, "text")[0].data["message_id"]
        with other.client.stream("GET", f"/api/messages/{message_id}/events") as reply:
            there = events_of(reply)
            until(there, "text")
            # As one that is killed it writes nothing to Redis any more.
            connection = one.app.state.site.elsewhere._redis
            connection.problem, connection._asked_again_at = "gone", float("inf")
            one.stop()
            last = list(there)[-1]

    assert last.type == "done"
    assert last.data["message"]["status"] == "interrupted"


async def test_a_turn_that_goes_on_after_an_approval_does_not_end_as_it_did_before(
    tmp_path: Path, one: RedisConnection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("groundwire.web.redis_turns.SILENT_SECONDS", 0.2)
    async with Store.open(tmp_path / "store.sqlite3") as store:
        answer = await _answer(store, Status.AWAITING_APPROVAL)
        turns = RedisTurns(one, LiveTurns(store, Options()), store, Options())
        name = f"groundwire:turn:{answer.id}"
        await one.ask(lambda redis: redis.xadd(name, {"first": 1, "body": b"old"}, id="9-0"), None)
        await one.ask(lambda redis: redis.xadd(name, {"end": 1}, id="9-1"), None)

        waited = await turns.turn(answer.id)
        await store.messages.claim(answer.id, {})
        unwritten = await turns.turn(answer.id)
        await one.ask(lambda redis: redis.delete(name), None)
        await one.ask(lambda redis: redis.xadd(name, {"first": 1, "body": b"new"}, id="1-0"), None)
        goes_on = await turns.turn(answer.id)

    assert waited is not None
    assert (waited.is_over, waited.batches) == (True, [b"old"])
    assert unwritten is None
    assert goes_on is not None
    assert (goes_on.is_over, goes_on.batches) == (False, [b"new"])


async def test_a_server_that_stopped_listening_sends_readers_of_other_turns_away(
    tmp_path: Path, one: RedisConnection
) -> None:
    async with Store.open(tmp_path / "store.sqlite3") as store:
        answer = await _answer(store, Status.STREAMING)
        turns = RedisTurns(one, LiveTurns(store, Options()), store, Options())
        await turns.open()
        await turns.close()

        with pytest.raises(WebError) as refused:
            await turns.turn(answer.id)

    assert (refused.value.status, refused.value.code) == (503, "stopping")


async def test_a_turn_whose_server_died_before_it_wrote_anything_begins_as_any_other(
    tmp_path: Path, one: RedisConnection
) -> None:
    async with Store.open(tmp_path / "store.sqlite3") as store:
        answer = await _answer(store, Status.STREAMING)
        turns = RedisTurns(one, LiveTurns(store, Options()), store, Options())
        copy = await turns.turn(answer.id)
        await store.messages.save(replace(answer, status=Status.INTERRUPTED))
        await turns._end_if_ended(turns._copies[answer.id])

    assert copy is not None
    kinds = re.findall(rb"id: (\d)\nevent: (\w+)", b"".join(copy.batches))
    assert kinds == [(b"1", b"turn_started"), (b"2", b"done")]


async def _answer(store: Store, status: Status) -> ChatMessage:
    """Return an answer of another server, in a session of its own."""
    await first_start(store)
    session = Session(workspace_id=PERSONAL, agent_id=ASSISTANT)
    await store.sessions.create(session)
    answer = ChatMessage(session_id=session.id, kind=MessageKind.AI_RESPONSE, status=status)
    await store.messages.add(answer)
    return answer


def _until_written(redis: RedisServer, events: list[Event]) -> None:
    """Wait until all of a turn is in Redis, as a reader elsewhere would find it."""

    async def look() -> None:
        name = f"groundwire:turn:{events[0].data['message_id']}"
        async with RedisConnection(redis.url) as connection:
            nothing: list[tuple[bytes, dict[bytes, bytes]]] = []

            async def is_ended() -> bool:
                found = await connection.ask(
                    lambda client: client.xrevrange(name, count=1), nothing
                )
                return bool(found) and b"end" in found[0][1]

            await wait_until_async(is_ended)

    asyncio.run(look())


def _is_lost(web: Web) -> bool:
    text = web.client.get("/metrics", headers={"Authorization": f"Bearer {TOKEN}"}).text
    return "groundwire_redis_lost 1.0" in text


def _until_up(web: Web) -> None:
    wait_until(lambda: json.loads(web.client.get("/api/ready").text)["shared"] == "ok")
