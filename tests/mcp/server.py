"""The MCP server in a process of its own, with the sandbox as its providers."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from groundwire.sandbox import SandboxServer
from mcp import StdioServerParameters
from tests.forked import groundwire, of_its_own

ROOT = Path(__file__).parents[2]
ASKED = "How dense is the fur of sea otters?"
COMMAND = tuple(of_its_own("mcp"))
"""For clients that start it as they please."""
KEY = "canary_Xq7v-2Lw9.Zr4"
_KEYS = {
    "gemini": "GEMINI_API_KEY",
    "openrouter": "OPENROUTER_API_KEY",
    "anthropic": "ANTHROPIC_API_KEY",
    "openai-responses": "OPENAI_API_KEY",
}


def variables(sandbox: SandboxServer) -> dict[str, str]:
    """Return what makes the server ask the sandbox."""
    addresses = {name: sandbox.base_url(name) for name in _KEYS}
    return {**variables_for(addresses), **dict.fromkeys(_KEYS.values(), KEY)}


def variables_for(addresses: dict[str, str]) -> dict[str, str]:
    """Return what makes the server ask these addresses and know nothing of this machine."""
    return {
        "GROUNDWIRE_HOME": "/nonexistent",
        "PYTHON_KEYRING_BACKEND": "keyring.backends.fail.Keyring",
        "GEMINI_API_KEY": KEY,
        **{
            f"GROUNDWIRE_PROVIDERS__{name.upper()}__BASE_URL": address
            for name, address in addresses.items()
        },
    }


def environment(more: dict[str, str]) -> dict[str, str]:
    """Return the whole environment of a process."""
    return {"PATH": os.environ["PATH"], "HOME": "/nonexistent", **more}


def over_stdio(environment: dict[str, str], *options: str) -> StdioServerParameters:
    """Return what a client starts as its server."""
    program, *words = groundwire("mcp", *options)
    return StdioServerParameters(command=program, args=words, env=environment, cwd="/")


@contextmanager
def served(more: dict[str, str], options: Sequence[str] = ()) -> Iterator[str]:
    """Serve over HTTP at a free port, and give the URL."""
    with started(groundwire("mcp", "--http", "--port", "0", *options), more) as url:
        yield url


@contextmanager
def started(command: Sequence[str], more: dict[str, str]) -> Iterator[str]:
    """Start a server that says its URL, and give that."""
    with subprocess.Popen(
        command,
        env=environment(more),
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        try:
            assert process.stdout is not None
            announced = next(line for line in process.stdout if "://" in line)
            yield next(word for word in announced.split() if "://" in word)
        finally:
            process.terminate()
