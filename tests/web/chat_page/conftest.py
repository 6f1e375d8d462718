"""One server over the sandbox per module, and a fresh tab per test."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

import pytest
import pytest_asyncio
from playwright.async_api import Browser

from groundwire.sandbox import SandboxServer
from tests.web.chat_page.chat import ChatPage, add_providers, thinking
from tests.web.server import Web


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Web]:
    """Return a server with the sandbox's providers, whose models think."""
    with SandboxServer() as sandbox, thinking(Web(sandbox, tmp_path_factory.mktemp("web"))) as web:
        add_providers(web)
        yield web


@pytest.fixture(autouse=True)
def own_home(server: Web, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep the settings that a module's tests write in one place, its own."""
    monkeypatch.setenv("GROUNDWIRE_HOME", str(server.folder))
    monkeypatch.delenv("GROUNDWIRE_CONFIG", raising=False)


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def tab(browser: Browser, server: Web) -> AsyncIterator[ChatPage]:
    """Return a tab of a window as large as a desk has."""
    context = await browser.new_context(
        permissions=["clipboard-read", "clipboard-write"],
        viewport={"width": 1200, "height": 800},
        locale="en-US",
    )
    tab = ChatPage(web=server, page=await context.new_page())
    await tab.watch()
    await tab.open()
    yield tab
    await context.close()


@pytest_asyncio.fixture(loop_scope="session")
async def chat(tab: ChatPage) -> AsyncIterator[ChatPage]:
    """Return the chat as a new visitor finds it; whatever went wrong in it fails the test."""
    tab.faults.clear()
    await tab.page.evaluate("localStorage.clear()")
    await tab.open()
    yield tab
    assert await tab.witnessed() == []
