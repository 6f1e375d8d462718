"""One browser for all tests of the web app.

Tests that use it run in the session's loop:
`pytestmark = pytest.mark.asyncio(loop_scope="session")`.
"""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from playwright.async_api import Browser, async_playwright

_FLAGS = (
    "--no-sandbox",  # Tests may run as root, where Chromium has none.
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def browser() -> AsyncIterator[Browser]:
    """Debian's Chromium, without a window."""
    path = shutil.which("chromium") or shutil.which("chromium-browser")
    if path is None:
        pytest.skip("needs chromium: apt install chromium")
    async with async_playwright() as playwright:
        started = await playwright.chromium.launch(executable_path=path, args=list(_FLAGS))
        yield started
        await started.close()
