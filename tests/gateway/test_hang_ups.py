"""Clients that hang up, many at once: nothing is left upstream, and no task."""

from __future__ import annotations

import asyncio
import random
import threading
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest

from groundwire.sandbox import SandboxServer
from tests.gateway.asking import CLAUDE, LOCAL, SEARCH, Asked

REQUESTS = 120
AT_ONCE = 20


@pytest.fixture
def slow(tmp_path: Path) -> Iterator[Asked]:
    """Return a gateway over services that take a while for every piece."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GROUNDWIRE_HOME", str(tmp_path))
        with SandboxServer(pace_seconds=0.01) as sandbox, Asked(sandbox, tmp_path) as asked:
            yield asked


def test_random_hang_ups_leave_nothing_behind(slow: Asked) -> None:
    tasks_before = _tasks(slow)
    asyncio.run(_ask_and_leave(slow))

    for number in range(len(slow.sandbox.requests)):
        slow.sandbox.wait_for_end(number, timeout_seconds=30)
    assert len(slow.sandbox.requests) > REQUESTS / 2
    assert all(each.ended != "open" for each in slow.sandbox.requests)
    waiting = threading.Event()
    for _ in range(500):
        if _tasks(slow) <= tasks_before:
            break
        waiting.wait(0.02)
    assert _tasks(slow) <= tasks_before
    # It still answers.
    assert slow.post("/messages", slow.messages()).status_code == 200


async def _ask_and_leave(slow: Asked) -> None:
    chance = random.Random(26)
    gate = asyncio.Semaphore(AT_ONCE)
    async with httpx2.AsyncClient(base_url=slow.url, timeout=30) as client:

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
            pieces = chance.randrange(0, 12)
            async with (
                gate,
                client.stream("POST", f"/v1/{path}", json={**body, "stream": True}) as reply,
            ):
                async for _ in reply.aiter_lines():
                    pieces -= 1
                    if pieces < 0:
                        break

        await asyncio.gather(*map(ask, range(REQUESTS)))


def _tasks(slow: Asked) -> int:
    """Count what runs in the server's loop."""
    loop = slow.program._loop
    assert loop is not None
    return len([task for task in asyncio.all_tasks(loop) if not task.done()])
