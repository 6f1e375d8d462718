"""The web app on a real socket over the sandbox, and how to speak to it."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPResponse
from pathlib import Path
from typing import Self

import httpx2
from argon2 import PasswordHasher

from groundwire import Settings
from groundwire.cli.app import create_app
from groundwire.model import Json, Secret
from groundwire.sandbox import SandboxServer
from groundwire.service.program import Groundwire
from groundwire.web import Options, passwords
from groundwire.web.server import server_of
from tests.chat.program import OTTERS, keys, settings
from tests.patience import PATIENCE, wait_until_started
from tests.prepared import prepare

SETUP_TOKEN = "a-token-for-setup"
PASSWORD = "correct horse battery"
# The least cost: at the real one, which tests/web/test_passwords.py holds, a sign-in takes a fifth
# of a second.
passwords._HASHER = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
HANGING = {"anthropic": "silence;after=3"}
"""A provider that says a little and then nothing more, for as long as it is let."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One event of a stream."""

    id: int
    type: str
    data: Json


def at(settings: Settings, addresses: Mapping[str, str]) -> Settings:
    """Return settings in which some services are elsewhere than in the sandbox."""
    moved = {
        name: settings.providers[name].model_copy(update={"base_url": url})
        for name, url in addresses.items()
    }
    return settings.model_copy(update={"providers": {**settings.providers, **moved}})


class Web:
    """A server in a thread of its own; `client` asks it as the browser of its owner would."""

    def __init__(
        self,
        sandbox: SandboxServer,
        folder: Path,
        *,
        faults: Mapping[str, str] | None = None,
        options: Options | None = None,
        database: str = "",
        addresses: Mapping[str, str] | None = None,
        **tables: Json,
    ) -> None:
        self.sandbox = sandbox
        self.folder = folder
        self.database = database or str(folder / "web.sqlite3")
        if not database:
            prepare(Path(self.database), by_program=True)
        self.program = Groundwire(
            settings=settings(sandbox, faults, **tables), keys=keys(folder), database=self.database
        )
        self.program.settings = at(self.program.settings, addresses or {})
        self.app = create_app(self.program, options, opens=True)
        self._server = server_of(self.app, grace_seconds=2)
        self._listener = socket.create_server(("127.0.0.1", 0))
        # A small one, so that a reader who takes nothing is soon noticed.
        self._listener.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
        self._thread = threading.Thread(
            target=self._server.run, args=([self._listener],), name="web"
        )
        self.url = ""
        self._clients: list[httpx2.Client] = []

    def __enter__(self) -> Self:
        self._thread.start()
        wait_until_started(self._server, self._thread)
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        self.client = self.new_client()
        return self

    def __exit__(self, *_: object) -> None:
        for client in self._clients:
            client.close()
        self.stop()

    @contextmanager
    def held(self) -> Iterator[None]:
        """Let nothing of the server run: what is sent meanwhile is there when it goes on."""
        is_held, goes_on = threading.Event(), threading.Event()

        def hold() -> None:
            is_held.set()
            goes_on.wait()

        self._server.servers[0].get_loop().call_soon_threadsafe(hold)
        is_held.wait()
        try:
            yield
        finally:
            goes_on.set()

    def stop(self) -> None:
        """Do what a signal does."""
        self._server.should_exit = True
        self._thread.join()

    def new_client(self, **options: Json) -> httpx2.Client:
        """Return another browser."""
        self._clients.append(httpx2.Client(base_url=self.url, timeout=PATIENCE, **options))
        return self._clients[-1]

    def ask(
        self, text: str = OTTERS, client: httpx2.Client | None = None, **body: Json
    ) -> list[Event]:
        """Send a message and return all events of its answer."""
        with self.asking(text, client, **body) as events:
            return list(events)

    @contextmanager
    def asking(
        self, text: str = OTTERS, client: httpx2.Client | None = None, **body: Json
    ) -> Iterator[Iterator[Event]]:
        """Send a message and give its events as they come."""
        agent = body.pop("agent", "assistant")
        sent = {"text": text, "provider_id": "anthropic", **body}
        with (client or self.client).stream(
            "POST", f"/api/agents/{agent}/message", json=sent
        ) as reply:
            assert reply.status_code == 200, reply.read()
            yield events_of(reply)

    def events(self, message_id: str, after: int = 0) -> list[Event]:
        """Return the events of a turn after one of them."""
        with self.client.stream(
            "GET", f"/api/messages/{message_id}/events", params={"after": after}
        ) as reply:
            return list(events_of(reply)) if reply.status_code == 200 else []

    def get(self, path: str, **options: Json) -> Json:
        """Return what a route answers."""
        reply = self.client.get(path, **options)
        assert reply.status_code == 200, reply.text
        return reply.json()


def events_of(reply: httpx2.Response) -> Iterator[Event]:
    """Read an event stream; what is not our form of it fails."""
    fields: dict[str, str] = {}
    for line in reply.iter_lines():
        if line.startswith(":"):
            continue
        if line:
            name, _, value = line.partition(": ")
            fields[name] = value
        elif fields:
            assert list(fields) == ["id", "event", "data"]
            yield Event(id=int(fields["id"]), type=fields["event"], data=json.loads(fields["data"]))
            fields = {}


def until(events: Iterator[Event], kind: str) -> list[Event]:
    """Return the events up to the first of a kind."""
    found = []
    for event in events:
        found.append(event)
        if event.type == kind:
            return found
    raise AssertionError(f"no {kind} came: {[event.type for event in found]}")


def text_of(events: list[Event]) -> str:
    """Return the text as it was shown."""
    return "".join(event.data["text"] for event in events if event.type == "text")


def raw_request(web: Web, head: str, body: bytes = b"", source: str = "") -> tuple[int, str]:
    """Send these very bytes over a connection of their own; return status and text of the reply."""
    address = httpx2.URL(web.url)
    place = (source, 0) if source else None
    with socket.create_connection(
        (address.host, address.port or 80), timeout=PATIENCE, source_address=place
    ) as connection:
        connection.sendall(head.encode("latin-1") + body)
        reply = HTTPResponse(connection)
        reply.begin()
        return reply.status, reply.read().decode()


def with_users(sandbox: SandboxServer, folder: Path, *proxies: str) -> Web:
    """Return a server, not yet started, that wants its first user to be made."""
    options = Options(setup_token=Secret(SETUP_TOKEN), trusted_proxies=proxies)
    return Web(sandbox, folder, options=options)


def set_up(web: Web) -> httpx2.Client:
    """Make the owner and return their browser."""
    client = web.new_client()
    body = {"token": SETUP_TOKEN, "name": "olga", "password": PASSWORD}
    reply = client.post("/api/setup", json=body)
    assert reply.status_code == 204, reply.text
    return client


def signed_in(web: Web, name: str) -> httpx2.Client:
    """Return the browser of somebody who signs in."""
    client = web.new_client()
    reply = client.post("/api/login", json={"name": name, "password": PASSWORD})
    assert reply.status_code == 204, reply.text
    return client
