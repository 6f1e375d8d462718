"""Members, people, tokens and the audit; and what somebody sees who may not change things."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import httpx2
import pytest
from playwright.async_api import Browser, expect

from groundwire.testing import SandboxServer
from tests.web.browser import visiting
from tests.web.server import PASSWORD, Web, set_up, signed_in, with_users

pytestmark = pytest.mark.asyncio(loop_scope="session")


@pytest.fixture
def group(sandbox: SandboxServer, tmp_path: Path) -> Iterator[tuple[Web, httpx2.Client]]:
    """Return a server with an owner and Mia, who is a member, and the owner's browser."""
    with with_users(sandbox, tmp_path) as web:
        owner = set_up(web)
        mia = owner.post("/api/users", json={"name": "mia", "password": PASSWORD}).json()
        owner.put(f"/api/workspaces/personal/members/{mia['id']}", json={"role": "member"})
        yield web, owner
        owner.close()


async def test_a_person_is_made_and_gets_a_role(
    browser: Browser, group: tuple[Web, httpx2.Client]
) -> None:
    web, owner = group
    async with visiting(browser, web, "/settings/members", client=owner) as page:
        people = page.locator(".card", has_text="People on this server")
        await people.get_by_label("Name").fill("grace")
        await people.get_by_label("First password").fill("short")
        await people.get_by_role("button", name="Add person").click()
        await expect(people.get_by_label("First password")).to_have_attribute(
            "aria-invalid", "true"
        )
        await expect(people.get_by_label("Name")).to_have_value("grace")

        await people.get_by_label("First password").fill(PASSWORD)
        await people.get_by_role("button", name="Add person").click()
        await expect(people.get_by_text("grace can sign in now.")).to_be_visible()
        await page.get_by_label("Person", exact=True).select_option("grace")
        await page.get_by_role("button", name="Add to workspace").click()
        await expect(page.get_by_text("grace is in.")).to_be_visible()
        await page.get_by_label("Role of grace").select_option("Admin")
        await expect(page.get_by_text("grace is an admin now.")).to_be_visible()

    members = owner.get("/api/workspaces/personal/members").json()
    assert {each["name"]: each["role"] for each in members} == {"grace": "admin", "mia": "member"}


async def test_a_member_is_removed_only_after_a_yes(
    browser: Browser, group: tuple[Web, httpx2.Client]
) -> None:
    web, owner = group
    async with visiting(browser, web, "/settings/members", client=owner) as page:
        await page.get_by_role("button", name="Remove mia").click()
        await page.get_by_role("dialog").get_by_role("button", name="Cancel").click()
        await expect(page.get_by_label("Role of mia")).to_be_visible()
        await page.get_by_role("button", name="Remove mia").click()
        await page.get_by_role("dialog").get_by_role("button", name="Remove").click()
        await expect(page.get_by_text("mia is removed.")).to_be_visible()

    assert owner.get("/api/workspaces/personal/members").json() == []


async def test_a_token_is_shown_once_and_works(
    browser: Browser, group: tuple[Web, httpx2.Client]
) -> None:
    web, owner = group
    async with visiting(browser, web, "/settings/members", client=owner) as page:
        tokens = page.locator(".card", has_text="API tokens")
        await tokens.get_by_label("Name").fill("report")
        await tokens.get_by_role("button", name="Create token").click()
        token = await page.get_by_label("Token report", exact=True).input_value()
        program = web.new_client(headers={"Authorization": f"Bearer {token}"})
        with closing(program):
            assert program.get("/api/agents").status_code == 200

            await page.reload()
            await expect(tokens.get_by_text("report")).to_be_visible()
            assert token not in await page.content()

            await tokens.get_by_role("button", name="Delete token report").click()
            await page.get_by_role("dialog").get_by_role("button", name="Delete token").click()
            await expect(page.get_by_text("report is deleted.")).to_be_visible()
            assert program.get("/api/agents").status_code == 401


async def test_the_audit_tells_who_changed_what(
    browser: Browser, group: tuple[Web, httpx2.Client]
) -> None:
    web, owner = group
    owner.patch("/api/workspaces/personal", json={"web_allowed_domains": ["example.com"]})
    async with visiting(browser, web, "/settings/audit", client=owner) as page:
        entry = page.locator(".audit-entry").first
        await expect(entry).to_contain_text("olga changed workspace Personal")
        await expect(entry.locator("ins")).to_have_text("example.com")
        await expect(entry.locator("del")).to_have_text("*")

        await page.get_by_label("Find a change").fill("user mia")
        await expect(page.locator(".audit-entry")).to_have_count(1)


async def test_a_member_looks_and_changes_nothing(
    browser: Browser, group: tuple[Web, httpx2.Client]
) -> None:
    web, _ = group
    with closing(signed_in(web, "mia")) as mia:
        async with visiting(browser, web, "/settings/web-access", client=mia) as page:
            await expect(page.get_by_text("Only an admin of the workspace can")).to_be_visible()
            await expect(page.get_by_label("Allowed Domains")).to_be_disabled()
            await expect(page.get_by_role("checkbox", name="Web Search")).to_be_disabled()
            for name in ("Members and tokens", "Audit"):
                await expect(page.get_by_role("link", name=name)).to_have_count(0)

            await page.get_by_role("link", name="Providers").click()
            await expect(page.get_by_text("Only the owner of this server can")).to_be_visible()
            await expect(page.get_by_role("link", name="Add a provider")).to_have_count(0)

            await page.goto(f"{web.url}/settings/members")
            refusal = page.get_by_role("alert")
            await expect(refusal).to_contain_text("Only an admin of")


async def test_a_role_that_was_taken_away_is_said_in_words(
    browser: Browser, group: tuple[Web, httpx2.Client]
) -> None:
    web, owner = group
    [mia_id] = [each["id"] for each in owner.get("/api/users").json() if each["name"] == "mia"]
    member = f"/api/workspaces/personal/members/{mia_id}"
    owner.put(member, json={"role": "admin"})
    with closing(signed_in(web, "mia")) as mia:
        async with visiting(browser, web, "/settings/web-access", client=mia) as page:
            await page.get_by_label("Instructions").fill("Prefer primary sources.")
            owner.put(member, json={"role": "member"})
            await page.get_by_role("button", name="Save").click()

            await expect(page.get_by_text("Not saved. Only an admin of")).to_be_visible()
            await expect(page.get_by_label("Instructions")).to_have_value("Prefer primary sources.")


async def test_signing_out_leads_to_the_login(
    browser: Browser, group: tuple[Web, httpx2.Client]
) -> None:
    web, owner = group
    async with visiting(browser, web, "/settings/usage", client=owner) as page:
        await page.get_by_role("button", name="Sign out").click()
        await expect(page.get_by_role("heading", name="Sign in")).to_be_visible()

        await page.goto(f"{web.url}/settings/usage")
        await expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
        assert page.url.endswith("/login?next=%2Fsettings%2Fusage")
