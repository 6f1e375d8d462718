"""Takes the pictures of the documentation: `python -m tools.take_screenshots [NAME …]`.

Everything is real: the server, the page, Debian's Chromium, and the sandbox as the providers. Only
the usage of past days is made up. The pictures are made anew in docs/images/.
"""

from __future__ import annotations

import asyncio
import os
import random
import shutil
import sys
import tempfile
from collections.abc import Awaitable, Callable
from contextlib import closing
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from urllib.parse import urljoin

from playwright.async_api import Browser, BrowserContext, Page, async_playwright
from tests.web.serving import PASSWORD, Web, set_up, with_users

from groundwire.conversation import ChatMessage, MessageKind, Session, now
from groundwire.model import Usage
from groundwire.sandbox import SandboxServer
from groundwire.store import PERSONAL, Store

IMAGES = Path(__file__).parent.parent / "docs" / "images"
QUESTION = "How do sea otters sleep, and why do they hold hands?"
DESKTOP = {"width": 1280, "height": 860}
PHONE = {"width": 390, "height": 844}
LOOKS = ("light", "dark", "phone")

Prepare = Callable[[Page], Awaitable[None]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """What is photographed: an address of the page, and what is done there before."""

    name: str
    path: str
    prepare: Prepare | None = None
    looks: tuple[str, ...] = ("light",)
    is_whole: bool = False


async def _answer(page: Page) -> None:
    # The one that was asked in preparation, by its address: on a phone the list is hidden.
    path = await page.locator("#sessions a", has_text=QUESTION).first.get_attribute("href")
    await page.goto(urljoin(page.url, path))
    await page.locator(".mark").first.wait_for()
    await page.locator("#scroller").evaluate("(scroller) => { scroller.scrollTop = 0; }")


async def _sources(page: Page) -> None:
    await _answer(page)
    await page.get_by_text("Sources (").first.click()
    await page.locator(".mark").first.hover()
    await page.locator("#scroller").evaluate(
        "(scroller) => { scroller.scrollTop = scroller.scrollHeight; }"
    )


async def _bad_domains(page: Page) -> None:
    await page.get_by_label("Allowed Domains").fill(
        "help.sap.com\n*.wikipedia.org\nhttps://docs.python.org/3/\nintranet\narxiv.org"
    )
    await page.get_by_role("button", name="Save").click()
    await page.get_by_role("button", name="Line 3").wait_for()


async def _edited_agent(page: Page) -> None:
    await page.get_by_role("link", name="Researcher").click()
    await page.get_by_label("Temperature").fill("0.4")


async def _provider(page: Page) -> None:
    await page.get_by_role("link", name="Anthropic").click()
    await page.get_by_role("button", name="Fetch models").click()
    await page.get_by_text("models fetched").wait_for()
    await page.get_by_role("button", name="Test connection").click()
    await page.get_by_text("It answers").wait_for()


PICTURES = (
    Picture(name="chat", path="/", prepare=_answer, looks=LOOKS),
    Picture(name="chat-sources", path="/", prepare=_sources, looks=LOOKS),
    Picture(name="settings-providers", path="/settings/providers"),
    Picture(name="settings-provider", path="/settings/providers", prepare=_provider, is_whole=True),
    Picture(name="settings-agents", path="/settings/agents"),
    Picture(
        name="settings-agent",
        path="/settings/agents",
        prepare=_edited_agent,
        looks=("light", "dark"),
        is_whole=True,
    ),
    Picture(
        name="settings-web-access", path="/settings/web-access", prepare=_bad_domains, looks=LOOKS
    ),
    Picture(name="settings-search", path="/settings/search", is_whole=True),
    Picture(name="settings-usage", path="/settings/usage", looks=LOOKS, is_whole=True),
    Picture(name="settings-members", path="/settings/members", is_whole=True),
    Picture(name="settings-audit", path="/settings/audit"),
    Picture(name="settings-appearance", path="/settings/appearance"),
    Picture(name="login", path="/login"),
)


def _furnish(web: Web) -> str:
    """Fill the server with what a small group would have, and return the owner's cookie."""
    owner = set_up(web)
    with closing(owner):
        post = lambda path, body: owner.post(f"/api{path}", json=body).raise_for_status().json()  # noqa: E731 - read in place
        for name, kind in (
            ("Anthropic", "anthropic"),
            ("Gemini", "gemini"),
            ("Lab server", "openai"),
        ):
            provider = post("/providers", {"name": name, "type": kind})
            if kind != "openai":
                key = {"key": "sk-ant-example-0000000000"}
                owner.put(f"/api/providers/{provider['id']}/key", json=key).raise_for_status()
            owner.post(f"/api/providers/{provider['id']}/models", json={})
            if kind == "anthropic":
                body = {"default_model": "claude-sonnet-4-5"}
                owner.patch(f"/api/providers/{provider['id']}", json=body)
        post(
            "/agents",
            {
                "name": "Researcher",
                "description": "Searches, reads and cites",
                "web_search_enabled": True,
                "system_prompt": "Answer in a few sentences. Prefer primary sources.",
            },
        )
        post("/agents", {"name": "Editor", "description": "Improves a text without the web"})
        owner.patch("/api/workspaces/personal", json={"web_allowed_domains": ["*"]})
        for name in ("grace", "edsger"):
            user = post("/users", {"name": name, "password": PASSWORD})
            owner.put(f"/api/workspaces/personal/members/{user['id']}", json={"role": "member"})
        post("/users", {"name": "barbara", "password": PASSWORD})
        post("/tokens", {"name": "Nightly report", "expires_in_days": 90})
        web.ask(QUESTION, owner)
        return str(owner.cookies["groundwire_session"])


async def _use(database: str) -> None:
    """Keep answers of past days, so that usage has something to show."""
    chance = random.Random(7)  # noqa: S311 - pictures, the same each time
    models = (
        ("anthropic", "claude-sonnet-4-5", 0.011),
        ("gemini", "gemini-3-flash", 0.004),
        ("openai", "qwen3-8b", None),
    )
    async with await Store.open(database) as store:
        workspace = (await store.workspaces.list())[0]
        agent = (await store.agents.list(workspace.id))[0]
        for day in range(1, 30):
            session = Session(
                workspace_id=PERSONAL,
                agent_id=agent.id,
                title="Earlier",
                created_at=now() - timedelta(days=day),
            )
            await store.sessions.create(session)
            for provider, model, price in models:
                for _ in range(chance.randint(0, 6 if day % 7 > 1 else 1)):
                    read, written = chance.randint(2_000, 9_000), chance.randint(150, 800)
                    await store.messages.add(
                        ChatMessage(
                            session_id=session.id,
                            kind=MessageKind.AI_RESPONSE,
                            provider=provider,
                            model=model,
                            content="…",
                            usage=Usage(
                                input_tokens=read,
                                output_tokens=written,
                                searches=chance.randint(0, 2),
                                fetches=chance.randint(0, 3),
                            ),
                            cost_usd=price and price * read / 4_000,
                            created_at=now() - timedelta(days=day),
                        )
                    )


async def _take(context: BrowserContext, url: str, picture: Picture, ending: str) -> None:
    page = await context.new_page()
    await page.goto(url + picture.path)
    await page.wait_for_load_state("networkidle")
    if picture.prepare:
        await picture.prepare(page)
        await page.wait_for_load_state("networkidle")
    if picture.is_whole:
        await _grow(page)
    await page.screenshot(path=IMAGES / f"{picture.name}-{ending}.png", animations="disabled")
    await page.close()


async def _grow(page: Page) -> None:
    """Make the window as high as what it shows."""
    size = page.viewport_size
    high = await page.evaluate(
        "() => { const { scrollHeight, clientHeight } = document.querySelector('#content');"
        " return innerHeight + scrollHeight - clientHeight; }"
    )
    if size and high > size["height"]:
        await page.set_viewport_size({"width": size["width"], "height": min(high, 2_400)})
    await page.locator("#content").evaluate("(content) => { content.scrollTop = 0; }")


async def _context(browser: Browser, web: Web, cookie: str, **options: object) -> BrowserContext:
    context = await browser.new_context(locale="en-GB", timezone_id="UTC", **options)
    if cookie:
        await context.add_cookies([{"name": "groundwire_session", "value": cookie, "url": web.url}])
    return context


async def _photograph(web: Web, cookie: str, chosen: list[Picture]) -> None:
    path = shutil.which("chromium") or shutil.which("chromium-browser")
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        looks = {
            "light": {"viewport": DESKTOP, "color_scheme": "light"},
            "dark": {"viewport": DESKTOP, "color_scheme": "dark"},
            "phone": {
                "viewport": PHONE,
                "color_scheme": "light",
                "has_touch": True,
                "is_mobile": True,
            },
        }
        for ending, options in looks.items():
            for picture in (each for each in chosen if ending in each.looks):
                context = await _context(
                    browser, web, "" if picture.name == "login" else cookie, **options
                )
                await _take(context, web.url, picture, ending)
                await context.close()
        await browser.close()


def main() -> None:
    """Take the pictures that are named, or all."""
    names = sys.argv[1:]
    chosen = [each for each in PICTURES if not names or each.name in names]
    IMAGES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, SandboxServer() as sandbox:
        os.environ["GROUNDWIRE_HOME"] = folder
        with with_users(sandbox, Path(folder)) as web:
            cookie = _furnish(web)
            asyncio.run(_use(web.database))
            asyncio.run(_photograph(web, cookie, chosen))


if __name__ == "__main__":
    main()
