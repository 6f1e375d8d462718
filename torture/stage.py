"""Where a case plays: providers, a database, servers, and the last look around."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote

from groundwire import registry
from groundwire.model import Json
from groundwire.sandbox import SandboxServer
from groundwire.sandbox.journal import Entry
from torture import checks
from torture.client import CANARY, Asker, Told
from torture.report import Tally, expect
from torture.server import Served, Wish, is_alive, until

MODELS = {
    "anthropic": "claude-sonnet-5-5",
    "openai": "gpt-5-search-api",
    "openai-responses": "gpt-5.5",
    "gemini": "gemini-3.8-flash",
    "openrouter": "openai/gpt-5.5",
    "codex": "gpt-5.5",
}
"""Every provider of models that is reached over the network, and a model of it that searches."""

SERVICES = ("searxng", "tavily", "brave", "exa", "perplexity", "jina", "duckduckgo")
AT_ONCE = 12
_SETTLING_SECONDS = 15.0
_ROUTES = (
    "/",
    "/api/me",
    "/api/health",
    "/api/ready",
    "/api/openapi.json",
    "/api/providers",
    "/api/provider-types",
    "/api/web",
    "/api/audit",
    "/api/usage",
    "/api/agents",
    "/api/tools",
)


class Providers:
    """A sandbox at one address that can be gone and come back."""

    def __init__(self, **options: Json) -> None:
        self._options = options
        self.server = SandboxServer(**options)
        self.is_here = False
        self.back()

    def gone(self) -> None:
        """Be gone: every connection ends."""
        if self.is_here:
            self.server.__exit__(None, None, None)
            self.is_here = False

    def back(self, **changes: Json) -> None:
        """Be there again, where it was, perhaps with other options."""
        port = int(self.server.root.rpartition(":")[2] or 0)
        self.server = SandboxServer(port=port, **{**self._options, **changes})
        self.server.__enter__()
        self.is_here = True

    @property
    def port(self) -> int:
        """Return where it listens."""
        return int(self.server.root.rpartition(":")[2])

    def url(self, name: str, fault: str = "") -> str:
        """Return a provider's base URL."""
        return self.server.base_url(name, fault=fault)

    def calls(self, fault: str) -> list[Entry]:
        """Return the calls that got a fault."""
        beginning = f"/fault/{fault}/"
        return [each for each in self.server.requests if each.path.startswith(beginning)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Scale:
    """How much is done; the full run's figures are the defaults."""

    kills: int = 20
    streams: int = 1_000
    chats: int = 2_000
    cluster_chats: int = 500
    times: int = 3
    is_quick: bool = False


@dataclass(slots=True, kw_only=True)
class Stage:
    """What one case has; `turns` are all that were begun on its database."""

    tally: Tally
    folder: Path
    scale: Scale
    postgresql: Callable[[], Json]
    providers: Providers = field(default_factory=Providers)
    turns: list[Told] = field(default_factory=list)
    database: str = ""
    other_ports: list[int] = field(default_factory=list)
    pooled: int = 0
    dump: Callable[[], bytes] = bytes

    @contextmanager
    def paced(self, seconds: float) -> Iterator[None]:
        """Have the providers take their time."""
        self.providers.gone()
        self.providers.back(pace_seconds=seconds)
        try:
            yield
        finally:
            self.providers.gone()
            self.providers.back()

    async def use_postgresql(self) -> Json:
        """Keep everything in a new database of a real server, and return the server.

        Raises:
            SkippedError: It is not installed.
        """
        server = await asyncio.to_thread(self.postgresql)
        name = f"torture_{self.tally.name.replace('-', '_')}"
        self.database = await asyncio.to_thread(server.create, name)
        self.other_ports.append(server.port)
        self.dump = lambda: _dumped(server.port, name)
        return server

    def environment(self, **settings: Json) -> dict[str, str]:
        """Return the variables of a server: all services are the sandbox's, all keys the canary.

        A setting of None is left to the server's file.
        """
        inherited = {k: v for k, v in os.environ.items() if not k.startswith("GROUNDWIRE_")}
        keys = [registry.get(name).key_variable for name in registry.names()]
        bases = {
            f"GROUNDWIRE_PROVIDERS__{name.upper()}__BASE_URL": self.providers.url(name)
            for name in (*MODELS, *SERVICES)
        }
        chosen = {"search_provider": "searxng", "read_provider": "jina", **settings}
        return {
            **inherited,
            **{name: CANARY for name in keys if name},
            **bases,
            "GROUNDWIRE_HOME": str(self.folder),
            "HOME": str(self.folder),
            "XDG_DATA_HOME": str(self.folder),
            "TMPDIR": str(self.folder / "temporary"),
            "PYTHONPATH": str(Path(__file__).parent.parent),
            **{
                f"GROUNDWIRE_{name.upper()}": str(value)
                for name, value in chosen.items()
                if value is not None
            },
        }

    def server(self, wish: Wish | None = None, **settings: Json) -> Served:
        """Return a server that is not started."""
        return Served(
            self.folder,
            self.environment(**settings),
            wish or Wish(database=self.database),
        )

    @asynccontextmanager
    async def serve(
        self, wish: Wish | None = None, **settings: Json
    ) -> AsyncIterator[tuple[Served, Asker]]:
        """Run a server, and at its end look at all that it kept, said and left behind."""
        _furnish(self.folder)
        server = self.server(wish, **settings)
        asker: Asker | None = None
        try:
            await server.start()
            asker = Asker(server.url, self.turns)
            # What is made at the first turn and stays is nothing left behind.
            await asker.ask("Hello", search="off")
            usual = await server.tasks()
            yield server, asker
            if server.is_running:
                await self._look_around(server, asker, usual)
        finally:
            if asker is not None:
                await asker.close()
                self._add_leaks(asker.leaks)
            await server.kill()

    async def _look_around(self, server: Served, asker: Asker, usual: Counter[str]) -> None:
        await self.check_kept(asker)
        for path in _ROUTES:
            await asker.get(path)
        await asker.close()
        # A provider that ends ends the connections that were kept for the next question.
        self.providers.gone()
        await self._check_left(server, usual)
        children = server.children()
        code = await server.terminate()
        if code not in (0, -15):
            self.tally.problems.append(f"the server ended with {code}")
        left = [pid for pid in children if is_alive(pid)]
        self.tally.tasks += len(left)
        self.check_files(server)
        self.providers.back()

    async def check_kept(self, asker: Asker) -> None:
        """Compare what every session has with what was streamed, and check every marker."""
        lots = asyncio.Semaphore(AT_ONCE)

        async def check(session_id: str, told: list[Told]) -> None:
            async with lots:
                status, found = await asker.call("GET", f"/api/sessions/{session_id}")
            kept = found["messages"] if status == 200 else None
            for each in told:
                if problem := checks.lost(each, kept):
                    self.tally.lost += 1
                    self.tally.problems.append(problem)
            for message in kept or ():
                if message["kind"] == "AI_RESPONSE":
                    self._add_wrong(checks.wrong_markers(message))

        by_session: dict[str, list[Told]] = {id_: [] for id_ in await _all_sessions(asker)}
        for told in self.turns:
            if told.is_acknowledged:
                by_session.setdefault(told.started["session_id"], []).append(told)
            self._add_wrong(checks.wrong_events(told.events))
        await asyncio.gather(*(check(*each) for each in by_session.items()))
        if by_session:
            session_id = next(iter(by_session))
            await asker.call("GET", f"/api/sessions/{session_id}/export")

    async def _check_left(self, server: Served, usual: Counter[str]) -> None:
        await until(lambda: server.connections(self.other_ports) <= self.pooled, _SETTLING_SECONDS)
        left = await server.tasks() - usual
        for _ in range(100):
            if not left:
                break
            await asyncio.sleep(0.1)
            left = await server.tasks() - usual
        self.tally.tasks += left.total()
        if left:
            self.tally.problems.append(f"tasks are left: {dict(left)}")
        self.tally.connections += max(0, server.connections(self.other_ports) - self.pooled)

    def check_files(self, server: Served) -> None:
        """Look for keys in all that a server wrote, and for what it must not write or leave."""
        left = [each.name for each in (self.folder / "temporary").iterdir()]
        self.tally.problems += [f"the server left {name} behind" for name in left]
        self._add_leaks(checks.leaks_below(self.folder))
        self._add_leaks(checks.leaks_in("the database", self.dump()))
        self.tally.problems += checks.alarms_in(server.log())

    def _add_leaks(self, places: list[str]) -> None:
        self.tally.leaked += len(places)
        self.tally.problems += [f"a key is in {place}" for place in places]

    def _add_wrong(self, problems: list[str]) -> None:
        self.tally.wrong += len(problems)
        self.tally.problems += problems


async def _all_sessions(asker: Asker) -> list[str]:
    found: list[str] = []
    before = ""
    while True:
        page = await asker.get(f"/api/sessions?limit=200&before={before}")
        found += [each["id"] for each in page["sessions"]]
        if not page["next"]:
            return found
        before = quote(page["next"], safe="")


def _furnish(folder: Path) -> None:
    """Make room for what a server writes, and let Codex borrow a session: the canary too."""
    place = folder / "opencode" / "auth.json"
    place.parent.mkdir(exist_ok=True)
    (folder / "temporary").mkdir(exist_ok=True)
    record = {"type": "oauth", "access": CANARY, "refresh": CANARY, "expires": 4_102_444_800_000}
    place.write_text(json.dumps({"openai": {**record, "accountId": "account"}}))


def _dumped(port: int, name: str) -> bytes:
    command = ["pg_dump", "-h", "127.0.0.1", "-p", str(port), "-U", "postgres", name]
    done = subprocess.run(command, capture_output=True, check=False)
    expect(done.returncode == 0, f"pg_dump failed: {done.stderr.decode()}")
    return done.stdout
