"""A real Redis for all tests of what servers share."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

import pytest

from groundwire.cache.redis_connection import RedisConnection
from tests.redis import RedisServer, redis_server


@pytest.fixture(scope="session")
def redis() -> Iterator[RedisServer]:
    """Give a server that is there for the whole run."""
    with redis_server() as server:
        yield server


@pytest.fixture
async def one(redis: RedisServer) -> AsyncIterator[RedisConnection]:
    """Give the connection of one server; what was there before is gone."""
    async with RedisConnection(redis.url) as connection:
        await connection.ask(lambda client: client.flushall(), None)
        yield connection


@pytest.fixture
async def other(redis: RedisServer) -> AsyncIterator[RedisConnection]:
    """Give the connection of another server."""
    async with RedisConnection(redis.url) as connection:
        yield connection
