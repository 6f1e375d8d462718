"""Each thing that servers share: shared, each server's own without Redis, and shared again."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from groundwire import Settings
from groundwire.cache import MemoryCache, RedisCache
from groundwire.cache.locks import RedisLocks
from groundwire.cache.redis_connection import RedisConnection
from groundwire.chat.events import TextShown
from groundwire.client import Client
from groundwire.client.gate_states import RedisGateStates
from groundwire.client.rate_limits import RateLimits, ServiceGate
from groundwire.config.settings import NetworkSettings, RateLimitSettings
from groundwire.errors import GroundwireError, OverloadedError, RateLimitError
from groundwire.search import SearchContext
from groundwire.store import Store
from groundwire.web import Options
from groundwire.web.attempt_counts import RedisAttemptCounts
from groundwire.web.live_turns import LiveTurn, LiveTurns
from groundwire.web.login_limits import LoginAttempt, LoginLimits
from groundwire.web.redis_turns import RedisTurns
from groundwire.wire.contract import Endpoint
from tests.patience import wait_until_async
from tests.redis import redis_server

Shares = Callable[[RedisConnection, RedisConnection, str], Awaitable[bool]]
"""Does something at one server under a name, and tells whether the other one knows of it."""


async def logins(one: RedisConnection, other: RedisConnection, name: str) -> bool:
    here, there = (LoginLimits(shared=RedisAttemptCounts(each)) for each in (one, other))
    login = LoginAttempt(name=name, address="192.0.2.1")
    for _ in range(8):
        here.begun(login)
        await here.tell(login)
    await there.hear(login)
    return there.refused_seconds(login) > 0


def _gates(
    connections: tuple[RedisConnection, RedisConnection], name: str, limits: RateLimitSettings
) -> tuple[ServiceGate, ServiceGate]:
    here, there = (
        RateLimits(limits, shared=RedisGateStates(each)).host(name) for each in connections
    )
    return here, there


async def _is_refused(gate: ServiceGate) -> bool:
    try:
        async with gate.turn(patience_seconds=1):
            return False
    except (OverloadedError, RateLimitError):
        return True


async def _fail(gate: ServiceGate, error: GroundwireError) -> None:
    with pytest.raises(GroundwireError):
        async with gate.turn():
            raise error


async def requests(one: RedisConnection, other: RedisConnection, name: str) -> bool:
    here, there = _gates((one, other), name, RateLimitSettings())
    await _fail(here, RateLimitError(name, "too many requests", retry_after_seconds=60))
    return await _is_refused(there)


async def delays(one: RedisConnection, other: RedisConnection, name: str) -> bool:
    here, there = _gates((one, other), name, RateLimitSettings(host_delay_seconds=30))
    async with here.turn():
        pass
    return await _is_refused(there)


async def circuits(one: RedisConnection, other: RedisConnection, name: str) -> bool:
    limits = RateLimitSettings(failures=2, cooldown_seconds=60)
    here, there = _gates((one, other), name, limits)
    for _ in range(2):
        await _fail(here, OverloadedError(name, "it is overloaded"))
    return await _is_refused(there)


async def cache(one: RedisConnection, other: RedisConnection, name: str) -> bool:
    here, there = (
        RedisCache(each, MemoryCache(max_entries=9, max_bytes=99), kept_seconds=60)
        for each in (one, other)
    )
    await here.put(name, b"value")
    own = await here.get(name)
    assert own is not None
    assert own.value == b"value"
    return await there.get(name) is not None


async def one_request_for_many(one: RedisConnection, other: RedisConnection, name: str) -> bool:
    asked: list[SearchContext] = []

    async def ask(context: SearchContext) -> None:
        async with context.alone(name) as may_be_cached:
            if not (may_be_cached and await context.cache.get(name)):
                asked.append(context)
                await context.cache.put(name, b"text")

    async with Client(NetworkSettings()) as client:
        contexts = [SearchContext(Settings(), client, find=_nobody, redis=r) for r in (one, other)]
        await asyncio.gather(*(ask(context) for context in contexts))
    return len(asked) == 1


async def locks(one: RedisConnection, other: RedisConnection, name: str) -> bool:
    return await RedisLocks(one).take(name, 30) and not await RedisLocks(other).take(name, 30)


async def live_turns(one: RedisConnection, other: RedisConnection, name: str) -> bool:
    async with AsyncExitStack() as stack:
        store = await stack.enter_async_context(Store.open())
        turns = [LiveTurns(store, Options()) for _ in range(2)]
        here, there = (
            RedisTurns(redis, each, store, Options())
            for redis, each in zip((one, other), turns, strict=True)
        )
        await here.open()
        stack.push_async_callback(here.close)
        run = _begun(turns[0], name)

        async def followed() -> LiveTurn | bool:
            copy = await there.turn(name)
            return copy or not one.is_up

        found = await wait_until_async(followed)
        return isinstance(found, LiveTurn) and found.batches == run.batches


def _begun(turns: LiveTurns, message_id: str) -> LiveTurn:
    run = LiveTurn("key")
    run.message_id = message_id
    run.add([TextShown(text="Otters sleep.")])
    assert turns.on_begun is not None
    turns.on_begun(run)
    return run


def _nobody(name: str) -> Endpoint:
    raise AssertionError(f"{name} was asked for")


THINGS: dict[str, Shares] = {
    "answers in progress": live_turns,
    "failed logins": logins,
    "waits that a service asked for": requests,
    "delays between two requests to a host": delays,
    "circuits": circuits,
    "the cache": cache,
    "one request for many askers": one_request_for_many,
    "the lock of a message": locks,
}


@pytest.mark.parametrize("shares", THINGS.values(), ids=THINGS)
async def test_without_redis_a_server_has_its_own_and_with_it_all_is_shared_again(
    shares: Shares, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GROUNDWIRE_HOME", str(tmp_path))
    with redis_server() as server:
        async with RedisConnection(server.url) as one, RedisConnection(server.url) as other:
            before = await shares(one, other, "before")
            with server.stopped():
                lost = [await each.ping() for each in (one, other)]
                alone = await shares(one, other, "alone")
            problems = [await each.ping() for each in (one, other)]
            after = await shares(one, other, "after")

    assert lost == ["Redis does not answer"] * 2
    assert (before, alone, problems, after) == (True, False, ["", ""], True)


async def test_a_wait_that_a_service_asked_for_outlasts_a_redis_that_begins_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GROUNDWIRE_HOME", str(tmp_path))
    with redis_server() as server:
        async with RedisConnection(server.url) as one, RedisConnection(server.url) as other:
            here, there = _gates((one, other), "pages.example", RateLimitSettings())
            error = RateLimitError("pages.example", "too many", retry_after_seconds=60)
            await _fail(here, error)
            with server.stopped():
                await one.ping()
                await other.ping()
            await one.ping()
            await other.ping()
            refused = [await _is_refused(here), await _is_refused(there)]

    assert refused == [True, True]
