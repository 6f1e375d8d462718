"""Three real servers on real PostgreSQL and Redis behind a real haproxy."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from torture.cluster import Cluster, cluster, is_installed
from torture.cluster_chats import Chat, Client
from torture.cluster_runs import (
    all_share,
    crowded,
    faults_of,
    killed,
    restarted,
    resumed,
    stopped,
    without_postgresql,
    without_redis,
)

from groundwire.store import Pool
from tests import postgresql, redis
from tests.forked import groundwire
from tests.patience import wait_until_async

CHATS = 30
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not is_installed(), reason="needs haproxy: apt install haproxy"),
    pytest.mark.skipif(not redis.is_installed(), reason="needs Redis: apt install redis-server"),
    pytest.mark.skipif(not postgresql.is_installed(), reason="needs PostgreSQL"),
]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """Start a cluster for all tests of this file; each leaves all of its servers running."""
    with cluster(tmp_path_factory.mktemp("cluster"), command=groundwire) as made:
        yield made


async def test_chats_are_resumed_on_another_server_and_stopped_from_a_third(made: Cluster) -> None:
    chats = await resumed(made, range(CHATS // 2))
    chats += await stopped(made, range(CHATS // 2, CHATS))

    assert faults_of(chats) == []


async def test_servers_killed_under_load_lose_nothing_and_do_nothing_twice(made: Cluster) -> None:
    chats = await killed(made, range(10_000, 10_000 + CHATS), kills=3)

    assert faults_of(chats) == []
    assert len([chat for chat in chats if chat.status in ("complete", "interrupted")]) == CHATS


async def test_redis_stopped_and_started_breaks_no_answer(made: Cluster) -> None:
    chats = await without_redis(made, range(20_000, 20_000 + CHATS // 2))
    await all_share(made)
    chats += await resumed(made, range(21_000, 21_006))
    chats += await stopped(made, range(22_000, 22_006))

    assert faults_of(chats) == []


async def test_a_server_whose_redis_is_gone_is_ready_and_says_that_nothing_is_shared(
    made: Cluster,
) -> None:
    async with Client(made.url, made.token) as client:
        with made.redis.stopped():
            chat = Chat(25_000)
            await client.persist(chat)
            status, ready, _ = await client.get("/api/ready", chat.servers[0])
    await all_share(made)
    chat.check("complete")

    assert (chat.faults, status, ready["shared"]) == ([], 200, "Redis does not answer")


async def test_postgresql_stopped_and_started_breaks_no_answer(made: Cluster) -> None:
    chats = await without_postgresql(made, range(30_000, 30_000 + CHATS // 2))
    chats += await resumed(made, range(32_000, 32_006))

    assert faults_of(chats) == []


async def test_servers_restarted_one_by_one_break_no_answer_and_write_no_traceback(
    made: Cluster,
) -> None:
    chats = await restarted(made, range(35_000, 35_000 + CHATS // 2))

    assert faults_of(chats) == []
    assert [each.log.partition("Traceback")[2] for each in made.servers] == [""] * len(made.servers)


async def test_a_server_that_is_told_to_stop_ends_its_answers_and_sends_others_away(
    made: Cluster,
) -> None:
    server = made.servers[0]
    async with Client(made.url, made.token) as client, Client(server.url, made.token) as direct:
        chat = Chat(40_000)
        answering = asyncio.create_task(client.send(chat, server.name))
        await _begun(client, [chat])
        before = server.log.count("Traceback")
        stopping = asyncio.create_task(asyncio.to_thread(server.terminate))
        status, body, headers = await _refused(direct)
        await answering
        await stopping
        server.start()
        await asyncio.to_thread(server.wait_ready)
    chat.check("complete")

    assert chat.faults == []
    assert (status, body["error"]["code"], headers["Retry-After"]) == (503, "stopping", "2")
    assert server.log.count("Traceback") == before == 0


async def test_of_200_chats_at_once_on_two_workers_none_is_refused(tmp_path: Path) -> None:
    with cluster(tmp_path, count=1, options=("--workers", "2")) as made:
        chats = await crowded(made, range(200))
        connections = await asyncio.to_thread(made.postgresql.connections, "cluster")
        log = made.servers[0].log

    assert faults_of(chats) == []
    assert connections <= 2 * Pool().size
    assert log == ""


async def _begun(client: Client, chats: list[Chat]) -> None:
    async def are_begun() -> bool:
        await client.get("/api/ready")
        return all(chat.message_id for chat in chats)

    await wait_until_async(are_begun)


async def _refused(client: Client) -> tuple[int, dict[str, dict[str, str]], dict[str, str]]:
    """Ask until the server says that it is stopping."""

    async def refusal() -> tuple[int, dict[str, dict[str, str]], dict[str, str]] | None:
        status, body, headers = await client.get("/api/ready")
        return (status, json.loads(json.dumps(body)), headers) if status == 503 else None

    found = await wait_until_async(refusal)
    assert found
    return found
