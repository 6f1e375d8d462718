"""Redis as a state: there, gone, and back, without an error and without its password."""

from __future__ import annotations

import logging
import subprocess
import sys

import pytest

from groundwire import Settings
from groundwire.errors import SettingsError
from groundwire.shared import RedisConnection, address_shown, redis_connection
from tests.redis import PASSWORD, RedisServer, redis_server


async def test_a_redis_that_is_gone_is_no_error_and_one_that_is_back_is_used_again(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.WARNING)
    with redis_server() as server:
        async with RedisConnection(server.url) as connection:
            first = await connection.ask(lambda redis: redis.set("a", "1"), None)
            with server.stopped():
                lost = await connection.ask(lambda redis: redis.get("a"), b"otherwise")
                problem = await connection.ping()
            back = await connection.ping()

    assert (first, lost, problem, back) == (True, b"otherwise", "Redis does not answer", "")
    # Told once when it goes and once when it is back, however often it is asked.
    assert len(caplog.records) == 2
    assert PASSWORD not in caplog.text


def test_a_password_is_in_no_repr_and_no_error() -> None:
    url = f"redis://user:{PASSWORD}@127.0.0.1:1/2"

    assert address_shown(url) == "127.0.0.1:1/2"
    assert PASSWORD not in repr(RedisConnection(url))
    assert PASSWORD not in repr(Settings.model_validate({"redis": {"url": url}}))
    with pytest.raises(SettingsError) as caught:
        redis_connection(f"http://user:{PASSWORD}@127.0.0.1")
    assert PASSWORD not in str(caught.value)


def test_without_a_url_nothing_of_redis_is_imported() -> None:
    look = "import groundwire.web.server, groundwire.search, sys; sys.exit('redis' in sys.modules)"

    assert subprocess.run([sys.executable, "-c", look], check=False).returncode == 0


async def test_a_wrong_password_is_said_and_not_shown(redis: RedisServer) -> None:
    url = redis.url.replace(PASSWORD, "a-wrong-password")
    async with RedisConnection(url) as connection:
        assert await connection.ping() == "Redis does not answer"
