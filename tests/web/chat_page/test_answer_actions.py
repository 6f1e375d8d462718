"""What can be done with an answer: rate it, take it away; and why nothing was searched for it."""

from __future__ import annotations

import asyncio
import json

import pytest
from playwright.async_api import Download, expect

from tests.web.chat_page.chat import OTTERS, ChatPage

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def text_of(download: Download) -> str:
    """Return what was saved."""
    path = await download.path()
    return await asyncio.to_thread(path.read_text)


async def test_a_thumb_and_a_note_are_there_after_a_reload(chat: ChatPage) -> None:
    answer = await chat.answered()

    await answer.get_by_role("button", name="Bad answer").click()
    field = answer.get_by_label("Note on this answer")
    await expect(field).to_be_focused()
    await field.fill("It says nothing of pups.")
    await answer.get_by_role("button", name="Save note").click()
    await expect(answer.get_by_text("Your note: It says nothing of pups.")).to_be_visible()
    await chat.open(f"/s/{chat.session_id}")

    down = chat.answer.get_by_role("button", name="Bad answer")
    await expect(down).to_have_attribute("aria-pressed", "true")
    await expect(chat.answer.get_by_text("Your note: It says nothing of pups.")).to_be_visible()
    assert await chat.check_access() == []


async def test_a_thumb_that_is_pressed_again_is_taken_back(chat: ChatPage) -> None:
    answer = await chat.answered()
    up = answer.get_by_role("button", name="Good answer")

    await up.click()
    await expect(up).to_have_attribute("aria-pressed", "true")
    await up.click()

    await expect(up).to_have_attribute("aria-pressed", "false")
    await expect(answer.get_by_label("Note on this answer")).to_be_hidden()
    assert chat.web.get(f"/api/sessions/{chat.session_id}")["feedback"] == {}


async def test_an_answer_is_saved_in_a_format_of_the_server(chat: ChatPage) -> None:
    answer = await chat.answered()

    await answer.get_by_role("button", name="Share and export").click()
    titles = [each["title"] for each in chat.web.get("/api/me")["exports"]]
    await expect(answer.locator(".menu-item")).to_have_text(
        ["Copy link", "Open as a page", *(f"Save as {title}" for title in titles)]
    )
    assert await chat.check_access() == []
    async with chat.page.expect_download() as download:
        await answer.get_by_text("Save as JSON").click()

    saved = json.loads(await text_of(await download.value))
    assert saved["messages"][0]["content"] == OTTERS
    await expect(answer.locator(".menu")).to_be_hidden()


async def test_the_link_of_an_answer_leads_to_its_page(chat: ChatPage) -> None:
    answer = await chat.answered()

    await answer.get_by_role("button", name="Share and export").click()
    await answer.get_by_text("Copy link").click()
    await expect(chat.page.get_by_text("Link copied.")).to_be_visible()

    url = await chat.page.evaluate("navigator.clipboard.readText()")
    assert url == f"{chat.web.url}/answers/{chat.kept()[-1]['id']}"
    assert OTTERS in chat.web.client.get(url).text


async def test_a_chat_is_saved_from_its_head_by_keyboard(chat: ChatPage) -> None:
    await expect(chat.page.locator("#chat-menu")).to_be_hidden()
    await chat.answered()
    menu = chat.page.get_by_role("button", name="Share and export this chat")

    await menu.focus()
    await chat.page.keyboard.press("Enter")
    await expect(menu).to_have_attribute("aria-expanded", "true")
    await expect(chat.page.locator("#chat-menu .menu-item").first).to_be_focused()
    await chat.page.keyboard.press("ArrowDown")
    async with chat.page.expect_download() as download:
        await chat.page.keyboard.press("Enter")

    assert OTTERS in await text_of(await download.value)
    assert (await download.value).suggested_filename.endswith(".md")


async def test_a_chat_that_is_left_has_no_menu(chat: ChatPage) -> None:
    await chat.answered()
    await expect(chat.page.locator("#chat-menu")).to_be_visible()

    await chat.page.get_by_role("link", name="New chat").first.click()

    await expect(chat.page.locator("#chat-menu")).to_be_hidden()


async def test_where_search_was_turned_off_a_line_says_so_and_turns_it_on(chat: ChatPage) -> None:
    answer = await chat.answered(search="No search")
    line = answer.locator(".no-search")

    await expect(line).to_contain_text("No web search: search is turned off for this message.")
    await line.get_by_role("button", name="Search and ask again").click()
    await chat.ended()

    await expect(chat.answer.locator(".timeline")).to_be_visible()
    await expect(chat.answer.locator(".no-search")).to_be_hidden()
    await expect(chat.page.get_by_label("Who searches the web")).to_have_value("auto")


async def test_where_the_workspace_forbids_search_the_line_leads_to_the_setting(
    chat: ChatPage,
) -> None:
    before = chat.web.get("/api/workspaces/personal")["web_allowed_domains"]
    chat.web.client.patch("/api/workspaces/personal", json={"web_allowed_domains": []})
    try:
        answer = await chat.answered()
    finally:
        chat.web.client.patch("/api/workspaces/personal", json={"web_allowed_domains": before})

    line = answer.locator(".no-search")
    await expect(line).to_contain_text("the workspace 'Personal' allows no domain")
    link = line.get_by_role("link", name="Settings: Web Access")
    await expect(link).to_have_attribute("href", "/settings/web-access")


async def test_a_short_list_of_sources_is_open_and_stays_as_the_reader_left_it(
    chat: ChatPage,
) -> None:
    answer = await chat.answered()
    panel = answer.locator("details.sources")

    await expect(panel).to_have_attribute("open", "")
    await panel.locator("summary").click()

    await expect(panel).not_to_have_attribute("open", "")
