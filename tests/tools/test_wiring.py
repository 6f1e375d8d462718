"""Whose key and which model a tool uses: OpenCode's files, the environment, our settings."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from groundwire import service
from groundwire.client import Client
from groundwire.config.keys import Keys
from groundwire.config.settings import ProviderTable, Settings
from groundwire.model import Json
from tests import loopback
from tests.fences import open_fences

REPLY: Json = {"candidates": [{"content": {"parts": [{"text": "Yes."}]}, "finishReason": "STOP"}]}
NEVER = 4_000_000_000_000
BACKENDS = {
    "gemini": "MISSING_GEMINI_API_KEY",
    "openai_oauth": "MISSING_OPENAI_OAUTH_SESSION",
    "openrouter": "MISSING_OPENROUTER_API_KEY",
    "anthropic": "MISSING_ANTHROPIC_API_KEY",
    "openai-responses": "MISSING_OPENAI_API_KEY",
}


@dataclass(kw_only=True)
class Machine:
    """A machine with nothing on it but what a test puts there, and a service that says yes."""

    server: loopback.Loopback
    folder: Path
    heard: list[str] = field(default_factory=list)

    async def run(self, tool: str = "websearch_gemini", *, model: str = "", **more: str) -> Json:
        """Return the result of one call."""
        chosen = ProviderTable(base_url=self.server.url, model=model or None)
        settings = Settings(providers=dict.fromkeys(("gemini", "codex"), chosen))
        keys = Keys()
        async with (
            Client(settings.network) as client,
            service.search_context(settings, keys, client) as search_context,
        ):
            tools = {each.name: each for each in service.tools(keys, search_context)}
            return json.loads(await tools[tool].execute({"query": "x", **more}, self.hear))

    async def hear(self, message: str) -> None:
        """Take progress."""
        self.heard.append(message)

    @property
    def key(self) -> str:
        """Return the key that the service was given."""
        return self.server.requests[0].headers["x-goog-api-key"]

    @property
    def model(self) -> str:
        """Return the model that the service was asked for."""
        return self.server.requests[0].line.partition("/models/")[2].partition(":")[0]


@pytest.fixture
async def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Machine]:
    variables = ("GEMINI", "OPENROUTER", "ANTHROPIC", "OPENAI")
    for name in (*(f"{each}_API_KEY" for each in variables), "OPENCODE_AUTH_CONTENT"):
        monkeypatch.delenv(name, raising=False)
    for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "OPENCODE_CONFIG", "OPENCODE_CONFIG_CONTENT"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("GROUNDWIRE_HOME", str(tmp_path / "groundwire"))
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.fail.Keyring")
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    async with loopback.serve(loopback.reply(json.dumps(REPLY).encode())) as server:
        yield Machine(server=server, folder=work)


def keep(records: Json) -> None:
    """Put records where OpenCode keeps them."""
    path = Path.home() / ".local/share/opencode/auth.json"
    path.parent.mkdir(parents=True)
    path.write_text(records if isinstance(records, str) else json.dumps(records))


async def test_the_key_of_opencode_comes_first(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    keep({"google": {"type": "api", "key": "of-opencode"}})
    monkeypatch.setenv("GEMINI_API_KEY", "of-the-environment")

    await machine.run()

    assert machine.key == "of-opencode"


async def test_the_key_of_the_environment_comes_next(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    keep({"google": {"type": "oauth", "access": "x"}})
    monkeypatch.setenv("GEMINI_API_KEY", "of-the-environment")

    await machine.run()

    assert machine.key == "of-the-environment"


@pytest.mark.parametrize("backend", [*BACKENDS])
async def test_without_a_key_nobody_is_asked(machine: Machine, backend: str) -> None:
    result = await machine.run("websearch", provider=backend)

    assert result["error"]["type"] == BACKENDS[backend]
    assert machine.server.requests == []


async def test_a_session_whose_time_is_over_counts_as_none(machine: Machine) -> None:
    keep({"openai": {"type": "oauth", "access": "a", "refresh": "r", "expires": 1}})

    result = await machine.run("websearch_openai_oauth")

    assert result["error"]["type"] == "MISSING_OPENAI_OAUTH_SESSION"
    assert "expired" in result["error"]["message"]


async def test_a_session_is_looked_for_at_every_call(machine: Machine) -> None:
    before = await machine.run("websearch_openai_oauth")
    keep({"openai": {"type": "oauth", "access": "token", "refresh": "r", "expires": NEVER}})

    await machine.run("websearch_openai_oauth")

    assert before["error"]["type"] == "MISSING_OPENAI_OAUTH_SESSION"
    assert machine.server.requests[0].headers["authorization"] == "Bearer token"


async def test_credentials_that_cannot_be_read_are_named_where_a_key_is_missing(
    machine: Machine,
) -> None:
    keep("{oops")

    result = await machine.run()

    assert result["error"]["type"] == "MISSING_GEMINI_API_KEY"
    assert "auth.json: is not a JSON object" in result["error"]["message"]


async def test_the_model_is_opencodes_then_of_the_settings_then_ours(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GEMINI_API_KEY", "of-the-environment")
    chosen = {"provider": {"google": {"options": {"websearch": {"model": "google/opencodes"}}}}}
    (machine.folder / "opencode.json").write_text(json.dumps(chosen))

    await machine.run(model="settings")
    (machine.folder / "opencode.json").unlink()
    await machine.run(model="settings")
    await machine.run()

    lines = [request.line for request in machine.server.requests]
    assert [line.partition("/models/")[2].partition(":")[0] for line in lines] == [
        "opencodes",
        "settings",
        "gemini-3.8-flash",
    ]


async def test_the_prefix_of_a_codex_model_is_not_sent(machine: Machine) -> None:
    keep({"openai": {"type": "oauth", "access": "token", "refresh": "r", "expires": NEVER}})
    chosen = {"provider": {"openai": {"options": {"websearch": {"model": "openai/gpt-6"}}}}}
    (machine.folder / "opencode.jsonc").write_text(f"// ours\n{json.dumps(chosen)}")

    await machine.run("websearch_openai_oauth")

    assert json.loads(machine.server.requests[0].body)["model"] == "gpt-6"


async def test_a_malformed_file_is_told_and_the_search_goes_on(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GEMINI_API_KEY", "of-the-environment")
    broken = machine.folder / "opencode.json"
    broken.write_text('{\n  "provider": oops')

    result = await machine.run()

    assert open_fences(result["llmContent"]) == 'Web search results for "x":\n\nYes.'
    assert machine.heard[0] == (
        f"{broken}: is not valid JSONC: Expecting value (at line 2, column 15)"
    )


async def test_a_model_that_was_shut_down_is_told(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GEMINI_API_KEY", "of-the-environment")

    await machine.run(model="gemini-2.5-flash")

    assert machine.model == "gemini-2.5-flash"
    assert "shut down" in machine.heard[0]
