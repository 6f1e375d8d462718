"""The chat on a phone: nothing beside the screen, targets for fingers, cards by tapping."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Locator, expect

from tests.web.chat_page.chat import ChatPage
from tests.web.server import Web

pytestmark = pytest.mark.asyncio(loop_scope="session")


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def tab(browser: Browser, server: Web) -> AsyncIterator[ChatPage]:
    """Return a tab of a phone."""
    context = await browser.new_context(
        viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True, locale="en-US"
    )
    tab = ChatPage(web=server, page=await context.new_page())
    await tab.watch()
    await tab.open()
    yield tab
    await context.close()


async def size(locator: Locator) -> tuple[float, float]:
    box = await locator.bounding_box()
    assert box is not None
    return box["width"], box["height"]


async def test_an_answer_fits_the_width_of_the_screen(chat: ChatPage) -> None:
    answer = await chat.answered("How do sea otters sleep? read " + "unbreakable" * 20)

    await chat.show_sources(answer)

    width = await chat.page.evaluate("document.documentElement.scrollWidth")
    assert width == 390
    sticking_out = await chat.page.evaluate(
        """[...document.querySelectorAll('#chat *')].filter((each) => {
          const box = each.getBoundingClientRect();
          return box.width && box.right > innerWidth + 1 && !each.closest('.table, pre');
        }).map((each) => each.className)"""
    )
    assert sticking_out == []


async def test_a_tap_on_a_marker_shows_its_card_and_stays_on_the_page(chat: ChatPage) -> None:
    answer = await chat.answered()
    address = chat.page.url

    await answer.locator(".mark").first.tap()

    card = chat.page.get_by_role("dialog")
    await expect(card.get_by_role("link", name="Sea otter", exact=True)).to_be_visible()
    assert chat.page.url == address
    assert len(chat.page.context.pages) == 1
    await chat.page.touchscreen.tap(200, 100)
    await expect(card).to_be_hidden()


async def test_what_is_tapped_is_large_enough_for_a_finger(chat: ChatPage) -> None:
    answer = await chat.answered()

    for target in (
        answer.locator(".mark").first,
        answer.get_by_role("button", name="Copy as Markdown"),
        answer.get_by_role("button", name="Retry"),
        chat.page.get_by_role("button", name="Attach files"),
        chat.page.locator("#menu"),
    ):
        width, height = await size(target)
        assert (round(width) >= 44, round(height) >= 44) == (True, True), target


async def test_the_list_of_chats_slides_in_and_a_chat_is_opened_from_it(chat: ChatPage) -> None:
    await chat.answered("A chat on the phone", search="No search")
    await chat.open()
    side = chat.page.get_by_role("navigation", name="Chats")
    await expect(side).to_be_hidden()

    await chat.page.get_by_role("button", name="Chats", exact=True).tap()
    await expect(chat.page.get_by_role("button", name="Close the list of chats")).to_be_focused()
    await side.get_by_role("link", name="A chat on the phone").tap()

    await expect(side).to_be_hidden()
    await expect(chat.words).to_contain_text("A chat on the phone")


async def test_escape_closes_the_list_of_chats_and_gives_the_focus_back(chat: ChatPage) -> None:
    menu = chat.page.get_by_role("button", name="Chats", exact=True)
    await menu.tap()

    await chat.page.keyboard.press("Escape")

    await expect(chat.page.get_by_role("navigation", name="Chats")).to_be_hidden()
    await expect(menu).to_be_focused()


async def test_the_open_list_of_chats_passes_axe(chat: ChatPage) -> None:
    await chat.answered("A chat for axe", search="No search")
    await chat.page.get_by_role("button", name="Chats", exact=True).tap()
    await expect(chat.page.get_by_role("button", name="Close the list of chats")).to_be_visible()

    assert await chat.check_access() == []


async def test_an_answer_on_the_phone_passes_axe(chat: ChatPage) -> None:
    answer = await chat.answered()
    await answer.locator(".mark").first.tap()
    await expect(chat.page.get_by_role("dialog")).to_be_visible()

    assert await chat.check_access() == []
