"""An answer while it comes: words, thinking, searches, and the ways in which it ends."""

from __future__ import annotations

import pytest
from playwright.async_api import expect

from tests.web.chat_page.chat import OTTERS, ChatPage, add_provider

pytestmark = pytest.mark.asyncio(loop_scope="session")

TABLE = "Say **bold** and `code`:\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n- item"


async def test_words_are_shown_while_the_answer_still_comes(chat: ChatPage) -> None:
    answer = await chat.ask(model="Silent", search="No search")

    await expect(chat.words).to_contain_text("This is the sandbox")
    await expect(answer).to_have_attribute("aria-busy", "true")
    await expect(answer.get_by_role("button", name="Copy as Markdown")).to_be_hidden()
    await chat.page.get_by_label("Stop", exact=True).click()
    await chat.ended("cancelled")


async def test_markdown_becomes_headings_lists_tables_and_code(chat: ChatPage) -> None:
    await chat.answered(TABLE, search="No search")

    await expect(chat.words.locator("strong")).to_have_text("bold")
    await expect(chat.words.locator("p code")).to_have_text("code")
    await expect(chat.words.get_by_role("table").get_by_role("row")).to_have_count(2)
    await expect(chat.words.get_by_role("listitem").first).to_contain_text("item")


async def test_thinking_is_folded_until_it_is_opened(chat: ChatPage) -> None:
    answer = await chat.answered(search="No search")

    thought = answer.get_by_text(f"The question is: {OTTERS}", exact=False)
    await expect(thought).to_be_hidden()
    await answer.get_by_text("Thinking", exact=True).click()
    await expect(thought).to_be_visible()


async def test_the_spinner_leaves_at_the_next_text(chat: ChatPage) -> None:
    answer = await chat.ask(model="Silent")

    await expect(chat.words).to_contain_text("Here is what the pages say")
    await expect(answer).to_have_attribute("aria-busy", "true")
    await expect(answer.locator(".phase")).to_be_hidden()


async def test_stop_ends_the_providers_stream_and_keeps_what_there_is(chat: ChatPage) -> None:
    sandbox = chat.web.sandbox
    sandbox.reset()
    await chat.ask(model="Silent", search="No search")
    await expect(chat.words).to_contain_text("This is the sandbox")

    await chat.page.get_by_label("Stop", exact=True).click()

    await chat.ended("cancelled")
    await expect(chat.answer.get_by_text("Stopped by you.")).to_be_visible()
    assert sandbox.wait_for_end().ended == "closed by the client"
    assert chat.kept()[-1]["status"] == "cancelled"
    await expect(chat.words).to_contain_text("This is the sandbox")


async def test_an_error_names_its_fix_and_can_be_retried(chat: ChatPage) -> None:
    answer = await chat.answered(status="failed", model="Limited", search="No search")

    alert = answer.get_by_role("alert")
    await expect(alert).to_contain_text("rate limit", ignore_case=True)
    await expect(alert).to_contain_text("30 s")
    await chat.choose(model="Anthropic")
    await alert.get_by_role("button", name="Retry").click()
    await chat.ended()
    await expect(chat.words).to_contain_text("This is the sandbox")
    await expect(chat.answer.get_by_role("alert")).to_have_count(0)


async def test_an_answer_that_breaks_off_keeps_its_words_and_says_so(chat: ChatPage) -> None:
    add_provider(chat.web, "Broken", fault="overloaded_after_text")
    await chat.open()

    answer = await chat.answered(status="failed", model="Broken", search="No search")

    await expect(chat.words).to_contain_text("This is the sandbox")
    await expect(answer.get_by_role("alert")).to_contain_text("The answer above is incomplete.")
