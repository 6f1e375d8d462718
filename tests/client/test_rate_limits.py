"""Turns, pauses, waits and the circuit, on a clock that only the test moves."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from groundwire import registry
from groundwire.client.gate_states import GateState, NoGateStates
from groundwire.client.rate_limits import RateLimits, ServiceGate, Time
from groundwire.config.settings import RateLimitSettings
from groundwire.errors import (
    AuthError,
    ConnectError,
    GroundwireError,
    OverloadedError,
    RateLimitError,
    SettingsError,
)
from groundwire.wire.contract import Access, Endpoint


class Clock:
    """Time as a test tells it; a pause takes no time but moves the clock."""

    def __init__(self) -> None:
        self.seconds = 1000.0
        self.pauses: list[float] = []

    async def pause(self, seconds: float) -> None:
        self.pauses.append(seconds)
        self.seconds += seconds

    @property
    def time(self) -> Time:
        return Time(
            clock=lambda: self.seconds,
            now=lambda: datetime(2026, 11, 15, 12, 0, tzinfo=UTC),
            pause=self.pause,
        )


def gate(clock: Clock, **options: object) -> ServiceGate:
    access = Access(base_url="http://127.0.0.1:8888", options=options)
    endpoint = Endpoint(name="searxng", provider=registry.get("searxng"), access=access)
    return RateLimits(time=clock.time).service(endpoint)


async def fail(service: ServiceGate, error: GroundwireError) -> None:
    with pytest.raises(type(error)):
        async with service.turn():
            raise error


async def succeed(service: ServiceGate) -> None:
    async with service.turn():
        pass


async def refusal(service: ServiceGate) -> str:
    with pytest.raises(GroundwireError) as caught:
        async with service.turn():
            raise AssertionError("it was asked")
    return str(caught.value)


DOWN = ConnectError("127.0.0.1", "connection refused")


async def test_after_three_failures_a_service_is_left_alone_and_we_say_until_when() -> None:
    service = gate(clock := Clock())
    for _ in range(3):
        await fail(service, DOWN)
    clock.seconds += 1

    assert await refusal(service) == (
        "searxng: it failed 3 times in a row (no connection to 127.0.0.1: connection refused); "
        "it is asked again in 4 s, at 12:00:04 UTC; try again later"
    )


NO_KEY = AuthError("searxng", "wrong key", status=401)


@pytest.mark.parametrize("between", [None, NO_KEY], ids=["a success", "a refusal of ours"])
async def test_what_shows_that_a_service_works_starts_the_count_anew(
    between: GroundwireError | None,
) -> None:
    service = gate(Clock())
    await fail(service, DOWN)
    await fail(service, DOWN)

    await (fail(service, between) if between else succeed(service))

    assert service.is_idle
    for _ in range(3):
        await fail(service, DOWN)
    assert "failed 3 times" in await refusal(service)


async def test_a_service_is_left_alone_to_the_last_second() -> None:
    service = gate(clock := Clock())
    for _ in range(3):
        await fail(service, DOWN)
    clock.seconds += 4

    assert "it is asked again in 1 s" in await refusal(service)
    clock.seconds += 0.5
    assert "it is asked again in 0 s" in await refusal(service)
    clock.seconds += 0.5
    await succeed(service)


async def test_after_the_cooldown_one_request_tries_and_the_others_are_refused() -> None:
    service = gate(clock := Clock())
    for _ in range(3):
        await fail(service, DOWN)
    clock.seconds += 5

    async with service.turn():
        others = await refusal(service)

    assert others.endswith("one request is trying it now; try again later")
    await succeed(service)


async def test_a_failed_try_closes_the_circuit_again() -> None:
    service = gate(clock := Clock())
    for _ in range(3):
        await fail(service, DOWN)
    clock.seconds += 5

    await fail(service, DOWN)

    assert "failed 4 times" in await refusal(service)
    clock.seconds += 5
    await succeed(service)


async def test_a_try_that_is_cancelled_lets_the_next_one_try() -> None:
    service = gate(clock := Clock())
    for _ in range(3):
        await fail(service, DOWN)
    clock.seconds += 5

    with pytest.raises(asyncio.CancelledError):
        async with service.turn():
            raise asyncio.CancelledError

    await succeed(service)


async def test_what_a_service_refuses_because_of_us_does_not_count() -> None:
    service = gate(Clock())

    for _ in range(5):
        await fail(service, AuthError("searxng", "wrong key", status=401))


@pytest.mark.parametrize("kind", [RateLimitError, OverloadedError])
async def test_a_wait_that_is_asked_for_holds_for_later_calls(
    kind: type[RateLimitError | OverloadedError],
) -> None:
    service = gate(clock := Clock())

    await fail(service, kind("searxng", "slow down", status=429, retry_after_seconds=90))

    assert await refusal(service) == (
        "searxng: it asked us to wait (slow down); it is asked again in 90 s, at 12:01:30 UTC; "
        "wait, or name a second provider in the settings"
    )
    clock.seconds += 90
    await succeed(service)


async def test_a_shorter_wait_does_not_cut_a_longer_one_short() -> None:
    service = gate(clock := Clock())

    for seconds in (90, 5):
        service.learn(RateLimitError("s", "slow", status=429, retry_after_seconds=seconds))

    clock.seconds += 89
    assert "it is asked again in 1 s" in await refusal(service)
    clock.seconds += 1
    await succeed(service)


async def test_who_is_refused_takes_nobodys_turn() -> None:
    service = gate(clock := Clock(), delay_seconds=20)
    await succeed(service)
    service.learn(RateLimitError("s", "slow", status=429, retry_after_seconds=90))

    await refusal(service)

    assert clock.pauses == []


async def test_nobody_is_kept_waiting_for_more_than_a_day() -> None:
    service = gate(clock := Clock())
    service.learn(RateLimitError("s", "slow", status=429, retry_after_seconds=200_000))

    clock.seconds += 86_399
    assert "it is asked again in 1 s" in await refusal(service)
    clock.seconds += 1
    await succeed(service)


class SharedGate(NoGateStates):
    """What all servers know of the one service that a test asks."""

    def __init__(self) -> None:
        self.state = GateState()
        self.writes = 0

    async def read(self, name: str) -> GateState:
        del name
        return self.state

    async def write(self, name: str, state: GateState) -> None:
        del name
        self.state = state
        self.writes += 1


@pytest.mark.parametrize("known", [GateState(), GateState(wait_seconds=5)])
async def test_a_wait_holds_although_the_others_know_of_a_shorter_one(known: GateState) -> None:
    clock, shared = Clock(), SharedGate()
    service = RateLimits(time=clock.time, shared=shared).host("a.test")
    await fail(service, RateLimitError("a.test", "slow", status=429, retry_after_seconds=90))

    shared.state = known

    assert "it is asked again in 90 s" in await refusal(service)
    assert shared.state.wait_seconds == 90


@pytest.mark.parametrize(("known_seconds", "is_told"), [(88.9, True), (89, False), (89.1, False)])
async def test_others_are_reminded_of_a_wait_that_they_know_as_a_second_shorter(
    known_seconds: float, *, is_told: bool
) -> None:
    clock, shared = Clock(), SharedGate()
    service = RateLimits(time=clock.time, shared=shared).host("a.test")
    await fail(service, RateLimitError("a.test", "slow", status=429, retry_after_seconds=90))
    shared.state, shared.writes = GateState(failures=1, wait_seconds=known_seconds), 0

    assert "it asked us to wait (slow)" in await refusal(service)

    assert (shared.writes > 0) is is_told


async def test_a_wait_that_only_others_know_of_holds_here() -> None:
    clock, shared = Clock(), SharedGate()
    shared.state = GateState(wait_seconds=90, reason="slow down")
    service = RateLimits(time=clock.time, shared=shared).host("a.test")

    assert "it asked us to wait (slow down); it is asked again in 90 s" in await refusal(service)
    assert shared.writes == 0


async def test_others_are_told_nothing_where_nothing_was_learnt() -> None:
    shared = SharedGate()
    service = RateLimits(time=Clock().time, shared=shared).host("a.test")

    await succeed(service)
    quiet = shared.writes
    await fail(service, DOWN)

    assert (quiet, shared.writes) == (0, 1)


async def test_the_others_are_told_of_failures_and_of_their_end() -> None:
    clock, shared = Clock(), SharedGate()
    here, there = (RateLimits(time=clock.time, shared=shared).host("a.test") for _ in range(2))
    for _ in range(3):
        await fail(here, DOWN)

    assert (shared.state.failures, shared.state.closed_seconds, shared.state.wait_seconds) == (
        *(3, 5.0),
        0.0,
    )
    assert f"it failed 3 times in a row ({DOWN})" in await refusal(there)
    clock.seconds += 5
    shared.state = replace(shared.state, closed_seconds=0.0)
    await succeed(there)
    assert shared.state == GateState(reason=str(DOWN))
    await succeed(here)


async def test_who_waited_for_a_turn_is_refused_if_the_service_asks_to_wait_meanwhile() -> None:
    limits = RateLimitSettings(host_concurrency=1, host_delay_seconds=0)
    service = RateLimits(limits, time=Clock().time).host("a.test")
    async with service.turn():
        waiting = asyncio.create_task(refusal(service))
        await asyncio.sleep(0)
        assert service._inside == 2
        service.learn(RateLimitError("a.test", "slow", status=429, retry_after_seconds=90))

    assert "it is asked again in 90 s" in await waiting


async def test_requests_are_as_far_apart_as_the_option_says() -> None:
    service = gate(clock := Clock(), delay_seconds="1.5")

    for _ in range(3):
        await succeed(service)

    assert clock.pauses == [1.5, 1.5]


async def test_who_would_wait_longer_than_patience_is_refused() -> None:
    service = gate(clock := Clock(), delay_seconds=20)
    await succeed(service)

    with pytest.raises(RateLimitError, match="one every 20 s"):
        async with service.turn(10):
            pass

    assert clock.pauses == []


async def test_who_has_just_enough_patience_waits() -> None:
    service = gate(clock := Clock(), delay_seconds=20)
    await succeed(service)

    async with service.turn(20):
        pass

    assert clock.pauses == [20]


async def test_only_so_many_ask_a_service_at_once() -> None:
    service = gate(Clock())
    full, release = asyncio.Event(), asyncio.Event()
    inside: list[int] = []
    most = 0

    async def ask(number: int) -> None:
        nonlocal most
        async with service.turn():
            inside.append(number)
            most = max(most, len(inside))
            if most == 4:
                full.set()
            await release.wait()
            inside.remove(number)

    asking = [asyncio.create_task(ask(number)) for number in range(9)]
    await full.wait()
    release.set()
    await asyncio.gather(*asking)

    assert most == 4


@pytest.mark.parametrize("delay", ["soon", -1, True, "inf", "nan"])
def test_a_delay_that_is_no_time_is_a_wrong_setting(delay: object) -> None:
    with pytest.raises(SettingsError, match="delay_seconds"):
        gate(Clock(), delay_seconds=delay)


async def test_of_more_than_a_thousand_gates_those_that_nobody_needs_are_forgotten() -> None:
    rate_limits = RateLimits(time=Clock().time)
    failing = rate_limits.host("failing.example")
    failing.learn(DOWN)
    idle = rate_limits.host("idle.example")

    for number in range(998):
        rate_limits.host(f"{number}.example")
    kept = rate_limits.host("idle.example")
    rate_limits.host("one.more.example")

    assert kept is idle
    assert rate_limits.host("failing.example") is failing
    assert rate_limits.host("idle.example") is not idle


async def test_a_gate_is_needed_while_somebody_is_inside() -> None:
    service = gate(Clock())
    async with service.turn():
        inside = service.is_idle

    assert (inside, service.is_idle) == (False, True)


async def test_a_gate_that_still_holds_somebody_up_is_not_forgotten() -> None:
    paced, told = gate(clock := Clock(), delay_seconds=20), gate(clock)
    new = [paced.is_idle, told.is_idle]

    await succeed(paced)
    told.learn(RateLimitError("s", "slow", status=429, retry_after_seconds=90))
    soon = [paced.is_idle, told.is_idle]
    clock.seconds += 20
    later = [paced.is_idle, told.is_idle]

    assert (new, soon, later) == ([True, True], [False, False], [True, False])
