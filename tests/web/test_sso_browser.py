"""Single sign-on in a real browser, against node-oidc-provider, which is certified."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright._impl._driver import compute_driver_executable
from playwright.async_api import Browser, Page, expect

from groundwire.config.keys import SSO_SECRET
from groundwire.config.settings import SsoSettings
from groundwire.model import Json, Secret
from groundwire.sandbox import SandboxServer
from groundwire.web import Options
from tests.web.browser import violations, visiting
from tests.web.server import SETUP_TOKEN, Web, set_up

pytestmark = pytest.mark.asyncio(loop_scope="session")

FOLDER = Path(__file__).parents[2] / "tools" / "openid-provider"
SECRET = "a secret of 32 characters at most".replace(" ", "-")
PEOPLE = {
    "ana": {
        "preferred_username": "ana",
        "email": "ana@example.org",
        "email_verified": True,
        "groups": ["engineering"],
    },
    "eve": {"preferred_username": "eve", "groups": ["elsewhere"]},
}


@contextmanager
def provided(own: str) -> Iterator[str]:
    """Run the provider for a server at an address, and give its issuer."""
    about: Json = {
        "clientId": "groundwire",
        "clientSecret": SECRET,
        "redirectUri": f"{own}/sso/callback",
        "signedOutUri": f"{own}/login",
        "people": PEOPLE,
    }
    node = compute_driver_executable()[0]
    command = [node, str(FOLDER / "server.js"), json.dumps(about)]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        assert process.stdout is not None
        issuer = process.stdout.readline().strip()
        try:
            assert issuer, "the provider did not start"
            yield issuer
        finally:
            process.kill()


@pytest.fixture
def web(sandbox: SandboxServer, tmp_path: Path) -> Iterator[Web]:
    if not (FOLDER / "node_modules" / "oidc-provider").is_dir():
        pytest.skip("needs oidc-provider: `make openid-provider` installs it with npm")
    web = Web(sandbox, tmp_path, options=Options(setup_token=Secret(SETUP_TOKEN)))
    own = f"http://127.0.0.1:{web._listener.getsockname()[1]}"
    with provided(own) as issuer:
        sso = SsoSettings(
            issuer=issuer,
            client_id="groundwire",
            name="Example Ltd",
            scopes=["openid", "profile", "email", "groups"],
            groups={"engineering": "Personal:member"},
            ends_provider_session=True,
        )
        web.program.settings = web.program.settings.model_copy(update={"sso": sso})
        web.program.keys.save(SSO_SECRET, Secret(SECRET))
        with web:
            set_up(web).close()
            yield web


async def continue_as(page: Page, name: str) -> None:
    """Go through the provider's own forms."""
    await page.get_by_role("link", name="Continue with Example Ltd").click()
    await page.locator("input[name=login]").fill(name)
    await page.locator("input[name=password]").fill("any")
    await page.locator("button[type=submit]").click()
    await page.get_by_role("button", name="Continue").click()


async def test_somebody_signs_in_and_out_with_a_certified_provider(
    browser: Browser, web: Web
) -> None:
    async with visiting(browser, web, "/settings/appearance") as page:
        await continue_as(page, "ana")

        await expect(page.get_by_role("heading", name="Appearance", level=1)).to_be_visible()
        me = await page.evaluate("fetch('/api/me').then((reply) => reply.json())")
        assert me["user"]["name"] == "ana"
        assert [(each["name"], each["role"]) for each in me["workspaces"]] == [
            ("Personal", "member")
        ]

        await page.get_by_role("button", name="Sign out").click()
        await page.get_by_role("button", name="Yes, sign me out").click()
        await expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
        assert page.url.startswith(f"{web.url}/login")


@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_the_pages_of_single_sign_on_break_no_rule_of_axe(
    browser: Browser, web: Web, scheme: str
) -> None:
    async with visiting(browser, web, "/login", color_scheme=scheme) as page:
        await expect(page.get_by_role("link", name="Continue with Example Ltd")).to_be_visible()
        login = await violations(page)
        await continue_as(page, "eve")

        await expect(page.get_by_role("alert")).to_contain_text(
            "None of your groups has a workspace here"
        )
        await expect(page.get_by_role("link", name="Try again")).to_be_visible()
        refusal = await violations(page)

    assert (login, refusal) == ([], [])


async def test_the_keyboard_reaches_the_button_before_the_password(
    browser: Browser, web: Web
) -> None:
    async with visiting(browser, web, "/login?next=/settings/usage") as page:
        link = page.get_by_role("link", name="Continue with Example Ltd")
        await expect(link).to_be_visible()
        assert await link.get_attribute("href") == "/sso/login?next=%2Fsettings%2Fusage"

        await page.get_by_label("Name").focus()
        await page.keyboard.press("Shift+Tab")
        await expect(link).to_be_focused()
