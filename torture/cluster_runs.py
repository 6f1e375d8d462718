"""What is done to a cluster: chats that change servers, and what is stopped meanwhile.

Each function runs chats to their ends and returns them with what was wrong with each: broken,
mixed up, doubled, lost, hung, or asked of the provider more than once.
"""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Any

import aiohttp
from tests.patience import wait_until_async

from torture.cluster import Cluster, Server
from torture.cluster_chats import Chat, Client
from torture.server import until

AT_ONCE = 60
STOP_PROVIDER = "openai"
"""Whose answers hang, so that they are there to be stopped."""

BEGIN_SECONDS = 600.0
_NUMBER = re.compile(r"number (\d+) ")

One = Callable[[Client, Chat], Awaitable[None]]


async def resumed(made: Cluster, numbers: range) -> list[Chat]:
    """Begin each chat at one server and go on with it at the second and the third."""

    async def one(client: Client, chat: Chat) -> None:
        first, second, third = _servers(made, chat)
        await client.send(chat, first, events=4)
        await client.resume(chat, second, events=4)
        await client.resume(chat, third)
        chat.check("complete")
        _check_servers(made, chat)

    return await _chats(made, numbers, one)


async def stopped(made: Cluster, numbers: range) -> list[Chat]:
    """Begin each chat at one server, follow it at the second and stop it from the third."""

    async def one(client: Client, chat: Chat) -> None:
        first, second, third = _servers(made, chat)
        await client.send(chat, first, events=2, provider=STOP_PROVIDER)
        following = asyncio.create_task(client.resume(chat, second))
        await client.stop(chat, third)
        await following
        chat.check("cancelled")
        _check_servers(made, chat)

    return await _chats(made, numbers, one)


async def killed(made: Cluster, numbers: range, kills: int) -> list[Chat]:
    """Kill one server after the other, again and again, while chats run; interrupted ones retry."""

    async def one(client: Client, chat: Chat) -> None:
        await client.persist(chat)
        was_killed = chat.status == "interrupted"
        chat.check("interrupted" if was_killed else "complete")
        if was_killed:
            await client.retry(chat)

    async def kill(chats: Sequence[Chat]) -> None:
        for number in range(kills):
            server = made.servers[number % len(made.servers)]
            await _until_begun(chats, len(chats) * (number + 1) // (kills + 1))
            await asyncio.to_thread(_kill_and_start, server)

    return await _chats(made, numbers, one, meanwhile=kill)


async def without_redis(made: Cluster, numbers: range) -> list[Chat]:
    """Stop Redis while chats run and begin, and start it when half of them have begun."""

    async def stop_and_start(chats: Sequence[Chat]) -> None:
        await _until_begun(chats, len(chats) // 4)
        await asyncio.to_thread(made.redis.stop)
        try:
            await _until_begun(chats, len(chats) // 2)
        finally:
            await asyncio.to_thread(made.redis.start)

    return await _chats(made, numbers, _to_its_end, meanwhile=stop_and_start)


async def without_postgresql(made: Cluster, numbers: range) -> list[Chat]:
    """Stop PostgreSQL while chats run, and start it after a moment."""

    async def stop_and_start(chats: Sequence[Chat]) -> None:
        await _until_begun(chats, len(chats) // 4)
        await asyncio.to_thread(made.postgresql.stop)
        await asyncio.to_thread(made.postgresql.start)

    return await _chats(made, numbers, _to_its_end, meanwhile=stop_and_start)


async def restarted(made: Cluster, numbers: range) -> list[Chat]:
    """Restart one server after the other as an upgrade does, while chats run and begin."""

    async def restart(chats: Sequence[Chat]) -> None:
        for number, server in enumerate(made.servers, 1):
            await _until_begun(chats, len(chats) * number // (len(made.servers) + 1))
            await asyncio.to_thread(_restart, server)

    return await _chats(made, numbers, _to_its_end, meanwhile=restart)


def faults_of(chats: Sequence[Chat]) -> list[str]:
    """Return what was wrong with any of them."""
    return [fault for chat in chats for fault in chat.faults]


async def all_share(made: Cluster) -> None:
    """Wait until every server says that it shares what lives with the others."""
    async with Client(made.url, made.token) as client:
        for server in made.servers:
            await wait_until_async(partial(_shares, client, server.name))


async def _shares(client: Client, name: str) -> bool:
    _, ready, _ = await client.get("/api/ready", name)
    return bool(ready.get("shared") == "ok")


async def _to_its_end(client: Client, chat: Chat) -> None:
    await client.persist(chat)
    chat.check("complete")


async def _chats(
    made: Cluster,
    numbers: range,
    one: One,
    *,
    meanwhile: Callable[[Sequence[Chat]], Awaitable[None]] | None = None,
) -> list[Chat]:
    """Run chats, some at a time, and look at what is kept of each and who was asked."""
    chats = [Chat(number) for number in numbers]
    limit = asyncio.Semaphore(AT_ONCE)
    made.sandbox.reset()

    async def run(client: Client, chat: Chat) -> None:
        async with limit:
            try:
                await one(client, chat)
            except (aiohttp.ClientError, OSError, TimeoutError) as error:
                chat.faults.append(f"chat {chat.number}: {error!r}")

    async with Client(made.url, made.token) as client, asyncio.TaskGroup() as group:
        if meanwhile is not None:
            group.create_task(_awaited(meanwhile(chats)))
        await asyncio.gather(*(run(client, chat) for chat in chats))
    calls = _calls(made)
    async with Client(made.url, made.token) as client:
        for chat in chats:
            _check_calls(chat, calls[chat.number])
            _check_kept(chat, await client.messages(chat))
    return chats


async def _awaited(work: Awaitable[None]) -> None:
    await work


async def _until_begun(chats: Sequence[Chat], count: int) -> None:
    await until(lambda: sum(bool(chat.message_id) for chat in chats) >= count, BEGIN_SECONDS)


def _kill_and_start(server: Server) -> None:
    server.kill()
    server.start()
    server.wait_ready()


def _restart(server: Server) -> None:
    server.terminate()
    server.start()
    server.wait_ready()


def _servers(made: Cluster, chat: Chat) -> list[str]:
    names = [each.name for each in made.servers]
    return [names[(chat.number + shift) % len(names)] for shift in range(3)]


def _check_servers(made: Cluster, chat: Chat) -> None:
    if len(set(chat.servers)) < len(made.servers):
        chat.faults.append(f"chat {chat.number} was served by {chat.servers}")


def _calls(made: Cluster) -> Counter[int]:
    """Return how often the provider was asked for each chat."""
    found: Counter[int] = Counter()
    for each in [*made.sandbox.requests]:
        if numbers := _NUMBER.findall(str(each.body)):
            found[int(numbers[-1])] += 1
    return found


def _check_calls(chat: Chat, count: int) -> None:
    most = 1 + chat.retries
    # A server that was killed may have kept the question and not have asked yet.
    least = 0 if chat.status == "interrupted" or chat.retries else 1
    if not least <= count <= most:
        chat.faults.append(f"chat {chat.number}: the provider was asked {count} times")


def _check_kept(chat: Chat, messages: list[dict[str, Any]]) -> None:
    """Note what is wrong with what is kept of a chat that was acknowledged."""
    if not chat.message_id:
        chat.faults.append(f"chat {chat.number} never began")
        return
    questions = [each for each in messages if each["kind"] == "USER"]
    answers = [each for each in messages if each["kind"] != "USER"]
    if (len(questions), len(answers)) != (1, 1 + chat.retries):
        counted = f"{len(questions)} questions and {len(answers)} answers"
        chat.faults.append(f"chat {chat.number} has {counted}")
        chat.is_lost = not questions or not answers
        return
    kept, told = answers[0], chat.done
    if told is not None and kept["status"] != told["status"]:
        chat.faults.append(f"chat {chat.number} is kept as {kept['status']}")
    if told is not None and kept["content"] != told["content"]:
        chat.faults.append(f"chat {chat.number} is kept with another text than was told")
