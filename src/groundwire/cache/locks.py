"""Locks between servers: who takes one first does the work, and the others wait for its result."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING, Protocol

from groundwire.cache.redis_connection import Redis, key

if TYPE_CHECKING:
    from groundwire.cache.redis_connection import RedisConnection

_RELEASE = """
if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
return 0
"""


class Locks(Protocol):
    """Gives each name to one at a time."""

    async def take(self, name: str, seconds: float) -> bool:
        """Take a name for at most so many seconds; False if another server has it."""

    async def release(self, name: str) -> None:
        """Give a name back, if it is still ours."""


class NoLocks:
    """A server that shares nothing: it is always the first."""

    async def take(self, name: str, seconds: float) -> bool:  # noqa: ARG002 - the interface
        """Be the first."""
        return True

    async def release(self, name: str) -> None:
        """Do nothing."""


class RedisLocks:
    """Locks in Redis; while it does not answer, every server is the first."""

    def __init__(self, redis: RedisConnection) -> None:
        self._redis = redis
        self._token = secrets.token_hex(16)

    async def take(self, name: str, seconds: float) -> bool:
        """Take a name unless another server has it."""
        place, milliseconds = key("lock", name), max(1, round(seconds * 1000))

        async def work(redis: Redis) -> bool:
            return bool(await redis.set(place, self._token, nx=True, px=milliseconds))

        return await self._redis.ask(work, otherwise=True)

    async def release(self, name: str) -> None:
        """Give a name back, if it is still ours."""
        place = key("lock", name)
        await self._redis.ask(lambda redis: redis.eval(_RELEASE, 1, place, self._token), None)
