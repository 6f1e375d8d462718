"""Whether the process lives, whether it should get requests, and what a crowd is answered."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import ExitStack
from pathlib import Path

import httpx2
import pytest

from groundwire.sandbox import SandboxServer
from groundwire.store import Store
from groundwire.web import Options
from groundwire.web.error_responses import WebError
from groundwire.web.live_turns import LiveTurns
from groundwire.web.readiness import Readiness
from tests.chat.program import OTTERS
from tests.postgresql import PostgreSql
from tests.web.server import HANGING, Web, events_of, until

CROWD = 40


@pytest.fixture
def database(postgresql: PostgreSql) -> Iterator[str]:
    yield postgresql.create("ready")
    postgresql.drop("ready")


def _code(reply: httpx2.Response) -> tuple[int, str, bool]:
    """Return the status, the code, and whether it says when to come again."""
    error = {} if reply.status_code == 200 else reply.json()["error"]
    return reply.status_code, error.get("code", ""), reply.headers.get("retry-after", "0") > "0"


def test_a_server_whose_database_is_gone_lives_and_is_not_ready(
    sandbox: SandboxServer, tmp_path: Path, postgresql: PostgreSql, database: str
) -> None:
    with Web(sandbox, tmp_path, database=database) as web:
        with postgresql.stopped():
            health = web.client.get("/api/health")
            ready = web.client.get("/api/ready")
        after = web.client.get("/api/ready")

    assert health.status_code == 200
    assert _code(ready) == (503, "store_unavailable", True)
    assert ready.json()["error"]["message"] == "the database does not answer: see the log"
    assert (after.status_code, after.json()["status"]) == (200, "ready")


def test_a_database_that_says_nothing_makes_the_server_not_ready_in_time(
    sandbox: SandboxServer, tmp_path: Path, postgresql: PostgreSql, database: str
) -> None:
    options = Options(ready_seconds=0.2)
    with Web(sandbox, tmp_path, database=database, options=options) as web:
        web.client.get("/api/ready")
        with postgresql.frozen():
            # More than there are connections: probes are asked once, however many ask.
            replies = [web.client.get("/api/ready") for _ in range(25)]
            health = web.client.get("/api/health")

    assert {_code(each) for each in replies} == {(503, "store_unavailable", True)}
    assert "did not answer within 0.2 s" in replies[0].json()["error"]["message"]
    assert health.status_code == 200


def test_a_server_that_takes_no_more_turns_is_not_ready(
    sandbox: SandboxServer, tmp_path: Path
) -> None:
    with Web(sandbox, tmp_path, faults=HANGING, options=Options(max_answers=1)) as web:
        with web.asking() as events:
            begun = until(events, "text")
            ready = web.client.get("/api/ready")
            asked = web.client.post("/api/agents/assistant/message", json={"text": OTTERS})
            health = web.client.get("/api/health")
            web.client.post(f"/api/messages/{begun[0].data['message_id']}/stop", json={})
            list(events)
        after = web.client.get("/api/ready")

    assert _code(ready) == _code(asked) == (503, "busy", True)
    assert (health.status_code, after.status_code) == (200, 200)


async def test_a_server_that_is_stopping_is_not_ready(tmp_path: Path) -> None:
    async with Store.open(tmp_path / "store.sqlite3") as store:
        live_turns = LiveTurns(store, Options())
        readiness = Readiness(store, live_turns, limit_seconds=60)
        await readiness.check()

        await live_turns.close()

        with pytest.raises(WebError) as refused:
            await readiness.check()
        await readiness.close()
    assert (refused.value.status, refused.value.code) == (503, "stopping")


def test_whoever_would_wait_for_a_connection_in_vain_is_refused(
    sandbox: SandboxServer, tmp_path: Path, postgresql: PostgreSql, database: str
) -> None:
    kept = {"pool_size": 3, "pool_wait_seconds": 0.2}
    with (
        Web(sandbox, tmp_path, database=database, store=kept) as web,
        ThreadPoolExecutor(CROWD) as crowd,
    ):
        web.get("/api/sessions")
        with postgresql.locked("ready", "sessions"):
            asked = [crowd.submit(web.client.get, "/api/sessions") for _ in range(CROWD)]
            # All but the two who have a connection, while nobody gets one.
            answered = as_completed(asked)
            refused = [next(answered).result() for _ in range(CROWD - 2)]
            ready, health = web.client.get("/api/ready"), web.client.get("/api/health")
        served = [each.result() for each in answered]
        after = web.client.get("/api/ready")

    assert Counter(map(_code, refused)) == {(503, "busy", True): CROWD - 2}
    assert [each.status_code for each in served] == [200, 200]
    assert (_code(ready), health.status_code) == ((503, "busy", True), 200)
    assert after.status_code == 200


def test_each_of_a_crowd_is_served_or_refused_and_nothing_is_half_done(
    sandbox: SandboxServer, tmp_path: Path, database: str
) -> None:
    kept = {"pool_size": 2, "pool_wait_seconds": 0.5}
    with (
        Web(sandbox, tmp_path, database=database, store=kept) as web,
        ThreadPoolExecutor(CROWD) as crowd,
        ExitStack() as stack,
    ):
        clients = [stack.enter_context(_client(web)) for _ in range(CROWD)]
        ends = Counter(crowd.map(_ask, clients))
        sessions = web.get("/api/sessions?limit=100")["sessions"]

    served, refused = ends["complete"], ends["503 busy, later"]
    assert (served + refused, served > 0) == (CROWD, True), ends
    assert len(sessions) == served


def _client(web: Web) -> httpx2.Client:
    return httpx2.Client(base_url=web.url, timeout=120)


def _ask(client: httpx2.Client) -> str:
    body = {"text": OTTERS, "provider_id": "anthropic"}
    with client.stream("POST", "/api/agents/assistant/message", json=body) as reply:
        if reply.status_code != 200:
            reply.read()
            status, code, is_later = _code(reply)
            return f"{status} {code}{', later' if is_later else ''}"
        events = list(events_of(reply))
    warnings = [each.data["code"] for each in events if each.type == "warning"]
    status = events[-1].data["message"]["status"]
    return ", ".join([status, *(each for each in warnings if each == "not_saved")])
