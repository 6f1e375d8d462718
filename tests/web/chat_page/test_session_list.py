"""The list of chats: found, renamed, deleted with a way back, and opened by address."""

from __future__ import annotations

import pytest
from playwright.async_api import Locator, expect

from tests.web.chat_page.chat import ChatPage

pytestmark = pytest.mark.asyncio(loop_scope="session")


def row(chat: ChatPage, title: str) -> Locator:
    return chat.page.locator(".session", has_text=title)


async def test_a_new_chat_is_in_the_list_and_in_the_address(chat: ChatPage) -> None:
    await chat.answered("Tides, tides and tides", search="No search")

    await expect(row(chat, "Tides, tides and tides")).to_be_visible()
    current = chat.page.locator('.session a[aria-current="page"]')
    await expect(current).to_have_attribute("href", f"/s/{chat.session_id}")
    await expect(chat.page.get_by_role("heading", level=1)).to_have_text("Tides, tides and tides")


async def test_a_new_chat_has_its_title_while_the_answer_still_comes(chat: ChatPage) -> None:
    answer = await chat.ask("Rivers that take their time", model="Silent", search="No search")

    await expect(row(chat, "Rivers that take their time")).to_be_visible()
    title = chat.page.get_by_role("heading", level=1)
    await expect(title).to_have_text("Rivers that take their time")
    await expect(answer).to_have_attribute("aria-busy", "true")


async def test_a_chat_is_opened_from_the_list_and_by_the_browsers_buttons(chat: ChatPage) -> None:
    await chat.answered("Lighthouses of the north", search="No search")
    address = chat.page.url

    await chat.page.get_by_role("link", name="New chat", exact=True).click()
    await expect(chat.page.get_by_text("What do you want to know?")).to_be_visible()
    await row(chat, "Lighthouses of the north").get_by_role("link").click()
    await expect(chat.words).to_contain_text("Lighthouses of the north")
    assert chat.page.url == address
    await chat.page.go_back()
    await expect(chat.page.get_by_text("What do you want to know?")).to_be_visible()


async def test_a_chat_is_renamed_in_the_list_and_on_the_server(chat: ChatPage) -> None:
    await chat.answered("A chat with a bad name", search="No search")

    await row(chat, "A chat with a bad name").hover()
    await chat.page.get_by_role("button", name="Rename A chat with a bad name").click()
    await chat.page.get_by_label("New title").fill("A better name")
    await chat.page.get_by_label("New title").press("Enter")

    await expect(row(chat, "A better name")).to_be_visible()
    await expect(chat.page.get_by_role("heading", level=1)).to_have_text("A better name")
    kept = chat.web.get(f"/api/sessions/{chat.session_id}")["session"]
    assert kept["title"] == "A better name"


async def test_a_deleted_chat_is_gone_for_good_once_the_message_is_dismissed(
    chat: ChatPage,
) -> None:
    await chat.answered("A chat to delete", search="No search")
    session_id = chat.session_id

    await row(chat, "A chat to delete").hover()
    await chat.page.get_by_role("button", name="Delete A chat to delete").click()
    await expect(row(chat, "A chat to delete")).to_have_count(0)
    await expect(chat.page.get_by_text("What do you want to know?")).to_be_visible()
    async with chat.page.expect_response(f"**/api/sessions/{session_id}"):
        await chat.page.get_by_role("button", name="Dismiss").click()

    assert chat.web.client.get(f"/api/sessions/{session_id}").status_code == 404


async def test_deleting_a_chat_can_be_undone(chat: ChatPage) -> None:
    await chat.answered("A chat to keep", search="No search")
    session_id = chat.session_id
    await row(chat, "A chat to keep").hover()
    await chat.page.get_by_role("button", name="Delete A chat to keep").click()

    await chat.page.get_by_role("button", name="Undo").click()

    await expect(row(chat, "A chat to keep")).to_be_visible()
    assert chat.web.client.get(f"/api/sessions/{session_id}").status_code == 200


async def test_chats_are_found_by_what_was_said_in_them(chat: ChatPage) -> None:
    await chat.answered("Where do puffins nest?", search="No search")
    await chat.open()
    await chat.answered("How tall are giraffes?", search="No search")

    await chat.page.get_by_label("Search chats").fill("puffins")

    await expect(row(chat, "giraffes")).to_have_count(0)
    await expect(row(chat, "puffins")).to_be_visible()
    await chat.page.get_by_label("Search chats").fill("zebras")
    await expect(chat.page.get_by_text("No chat has these words.")).to_be_visible()


async def test_a_chat_that_is_not_there_is_told(chat: ChatPage) -> None:
    await chat.page.goto(f"{chat.web.url}/s/nothing-here")

    await expect(chat.page.get_by_role("alert")).to_contain_text("nothing-here")
