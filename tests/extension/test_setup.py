"""A key is asked for, tried with a live call, and kept only if it works."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import keyring
import pytest

from groundwire.client import Client
from groundwire.config.keys import Keys, KeySource
from groundwire.config.settings import Settings
from groundwire.errors import ConfigError
from groundwire.extension import KeySetup, ProviderSetup, SetupProvider
from groundwire.sandbox import SandboxServer
from groundwire.testing import sandbox
from tests.config.keys.keyrings import NoKeyring

__all__ = ["sandbox"]

GOOD = "canary_Xq7v-2Lw9.Zr4"
BAD = "bad-key"


@pytest.fixture(autouse=True)
def _no_keyring() -> None:
    keyring.set_keyring(NoKeyring())


@asynccontextmanager
async def setting_up(sandbox: SandboxServer, home: Path) -> AsyncIterator[ProviderSetup]:
    providers = {"tavily": {"base_url": sandbox.base_url("tavily")}}
    settings = Settings.model_validate({"network": {"retries": 0}, "providers": providers})
    keys = Keys(environment={}, dotenv=home / ".env", file=home / "keys.json")
    async with Client(settings.network) as client:
        yield ProviderSetup(settings, keys, client)


def kept(home: Path) -> dict[str, str]:
    path = home / "keys.json"
    found: dict[str, str] = json.loads(path.read_text()) if path.exists() else {}
    return found


async def test_a_key_that_works_is_kept(sandbox: SandboxServer, tmp_path: Path) -> None:
    questions: list[str] = []

    async def ask(question: str) -> str:
        questions.append(question)
        return f" {GOOD}\n"

    async with setting_up(sandbox, tmp_path) as setup:
        result = await setup.set_up("tavily", ask)

    assert isinstance(setup, SetupProvider)
    assert questions == ["Key for Tavily (TAVILY_API_KEY)"]
    assert (result.diagnosis and result.diagnosis.works, result.saved) == (True, KeySource.FILE)
    assert kept(tmp_path) == {"TAVILY_API_KEY": GOOD}
    assert GOOD not in repr(result)


async def test_a_key_that_does_not_work_is_not_kept(sandbox: SandboxServer, tmp_path: Path) -> None:
    async with setting_up(sandbox, tmp_path) as setup:
        result = await setup.set_up("tavily", lambda _: BAD)

    assert result.diagnosis is not None
    assert (result.diagnosis.code, result.saved) == ("auth", None)
    assert kept(tmp_path) == {}


@pytest.mark.parametrize("how", [{"keep_anyway": True}, {"test": False}])
async def test_it_is_kept_if_its_owner_says_so(
    sandbox: SandboxServer, tmp_path: Path, how: dict[str, bool]
) -> None:
    async with setting_up(sandbox, tmp_path) as setup:
        result = await setup.set_up("tavily", lambda _: BAD, **how)

    assert result.saved is KeySource.FILE
    assert kept(tmp_path) == {"TAVILY_API_KEY": BAD}


async def test_no_answer_changes_nothing(sandbox: SandboxServer, tmp_path: Path) -> None:
    async with setting_up(sandbox, tmp_path) as setup:
        result = await setup.set_up("tavily", lambda _: "")

    assert result == KeySetup(provider="tavily", variable="TAVILY_API_KEY")
    assert sandbox.requests == []


async def test_who_takes_no_key_is_told(sandbox: SandboxServer, tmp_path: Path) -> None:
    async with setting_up(sandbox, tmp_path) as setup:
        with pytest.raises(ConfigError, match="'searxng' needs no key"):
            await setup.set_up("searxng", lambda _: GOOD)


async def test_providers_say_who_needs_a_key(sandbox: SandboxServer, tmp_path: Path) -> None:
    async with setting_up(sandbox, tmp_path) as setup:
        needs = {each.name: (each.key, each.key_source) for each in setup.providers()}

    assert needs["tavily"] == ("optional", "")
    assert needs["exa"] == ("required", "")
    assert needs["searxng"] == ("none", "")
    assert needs["codex"] == ("session", "")
