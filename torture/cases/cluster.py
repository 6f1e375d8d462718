"""Three servers on PostgreSQL and Redis behind haproxy: chats change servers, and things end."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from tests import redis

from torture import checks, cluster_runs
from torture.client import CANARY
from torture.cluster import Cluster, cluster, is_installed
from torture.cluster_chats import Chat
from torture.registry import case
from torture.report import SkippedError, expect
from torture.stage import Stage

MOST_KILLS = 12


@case("cluster-resume", "each chat goes on at a second and a third server: whole, once, its own")
async def resume(stage: Stage) -> None:
    async with _cluster(stage) as made:
        _count(stage, await cluster_runs.resumed(made, range(stage.scale.cluster_chats)))


@case("cluster-stop", "each chat is followed at a second server and stopped from a third")
async def stop(stage: Stage) -> None:
    async with _cluster(stage) as made:
        _count(stage, await cluster_runs.stopped(made, range(stage.scale.cluster_chats)))


@case("cluster-kill", "servers killed with -9 in turns: nothing lost or run twice, no stream hangs")
async def kill(stage: Stage) -> None:
    kills = min(stage.scale.kills, MOST_KILLS)
    async with _cluster(stage) as made:
        chats = await cluster_runs.killed(made, range(stage.scale.cluster_chats), kills)
        stage.tally.figures["kills"] = kills
        _count(stage, chats)


@case("cluster-redis", "Redis stopped and started: answers go on and begin, all is shared again")
async def without_redis(stage: Stage) -> None:
    chats = stage.scale.cluster_chats
    async with _cluster(stage) as made:
        _count(stage, await cluster_runs.without_redis(made, range(chats)))
        await cluster_runs.all_share(made)
        _count(stage, await cluster_runs.resumed(made, range(chats, chats + 9)))
        _count(stage, await cluster_runs.stopped(made, range(chats + 9, chats + 18)))


@case("cluster-postgresql", "PostgreSQL stopped and started: every answer is whole and kept")
async def without_postgresql(stage: Stage) -> None:
    async with _cluster(stage) as made:
        chats = await cluster_runs.without_postgresql(made, range(stage.scale.cluster_chats))
        _count(stage, chats)


@case("cluster-restart", "servers restarted one by one under load: every answer is whole")
async def restart(stage: Stage) -> None:
    async with _cluster(stage) as made:
        _count(stage, await cluster_runs.restarted(made, range(stage.scale.cluster_chats)))


@asynccontextmanager
async def _cluster(stage: Stage) -> AsyncIterator[Cluster]:
    """Give a cluster, and at its end look at what its servers wrote."""
    if not is_installed() or not redis.is_installed():
        raise SkippedError("haproxy or Redis is not installed")
    await asyncio.to_thread(stage.postgresql)  # Skips the case where there is none.
    with cluster(stage.folder, ANTHROPIC_API_KEY=CANARY, OPENAI_API_KEY=CANARY) as made:
        yield made
        for each in made.servers:
            stage.tally.problems += checks.alarms_in(each.log.encode())
        leaks = checks.leaks_below(stage.folder)
        stage.tally.leaked += len(leaks)
        stage.tally.problems += [f"a key is in {place}" for place in leaks]


def _count(stage: Stage, chats: Sequence[Chat]) -> None:
    tally = stage.tally
    for chat in chats:
        with tally.fault(f"chat {chat.number}"):
            expect(not chat.faults, "; ".join(chat.faults))
    tally.lost += sum(chat.is_lost for chat in chats)
    ends = Counter(chat.status or "none" for chat in chats)
    tally.figures |= {end: tally.figures.get(end, 0) + count for end, count in ends.items()}
    longest = max(chat.longest_seconds for chat in chats)
    tally.figures["seconds without an event at most"] = round(longest, 1)
