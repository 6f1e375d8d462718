"""A connection that breaks, a page that is reloaded: the turn goes on, each event comes once."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Iterator
from urllib.parse import urlsplit

import pytest
import pytest_asyncio
from playwright.async_api import Browser, expect

from groundwire.sandbox import SandboxServer
from tests.web.chat_page.chat import ChatPage, add_providers
from tests.web.chat_page.proxy import Cutter
from tests.web.server import Web

pytestmark = pytest.mark.asyncio(loop_scope="session")

LONG = "Tell me of otters at length"

# The words at every change, without markers and spaces: text that came twice would show.
RECORD = """
globalThis.shown = [];
new MutationObserver(() => {
  const words = document.querySelector('.words')?.cloneNode(true);
  if (!words) return;
  for (const mark of words.querySelectorAll('.marks')) mark.remove();
  const text = words.textContent.replace(/\\s+/g, '');
  if (shown.at(-1) !== text) shown.push(text);
}).observe(document, { childList: true, subtree: true, characterData: true });
"""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Web]:
    """Return a server over a sandbox that takes its time."""
    folder = tmp_path_factory.mktemp("web")
    with SandboxServer(pace_seconds=0.01) as sandbox, Web(sandbox, folder) as web:
        add_providers(web)
        yield web


@pytest_asyncio.fixture(loop_scope="session")
async def cutter(server: Web) -> AsyncIterator[Cutter]:
    """Return a proxy in front of the server."""
    async with Cutter(urlsplit(server.url).port or 0) as cutter:
        yield cutter


@pytest_asyncio.fixture(loop_scope="session")
async def chat(browser: Browser, server: Web, cutter: Cutter) -> AsyncIterator[ChatPage]:
    """Return a chat page that reaches the server through the proxy."""
    context = await browser.new_context(base_url=cutter.url)
    chat = ChatPage(web=server, page=await context.new_page())
    await chat.watch()
    await chat.page.add_init_script(RECORD)
    await chat.page.goto(cutter.url)
    await expect(chat.page.locator("#agent[data-ready]")).to_be_visible()
    yield chat
    assert await chat.witnessed() == []
    await context.close()


async def come(chat: ChatPage, letters: int) -> None:
    """Wait until so many letters of the answer are there."""
    await chat.page.wait_for_function(
        "(letters) => document.querySelector('.words')?.textContent.length >= letters", arg=letters
    )


async def shown(chat: ChatPage) -> list[str]:
    """Return the words at every change; what is shown only at the end is left out."""
    texts: list[str] = await chat.page.evaluate("shown")
    return texts


def whole(chat: ChatPage) -> str:
    text = chat.kept()[-1]["answer"]["text"]
    return re.sub(r"\s+|^- |(?<=\n)- |\[\d+\]", "", text)


async def test_a_cut_connection_is_taken_up_again_and_each_event_comes_once(
    chat: ChatPage, cutter: Cutter
) -> None:
    await chat.ask(LONG, search="No search")
    for letters in (100, 400, 700):
        await come(chat, letters)
        cutter.cut()
    await chat.ended()

    again = [each for each in cutter.requests if "/events?after=" in each]
    assert len(again) >= 2
    assert len(set(again)) == len(again)
    assert [text for text in await shown(chat) if not whole(chat).startswith(text)] == []
    await expect(chat.page.get_by_role("alert")).to_have_count(0)


async def test_a_reload_takes_up_the_running_turn_from_its_beginning(chat: ChatPage) -> None:
    await chat.ask(LONG, search="No search")
    await come(chat, 100)

    await chat.page.reload()

    await expect(chat.page.get_by_label("Stop", exact=True)).to_be_visible()
    await chat.ended()
    assert [text for text in await shown(chat) if not whole(chat).startswith(text)] == []
    # How many changes there are depends on how busy the machine is.
    assert (await shown(chat))[-1] == whole(chat)


async def test_a_turn_can_be_stopped_after_a_reload(chat: ChatPage) -> None:
    await chat.ask(LONG, model="Silent", search="No search")
    await come(chat, 10)
    await chat.page.reload()
    await come(chat, 10)

    await chat.page.get_by_label("Stop", exact=True).click()

    await chat.ended("cancelled")


async def test_a_closed_tab_does_not_end_the_turn(chat: ChatPage) -> None:
    await chat.ask(LONG, search="No search")
    await come(chat, 100)
    path = urlsplit(chat.page.url).path

    await chat.open()
    await chat.open(path)

    await chat.ended()
    assert chat.kept()[-1]["status"] == "complete"
