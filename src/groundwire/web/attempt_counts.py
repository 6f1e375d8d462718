"""Failed attempts to sign in, counted by all servers together."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from groundwire.cache.redis_connection import Redis, key

if TYPE_CHECKING:
    from groundwire.cache.redis_connection import RedisConnection

KEPT_SECONDS = 3_600
_NOW = "local t = redis.call('TIME'); local now = t[1] * 1000 + math.floor(t[2] / 1000)\n"
_READ = (
    _NOW
    + """
local found = {}
for i, name in ipairs(KEYS) do
  local f = redis.call('HMGET', name, 'count', 'at')
  found[i] = {tonumber(f[1] or '0'), math.max(0, now - tonumber(f[2] or '0'))}
end
return found
"""
)
_ADD = (
    _NOW
    + """
for i, name in ipairs(KEYS) do
  redis.call('HINCRBY', name, 'count', 1)
  redis.call('HSET', name, 'at', now)
  redis.call('EXPIRE', name, ARGV[1])
end
"""
)


@dataclass(frozen=True, slots=True, kw_only=True)
class AttemptCount:
    """How many attempts failed, and how many seconds ago the last one did."""

    count: int
    ago_seconds: float


class AttemptCounts(Protocol):
    """Counts by name. Nothing is returned where nothing is shared."""

    async def read(self, names: Sequence[str]) -> Sequence[AttemptCount]:
        """Return the counts of some names, in their order."""

    async def add(self, names: Sequence[str]) -> None:
        """Count a failure of each."""

    async def forget(self, names: Sequence[str]) -> None:
        """Begin anew with each."""


class NoAttemptCounts:
    """A server that counts for itself alone."""

    async def read(self, names: Sequence[str]) -> Sequence[AttemptCount]:  # noqa: ARG002 - the interface
        """Return nothing."""
        return ()

    async def add(self, names: Sequence[str]) -> None:
        """Tell nobody."""

    async def forget(self, names: Sequence[str]) -> None:
        """Tell nobody."""


class RedisAttemptCounts:
    """Counts in Redis, under digests: who signs in from where is nobody else's business."""

    def __init__(self, redis: RedisConnection) -> None:
        self._redis = redis

    async def read(self, names: Sequence[str]) -> Sequence[AttemptCount]:
        """Return the counts of some names, nothing while Redis does not answer."""
        keys = _keys(names)

        async def work(redis: Redis) -> Sequence[Sequence[int]]:
            found: Sequence[Sequence[int]] = await redis.eval(_READ, len(keys), *keys)
            return found

        nothing: Sequence[Sequence[int]] = ()
        found = await self._redis.ask(work, nothing)
        return [AttemptCount(count=count, ago_seconds=ago / 1000) for count, ago in found]

    async def add(self, names: Sequence[str]) -> None:
        """Count a failure of each."""
        keys = _keys(names)
        await self._redis.ask(lambda redis: redis.eval(_ADD, len(keys), *keys, KEPT_SECONDS), None)

    async def forget(self, names: Sequence[str]) -> None:
        """Begin anew with each."""
        await self._redis.ask(lambda redis: redis.delete(*_keys(names)), None)


def _keys(names: Sequence[str]) -> list[str]:
    return [key("attempts", hashlib.sha256(name.encode()).hexdigest()) for name in names]
