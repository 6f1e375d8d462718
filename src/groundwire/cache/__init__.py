"""What is kept of searches and pages, so that the same is not asked twice.

A cache keeps bytes under a key that names everything the answer depends on. Only answers are put
into it, never an error; and a cache that fails is one that knows nothing.

Here too is the connection to Redis, for all that servers share through it. Each such thing stands
in the room that uses it, with an implementation for one process, which takes over where Redis does
not answer.
"""

from groundwire.cache.memory import Cache, CacheEntry, MemoryCache, NoCache, key_of
from groundwire.cache.redis import RedisCache
from groundwire.cache.single_flight import SingleFlight
from groundwire.cache.sqlite import SqliteCache

__all__ = [
    "Cache",
    "CacheEntry",
    "MemoryCache",
    "NoCache",
    "RedisCache",
    "SingleFlight",
    "SqliteCache",
    "key_of",
]
