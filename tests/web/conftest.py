"""A server over the sandbox, with nobody's settings and keys but its own, and one browser for all.

Tests that use the browser run in the session's loop:
`pytestmark = pytest.mark.asyncio(loop_scope="session")`.
"""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Browser, async_playwright, expect

from groundwire.testing import SandboxServer, sandbox
from tests.patience import PATIENCE
from tests.web.server import Web

__all__ = ["sandbox", "web"]

# The same engine without the window that nobody sees: it loads a page for half the CPU.
PROGRAMS = ("chromium-headless-shell", "chromium", "chromium-browser")
FLAGS = (
    "--no-sandbox",  # Tests may run as root, where Chromium has none.
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)


def program() -> str:
    """Return where the browser is."""
    path = next(filter(None, map(shutil.which, PROGRAMS)), None)
    if path is None:
        pytest.skip("needs chromium: apt install chromium")
    return path


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def browser() -> AsyncIterator[Browser]:
    """Debian's Chromium, without a window."""
    path = program()
    async with async_playwright() as playwright:
        # A state that must come is waited for, however busy the machine is.
        expect.set_options(timeout=PATIENCE * 1000)
        started = await playwright.chromium.launch(executable_path=path, args=list(FLAGS))
        started.on("context", lambda context: context.set_default_timeout(PATIENCE * 1000))
        yield started
        await started.close()


@pytest.fixture(autouse=True)
def own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep the settings that a test writes away from anybody's own."""
    monkeypatch.setenv("GROUNDWIRE_HOME", str(tmp_path))
    monkeypatch.delenv("GROUNDWIRE_CONFIG", raising=False)


@pytest.fixture
def web(sandbox: SandboxServer, tmp_path: Path) -> Iterator[Web]:
    """Return a server on this machine, without users."""
    with Web(sandbox, tmp_path) as web:
        yield web
