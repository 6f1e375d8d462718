"""Settings for everybody: axe-core, the keyboard alone, and a small screen."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import httpx2
import pytest
from playwright.async_api import Browser, Page, expect

from groundwire.testing import SandboxServer
from tests.web.browser import OF_COLOURS, violations, visiting
from tests.web.server import PASSWORD, Web, set_up, with_users

pytestmark = pytest.mark.asyncio(loop_scope="session")

SECTIONS = {
    "start": "Start here",
    "providers": "Providers",
    "providers#new": "New provider",
    "agents": "Agents",
    "agents#new": "New agent",
    "agents#assistant": "Assistant",
    "web-access": "Web Access",
    "library": "Library",
    "search": "Search and read",
    "gateway": "Gateway",
    "usage": "Usage",
    "members": "Members and tokens",
    "workspaces": "Workspaces",
    "audit": "Audit",
    "account": "Account",
    "appearance": "Appearance",
}


@pytest.fixture
def furnished(sandbox: SandboxServer, tmp_path: Path) -> Iterator[tuple[Web, httpx2.Client]]:
    """Return a server where every section has something to show, and its owner's browser."""
    with with_users(sandbox, tmp_path) as web:
        owner = set_up(web)
        made = owner.post("/api/providers", json={"name": "Claude", "type": "anthropic"}).json()
        owner.post(f"/api/providers/{made['id']}/models", json={})
        mia = owner.post("/api/users", json={"name": "mia", "password": PASSWORD}).json()
        owner.put(f"/api/workspaces/personal/members/{mia['id']}", json={"role": "member"})
        owner.post("/api/tokens", json={"name": "report"})
        web.ask(client=owner)
        yield web, owner
        owner.close()


async def sections(page: Page, web: Web) -> AsyncIterator[str]:
    """Open each section, all of it, and return its address when it is there."""
    for address, title in SECTIONS.items():
        await page.goto(f"{web.url}/settings/{address}")
        await expect(page.get_by_role("heading", name=title, level=1)).to_be_visible()
        await page.wait_for_load_state("networkidle")
        for details in await page.locator("details").all():
            await details.evaluate("(details) => { details.open = true; }")
        yield address


async def test_no_section_breaks_a_rule_of_axe_in_light_or_dark(
    browser: Browser, furnished: tuple[Web, httpx2.Client]
) -> None:
    web, owner = furnished
    found = {}
    async with visiting(browser, web, "/settings", client=owner, color_scheme="light") as page:
        async for address in sections(page, web):
            light = await violations(page)
            await page.emulate_media(color_scheme="dark")
            found[address] = light, await violations(page, OF_COLOURS)
            await page.emulate_media(color_scheme="light")

    assert found == {address: ([], []) for address in SECTIONS}


async def test_a_provider_with_results_and_a_question_break_no_rule_of_axe(
    browser: Browser, furnished: tuple[Web, httpx2.Client]
) -> None:
    web, owner = furnished
    async with visiting(browser, web, "/settings/providers", client=owner) as page:
        await page.get_by_role("link", name="Claude").click()
        await page.get_by_role("button", name="Test connection").click()
        await expect(page.get_by_text("It answers.")).to_be_visible()
        shown = await violations(page)
        await page.get_by_role("button", name="Delete provider").click()
        asked = await violations(page)
        await page.keyboard.press("Escape")

    assert (shown, asked) == ([], [])


async def test_bad_domains_and_unsaved_changes_break_no_rule_of_axe(
    browser: Browser, furnished: tuple[Web, httpx2.Client]
) -> None:
    web, owner = furnished
    async with visiting(browser, web, "/settings/web-access", client=owner) as page:
        await page.get_by_label("Allowed Domains").fill("https://sap.com\nintranet")
        await page.get_by_role("button", name="Save").click()
        await expect(page.get_by_role("button", name="Line 2")).to_be_visible()
        found = await violations(page)
        await page.get_by_role("button", name="Discard").click()

    assert found == []


async def tab_to(page: Page, name: str) -> None:
    """Go on with the Tab key until the focus is on something of this name."""
    read = (
        "() => { const at = document.activeElement; const label = at.labels?.[0] ?? at;"
        " return at.getAttribute('aria-label') ?? label.textContent.trim(); }"
    )
    for _ in range(80):
        await page.keyboard.press("Tab")
        if (await page.evaluate(read)).startswith(name):
            return
    raise AssertionError(f"the Tab key does not reach {name!r}")


async def test_an_agent_is_made_by_keyboard_alone(
    browser: Browser, furnished: tuple[Web, httpx2.Client]
) -> None:
    web, owner = furnished
    async with visiting(browser, web, "/settings", client=owner) as page:
        await expect(page.get_by_role("heading", name="Providers", level=1)).to_be_visible()
        await tab_to(page, "Agents")
        await page.keyboard.press("Enter")
        await expect(page.get_by_role("heading", name="Agents", level=1)).to_be_visible()
        await tab_to(page, "New agent")
        await page.keyboard.press("Enter")
        await expect(page.get_by_role("heading", name="New agent", level=1)).to_be_visible()
        await tab_to(page, "Name")
        await page.keyboard.type("Keyboardist")
        await tab_to(page, "Web Search")
        await page.keyboard.press("Space")
        await tab_to(page, "Save")
        await page.keyboard.press("Enter")
        await expect(page.get_by_role("heading", name="Keyboardist", level=1)).to_be_visible()

        await tab_to(page, "Delete agent")
        await page.keyboard.press("Enter")
        await expect(page.get_by_role("button", name="Cancel")).to_be_focused()
        await tab_to(page, "Delete agent")
        await page.keyboard.press("Enter")
        await expect(page.get_by_role("heading", name="Agents", level=1)).to_be_visible()
        await expect(page.get_by_role("link", name="Keyboardist")).to_have_count(0)


async def test_services_are_ordered_by_keyboard_alone(
    browser: Browser, furnished: tuple[Web, httpx2.Client]
) -> None:
    web, owner = furnished
    async with visiting(browser, web, "/settings/search", client=owner) as page:
        await expect(page.get_by_role("heading", name="Search and read", level=1)).to_be_visible()
        await tab_to(page, "Add to search")
        await tab_to(page, "Add")
        await page.keyboard.press("Enter")
        await tab_to(page, "Save")
        await page.keyboard.press("Enter")
        await expect(page.get_by_text("Saved.")).to_be_visible()

    assert owner.get("/api/web").json()["search_provider"] == ["searxng", "brave"]


async def test_the_skip_link_leads_to_the_settings(
    browser: Browser, furnished: tuple[Web, httpx2.Client]
) -> None:
    web, owner = furnished
    async with visiting(browser, web, "/settings/agents", client=owner) as page:
        await expect(page.get_by_role("heading", name="Agents", level=1)).to_be_visible()
        await page.keyboard.press("Tab")
        await page.keyboard.press("Enter")

        await expect(page.locator("#content")).to_be_focused()
        assert page.url.endswith("/settings/agents")


async def test_on_a_phone_nothing_is_too_wide_and_targets_are_large_enough_for_a_finger(
    browser: Browser, furnished: tuple[Web, httpx2.Client]
) -> None:
    web, owner = furnished
    phone = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
    widths: dict[str, int] = {}
    small: dict[str, list[str]] = {}
    async with visiting(browser, web, "/settings", client=owner, **phone) as page:
        async for address in sections(page, web):
            small[address] = await page.evaluate(
                "() => [...document.querySelectorAll('main button, main select, nav a')]"
                ".filter((each) => each.checkVisibility() && each.offsetHeight < 40)"
                ".map((each) => each.outerHTML)"
            )
            await page.set_viewport_size({"width": 320, "height": 640})
            widths[address] = await page.evaluate(
                "() => Math.max(document.documentElement.scrollWidth,"
                " document.querySelector('#content').scrollWidth)"
            )
            await page.set_viewport_size({"width": 390, "height": 844})

    assert {address: each for address, each in small.items() if each} == {}
    assert {address: width for address, width in widths.items() if width > 320} == {}
