"""Every request that starts a turn, sent again: one turn, whoever gets it and whatever happened.

| sent again | on its server | on another server | after the end | after kill -9 |
|---|---|---|---|---|
| a first message | the same events | its end | the same answer | interrupted, not run again |
| a message of a session | the same events | its end | the same answer | as above |
| an edited message | the same events | its end | the same answer | as above |
| a retry | the same events | its end | the same answer | as above |
| an approval | the same events | its end | the same answer | as above |
"""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import httpx2
import pytest

from groundwire.conversation import ChatMessage, MessageKind, Round, Session, Status, ToolRun
from groundwire.model import Json, ToolCall
from groundwire.sandbox import SandboxServer
from groundwire.service.first_start import SETUP
from groundwire.store import PERSONAL, Store
from groundwire.testing import sandbox
from tests.patience import PATIENCE
from tests.postgresql import PostgreSql, start_postgresql
from tests.web.server import HANGING, Event, Web, events_of, until
from tests.web.test_serve import environment, serving

__all__ = ["sandbox"]

REQUESTS = ("first", "next", "edit", "retry", "approve")
MADE = '{"name": "Made once", "type": "openai", "base_url": "http://127.0.0.1:9"}'
ASKED: dict[str, Json] = {"provider_id": "anthropic", "search": "off"}

Request = tuple[str, dict[str, Json]]


@pytest.fixture(scope="module")
def postgresql() -> Iterator[PostgreSql]:
    server = start_postgresql()
    yield server
    server.remove()


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """Give a database for all servers of a test."""
    if request.param == "sqlite":
        yield str(tmp_path / "web.sqlite3")
        return
    server: PostgreSql = request.getfixturevalue("postgresql")
    yield server.create("again")
    server.drop("again")


def test_a_request_sent_again_is_the_same_turn_on_any_server_and_after_its_end(
    sandbox: SandboxServer, tmp_path: Path, database: str
) -> None:
    with (
        Web(sandbox, tmp_path, database=database, faults=HANGING) as one,
        Web(sandbox, tmp_path, database=database) as other,
    ):
        requests = _requests(other)
        for name, request in requests.items():
            before = len(sandbox.requests)
            with _sent(one.client, request) as events:
                first = until(events, "text")
                with _sent(one.client, request) as here, _sent(other.client, request) as there:
                    one.client.post(f"/api/messages/{_id(first)}/stop", json={})
                    first += events
                    same, last = [*here], [*there][-1]
            ended = [_last(each.client, request) for each in (one, other)]

            assert same == first, name
            assert (last.type, last.data) == (first[-1].type, first[-1].data), name
            assert [each.data["message"]["id"] for each in ended] == [_id(first)] * 2, name
            assert {each.data["message"]["status"] for each in ended} == {"cancelled"}, name
            assert len(sandbox.requests) == before + 1, name
        made = [each["name"] for each in one.get("/api/providers")]

    assert made.count("Made once") == 1


def test_a_request_sent_again_after_its_server_was_killed_is_not_run_twice(
    sandbox: SandboxServer, tmp_path: Path, database: str
) -> None:
    with Web(sandbox, tmp_path, database=database) as web:
        requests = _requests(web)
    variables = environment(sandbox, tmp_path, HANGING["anthropic"])
    begun: dict[str, str] = {}
    with (
        serving(variables, tmp_path, "--database", database) as (process, url),
        httpx2.Client(base_url=url, timeout=PATIENCE) as client,
        ExitStack() as stack,
    ):
        for name, request in requests.items():
            events = stack.enter_context(_sent(client, request))
            begun[name] = _id(until(events, "text"))
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
    asked = len(sandbox.requests)

    with Web(sandbox, tmp_path, database=database) as web:
        ended = {name: _last(web.client, each).data["message"] for name, each in requests.items()}
        made = [each["name"] for each in web.get("/api/providers")]

    assert {name: each["id"] for name, each in ended.items()} == begun
    assert {each["status"] for each in ended.values()} == {"interrupted"}
    assert (len(sandbox.requests), made.count("Made once")) == (asked, 1)


def test_a_decision_against_one_that_was_taken_is_refused(
    sandbox: SandboxServer, tmp_path: Path
) -> None:
    with Web(sandbox, tmp_path, faults=HANGING) as web, Web(sandbox, tmp_path) as other:
        path, body = _requests(other)["approve"]
        with _sent(web.client, (path, body)) as events:
            begun = until(events, "text")
            declined = {**body, "decisions": {"call-1": False}}
            replies = [each.client.post(path, json=declined) for each in (web, other)]
            web.client.post(f"/api/messages/{_id(begun)}/stop", json={})
        replies.append(other.client.post(path, json=declined))

    assert [reply.status_code for reply in replies] == [409, 409, 409]


def test_an_approval_that_a_stopping_server_refuses_waits_for_another_server(
    sandbox: SandboxServer, tmp_path: Path
) -> None:
    with Web(sandbox, tmp_path) as one, Web(sandbox, tmp_path) as other:
        path, body = _requests(other)["approve"]
        one.app.state.site.live_turns._is_closed = True  # As after SIGTERM, while others end.
        refused = one.client.post(path, json=body)
        last = _last(other.client, (path, body))

    assert (refused.status_code, refused.headers["Retry-After"]) == (503, "2")
    assert last.data["message"]["status"] == "complete"


def _requests(web: Web) -> dict[str, Request]:
    """Return one request of each kind, each for a session of its own."""
    path, made = "/api/agents/assistant/message", dict[str, Request]()
    for name in REQUESTS:
        body: dict[str, Json] = {**ASKED, "text": f"Of {name}?", "client_id": f"sent-{name}"}
        if name == "approve":
            waiting = asyncio.run(_waiting(web.database))
            decided = {"message_id": waiting, "decisions": {"call-1": True}}
            made[name] = (f"/api/agents/{SETUP}/approve", decided)
            continue
        earlier = web.ask(**ASKED)[-1].data["message"]
        if name != "first":
            body["session_id"] = earlier["session_id"]
        if name == "edit":
            body["parent_id"] = None
        if name == "retry":
            body |= {"retry_of": earlier["id"], "text": ""}
        made[name] = (path, body)
    return made


async def _waiting(database: str) -> str:
    """Make an answer that waits for the approval of one call, and return its id."""
    session = Session(workspace_id=PERSONAL, agent_id=SETUP)
    question = ChatMessage(session_id=session.id, kind=MessageKind.USER, content="Set it up.")
    call = ToolCall(id="call-1", name="create_provider", arguments=MADE)
    answer = ChatMessage(
        session_id=session.id,
        kind=MessageKind.AI_RESPONSE,
        parent_id=question.id,
        status=Status.AWAITING_APPROVAL,
        rounds=(Round(tool_calls=(call,)),),
        tool_runs=(ToolRun(id=call.id, name=call.name, arguments=MADE, status="waiting"),),
        provider="anthropic",
        raw_provider="anthropic",
        model="claude-sonnet-5-5",
    )
    async with Store.open(database) as store:
        await store.sessions.create(session)
        for message in (question, answer):
            await store.messages.add(message)
    return answer.id


@contextmanager
def _sent(client: httpx2.Client, request: Request) -> Iterator[Iterator[Event]]:
    path, body = request
    with client.stream("POST", path, json=body) as reply:
        assert reply.status_code == 200, (path, reply.read())
        yield events_of(reply)


def _last(client: httpx2.Client, request: Request) -> Event:
    with _sent(client, request) as events:
        return [*events][-1]


def _id(events: list[Event]) -> str:
    return str(events[0].data["message_id"])
