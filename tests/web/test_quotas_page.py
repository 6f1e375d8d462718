"""Quotas on the page, in a real browser: the line above the question, and a workspace's form."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.async_api import Browser, expect

from groundwire.testing import SandboxServer
from tests.web.browser import violations, visiting
from tests.web.server import Web

pytestmark = pytest.mark.asyncio(loop_scope="session")


@pytest.fixture
def limited(sandbox: SandboxServer, tmp_path: Path) -> Iterator[Web]:
    """Return a server on which a user has five answers a day."""
    with Web(sandbox, tmp_path, quotas={"user": {"answers": 5}}) as web:
        yield web


@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_a_line_says_when_most_of_a_quota_is_used(
    browser: Browser, limited: Web, scheme: str
) -> None:
    for _ in range(3):
        limited.ask("Otters?", search="off")
    async with visiting(browser, limited, "/", color_scheme=scheme) as page:
        line = page.locator("#quota")
        await expect(page.get_by_label("Agent", exact=True)).to_be_enabled()
        await expect(line).to_be_hidden()

        await page.get_by_label("Your question").fill("One more?")
        await page.keyboard.press("Enter")
        await expect(line).to_have_text(
            "You have used 4 of 5 answers today. It begins anew at 00:00."
        )
        assert await violations(page) == []

        limited.ask("Otters?", search="off")
        await page.get_by_label("Your question").fill("And more?")
        await page.keyboard.press("Enter")
        await expect(page.locator("#thread")).to_contain_text("our quota of 5 answers a day")
        assert await violations(page) == []


async def test_the_owner_sets_the_quotas_of_a_workspace(browser: Browser, web: Web) -> None:
    async with visiting(browser, web, "/settings/workspaces") as page:
        await page.get_by_text("Quotas of Personal").click()
        await page.get_by_label("Answers a day").fill("many")
        await page.get_by_role("button", name="Save quotas").click()
        await expect(page.get_by_text("Enter a whole number.")).to_be_visible()
        await page.get_by_label("Answers a day").fill("50")
        await page.get_by_label("Dollars a day").fill("2.5")
        assert await violations(page) == []
        await page.get_by_role("button", name="Save quotas").click()
        await expect(page.get_by_text("The quotas of Personal are saved.")).to_be_visible()

    kept = web.get("/api/workspaces/personal")["quotas"]

    assert kept == {"answers": 50, "tokens": None, "cost_usd": 2.5, "searches": None}
