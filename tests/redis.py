"""A real Redis server for tests: on a free port of loopback, with a password, and nothing kept."""

from __future__ import annotations

import shutil
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tests.patience import wait_until_listening

PASSWORD = "a-password-of-redis"


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
        return port


class RedisServer:
    """A server that can be stopped and started again; what it knew is gone then."""

    def __init__(self) -> None:
        self.port = _free_port()
        self.url = f"redis://:{PASSWORD}@127.0.0.1:{self.port}/0"
        self._process: subprocess.Popen[bytes] | None = None
        self.start()

    def start(self) -> None:
        """Start the server and wait until it takes connections."""
        options = ["--bind", "127.0.0.1", "--port", str(self.port), "--requirepass", PASSWORD]
        kept = ["--save", "", "--appendonly", "no", "--daemonize", "no"]
        program = shutil.which("redis-server")
        assert program is not None
        self._process = subprocess.Popen(
            [program, *options, *kept], stdout=subprocess.DEVNULL, cwd="/"
        )
        wait_until_listening(self.port, self._process)

    def stop(self) -> None:
        """Stop the server in the middle of whatever it does."""
        assert self._process is not None
        self._process.kill()
        self._process.wait()

    @contextmanager
    def stopped(self) -> Iterator[None]:
        """Be gone for a while."""
        self.stop()
        try:
            yield
        finally:
            self.start()


def is_installed() -> bool:
    """Tell whether a server can be started here."""
    return shutil.which("redis-server") is not None


@contextmanager
def redis_server() -> Iterator[RedisServer]:
    """Start a server; skip the test where there is none to start."""
    if not is_installed():
        pytest.skip("needs Redis: apt install redis-server")
    server = RedisServer()
    try:
        yield server
    finally:
        server.stop()
