"""Turns that another process runs: of the same server, or of one that shares its database."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest

from groundwire.sandbox import SandboxServer
from groundwire.web import Options
from tests.patience import PATIENCE
from tests.postgresql import PostgreSql
from tests.web.server import HANGING, Event, Web, events_of, until
from tests.web.test_serve import environment, serving

ROUNDS = 15


def test_what_another_process_makes_ends_with_its_answer(
    sandbox: SandboxServer, tmp_path: Path
) -> None:
    with (
        Web(sandbox, tmp_path, faults=HANGING) as one,
        Web(sandbox, tmp_path) as other,
        one.asking(client_id="twice") as events,
    ):
        message_id = until(events, "text")[0].data["message_id"]
        resuming = other.client.stream("GET", f"/api/messages/{message_id}/events?after=7")
        with other.asking(client_id="twice") as again, resuming as resumed:
            one.client.post(f"/api/messages/{message_id}/stop", json={})
            last = list(events)[-1]

            assert [(event.id, event.type) for event in again] == [(1, "turn_started"), (2, "done")]
            assert list(events_of(resumed)) == [Event(id=8, type="done", data=last.data)]
        assert len(sandbox.requests) == 1


def test_a_reader_who_waits_for_the_end_gets_it_although_the_database_was_gone(
    sandbox: SandboxServer, tmp_path: Path, postgresql: PostgreSql
) -> None:
    database = postgresql.create("ends")
    options = Options(keep_alive_seconds=0.7)
    with (
        Web(sandbox, tmp_path, faults=HANGING, database=database) as one,
        Web(sandbox, tmp_path, database=database, options=options) as other,
        one.asking() as events,
    ):
        message_id = until(events, "text")[0].data["message_id"]
        with other.client.stream("GET", f"/api/messages/{message_id}/events?after=7") as reply:
            lines = reply.iter_lines()
            with postgresql.stopped():
                # By the third the database was asked twice: it is asked each half second.
                said = [line for line, _ in zip(lines, range(6), strict=False)]
            one.client.post(f"/api/messages/{message_id}/stop", json={})
            last = [line for line in lines if line.startswith("event: ")]
            list(events)
    postgresql.drop("ends")

    assert said == [": still here", ""] * 3
    assert last == ["event: done"]


def test_a_reader_of_an_answer_that_is_deleted_is_let_go_without_an_error(
    sandbox: SandboxServer, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with (
        Web(sandbox, tmp_path, faults=HANGING) as one,
        Web(sandbox, tmp_path) as other,
        one.asking() as events,
    ):
        begun = until(events, "text")[0].data
        path = f"/api/messages/{begun['message_id']}/events?after=7"
        with other.client.stream("GET", path) as reply:
            deleted = other.client.delete(f"/api/sessions/{begun['session_id']}")
            after = list(events_of(reply))
        one.client.post(f"/api/messages/{begun['message_id']}/stop", json={})

    assert (deleted.status_code, after) == (204, [])
    assert "Traceback" not in caplog.text


def test_processes_of_one_server_hand_on_each_others_turns(
    sandbox: SandboxServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    options = Options(folder=str(tmp_path))
    with Web(sandbox, tmp_path, faults=HANGING, options=options) as one:
        # Two servers of one process would have the same socket.
        monkeypatch.setattr("groundwire.web.sibling_processes.os.getpid", lambda: 1)
        with Web(sandbox, tmp_path, options=options) as other, one.asking() as events:
            begun = until(events, "text")
            message_id = begun[0].data["message_id"]
            with other.client.stream("GET", f"/api/messages/{message_id}/events?after=2") as reply:
                resumed = events_of(reply)
                third = next(resumed)
                stopped = other.client.post(f"/api/messages/{message_id}/stop", json={})
                whole = [*begun, *events]
                rest = [third, *resumed]

            assert stopped.status_code == 204
            assert whole[-1].data["message"]["status"] == "cancelled"
            assert rest == whole[2:]
            assert sandbox.wait_for_end(0).ended == "closed by the client"


async def at_once(url: str, client_id: str) -> list[tuple[int, str]]:
    """Send one message four times, each over a connection of its own; return status and answer."""

    async def send() -> tuple[int, str]:
        body = {"text": "Otters?", "client_id": client_id, "search": "off"}
        async with httpx2.AsyncClient(base_url=url, timeout=PATIENCE) as client:
            reply = await client.post("/agents/assistant/message", json=body)
        found = [line for line in reply.text.splitlines() if '"message_id":' in line]
        return reply.status_code, found[0].split('"message_id":"')[1][:32] if found else reply.text

    return await asyncio.gather(*(send() for _ in range(4)))


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    if request.param == "sqlite":
        yield str(tmp_path / "siblings.sqlite3")
        return
    server = request.getfixturevalue("postgresql")
    yield server.create("siblings")
    server.drop("siblings")


def test_one_message_sent_to_two_processes_at_once_is_one_turn(
    sandbox: SandboxServer, tmp_path: Path, database: str
) -> None:
    variables = environment(sandbox, tmp_path)

    with serving(variables, tmp_path, "--workers", "2", "--database", database) as (_, url):
        rounds = [asyncio.run(at_once(url, f"round-{n}")) for n in range(ROUNDS)]

    # How many different answers each round got, and what it was refused.
    assert [len({answer for _, answer in each}) for each in rounds] == [1] * ROUNDS
    assert {status for each in rounds for status, _ in each} == {200}
    assert len(sandbox.requests) == ROUNDS
