"""Everything by keyboard alone: no test in this module touches the mouse."""

from __future__ import annotations

import asyncio
import re

import pytest
from playwright.async_api import Locator, Route, expect

from tests.web.chat_page.chat import OTTERS, ChatPage

pytestmark = pytest.mark.asyncio(loop_scope="session")

MOST_STEPS = 80


async def go_to(chat: ChatPage, target: Locator, key: str = "Tab") -> None:
    """Press a key until something has the focus."""
    for _ in range(MOST_STEPS):
        await chat.page.keyboard.press(key)
        if await target.evaluate("(each) => each === document.activeElement"):
            return
    raise AssertionError(f"{key} never comes to {target}")


async def test_a_conversation_is_led_without_a_mouse(chat: ChatPage) -> None:
    keyboard = chat.page.keyboard
    await expect(chat.question).to_be_focused()

    await keyboard.type(OTTERS)
    await keyboard.press("Enter")
    await chat.ended()
    mark = chat.answer.locator(".mark").first
    await go_to(chat, mark, "Shift+Tab")
    card = chat.page.get_by_role("dialog")
    await expect(card).to_be_visible()
    await keyboard.press("Tab")
    source = card.get_by_role("link", name="Sea otter", exact=True)
    await expect(source).to_be_focused()
    assert (await source.get_attribute("href") or "").startswith("https://wiki.example.net/")
    await keyboard.press("Escape")
    await expect(card).to_be_hidden()
    await expect(mark).to_be_focused()
    await go_to(chat, chat.answer.locator(".sources > summary"))
    listed = chat.answer.locator(".source a").first
    await go_to(chat, listed)
    assert (await chat.lit()) != []


async def test_an_answer_that_hangs_is_stopped_and_retried_without_a_mouse(chat: ChatPage) -> None:
    page, keyboard = chat.page, chat.page.keyboard

    await go_to(chat, page.get_by_label("Model", exact=True))
    await _choose_by_keyboard(chat, "Silent")
    await go_to(chat, chat.question, "Shift+Tab")
    await keyboard.type("How do otters sleep, once more?")
    await keyboard.press("Enter")
    await expect(chat.words).to_contain_text("Here is what")
    stop = page.get_by_label("Stop", exact=True)
    await go_to(chat, stop)
    await keyboard.press("Enter")
    await chat.ended("cancelled")
    await expect(chat.question).to_be_focused()
    await go_to(chat, page.get_by_label("Model", exact=True))
    await _choose_by_keyboard(chat, "Anthropic")
    await go_to(chat, chat.answer.get_by_role("button", name="Retry"), "Shift+Tab")
    await keyboard.press("Enter")
    await expect(chat.answer.get_by_text("2/2")).to_be_visible()
    await chat.ended()


async def _choose_by_keyboard(chat: ChatPage, provider: str) -> None:
    """Walk through the models until the one of a provider is chosen."""
    models = chat.page.locator("#model")
    # The list is filled once every provider has named its models.
    await expect(models.locator("optgroup").first).to_be_attached()
    await chat.page.keyboard.press("Home")
    for _ in range(MOST_STEPS):
        if (
            await models.evaluate("(each) => each.selectedOptions[0].parentElement.label")
            == provider
        ):
            return
        await chat.page.keyboard.press("ArrowDown")
    raise AssertionError(f"no model of {provider} is among the choices")


async def test_a_chat_is_found_renamed_and_deleted_without_a_mouse(chat: ChatPage) -> None:
    page, keyboard = chat.page, chat.page.keyboard
    await keyboard.type("A chat about narwhals")
    await keyboard.press("Enter")
    await chat.ended()
    session_id = chat.session_id

    await keyboard.press("Control+k")
    await expect(page.get_by_label("Search chats")).to_be_focused()
    await keyboard.type("narwhals")
    await expect(page.locator(".session")).to_have_count(1)
    await go_to(chat, page.get_by_role("button", name="Rename A chat about narwhals"))
    await keyboard.press("Enter")
    await keyboard.type("A chat about narwhals there")
    await keyboard.press("Enter")
    link = page.locator(".session").get_by_role("link", name="A chat about narwhals there")
    await expect(link).to_be_focused()

    await go_to(chat, page.get_by_role("button", name="Delete A chat about narwhals there"))
    await keyboard.press("Enter")
    await expect(page.locator(".session")).to_have_count(0)
    async with page.expect_response(f"**/api/sessions/{session_id}"):
        await go_to(chat, page.get_by_role("button", name="Dismiss"))
        await keyboard.press("Enter")
    assert chat.web.client.get(f"/api/sessions/{session_id}").status_code == 404


async def test_the_first_thing_on_the_page_skips_to_the_question(chat: ChatPage) -> None:
    skip = chat.page.get_by_role("link", name="Skip to the question")
    await go_to(chat, skip, "Shift+Tab")
    await expect(skip).to_be_in_viewport()

    await chat.page.keyboard.press("Enter")

    await expect(chat.question).to_be_focused()


async def test_a_new_chat_is_begun_by_keyboard(chat: ChatPage) -> None:
    await chat.answered("Something", search="No search")

    await chat.page.keyboard.press("Control+Shift+o")

    await expect(chat.page.get_by_text("What do you want to know?")).to_be_visible()
    await expect(chat.question).to_be_focused()


async def test_versions_of_an_answer_and_an_approval_are_reached_by_keyboard(
    chat: ChatPage,
) -> None:
    await chat.answered("Call create_provider, please", status="awaiting_approval", agent="Setup")
    await expect(chat.question).to_be_focused()

    await go_to(chat, chat.answer.get_by_role("button", name="Decline"), "Shift+Tab")
    await chat.page.keyboard.press("Enter")

    await chat.ended()
    assert chat.kept()[-1]["tool_runs"][0]["status"] == "declined"


async def test_a_list_that_was_asked_for_before_a_rename_does_not_bring_the_old_title_back(
    chat: ChatPage,
) -> None:
    page, keyboard = chat.page, chat.page.keyboard
    asked, shown = asyncio.Event(), asyncio.Event()

    async def late(route: Route) -> None:
        reply = await route.fetch()
        asked.set()
        await shown.wait()
        await route.fulfill(response=reply)

    await keyboard.type("A chat about nothing")
    await keyboard.press("Enter")
    await chat.ended()
    await page.route(re.compile(r"/api/sessions\?.*query=nothing"), late, times=1)
    await keyboard.press("Control+k")
    await keyboard.type("nothing")
    await asked.wait()
    await go_to(chat, page.get_by_role("button", name="Rename A chat about nothing"))
    await keyboard.press("Enter")
    await keyboard.type("A chat about nothing much")
    await keyboard.press("Enter")
    link = page.locator(".session").get_by_role("link", name="A chat about nothing much")
    await expect(link).to_be_focused()
    async with page.expect_response(re.compile("query=nothing")):
        shown.set()

    await expect(link).to_be_focused()
