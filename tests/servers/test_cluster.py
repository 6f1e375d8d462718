"""Three real servers on real PostgreSQL and Redis behind a real haproxy."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from functools import partial

import pytest
from torture.cluster import Cluster, cluster, is_installed
from torture.cluster_chats import Chat, Client
from torture.cluster_runs import killed, resumed_and_stopped

from tests import postgresql, redis
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
    with cluster(tmp_path_factory.mktemp("cluster")) as made:
        yield made


async def test_chats_are_resumed_on_another_server_and_stopped_from_a_third(made: Cluster) -> None:
    found = await resumed_and_stopped(made, CHATS)

    assert found == {"chats": CHATS, "faults": []}


async def test_servers_killed_under_load_lose_nothing_and_do_nothing_twice(made: Cluster) -> None:
    found = await killed(made, CHATS, kills=3)

    assert found["faults"] == []
    assert sum(found["ends"].values()) == CHATS


async def test_redis_stopped_and_started_breaks_no_answer(made: Cluster) -> None:
    async with Client(made.url, made.token) as client:
        running = [Chat(20_000 + number) for number in range(9)]
        tasks = [asyncio.create_task(client.persist(chat)) for chat in running]
        await _begun(client, running)
        await asyncio.to_thread(made.redis.stop)
        new = [Chat(21_000 + number) for number in range(6)]
        try:
            await asyncio.gather(*(client.persist(chat) for chat in new), *tasks)
            status, ready, _ = await client.get("/api/ready", "s1")
        finally:
            await asyncio.to_thread(made.redis.start)
        await _all_share(client, made)
    after = await resumed_and_stopped(made, 6, first_number=22_000)

    for chat in (*running, *new):
        chat.check("complete")
    assert [fault for chat in (*running, *new) for fault in chat.faults] == []
    assert (status, ready["shared"]) == (200, "Redis does not answer")
    assert after["faults"] == []


async def test_postgresql_stopped_and_started_breaks_no_answer(made: Cluster) -> None:
    async with Client(made.url, made.token) as client:
        running = [Chat(30_000 + number) for number in range(9)]
        tasks = [asyncio.create_task(client.persist(chat)) for chat in running]
        await _begun(client, running)
        await asyncio.to_thread(made.postgresql.stop)
        await asyncio.to_thread(made.postgresql.start)
        await asyncio.gather(*tasks)
        kept = [await client.messages(chat) for chat in running]
    after = await resumed_and_stopped(made, 6, first_number=32_000)

    assert [fault for chat in running for fault in chat.faults] == []
    assert [len(messages) for messages in kept] == [2] * len(running)
    assert after["faults"] == []


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


async def _all_share(client: Client, made: Cluster) -> None:
    for server in made.servers:
        await wait_until_async(partial(_shares, client, server.name))


async def _shares(client: Client, name: str) -> bool:
    _, ready, _ = await client.get("/api/ready", name)
    return bool(ready.get("shared") == "ok")
