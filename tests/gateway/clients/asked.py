"""What clients are asked to do, how they are run, and what they got."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

import pytest

from groundwire.model import Json
from groundwire.sandbox import SandboxServer
from tests.gateway.clients.tap import Exchange, Sent, Tap
from tests.mcp import peers

DRIVERS = Path(__file__).parent / "drivers"
QUESTION = "How do sea otters sleep?"
MIXED = "Call get_weather and web_search, both, in Paris"
HOSTED = "anthropic/claude-sonnet-5-5"
"""A model whose provider searches."""
OURS = "openai/gpt-5.5"
"""A model that cannot search in Chat Completions, so that Groundwire does."""
REFUSING = "gemini/gemini-3.8-flash"
"""A model whose provider refuses every request."""
BREAKING = "openrouter/openai/gpt-5.5"
"""A model whose provider fails after some words."""
_FAULTS = {"gemini": "unauthorized", "openrouter": "overloaded_after_text;after=6"}


def settings_text(sandbox: SandboxServer) -> str:
    """Return settings under which every provider is the sandbox, two of them with a fault."""
    names = ("anthropic", "openai-responses", "openai", "gemini", "openrouter", "searxng", "jina")
    lines = ['search_provider = "searxng"', 'read_provider = "jina"', "[network]", "retries = 0"]
    for name in names:
        url = sandbox.base_url(name, fault=_FAULTS.get(name, ""))
        lines += [f"[providers.{name}]", f'base_url = "{url}"']
    return "\n".join(lines)


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """One question to a client. `way` is how the client is used, such as streamed or not.

    `searches` has the client declare the hosted tool, `tool` gives it one of its own besides.
    """

    name: str
    model: str
    question: str = QUESTION
    searches: bool = True
    tool: bool = False
    dialect: str = ""
    way: str = ""
    url: str = ""
    key: str = ""


TASKS = (
    Task(name="hosted", model=HOSTED),
    Task(name="ours", model=OURS),
    Task(name="unasked", model=f"{OURS}:search", searches=False),
    Task(name="mixed", model=OURS, question=MIXED, tool=True),
    Task(name="refused", model=REFUSING, searches=False),
    Task(name="broken", model=BREAKING, searches=False),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Got:
    """What a client got, as its driver printed it, and the exchanges that this took."""

    text: str
    citations: Sequence[Json]
    searches: int
    usage: Json
    calls: Sequence[str]
    error: str
    exchanges: Sequence[Exchange]
    more: Json = field(default_factory=dict)

    @property
    def sent(self) -> list[Sent]:
        """Return the citations that the gateway sent."""
        return [one for each in self.exchanges for one in each.citations]


@dataclass(frozen=True, slots=True, kw_only=True)
class Serving:
    """A server at a host and a port, and a token for it."""

    sandbox: SandboxServer
    address: tuple[str, int]
    token: str = field(repr=False)
    folder: Path
    _ran: dict[str, dict[str, Got]] = field(default_factory=dict)

    def ran(self, client: Client) -> dict[str, Got]:
        """Return what a client got for each task; it is run once."""
        if client.id not in self._ran:
            self._ran[client.id] = self._run(client)
        return self._ran[client.id]

    def _run(self, client: Client) -> dict[str, Got]:
        command, home = client.command(), self.folder / client.id
        home.mkdir()
        with ExitStack() as stack:
            # A tap for each, so that it is known whose bytes are whose.
            taps = [stack.enter_context(Tap(self.address)) for _ in TASKS]
            given = [
                asdict(replace(client.given(task), url=tap.url, key=self.token))
                for task, tap in zip(TASKS, taps, strict=True)
            ]
            done = peers.run(
                [*command, json.dumps(given)],
                home=home,
                more={"PEER_FOLDER": str(peers.PEERS / client.folder)},
            )
        assert done.returncode == 0, done.stdout + done.stderr
        printed = json.loads(done.stdout.rstrip().splitlines()[-1])
        return {
            task.name: _got(each, tap.exchanges)
            for task, each, tap in zip(TASKS, printed, taps, strict=True)
        }


def _got(printed: Json, exchanges: Sequence[Exchange]) -> Got:
    names = {"text", "citations", "searches", "usage", "calls", "error"}
    more = {name: value for name, value in printed.items() if name not in names}
    known = {name: printed[name] for name in names}
    return Got(**known, more=more, exchanges=exchanges)


@dataclass(frozen=True, slots=True, kw_only=True)
class Client:
    """A client in one of the ways to use it. `shows` are the fields of a citation that it has."""

    folder: str
    driver: str
    dialect: str
    way: str
    shows: frozenset[str] = frozenset()
    declares: bool = True
    counts_searches: bool = False

    @property
    def id(self) -> str:
        """Return the name of its tests."""
        return "-".join(part for part in (self.folder, self.dialect, self.way) if part)

    def given(self, task: Task) -> Task:
        """Return a task as this client can do it: who cannot ask for a search names `:search`."""
        told = replace(task, dialect=self.dialect, way=self.way)
        if self.declares or not task.searches:
            return told
        return replace(told, searches=False, model=f"{task.model}:search")

    def command(self) -> list[str]:
        """Return what runs its driver; skip the test where it is not installed."""
        if self.driver.endswith(".mjs"):
            folder = peers.PEERS / self.folder / "node_modules"
            if not folder.exists():
                pytest.skip(f"{self.folder} is not installed: run tools/install-gateway-clients")
            return [peers.program("node", "node"), str(DRIVERS / self.driver)]
        return [peers.program(self.folder, "python"), str(DRIVERS / self.driver)]
