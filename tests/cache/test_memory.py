"""What both caches promise, and the key of an answer."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from datetime import date
from pathlib import Path

import pytest

from groundwire.cache import Cache, CacheEntry, MemoryCache, NoCache, SqliteCache, key_of

Make = Callable[[int, int], Cache]


class Clock:
    """Seconds as a test sets them."""

    seconds = 1000.0

    def __call__(self) -> float:
        return self.seconds


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture(params=["memory", "sqlite"])
async def make(request: pytest.FixtureRequest, tmp_path: Path, clock: Clock) -> AsyncIterator[Make]:
    made: list[Cache] = []

    def make_one(max_entries: int = 10, max_bytes: int = 1000) -> Cache:
        cache: Cache
        if request.param == "memory":
            cache = MemoryCache(max_entries=max_entries, max_bytes=max_bytes, clock=clock)
        else:
            path = tmp_path / "there" / "cache.sqlite3"
            cache = SqliteCache(path, max_entries=max_entries, max_bytes=max_bytes, now=clock)
        made.append(cache)
        return cache

    yield make_one
    for cache in made:
        await cache.close()


async def kept(cache: Cache, *keys: str) -> list[str]:
    return [key for key in keys if await cache.get(key) is not None]


async def test_what_was_put_comes_back_with_its_age(make: Make, clock: Clock) -> None:
    cache = make(10, 1000)

    await cache.put("a", b"\x00value")
    clock.seconds += 7

    assert await cache.get("a") == CacheEntry(value=b"\x00value", age_seconds=7)
    assert await cache.get("b") is None


async def test_putting_again_replaces_value_and_age(make: Make, clock: Clock) -> None:
    cache = make(10, 1000)
    await cache.put("a", b"one")
    clock.seconds += 7

    await cache.put("a", b"two")

    assert await cache.get("a") == CacheEntry(value=b"two", age_seconds=0)


async def test_the_least_recently_used_goes_when_there_are_too_many(make: Make) -> None:
    cache = make(2, 1000)
    await cache.put("a", b"1")
    await cache.put("b", b"2")
    await cache.get("a")

    await cache.put("c", b"3")

    assert await kept(cache, "a", "b", "c") == ["a", "c"]


async def test_the_bytes_of_all_are_bounded(make: Make) -> None:
    cache = make(10, 100)
    for key in "abc":
        await cache.put(key, b"x" * 40)

    assert await kept(cache, "a", "b", "c") == ["b", "c"]


async def test_what_is_replaced_is_not_counted_any_more(make: Make) -> None:
    cache = make(10, 100)
    for _ in range(5):
        await cache.put("a", b"x" * 60)

    await cache.put("b", b"x" * 40)

    assert await kept(cache, "a", "b") == ["a", "b"]


async def test_what_is_larger_than_the_cache_is_not_kept_and_displaces_nothing(make: Make) -> None:
    cache = make(10, 100)
    await cache.put("a", b"x" * 40)

    await cache.put("b", b"x" * 101)

    assert await kept(cache, "a", "b") == ["a"]


async def test_no_cache_keeps_nothing() -> None:
    cache = NoCache()

    await cache.put("a", b"1")

    assert await cache.get("a") is None
    await cache.close()


def test_a_key_depends_on_the_kind_and_every_part_but_not_on_their_order() -> None:
    keys = {
        key_of("search", a=1, b={"x": 1, "y": 2}),
        key_of("search", b={"y": 2, "x": 1}, a=1),
        key_of("page", a=1, b={"x": 1, "y": 2}),
        key_of("search", a=2, b={"x": 1, "y": 2}),
        key_of("search", a=1, b={"x": 1}),
    }

    assert len(keys) == 4


def test_any_text_and_any_option_has_a_key() -> None:
    assert len(key_of("search", query="\ud800", since=date(2026, 1, 2))) == 64
