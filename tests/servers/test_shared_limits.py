"""Limits, circuits, locks and the cache of two servers that share a Redis."""

from __future__ import annotations

import asyncio

import pytest

from groundwire import Settings
from groundwire.cache import MemoryCache, RedisCache
from groundwire.cache.locks import RedisLocks
from groundwire.cache.redis_connection import RedisConnection
from groundwire.client import Client
from groundwire.client.gate_states import GateState, RedisGateStates, Slot
from groundwire.client.rate_limits import RateLimits
from groundwire.config.settings import NetworkSettings, RateLimitSettings
from groundwire.errors import OverloadedError, RateLimitError
from groundwire.search import SearchContext
from groundwire.web.attempt_counts import RedisAttemptCounts
from groundwire.web.login_limits import LoginAttempt, LoginLimits
from groundwire.wire.contract import Endpoint
from tests.redis import redis_server


async def test_guesses_at_one_server_count_at_the_other(
    one: RedisConnection, other: RedisConnection
) -> None:
    here, there = (LoginLimits(shared=RedisAttemptCounts(each)) for each in (one, other))
    login = LoginAttempt(name="olga", address="192.0.2.1")
    for _ in range(8):
        here.begun(login)
        await here.tell(login)
    before = there.refused_seconds(login)
    await there.hear(login)

    assert before == 0
    assert there.refused_seconds(login) > 0
    await here.tell_success(login)
    fresh = LoginLimits(shared=RedisAttemptCounts(other))
    await fresh.hear(login)
    assert fresh.refused_seconds(login) == 0


async def test_a_service_that_fails_at_one_server_is_left_alone_by_the_other(
    one: RedisConnection, other: RedisConnection
) -> None:
    limits = RateLimitSettings(failures=2, cooldown_seconds=60)
    here, there = (
        RateLimits(limits, shared=RedisGateStates(each)).host("pages.example")
        for each in (one, other)
    )
    for _ in range(2):
        with pytest.raises(OverloadedError):
            async with here.turn():
                raise OverloadedError("pages.example", "it is overloaded")

    with pytest.raises(OverloadedError, match="failed 2 times in a row"):
        async with there.turn():
            raise AssertionError("it was asked")


async def test_two_servers_keep_the_delay_of_a_host_together(
    one: RedisConnection, other: RedisConnection
) -> None:
    limits = RateLimitSettings(host_delay_seconds=30)
    here, there = (
        RateLimits(limits, shared=RedisGateStates(each)).host("slow.example")
        for each in (one, other)
    )
    async with here.turn():
        pass

    with pytest.raises(RateLimitError, match="one every 30 s"):
        async with there.turn(patience_seconds=1):
            raise AssertionError("it was asked too soon")


async def test_a_lock_is_one_servers_until_it_is_given_back(
    one: RedisConnection, other: RedisConnection
) -> None:
    here, there = RedisLocks(one), RedisLocks(other)
    taken = [await here.take("a", 30), await there.take("a", 30)]
    await there.release("a")  # It is not theirs.
    too_soon = await there.take("a", 30)
    await here.release("a")

    assert (taken, too_soon, await there.take("a", 30)) == ([True, False], False, True)


async def test_what_one_server_cached_the_other_has(
    one: RedisConnection, other: RedisConnection
) -> None:
    here, there = (
        RedisCache(each, MemoryCache(max_entries=9, max_bytes=99), kept_seconds=60)
        for each in (one, other)
    )
    await here.put("key", b"value")
    found = await there.get("key")

    assert found is not None
    assert found.value == b"value"
    assert 0 <= found.age_seconds < 60


async def test_without_redis_each_server_goes_on_by_itself() -> None:
    with redis_server() as server:
        async with RedisConnection(server.url) as connection:
            server.stop()
            try:
                cache = RedisCache(
                    connection, MemoryCache(max_entries=9, max_bytes=99), kept_seconds=60
                )
                await cache.put("key", b"value")
                found = await cache.get("key")
                gate = RateLimits(shared=RedisGateStates(connection)).host("pages.example")
                async with gate.turn():
                    pass
                is_first = await RedisLocks(connection).take("a", 30)
            finally:
                server.start()

    assert found is not None
    assert (found.value, is_first) == (b"value", True)


async def test_many_askers_at_two_servers_make_one_request(
    one: RedisConnection, other: RedisConnection
) -> None:
    asked: list[str] = []

    async def ask(search_context: SearchContext) -> bytes:
        async with search_context.alone("page") as is_second:
            if is_second and (found := await search_context.cache.get("page")):
                return found.value
            asked.append("once")
            await search_context.cache.put("page", b"text")
            return b"text"

    async with Client(NetworkSettings()) as client:
        servers = [
            SearchContext(Settings(), client, find=_nobody, redis=each) for each in (one, other)
        ]
        answers = await asyncio.gather(*(ask(servers[number % 2]) for number in range(10)))

    assert set(answers) == {b"text"}
    assert asked == ["once"]


def _nobody(name: str) -> Endpoint:
    raise AssertionError(f"{name} was asked for")


async def test_the_other_server_knows_for_how_long_a_gate_is_closed(
    one: RedisConnection, other: RedisConnection
) -> None:
    here, there = RedisGateStates(one), RedisGateStates(other)
    state = GateState(failures=2, reason="down", closed_seconds=80_000, wait_seconds=40_000)
    await here.write("a.example", state)

    known = await there.read("a.example")

    assert known is not None
    assert (known.failures, known.reason) == (2, "down")
    assert 79_950 < known.closed_seconds <= 80_000
    assert 39_975 < known.wait_seconds <= 40_000
    assert await there.read("b.example") == GateState()


async def test_a_turn_is_taken_only_where_it_comes_within_ones_patience(
    one: RedisConnection, other: RedisConnection
) -> None:
    here, there = RedisGateStates(one), RedisGateStates(other)

    first = await here.reserve("a.example", 40_000, None)
    second = await there.reserve("a.example", 40_000, 39_970)
    third = await there.reserve("a.example", 40_000, 40_020)
    fourth = await here.reserve("a.example", 40_000, None)

    assert first == Slot(wait_seconds=0, is_given=True)
    assert None not in (second, third, fourth)
    taken = [each for each in (second, third, fourth) if each]
    assert [each.is_given for each in taken] == [False, True, True]
    # Less what the test itself took.
    for each, seconds in zip(taken, (40_000, 40_000, 80_000), strict=True):
        assert seconds - 20 < each.wait_seconds <= seconds
