"""The cache in a file: it outlives the program, is shared, and never stands in the way."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
import stat
from pathlib import Path

import pytest

from groundwire.cache import CacheEntry, SqliteCache


def cache_at(path: Path, now: float = 1000.0) -> SqliteCache:
    return SqliteCache(path, max_entries=10, max_bytes=1000, now=lambda: now)


async def test_answers_outlive_the_program(tmp_path: Path) -> None:
    first = cache_at(tmp_path / "c")
    await first.put("a", b"1")
    await first.close()

    second = cache_at(tmp_path / "c", now=1060)

    assert await second.get("a") == CacheEntry(value=b"1", age_seconds=60)
    await second.close()


async def test_an_answer_from_the_future_counts_as_none(tmp_path: Path) -> None:
    first = cache_at(tmp_path / "c", now=2000)
    await first.put("a", b"1")
    await first.close()

    second = cache_at(tmp_path / "c", now=1000)

    assert await second.get("a") is None
    await second.close()


async def test_two_programs_share_a_file(tmp_path: Path) -> None:
    one, other = cache_at(tmp_path / "c"), cache_at(tmp_path / "c")

    await asyncio.gather(
        *(cache.put(f"{number}", b"x") for number in range(5) for cache in (one, other))
    )

    assert await one.get("4") == await other.get("4") == CacheEntry(value=b"x", age_seconds=0)
    await one.close()
    await other.close()


async def test_the_file_is_for_its_owner_only_and_readers_do_not_wait(tmp_path: Path) -> None:
    cache = cache_at(tmp_path / "c")
    await cache.put("a", b"1")

    with sqlite3.connect(tmp_path / "c") as connection:
        mode = connection.execute("PRAGMA journal_mode").fetchone()
    connection.close()

    assert stat.S_IMODE((tmp_path / "c").stat().st_mode) == 0o600
    assert mode == ("wal",)
    await cache.close()


async def test_a_file_that_is_no_database_is_left_as_it_is_and_keeps_nothing(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING)
    (tmp_path / "c").write_bytes(b"this is somebody's letter, and no database at all")
    cache = cache_at(tmp_path / "c")

    await cache.put("a", b"1")

    assert await cache.get("a") is None
    assert (tmp_path / "c").read_bytes().startswith(b"this is somebody's letter")
    assert len(caplog.records) == 1
    await cache.close()


async def test_a_place_that_cannot_be_written_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    cache = cache_at(tmp_path / "file" / "c")

    await cache.put("a", b"1")

    assert await cache.get("a") is None
    await cache.close()
