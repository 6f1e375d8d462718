"""`groundwire serve` as a process, over the sandbox, and what the clients ask it."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest

from groundwire.sandbox import SandboxServer
from tests.forked import groundwire
from tests.gateway.clients.asked import Serving, settings_text
from tests.mcp.server import KEY, started
from tests.patience import PATIENCE
from tests.web.server import PASSWORD

_KEYS = ("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY", "OPENROUTER_API_KEY")


@pytest.fixture(scope="session")
def serving() -> Iterator[Serving]:
    """Return one server for all clients."""
    with tempfile.TemporaryDirectory(prefix="groundwire-clients-") as name, SandboxServer() as box:
        folder = Path(name)
        (folder / "config.toml").write_text(settings_text(box), encoding="utf-8")
        variables = {
            **dict.fromkeys(_KEYS, KEY),
            "PYTHON_KEYRING_BACKEND": "keyring.backends.fail.Keyring",
            "GROUNDWIRE_HOME": str(folder),
            "GROUNDWIRE_CONFIG": str(folder / "config.toml"),
        }
        command = groundwire("serve", "--port", "0", "--setup")
        with started(command, variables) as link:
            url, _, setup = link.partition("/setup?token=")
            host, _, port = url.removeprefix("http://").partition(":")
            yield Serving(
                sandbox=box, address=(host, int(port)), token=new_token(url, setup), folder=folder
            )


def new_token(url: str, setup: str) -> str:
    """Make the owner and return a token of theirs, as a client is given it."""
    with httpx2.Client(base_url=url, timeout=PATIENCE) as owner:
        body = {"token": setup, "name": "olga", "password": PASSWORD}
        assert owner.post("/api/setup", json=body).status_code == 204
        made = owner.post("/api/tokens", json={"name": "clients", "workspace_id": "personal"})
        return str(made.json()["token"])
