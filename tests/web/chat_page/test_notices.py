"""What an answer says of its end: once, and with a way to mend it."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.async_api import Browser, Page, expect

from groundwire.config.keys import Keys
from groundwire.sandbox import SandboxServer
from tests.web.browser import visiting
from tests.web.chat_page.chat import ChatPage, add_provider
from tests.web.server import PASSWORD, Web, set_up, signed_in, with_users

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_a_bad_key_leads_the_owner_to_the_settings_of_providers(chat: ChatPage) -> None:
    add_provider(chat.web, "Locked", fault="unauthorized")
    await chat.open()

    answer = await chat.answered(status="failed", model="Locked", search="No search")
    way = answer.get_by_role("alert").get_by_role("link", name="Settings: Providers")
    await expect(way).to_be_visible()
    await chat.page.reload()
    await expect(way).to_be_visible()
    assert await chat.check_access() == []
    await way.click()

    await expect(chat.page.get_by_role("heading", name="Providers", level=1)).to_be_visible()


async def test_a_missing_key_leads_there_too(browser: Browser, server: Web, tmp_path: Path) -> None:
    web = Web(server.sandbox, tmp_path)
    web.program.keys = Keys(environment={}, dotenv=tmp_path / ".env", file=tmp_path / "keys.json")
    with web:
        body = {"name": "Keyless", "type": "anthropic"}
        assert web.client.post("/api/providers", json=body).status_code == 201
        async with visiting(browser, web, "/") as page:
            await expect(page.locator("#agent[data-ready]")).to_be_visible()
            await _ask(page, "Otters?")

            way = page.get_by_role("alert").get_by_role("link", name="Settings: Providers")
            await expect(way).to_have_attribute("href", "/settings/providers")


async def _ask(page: Page, text: str) -> None:
    await page.get_by_label("Your question").fill(text)
    await page.get_by_label("Your question").press("Enter")


async def test_a_bad_key_sends_a_member_to_the_owner(
    browser: Browser, server: Web, tmp_path: Path
) -> None:
    with with_users(server.sandbox, tmp_path) as web:
        owner = set_up(web)
        web.client = owner
        add_provider(web, "Locked", fault="unauthorized")
        body = {"name": "mia", "password": PASSWORD}
        user = owner.post("/api/users", json=body).json()["id"]
        path = f"/api/workspaces/personal/members/{user}"
        assert owner.put(path, json={"role": "member"}).status_code == 200
        async with visiting(browser, web, "/", client=signed_in(web, "mia")) as page:
            await expect(page.locator("#agent[data-ready]")).to_be_visible()
            await _ask(page, "Otters?")
            alert = page.get_by_role("alert")

            await expect(alert).to_contain_text("Ask the owner of this server to set its key.")
            await expect(alert.get_by_role("link")).to_have_count(0)


async def test_an_answer_at_its_limit_of_tokens_says_so_once(
    browser: Browser, tmp_path: Path
) -> None:
    with SandboxServer() as sandbox:
        web = Web(sandbox, tmp_path)
        web.program.settings.providers["anthropic"].options["max_tokens"] = 12
        with web:
            add_provider(web, "Anthropic")
            async with visiting(browser, web, "/") as page:
                await expect(page.locator("#agent[data-ready]")).to_be_visible()
                await page.get_by_label("Who searches the web").select_option(label="No search")
                await _ask(page, "Tell me at length about tides")
                answer = page.get_by_role("article", name="Answer").last
                await expect(answer).to_have_attribute("data-status", "complete")
                live = await _told(page)
                await page.reload()
                await expect(answer).to_have_attribute("data-status", "complete")
                again = await _told(page)

    assert live == again == ["Incomplete: The model reached its length limit before it was done."]


async def test_a_connection_that_is_cut_is_told_once_and_alike_after_a_reload(
    chat: ChatPage,
) -> None:
    add_provider(chat.web, "Cut", fault="cut_in_event")
    await chat.open()

    await chat.answered(status="interrupted", model="Cut", search="No search")
    live = await _told(chat.page)
    await chat.page.reload()
    await chat.ended("interrupted")

    assert live == await _told(chat.page)
    assert len(live) == 1
    assert live[0].endswith("of the reply. The answer above is incomplete.Retry")


async def _told(page: Page) -> list[str]:
    """Return every word of warning in the last answer, its timeline's included."""
    said: list[str] = await page.evaluate(
        """() => [...[...document.querySelectorAll('.answer')].at(-1)
          .querySelectorAll('.notice, .step[data-status="warning"]')]
          .map((each) => each.textContent)"""
    )
    return said
