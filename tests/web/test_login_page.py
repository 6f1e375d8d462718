"""Signing in and making the first user, in a real browser."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.async_api import Browser, Page, expect

from groundwire.testing import SandboxServer
from groundwire.web.login_limits import LoginAttempt
from tests.web.browser import violations, visiting
from tests.web.server import PASSWORD, SETUP_TOKEN, Web, set_up, with_users

pytestmark = pytest.mark.asyncio(loop_scope="session")


@pytest.fixture
def fresh(sandbox: SandboxServer, tmp_path: Path) -> Iterator[Web]:
    """Return a server that waits for its first user."""
    with with_users(sandbox, tmp_path) as web:
        yield web


async def fill(page: Page, name: str, password: str) -> None:
    await page.get_by_label("Name").fill(name)
    await page.get_by_label("Password", exact=True).fill(password)
    await page.keyboard.press("Enter")


async def test_the_first_user_is_made_with_the_link_of_the_console(
    browser: Browser, fresh: Web
) -> None:
    async with visiting(browser, fresh, f"/setup?token={SETUP_TOKEN}") as page:
        await expect(page.get_by_label("Setup token")).to_have_value(SETUP_TOKEN)
        await expect(page.get_by_label("Name")).to_be_focused()
        assert page.url == f"{fresh.url}/setup"
        await fill(page, "olga", PASSWORD)

        await expect(page.get_by_role("heading", name="Start here")).to_be_visible()
        me = await page.evaluate("fetch('/api/me').then((reply) => reply.json())")
        assert me["user"]["name"] == "olga"


async def test_a_wrong_token_is_said_in_words_and_nothing_typed_is_lost(
    browser: Browser, fresh: Web
) -> None:
    async with visiting(browser, fresh, "/") as page:
        await expect(page.get_by_role("heading", name="Make the first user")).to_be_visible()
        await page.get_by_label("Setup token").fill("guessed")
        await fill(page, "olga", PASSWORD)

        await expect(page.get_by_role("alert")).to_contain_text(
            "This setup link is invalid or has expired"
        )
        await expect(page.get_by_label("Name")).to_have_value("olga")
        await expect(page.get_by_label("Password", exact=True)).to_have_value(PASSWORD)


async def test_a_short_password_is_marked(browser: Browser, fresh: Web) -> None:
    async with visiting(browser, fresh, f"/setup?token={SETUP_TOKEN}") as page:
        await fill(page, "olga", "short")

        password = page.get_by_label("Password", exact=True)
        await expect(password).to_have_attribute("aria-invalid", "true")
        await expect(page.locator("#password-fault")).to_contain_text("8 characters")
        await expect(page.get_by_label("Name")).to_have_value("olga")


async def test_signing_in_leads_back_to_where_one_was(browser: Browser, fresh: Web) -> None:
    set_up(fresh).close()
    async with visiting(browser, fresh, "/settings/usage") as page:
        await fill(page, "olga", PASSWORD)

        await expect(page.get_by_role("heading", name="Usage", level=1)).to_be_visible()


async def test_a_wrong_password_is_said_in_words_and_the_name_stays(
    browser: Browser, fresh: Web
) -> None:
    set_up(fresh).close()
    async with visiting(browser, fresh, "/login") as page:
        await fill(page, "olga", "wrong password")

        await expect(page.get_by_role("alert")).to_contain_text(
            "The name or the password is wrong."
        )
        await expect(page.get_by_label("Name")).to_have_value("olga")
        await expect(page.get_by_label("Password", exact=True)).to_be_focused()


async def test_too_many_attempts_say_how_long_to_wait(browser: Browser, fresh: Web) -> None:
    set_up(fresh).close()
    for _ in range(10):
        fresh.app.state.site.logins.begun(LoginAttempt(name="olga", address="127.0.0.1"))
    async with visiting(browser, fresh, "/login") as page:
        await fill(page, "olga", PASSWORD)

        await expect(page.get_by_role("alert")).to_contain_text(
            "Too many failed attempts to sign in"
        )
        await expect(page.get_by_role("alert")).to_contain_text("Try again in")
        await expect(page.get_by_label("Password", exact=True)).to_have_value(PASSWORD)


async def test_empty_fields_are_marked_before_anything_is_sent(
    browser: Browser, fresh: Web
) -> None:
    set_up(fresh).close()
    async with visiting(browser, fresh, "/login") as page:
        sent: list[str] = []
        page.on("request", lambda request: sent.append(request.method))
        await page.get_by_role("button", name="Sign in").click()

        await expect(page.get_by_label("Name")).to_have_attribute("aria-invalid", "true")
        await expect(page.get_by_label("Name")).to_be_focused()
        assert "POST" not in sent


@pytest.mark.parametrize(
    "next_page", ["https://evil.example/", "//evil.example/", "/\\evil.example", "javascript:1"]
)
async def test_a_login_leads_nowhere_else(browser: Browser, fresh: Web, next_page: str) -> None:
    set_up(fresh).close()
    async with visiting(browser, fresh, f"/login?next={next_page}") as page:
        await fill(page, "olga", PASSWORD)
        await expect(page.get_by_label("Your question")).to_be_visible()

        assert page.url.startswith(f"{fresh.url}/")


async def test_password_managers_find_what_they_look_for(browser: Browser, fresh: Web) -> None:
    read = "(fields) => fields.map((field) => [field.name, field.autocomplete])"
    async with visiting(browser, fresh, "/setup") as page:
        made = await page.locator("input").evaluate_all(read)
    set_up(fresh).close()
    async with visiting(browser, fresh, "/login") as page:
        used = await page.locator("input").evaluate_all(read)

    assert made == [["token", "off"], ["username", "username"], ["password", "new-password"]]
    assert used == [["username", "username"], ["password", "current-password"]]


async def test_a_password_can_be_looked_at(browser: Browser, fresh: Web) -> None:
    set_up(fresh).close()
    async with visiting(browser, fresh, "/login") as page:
        password = page.get_by_label("Password", exact=True)
        await password.fill("typed")
        await page.get_by_role("button", name="Show the password").click()

        await expect(password).to_have_attribute("type", "text")
        await expect(password).to_have_value("typed")


@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_the_doors_break_no_rule_of_axe(browser: Browser, fresh: Web, scheme: str) -> None:
    async with visiting(browser, fresh, "/setup", color_scheme=scheme) as page:
        await page.get_by_role("button", name="Make user").click()
        setup = await violations(page)
    set_up(fresh).close()
    async with visiting(browser, fresh, "/login", color_scheme=scheme) as page:
        await fill(page, "olga", "wrong")
        await expect(page.get_by_role("alert")).not_to_be_empty()
        login = await violations(page)

    assert (setup, login) == ([], [])
