"""`groundwire serve` as a process, over the sandbox, and what the clients ask it."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from groundwire.sandbox import SandboxServer
from tests.gateway.clients.asked import Serving, settings_text
from tests.mcp.serving import KEY, started

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
        command = [sys.executable, "-m", "groundwire", "serve", "--port", "0"]
        with started(command, variables) as url:
            host, _, port = url.removeprefix("http://").rstrip("/").partition(":")
            yield Serving(sandbox=box, address=(host, int(port)), folder=folder)
