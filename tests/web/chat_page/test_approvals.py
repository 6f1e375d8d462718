"""Before a tool changes something the user is asked, with what it would do."""

from __future__ import annotations

import pytest
from playwright.async_api import Locator, expect

from tests.web.chat_page.chat import ChatPage

pytestmark = pytest.mark.asyncio(loop_scope="session")

CALL = "Call create_provider, please"


async def asked(chat: ChatPage) -> Locator:
    await chat.answered(CALL, status="awaiting_approval", agent="Setup")
    return chat.answer.get_by_role("group", name="Your approval is needed")


async def test_a_request_says_which_tool_would_do_what(chat: ChatPage) -> None:
    request = await asked(chat)

    tool = next(each for each in chat.web.get("/api/tools") if each["name"] == "create_provider")
    await expect(request).to_contain_text(tool["title"] or tool["name"])
    await expect(request).to_contain_text(tool["description"].split(".")[0])
    await expect(request.locator("dt")).to_have_text(["name", "type"])
    await expect(request.locator("dd").first).to_have_text(CALL)


async def test_approving_runs_the_tool_and_the_answer_goes_on(chat: ChatPage) -> None:
    request = await asked(chat)

    await request.get_by_role("button", name="Approve").click()

    await chat.ended()
    await expect(chat.words).to_contain_text("The tool create_provider returned")
    await expect(request).to_have_count(0)
    assert chat.kept()[-1]["tool_runs"][0]["status"] in ("done", "failed")


async def test_declining_tells_the_model_and_changes_nothing(chat: ChatPage) -> None:
    before = chat.web.get("/api/providers")
    request = await asked(chat)

    await request.get_by_role("button", name="Decline").click()

    await chat.ended()
    assert chat.kept()[-1]["tool_runs"][0]["status"] == "declined"
    await expect(chat.answer.locator('.step[data-status="declined"]')).to_contain_text("Declined")
    assert chat.web.get("/api/providers") == before


async def test_a_request_waits_over_a_reload(chat: ChatPage) -> None:
    await asked(chat)

    await chat.page.reload()

    request = chat.answer.get_by_role("group", name="Your approval is needed")
    await request.get_by_role("button", name="Decline").click()
    await chat.ended()
    assert chat.kept()[-1]["tool_runs"][0]["status"] == "declined"
