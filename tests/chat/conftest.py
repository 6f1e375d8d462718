"""A sandbox and a program that talks to it, with a database of its own."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from groundwire.testing import SandboxServer, sandbox
from tests.chat.program import Talk, opened
from tests.store.conftest import empty_url

__all__ = ["empty_url", "sandbox", "talk"]


@pytest.fixture
async def talk(sandbox: SandboxServer, tmp_path: Path) -> AsyncIterator[Talk]:
    """Return a program over the sandbox."""
    async with opened(sandbox, str(tmp_path / "talk.sqlite3")) as talk:
        yield talk
