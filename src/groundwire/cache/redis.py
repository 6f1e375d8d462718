"""A cache that all servers share, in Redis."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from groundwire.cache.memory import CacheEntry
from groundwire.cache.redis_connection import key

if TYPE_CHECKING:
    from groundwire.cache.memory import Cache
    from groundwire.cache.redis_connection import RedisConnection

MOST_BYTES = 4_000_000
_HEAD = 8


class RedisCache:
    """Keeps answers in Redis for so many seconds; another cache stands in while it does not answer.

    How much of them stays is up to Redis: `maxmemory` and its policy.
    """

    def __init__(self, redis: RedisConnection, beneath: Cache, *, kept_seconds: float) -> None:
        self._redis = redis
        self._beneath = beneath
        self._kept_seconds = max(1, round(kept_seconds))

    async def get(self, key_: str) -> CacheEntry | None:
        """Return what is kept under a key."""
        found = await self._redis.ask(lambda redis: redis.get(key("cache", key_)), None)
        if found is None:
            return None if self._redis.is_up else await self._beneath.get(key_)
        age = time.time() - int.from_bytes(found[:_HEAD], "big") / 1000
        return CacheEntry(value=found[_HEAD:], age_seconds=max(0.0, age))

    async def put(self, key_: str, value: bytes) -> None:
        """Keep a value; one that is very large is left out."""
        if len(value) > MOST_BYTES:
            return
        whole = round(time.time() * 1000).to_bytes(_HEAD, "big") + value
        place, seconds = key("cache", key_), self._kept_seconds
        await self._redis.ask(lambda redis: redis.set(place, whole, ex=seconds), None)
        if not self._redis.is_up:
            await self._beneath.put(key_, value)

    async def close(self) -> None:
        """Close the cache that stands in; the connection is its owner's."""
        await self._beneath.close()
