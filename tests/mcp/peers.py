"""Other people's programs, as tools/install-mcp-peers puts them there."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

PEERS = Path(os.environ.get("MCP_PEERS") or Path(__file__).parents[2] / ".peers")
MAX_SECONDS = 240


def program(folder: str, name: str) -> str:
    """Return a program of a peer; skip the test where it is not installed."""
    for place in ("bin", "node_modules/.bin"):
        found = PEERS / folder / place / name
        if found.exists():
            return str(found)
    pytest.skip(f"{name} is not installed: run tools/install-mcp-peers")


def run(
    command: Sequence[str], *, home: Path, more: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a program that knows nothing of this machine and finds Node first."""
    path = f"{PEERS / 'node' / 'bin'}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        command,
        cwd=home,
        env={"PATH": path, "HOME": str(home), "NO_COLOR": "1", **(more or {})},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=MAX_SECONDS,
        check=False,
    )
