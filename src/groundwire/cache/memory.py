"""What a cache is, and the one that lives as long as the process."""

from __future__ import annotations

import hashlib
import json
import time
from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(frozen=True, slots=True, kw_only=True)
class CacheEntry:
    """Something kept, and how many seconds ago its source was last asked."""

    value: bytes
    age_seconds: float


class Cache(Protocol):
    """Keeps answers, the least used given up first when there are too many."""

    async def get(self, key: str) -> CacheEntry | None:
        """Return what is kept under a key, None if nothing is."""

    async def put(self, key: str, value: bytes) -> None:
        """Keep a value under a key, as of now."""

    async def close(self) -> None:
        """Give back what the cache holds open."""


def key_of(kind: str, **parts: object) -> str:
    """Return the key of an answer: a digest of its kind and of all that it depends on."""
    # Options may hold dates of the settings file, which JSON does not know.
    text = json.dumps([kind, parts], sort_keys=True, ensure_ascii=False, default=str)
    # Half of a character can stand in a query; it has no bytes of its own.
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


class NoCache:
    """Keeps nothing."""

    async def get(self, key: str) -> CacheEntry | None:  # noqa: ARG002 - a cache's interface
        """Return nothing."""
        return None

    async def put(self, key: str, value: bytes) -> None:
        """Keep nothing."""

    async def close(self) -> None:
        """Do nothing."""


class MemoryCache:
    """Keeps answers until the process ends, at most so many and so many bytes."""

    def __init__(
        self, *, max_entries: int, max_bytes: int, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._max_entries = max_entries
        self._max_bytes = max_bytes
        self._clock = clock
        self._kept: OrderedDict[str, tuple[bytes, float]] = OrderedDict()
        self._bytes = 0

    async def get(self, key: str) -> CacheEntry | None:
        """Return what is kept under a key and count that as a use."""
        if key not in self._kept:
            return None
        self._kept.move_to_end(key)
        value, kept_at = self._kept[key]
        return CacheEntry(value=value, age_seconds=self._clock() - kept_at)

    async def put(self, key: str, value: bytes) -> None:
        """Keep a value; one that is larger than all may be is left out."""
        self._forget(key)
        if len(value) > self._max_bytes:
            return
        self._kept[key] = (value, self._clock())
        self._bytes += len(value)
        while len(self._kept) > self._max_entries or self._bytes > self._max_bytes:
            self._forget(next(iter(self._kept)))

    async def close(self) -> None:
        """Forget everything."""
        self._kept.clear()
        self._bytes = 0

    def _forget(self, key: str) -> None:
        value, _ = self._kept.pop(key, (b"", 0.0))
        self._bytes -= len(value)
