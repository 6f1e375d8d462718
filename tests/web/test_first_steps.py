"""Start here: which model, whose search, which domains, each tried live; and new workspaces."""

from __future__ import annotations

import pytest
from playwright.async_api import Browser, expect

from tests.web.browser import visiting
from tests.web.server import Web

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_a_model_is_tried_with_its_key_and_used_if_it_answers(
    browser: Browser, web: Web
) -> None:
    async with visiting(browser, web, "/settings/start") as page:
        card = page.locator(".card", has=page.get_by_role("heading", name="Which model"))
        await card.get_by_label("Service").select_option("anthropic")
        await card.get_by_label("Address").fill(web.sandbox.base_url("anthropic"))
        await card.get_by_label("API key").fill("bad-key")
        await card.get_by_role("button", name="Try and use").click()

        refused = card.locator(".notice[data-kind=error]")
        await expect(refused).to_contain_text("What to do: get a key at")
        await card.get_by_label("API key").fill("any-good-key")
        await card.get_by_role("button", name="Try and use").click()

        await expect(card.locator(".notice[data-kind=good]")).to_contain_text("It answers.")
        await expect(card.locator(".state")).to_contain_text("Anthropic")
    [made] = [each for each in web.get("/api/providers") if each["type"] == "anthropic"]
    assert made["is_default"]
    assert made["has_key"]


async def test_a_search_service_is_tried_and_comes_first(browser: Browser, web: Web) -> None:
    async with visiting(browser, web, "/settings/start") as page:
        card = page.locator(".card", has=page.get_by_role("heading", name="Whose search"))
        await card.get_by_label("Service").select_option("brave")
        await card.get_by_role("button", name="Try and use").click()
        refused = card.locator(".notice[data-kind=error]")
        await expect(refused).to_contain_text("What to do:")
        assert web.get("/api/web")["search_provider"] == ["searxng"]

        await card.get_by_label("Service").select_option("searxng")
        await card.get_by_role("button", name="Try and use").click()

        await expect(card.locator(".notice[data-kind=good]")).to_contain_text("It answers.")
        await expect(card.locator(".state")).to_contain_text("No other service is asked")


async def test_domains_are_checked_and_searched_in(browser: Browser, web: Web) -> None:
    async with visiting(browser, web, "/settings/start") as page:
        card = page.locator(".card", has=page.get_by_role("heading", name="Which domains"))
        await card.get_by_label("Agents may go to").select_option("some")
        await card.get_by_label("Domains").fill("wiki.example.net\nnot a domain")
        await card.get_by_role("button", name="Save and try").click()
        await expect(card.locator(".fault:visible")).to_contain_text("not a domain")

        await card.get_by_label("Domains").fill("wiki.example.net")
        await card.get_by_role("button", name="Save and try").click()

        good = card.locator(".notice[data-kind=good]")
        await expect(good).to_contain_text("wiki.example.net")
        await expect(card.locator(".state")).to_contain_text("wiki.example.net.")
    assert web.get("/api/workspaces/personal")["web_allowed_domains"] == ["wiki.example.net"]


async def test_when_the_next_service_is_asked_is_said_and_can_be_set(
    browser: Browser, web: Web
) -> None:
    web.client.put("/api/web", json={"search_provider": ["searxng", "library"]})

    async with visiting(browser, web, "/settings/search") as page:
        said = page.get_by_text("Asked in this order.")
        await expect(said).to_contain_text("only if the one before fails")
        await page.get_by_label("Ask the next service if nothing is found").check()
        await expect(said).to_contain_text("fails or finds nothing")
        await page.get_by_role("button", name="Save", exact=True).click()
        await expect(page.get_by_text("Saved.")).to_be_visible()

    assert web.get("/api/web")["next_on_nothing"] is True


async def test_a_workspace_is_made_renamed_and_deleted(browser: Browser, web: Web) -> None:
    async with visiting(browser, web, "/settings/workspaces") as page:
        await page.get_by_label("Name", exact=True).fill("Kitchen")
        await page.get_by_role("button", name="Create workspace").click()
        await expect(page.get_by_text("Kitchen is there")).to_be_visible()
        await expect(page.locator("#workspace option")).to_have_text(["Personal", "Kitchen"])

        await page.get_by_text("Rename Kitchen").click()
        await page.get_by_label("New name of Kitchen").fill("Cellar")
        await page.get_by_role("button", name="Save name").locator("visible=true").click()
        await expect(page.get_by_text("called Cellar now")).to_be_visible()
        assert "Cellar" in [each["name"] for each in web.get("/api/workspaces")]

        await page.get_by_role("button", name="Delete Cellar").click()
        await page.get_by_role("button", name="Delete workspace").click()
        await expect(page.get_by_text("Cellar is deleted.")).to_be_visible()
    assert [each["id"] for each in web.get("/api/workspaces")] == ["personal"]
