"""What servers know together of a service or host: when it may be asked next, and its failures."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from groundwire.cache.redis_connection import Redis, key

if TYPE_CHECKING:
    from groundwire.cache.redis_connection import RedisConnection

# By the clock of Redis: those of the servers may differ. Times are in milliseconds.
_NOW = "local t = redis.call('TIME'); local now = t[1] * 1000 + math.floor(t[2] / 1000)\n"
_RESERVE = (
    _NOW
    + """
local next = math.max(now, tonumber(redis.call('GET', KEYS[1]) or '0'))
local wait, delay, patience = next - now, tonumber(ARGV[1]), tonumber(ARGV[2])
if patience and wait > patience then return {wait, 0} end
redis.call('SET', KEYS[1], next + delay, 'PX', wait + delay + 1000)
return {wait, 1}
"""
)
_READ = (
    _NOW
    + """
local f = redis.call('HMGET', KEYS[1], 'failures', 'closed', 'wait', 'reason')
local function left(at) return math.max(0, tonumber(at or '0') - now) end
return {tonumber(f[1] or '0'), left(f[2]), left(f[3]), f[4] or ''}
"""
)
_WRITE = (
    _NOW
    + """
redis.call('HSET', KEYS[1], 'failures', ARGV[1], 'closed', now + ARGV[2], 'wait', now + ARGV[3],
  'reason', ARGV[4])
redis.call('PEXPIRE', KEYS[1], math.max(ARGV[2], ARGV[3]) + 600000)
"""
)


@dataclass(frozen=True, slots=True, kw_only=True)
class GateState:
    """Failures in a row and why, and for how long the gate is closed by them or by the service."""

    failures: int = 0
    reason: str = ""
    closed_seconds: float = 0.0
    wait_seconds: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Slot:
    """When a request may be sent; `is_given` is false if that is later than it would wait."""

    wait_seconds: float
    is_given: bool


class GateStates(Protocol):
    """Shares gates by name. None means that nothing is shared: what this process knows counts."""

    async def read(self, name: str) -> GateState | None:
        """Return what is known of a gate."""

    async def write(self, name: str, state: GateState) -> None:
        """Tell what has become of a gate."""

    async def reserve(
        self, name: str, delay_seconds: float, patience_seconds: float | None
    ) -> Slot | None:
        """Take the next time at which a request may be sent, each so long after the one before."""


class NoGateStates:
    """A server that shares nothing."""

    async def read(self, name: str) -> GateState | None:  # noqa: ARG002 - the interface
        """Return nothing."""
        return None

    async def write(self, name: str, state: GateState) -> None:
        """Tell nobody."""

    async def reserve(
        self,
        name: str,  # noqa: ARG002 - the interface
        delay_seconds: float,  # noqa: ARG002
        patience_seconds: float | None,  # noqa: ARG002
    ) -> Slot | None:
        """Return nothing."""
        return None


class RedisGateStates:
    """Gates in Redis; while it does not answer, each server has its own."""

    def __init__(self, redis: RedisConnection) -> None:
        self._redis = redis

    async def read(self, name: str) -> GateState | None:
        """Return what is known of a gate."""
        found = await self._redis.ask(lambda redis: redis.eval(_READ, 1, key("gate", name)), None)
        if found is None:
            return None
        failures, closed, wait, reason = found
        return GateState(
            failures=failures,
            reason=reason.decode(errors="replace"),
            closed_seconds=closed / 1000,
            wait_seconds=wait / 1000,
        )

    async def write(self, name: str, state: GateState) -> None:
        """Tell what has become of a gate."""
        closed, wait = round(state.closed_seconds * 1000), round(state.wait_seconds * 1000)
        values = (state.failures, closed, wait, state.reason)

        async def work(redis: Redis) -> None:
            await redis.eval(_WRITE, 1, key("gate", name), *values)

        await self._redis.ask(work, None)

    async def reserve(
        self, name: str, delay_seconds: float, patience_seconds: float | None
    ) -> Slot | None:
        """Take the next time at which a request may be sent."""
        patience = "" if patience_seconds is None else round(patience_seconds * 1000)
        delay = round(delay_seconds * 1000)

        async def work(redis: Redis) -> list[int]:
            found: list[int] = await redis.eval(_RESERVE, 1, key("slot", name), delay, patience)
            return found

        nothing: list[int] = []
        found = await self._redis.ask(work, nothing)
        if not found:
            return None
        return Slot(wait_seconds=found[0] / 1000, is_given=bool(found[1]))
