"""Redis as a state: there, gone, and back, without an error and without its password."""

from __future__ import annotations

import logging
import subprocess
import sys
from pathlib import Path

import pytest

from groundwire import Settings
from groundwire.cache.redis_connection import RedisConnection, address_shown, redis_connection
from groundwire.cli.doctor import examine
from groundwire.errors import SettingsError
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


def test_doctor_says_whether_redis_works_and_what_is_not_shared_without_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("GROUNDWIRE_HOME", str(tmp_path))

    def told() -> tuple[str, str, str]:
        [found] = [each for each in examine() if each.subject == "redis"]
        return found.state, found.found, found.fix

    with redis_server() as server:
        monkeypatch.setenv("GROUNDWIRE_REDIS__URL", server.url)
        works = told()
        with server.stopped():
            gone = told()
        back = told()
        monkeypatch.setenv("GROUNDWIRE_REDIS__URL", f"http://:{PASSWORD}@127.0.0.1:{server.port}")
        wrong = told()

    assert works == back == ("ok", f"Redis works, at 127.0.0.1:{server.port}/0", "")
    assert gone[0] == wrong[0] == "problem"
    assert "does not answer: servers run and keep their answers, but cannot follow" in gone[1]
    assert gone[2] == "start it, or correct redis.url in the settings"
    assert PASSWORD not in f"{works} {gone} {wrong}"
