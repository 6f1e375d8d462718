"""A real PostgreSQL server for tests: on a free port of loopback, in a folder of its own."""

from __future__ import annotations

import getpass
import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

_PLACES = sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
_SETTINGS = {
    "listen_addresses": "127.0.0.1",
    "unix_socket_directories": "",
    # The folder is thrown away: nothing has to survive the machine.
    "fsync": "off",
    "max_connections": "200",
}


def _program(name: str) -> str | None:
    return shutil.which(name, path=os.pathsep.join([*map(str, _PLACES), os.environ["PATH"]]))


def _user() -> str:
    # The server refuses to run as root.
    return "postgres" if os.geteuid() == 0 else getpass.getuser()


class PostgreSql:
    """A server that can be stopped and started again, with databases by name."""

    def __init__(self) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="groundwire-postgresql-"))
        shutil.chown(self._folder, _user())
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port: int = free.getsockname()[1]
        self._as_server("initdb", "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-sync")
        options = " ".join(f"-c {name}='{value}'" for name, value in _SETTINGS.items())
        self._options = f"-p {self.port} {options}"
        self.start()

    def start(self) -> None:
        """Start the server and wait until it answers."""
        log = str(self._folder / "log")
        self._as_server("pg_ctl", "-w", "-o", self._options, "-l", log, "start")

    def stop(self) -> None:
        """Stop the server in the middle of whatever it does."""
        self._as_server("pg_ctl", "-w", "-m", "immediate", "stop")

    @contextmanager
    def stopped(self) -> Iterator[None]:
        """Be gone for a while."""
        self.stop()
        try:
            yield
        finally:
            self.start()

    @contextmanager
    def frozen(self) -> Iterator[None]:
        """Take connections and requests, and answer none of them."""
        postmaster = int((self._folder / "data" / "postmaster.pid").read_text().split()[0])
        children = Path(f"/proc/{postmaster}/task/{postmaster}/children").read_text().split()
        processes = [postmaster, *map(int, children)]
        for each in processes:
            os.kill(each, signal.SIGSTOP)
        try:
            yield
        finally:
            for each in processes:
                os.kill(each, signal.SIGCONT)

    @contextmanager
    def locked(self, name: str, table: str) -> Iterator[None]:
        """Have whoever uses a table wait."""
        psql = _program("psql")
        assert psql is not None
        command = [psql, *self._place, "-qAt", "-v", "ON_ERROR_STOP=1", "-d", name]
        with subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd="/"
        ) as process:
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdin.write(f"BEGIN; LOCK TABLE {table}; SELECT 'locked';\n")
            process.stdin.flush()
            assert process.stdout.readline() == "locked\n"
            try:
                yield
            finally:
                process.stdin.close()
                process.wait()

    def create(self, name: str) -> str:
        """Make a database and return its URL."""
        self._as_client("createdb", "-T", "template0", name)
        return self.url(name)

    def run(self, name: str, statements: str) -> None:
        """Run statements in a database."""
        self._as_client("psql", "-v", "ON_ERROR_STOP=1", "-q", "-d", name, "-c", statements)

    def connections(self, name: str) -> int:
        """Return how many are connected to a database."""
        psql = _program("psql")
        assert psql is not None
        query = f"SELECT count(*) FROM pg_stat_activity WHERE datname = '{name}'"
        command = [psql, *self._place, "-qAt", "-d", "postgres", "-c", query]
        return int(subprocess.run(command, check=True, capture_output=True, cwd="/").stdout)

    def drop(self, name: str) -> None:
        """Remove a database, whoever is connected."""
        self._as_client("dropdb", "--force", name)

    def url(self, name: str) -> str:
        """Return the URL of a database."""
        return f"postgresql://postgres@127.0.0.1:{self.port}/{name}"

    def remove(self) -> None:
        """Stop the server for good."""
        self.stop()
        shutil.rmtree(self._folder)

    def _as_server(self, program: str, *arguments: str) -> None:
        _run(program, "-D", str(self._folder / "data"), *arguments, user=_user())

    def _as_client(self, program: str, *arguments: str) -> None:
        _run(program, *self._place, *arguments)

    @property
    def _place(self) -> tuple[str, ...]:
        return ("-h", "127.0.0.1", "-p", str(self.port), "-U", "postgres")


def _run(program: str, *arguments: str, user: str | None = None) -> None:
    path = _program(program)
    assert path is not None
    other = user if os.geteuid() == 0 else None
    # Not through a pipe: the server that pg_ctl leaves behind would hold it open.
    with tempfile.TemporaryFile() as output:
        done = subprocess.run(
            [path, *arguments], user=other, stdout=output, stderr=output, cwd="/", check=False
        )
        output.seek(0)
        assert done.returncode == 0, output.read().decode()


def _has_user(name: str) -> bool:
    try:
        pwd.getpwnam(name)
    except KeyError:
        return False
    return True


def is_installed() -> bool:
    """Tell whether a server can be started here."""
    return _program("initdb") is not None and (os.geteuid() != 0 or _has_user("postgres"))


def start_postgresql() -> PostgreSql:
    """Start a server; skip the test where there is none to start."""
    if _program("initdb") is None:
        pytest.skip("PostgreSQL is not installed")
    if os.geteuid() == 0 and not _has_user("postgres"):
        pytest.skip("PostgreSQL does not run as root, and there is no user postgres")
    return PostgreSql()
