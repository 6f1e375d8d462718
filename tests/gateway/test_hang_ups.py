"""Clients that hang up, many at once: nothing is left upstream, and no task."""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import Iterator
from concurrent.futures import Future
from pathlib import Path
from urllib.parse import urlsplit

import httpx2
import pytest

from groundwire.model import Json
from groundwire.sandbox import SandboxServer
from tests.gateway.asking import CLAUDE, LOCAL, SEARCH, Asked
from tests.patience import PATIENCE, wait_until

FEW, MANY = 120, 1_000
AT_ONCE = 20
AT_ONCE_GONE = 7
"""Every so many-th client is gone before it has seen anything."""


@pytest.fixture
def slow(tmp_path: Path) -> Iterator[Asked]:
    """Return a gateway over services that take a while for every piece."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GROUNDWIRE_HOME", str(tmp_path))
        with SandboxServer(pace_seconds=0.01) as sandbox, Asked(sandbox, tmp_path) as asked:
            yield asked


@pytest.mark.parametrize("count", [FEW, pytest.param(MANY, marks=pytest.mark.slow)])
def test_random_hang_ups_leave_nothing_behind(slow: Asked, count: int) -> None:
    tasks_before = _tasks(slow)
    asyncio.run(_ask_and_leave(slow, count))

    for number in range(len(slow.sandbox.requests)):
        slow.sandbox.wait_for_end(number)
    assert len(slow.sandbox.requests) > count / 2
    assert all(each.ended != "open" for each in slow.sandbox.requests)
    wait_until(lambda: _tasks(slow) <= tasks_before)
    # It still answers.
    assert slow.post("/messages", slow.messages()).status_code == 200


async def _ask_and_leave(slow: Asked, count: int) -> None:
    chance = random.Random(26)
    gate = asyncio.Semaphore(AT_ONCE)
    async with httpx2.AsyncClient(base_url=slow.url, timeout=PATIENCE) as client:

        async def ask(number: int) -> None:
            path = ("messages", "chat/completions", "responses")[number % 3]
            make = {"messages": slow.messages, "chat/completions": slow.chat}
            body = make.get(path, slow.responses)(
                model=(CLAUDE, LOCAL)[number % 2], user=str(number)
            )
            if path == "messages":
                body["tools"] = [SEARCH]
                del body["user"]
                body["metadata"] = {"user_id": str(number)}
            if number % AT_ONCE_GONE == 0:
                async with gate:
                    await _ask_and_be_gone(slow, path, {**body, "stream": True})
                return
            pieces = chance.randrange(0, 12)
            async with (
                gate,
                client.stream("POST", f"/v1/{path}", json={**body, "stream": True}) as reply,
            ):
                async for _ in reply.aiter_lines():
                    pieces -= 1
                    if pieces < 0:
                        break

        await asyncio.gather(*map(ask, range(count)))


async def _ask_and_be_gone(slow: Asked, path: str, body: Json) -> None:
    """Send a whole request, and close the connection at once."""
    url = urlsplit(slow.url)
    _, writer = await asyncio.open_connection(url.hostname, url.port)
    data = json.dumps(body).encode()
    head = f"POST /v1/{path} HTTP/1.1\r\nHost: {url.netloc}\r\nContent-Length: {len(data)}\r\n\r\n"
    writer.write(head.encode() + data)
    await writer.drain()
    writer.close()
    await writer.wait_closed()


def _tasks(slow: Asked) -> int:
    """Count what runs in the server's loop, as the loop itself sees it."""
    loop = slow.program._loop
    assert loop is not None
    counted: Future[int] = Future()
    loop.call_soon_threadsafe(lambda: counted.set_result(len(asyncio.all_tasks(loop))))
    return counted.result()
