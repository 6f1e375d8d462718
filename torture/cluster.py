"""Several servers of one database and one Redis behind haproxy, all real and each a process."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tests.forked import of_its_own
from tests.patience import wait_until_listening
from tests.postgresql import PostgreSql
from tests.redis import RedisServer

from groundwire.sandbox import SandboxServer

COUNT = 3
HANGING = "silence;after=3"
"""What a provider does, here the one named openai, that says a little and then nothing more."""

CHOSEN = "x-server"
SERVED_BY = "x-served-by"
_HAPROXY = shutil.which("haproxy") or shutil.which("haproxy", path="/usr/sbin")
_CONFIGURATION = """
defaults
    mode http
    timeout connect 5s
    timeout check 5s
    timeout client 120s
    timeout server 120s
    retries 2
    option redispatch
frontend all
    bind 127.0.0.1:{port}
    default_backend servers
backend servers
    balance roundrobin
    option httpchk
    http-check send meth GET uri /api/ready ver HTTP/1.1 hdr host 127.0.0.1
    http-check expect status 200
    http-response set-header {served_by} %s
{servers}
"""
_CHOICE = "    use-server {name} if {{ req.hdr({chosen}) {name} }}\n"
_SERVER = "    server {name} 127.0.0.1:{port} check inter 500ms fall 4 rise 1\n"


def is_installed() -> bool:
    """Tell whether haproxy is on this machine."""
    return _HAPROXY is not None


def free_port() -> int:
    """Return a port of loopback that nobody uses."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
        return port


def is_taken(port: int) -> bool:
    """Tell whether somebody listens on a port of loopback."""
    try:
        socket.create_connection(("127.0.0.1", port), timeout=5).close()
    except OSError:
        return False
    return True


@dataclass
class Server:
    """One `groundwire serve`; `log` is what it wrote so far."""

    name: str
    port: int
    folder: Path
    variables: dict[str, str]
    options: tuple[str, ...] = ()
    command: Callable[..., list[str]] = of_its_own
    process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """Return where it is, past the balancer."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def log(self) -> str:
        """Return what it wrote to its standard error."""
        return (self.folder / f"{self.name}.log").read_text()

    def start(self) -> None:
        """Start it and do not wait."""
        command = self.command("serve", "--port", str(self.port), *self.options)
        with (self.folder / f"{self.name}.log").open("a") as log:
            self.process = subprocess.Popen(
                command,
                env=self.variables,
                cwd=self.folder,
                stdout=subprocess.DEVNULL,
                stderr=log,
            )

    def wait_ready(self) -> None:
        """Wait until it says that it is ready."""
        while not self.is_ready():
            assert self.process is not None
            assert self.process.poll() is None, self.log

    def is_ready(self) -> bool:
        """Tell whether it says that it is ready."""
        address = f"{self.url}/api/ready"
        try:
            with urllib.request.urlopen(address, timeout=5) as reply:
                return bool(reply.status == 200)
        except (OSError, urllib.error.HTTPError):
            return False

    def kill(self) -> None:
        """End it at once, in the middle of whatever it does."""
        assert self.process is not None
        self.process.kill()
        self.process.wait()
        # What it had started, or was started for it, ends a moment after it.
        while is_taken(self.port):
            pass

    def terminate(self) -> None:
        """Ask it to end, and wait until it has."""
        assert self.process is not None
        self.process.send_signal(signal.SIGTERM)
        self.process.wait()


@dataclass
class Cluster:
    """All of it; `url` is the balancer's."""

    url: str
    token: str = field(repr=False)
    servers: list[Server]
    sandbox: SandboxServer
    postgresql: PostgreSql
    redis: RedisServer
    database: str
    folder: Path = field(repr=False)

    def cpu_seconds(self) -> float:
        """Return the CPU that all servers used so far."""
        return sum(_cpu_of(each.process.pid) for each in self.servers if each.process)


def _cpu_of(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@contextmanager
def cluster(
    folder: Path,
    *,
    count: int = COUNT,
    options: tuple[str, ...] = (),
    command: Callable[..., list[str]] = of_its_own,
    pace_seconds: float = 0.02,
    fault: str = "",
    more: Mapping[str, str] | None = None,
) -> Iterator[Cluster]:
    """Start everything; `options` are of the command, `more` are variables of the environment.

    `command` starts it: in a Python of its own, unless that is no part of what is tried.
    """
    with ExitStack() as stack:
        postgresql = PostgreSql()
        stack.callback(postgresql.remove)
        redis = RedisServer()
        stack.callback(redis.stop)
        sandbox = stack.enter_context(SandboxServer(pace_seconds=pace_seconds))
        database = postgresql.create("cluster")
        variables = {
            **{k: v for k, v in os.environ.items() if not k.startswith("GROUNDWIRE_")},
            "GROUNDWIRE_HOME": str(folder),
            "GROUNDWIRE_STORE__URL": database,
            "GROUNDWIRE_REDIS__URL": redis.url,
            "GROUNDWIRE_CHECKS__PAGES": "off",
            "GROUNDWIRE_PROVIDERS__ANTHROPIC__BASE_URL": sandbox.base_url("anthropic", fault=fault),
            "GROUNDWIRE_PROVIDERS__OPENAI__BASE_URL": sandbox.base_url("openai", fault=HANGING),
            "ANTHROPIC_API_KEY": "any-key",
            "OPENAI_API_KEY": "any-key",
            **(more or {}),
        }
        names = [f"s{number}" for number in range(1, count + 1)]
        servers = [Server(name, free_port(), folder, variables, options, command) for name in names]
        for each in servers:
            each.start()
            stack.callback(end, each)
        for each in servers:
            each.wait_ready()
        url = stack.enter_context(_haproxy(folder, servers))
        token = _token(servers[0])
        yield Cluster(url, token, servers, sandbox, postgresql, redis, database, folder)


def _token(server: Server) -> str:
    """Return a token: what comes through a balancer is not the owner of the machine."""
    body = json.dumps({"name": "chats", "role": "admin"}).encode()
    headers = {"content-type": "application/json"}
    request = urllib.request.Request(f"{server.url}/api/tokens", body, headers)
    with urllib.request.urlopen(request, timeout=30) as reply:
        return str(json.load(reply)["token"])


def end(server: Server) -> None:
    """Kill a server that runs."""
    if server.process is not None and server.process.poll() is None:
        server.kill()


@contextmanager
def _haproxy(folder: Path, servers: list[Server]) -> Iterator[str]:
    port = free_port()
    lines = [_CHOICE.format(name=each.name, chosen=CHOSEN) for each in servers]
    lines += [_SERVER.format(name=each.name, port=each.port) for each in servers]
    file = folder / "haproxy.cfg"
    text = _CONFIGURATION.format(port=port, served_by=SERVED_BY, servers="".join(lines))
    file.write_text(text)
    assert _HAPROXY is not None
    process = subprocess.Popen([_HAPROXY, "-db", "-f", str(file)], stderr=subprocess.DEVNULL)
    try:
        wait_until_listening(port, process)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait()
