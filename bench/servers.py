"""What a chat costs one server, two servers and LiteLLM's proxy, in CPU, and what follows from it.

    python -m bench.servers [--chats 160] [--quick] [--json]

Real servers behind haproxy: one on SQLite, one on PostgreSQL with Redis, two on PostgreSQL with
Redis. The provider is elsewhere, and LiteLLM's proxy relays the same streams where it is
installed. All run at the same time and take turns; a figure is the least of some rounds. Cores are
the limit here, so CPU is counted and not time: with a core each, two servers serve
`2 × CPU of a chat at one / CPU of a chat at two` times the chats of one.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import aiohttp
from torture.cluster import Cluster, cluster, is_installed
from torture.cluster_chats import Chat, Client

from bench.gateway_servers import KEY, has_proxy, litellm_proxy
from bench.relay import cpu_seconds
from groundwire.sandbox import SandboxServer

ROUNDS = 3
AT_ONCE = 80
"""So many chats run at each server at the same time: who has few needs no second server, and one
that is not busy wakes up more often for the same events."""
PACE_SECONDS = 0.005
ONE_SQLITE, ONE, TWO, LITELLM = "one, SQLite", "one", "two", "LiteLLM's proxy"
GOAL = 1.8

MODEL = "claude-sonnet-4-5"
"""Which LiteLLM knows, and asks for."""

Served = Callable[[range], float]


@contextmanager
def _servers(folder: Path, count: int, more: Mapping[str, str] | None = None) -> Iterator[Served]:
    folder.mkdir()
    with cluster(folder, count=count, pace_seconds=PACE_SECONDS, more=more) as made:
        yield lambda numbers: asyncio.run(_chatted(made, numbers))


async def _chatted(made: Cluster, numbers: range) -> float:
    """Return the CPU seconds that a chat cost all servers together."""
    names = [each.name for each in made.servers]
    limit = asyncio.Semaphore(AT_ONCE * len(names))

    async def one(client: Client, number: int) -> Chat:
        chat = Chat(number)
        async with limit:
            await client.send(chat, names[number % len(names)])
        chat.check("complete")
        return chat

    before = made.cpu_seconds()
    every = range(numbers.start * len(names), numbers.stop * len(names))
    async with Client(made.url, made.token) as client:
        chats = await asyncio.gather(*(one(client, number) for number in every))
    faults = [fault for chat in chats for fault in chat.faults]
    assert not faults, faults
    return (made.cpu_seconds() - before) / len(every)


@contextmanager
def _proxy() -> Iterator[Served]:
    with (
        SandboxServer(pace_seconds=PACE_SECONDS, extra_models=(MODEL,)) as sandbox,
        litellm_proxy(sandbox.base_url("anthropic").removesuffix("/v1")) as (pid, said),
    ):
        yield lambda numbers: asyncio.run(_relayed(pid, said["url"], numbers))


async def _relayed(pid: int, url: str, numbers: range) -> float:
    """Return the CPU seconds that a stream cost LiteLLM."""
    limit = asyncio.Semaphore(AT_ONCE)

    async def one(client: aiohttp.ClientSession, number: int) -> str:
        asked = {"role": "user", "content": f"Tell me of number {number} at length"}
        body = {"model": "claude-sonnet-5-5", "max_tokens": 16_000, "messages": [asked]}
        async with limit, client.post("/v1/messages", json={**body, "stream": True}) as reply:
            return await reply.text()

    headers = {"authorization": f"Bearer {KEY}"}
    before = cpu_seconds(pid)
    async with aiohttp.ClientSession(url, headers=headers) as client:
        texts = await asyncio.gather(*(one(client, number) for number in numbers))
    cut = [text for text in texts if "message_stop" not in text]
    assert not cut, cut[0][:500]
    return (cpu_seconds(pid) - before) / len(numbers)


def measure(chats: int, rounds: int) -> dict[str, Any]:
    """Return the milliseconds of CPU that a chat costs each, and what two servers are worth."""
    least: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as name, ExitStack() as running:
        folder = Path(name)
        file = folder / "chats.sqlite3"
        alone = {"GROUNDWIRE_STORE__URL": f"sqlite:///{file}", "GROUNDWIRE_REDIS__URL": ""}
        served = {
            ONE_SQLITE: running.enter_context(_servers(folder / "sqlite", 1, alone)),
            ONE: running.enter_context(_servers(folder / "one", 1)),
            TWO: running.enter_context(_servers(folder / "two", 2)),
        }
        if has_proxy():
            served[LITELLM] = running.enter_context(_proxy())
        for number in range(rounds + 1):
            for kind, serve in served.items():
                cost = serve(range(number * chats, (number + 1) * chats))
                if number:  # Imports and caches are not what is measured.
                    least[kind] = min(cost, least.get(kind, cost))
    return {
        "chats": chats,
        "milliseconds": {kind: 1000 * cost for kind, cost in least.items()},
        "two_over_one": 2 * least[ONE] / least[TWO],
    }


def show(figures: dict[str, Any]) -> None:
    """Print a table."""
    for kind, cost in figures["milliseconds"].items():
        print(f"{kind:20} {cost:8.1f} ms of CPU a chat, {1000 / cost:6.1f} chats a CPU-second")
    print(f"two servers serve {figures['two_over_one']:.2f} times the chats of one (goal {GOAL})")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--chats", type=int, default=160, help="of a round, at each server")
    parser.add_argument("--quick", action="store_true", help="one round")
    parser.add_argument("--json", action="store_true", help="print JSON for programs")
    given = parser.parse_args()
    if not is_installed():
        print(json.dumps({"skipped": "there is no haproxy here: apt install haproxy"}))
        return
    figures = measure(given.chats, 1 if given.quick else ROUNDS)
    print(json.dumps(figures)) if given.json else show(figures)


if __name__ == "__main__":
    main()
