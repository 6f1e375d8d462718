"""Axe-core in every state of the page, and the light and the dark of it."""

from __future__ import annotations

from typing import Literal

import pytest
from playwright.async_api import expect

from tests.web.chat_page.chat import ChatPage

pytestmark = pytest.mark.asyncio(loop_scope="session")

SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")


async def test_a_new_chat_has_no_violation(chat: ChatPage) -> None:
    assert await chat.check_access() == []


async def test_an_answer_with_open_sources_and_timeline_has_no_violation(chat: ChatPage) -> None:
    answer = await chat.answered("How do sea otters sleep? read")
    await chat.show_sources(answer)
    await answer.locator(".timeline > summary").click()
    await answer.get_by_text("2 results").click()
    await answer.get_by_text("Thinking", exact=True).click()

    assert await chat.check_access() == []


async def test_an_answer_that_still_comes_has_no_violation(chat: ChatPage) -> None:
    answer = await chat.ask(model="Silent")
    await expect(chat.words).to_contain_text("Here is what the pages say")

    found = await chat.check_access()

    await expect(answer).to_have_attribute("aria-busy", "true")
    assert found == []


async def test_an_open_card_has_no_violation(chat: ChatPage) -> None:
    answer = await chat.answered()
    await answer.locator(".mark").first.hover()
    await expect(chat.page.get_by_role("dialog")).to_be_visible()

    assert await chat.check_access() == []


async def test_an_error_has_no_violation(chat: ChatPage) -> None:
    await chat.answered(status="failed", model="Limited", search="No search")

    assert await chat.check_access() == []


async def test_a_request_for_approval_has_no_violation(chat: ChatPage) -> None:
    await chat.answered("Call create_provider, please", status="awaiting_approval", agent="Setup")

    assert await chat.check_access() == []


async def test_suggestions_editing_and_renaming_have_no_violation(chat: ChatPage) -> None:
    await chat.answered("Otters [9] and **tables**", model="Google")
    question = chat.page.get_by_role("article", name="Question")
    await question.hover()
    await question.get_by_role("button", name="Edit and resend").click()
    row = chat.page.locator(".session").first
    await row.hover()
    await row.get_by_role("button", name="Rename").click()
    await expect(chat.page.get_by_label("New title")).to_be_focused()

    assert await chat.check_access() == []


async def test_the_dark_theme_has_no_violation(chat: ChatPage) -> None:
    await chat.page.emulate_media(color_scheme="dark")
    answer = await chat.answered("How do sea otters sleep? read")
    await chat.show_sources(answer)
    await answer.locator(".timeline > summary").click()
    await answer.locator(".mark").first.hover()
    await expect(chat.page.get_by_role("dialog")).to_be_visible()

    found = await chat.check_access()

    await chat.page.emulate_media(color_scheme="light")
    assert found == []


@pytest.mark.parametrize("is_file", [False, True])
async def test_an_answer_that_is_taken_away_has_no_violation(chat: ChatPage, is_file: bool) -> None:
    await chat.answered("How do sea otters sleep? read, and **tables**")
    key = chat.kept()[-1]["id"]
    view = await chat.page.context.new_page()
    if is_file:
        await view.set_content(chat.web.client.get(f"/api/messages/{key}/export?format=html").text)
    else:
        await view.goto(f"{chat.web.url}/answers/{key}")
    await expect(view.get_by_role("link", name="Sea otter").first).to_be_visible()

    found = []
    for scheme in SCHEMES:
        await view.emulate_media(color_scheme=scheme)
        found += await ChatPage(web=chat.web, page=view).check_access()

    await view.close()
    assert found == []


async def test_the_page_follows_the_system_until_a_theme_is_chosen(chat: ChatPage) -> None:
    page = chat.page
    ground = "getComputedStyle(document.body).backgroundColor"
    light = await page.evaluate(ground)
    await page.emulate_media(color_scheme="dark")
    dark = await page.evaluate(ground)

    await page.get_by_role("button", name="Theme: system").click()
    chosen_light = await page.evaluate(ground)
    await page.emulate_media(color_scheme="light")
    await page.get_by_role("button", name="Theme: light").click()
    chosen_dark = await page.evaluate(ground)
    await page.reload()

    assert light != dark
    assert [chosen_light, chosen_dark] == [light, dark]
    assert await page.evaluate(ground) == dark
    await expect(page.get_by_role("button", name="Theme: dark")).to_be_visible()


async def test_nothing_moves_for_those_who_want_no_motion(chat: ChatPage) -> None:
    await chat.page.emulate_media(reduced_motion="reduce")
    answer = await chat.ask(model="Silent", search="No search")
    await expect(chat.words).to_contain_text("This is the sandbox")

    running = await chat.page.evaluate(
        """document.getAnimations().filter((each) =>
          each.effect.getComputedTiming().duration > 1).length"""
    )

    await chat.page.emulate_media(reduced_motion="no-preference")
    await expect(answer).to_have_attribute("aria-busy", "true")
    assert running == 0
