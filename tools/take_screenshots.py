"""Takes the pictures of the documentation: `python -m tools.take_screenshots [NAME …]`.

Everything is real: the chat is that of `groundwire demo`, the settings are those of a server over
the sandbox, in Debian's Chromium. Only the usage of past days is made up. The pictures are made
anew in docs/images/.
"""

from __future__ import annotations

import asyncio
import os
import random
import shutil
import sys
import tempfile
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path
from urllib.parse import urljoin

from playwright.async_api import Browser, BrowserContext, Page, async_playwright
from tests.web.server import PASSWORD, Web, set_up, with_users
from tools.demo_server import running_demo

from groundwire.conversation import ChatMessage, MessageKind, Session, now
from groundwire.demo import QUESTIONS
from groundwire.model import Json, Usage
from groundwire.sandbox import SandboxServer
from groundwire.store import PERSONAL, Store

IMAGES = Path(__file__).parent.parent / "docs" / "images"
MODELS = (
    ("anthropic", "claude-sonnet-5-5", 0.011),
    ("gemini", "gemini-3-flash", 0.004),
    ("openai", "qwen3-8b", None),
)
QUESTION = QUESTIONS[0]
OTTERS = "How do sea otters sleep, and why do they hold hands?"
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
    is_of_demo: bool = False


async def _first(page: Page) -> None:
    await page.locator(".starter").first.wait_for()


async def _asked(page: Page) -> None:
    """Have the demo asked once, before any picture is taken."""
    await page.locator(".starter", has_text=QUESTION).click()
    await page.locator(".checks-line:not(:empty)").wait_for()


async def _as_read(page: Page) -> None:
    await _answer(page)
    await page.locator("details.sources").first.evaluate("(panel) => { panel.open = true; }")
    path = await page.locator(".as-read a").first.get_attribute("href")
    await page.goto(urljoin(page.url, path))


async def _answer(page: Page) -> None:
    # The one that was asked in preparation, by its address: on a phone the list is hidden.
    path = await page.locator("#sessions a", has_text=QUESTION).first.get_attribute("href")
    await page.goto(urljoin(page.url, path))
    await page.locator(".mark").first.wait_for()
    await page.locator("#scroller").evaluate("(scroller) => { scroller.scrollTop = 0; }")


async def _sources(page: Page) -> None:
    await _answer(page)
    # A short list is open by itself.
    await page.locator("details.sources").first.evaluate("(panel) => { panel.open = true; }")
    await page.locator("details.sources").first.evaluate("(panel) => panel.scrollIntoView()")


async def _card(page: Page) -> None:
    await _answer(page)
    await page.locator(".mark").first.focus()
    await page.locator(".card:popover-open").wait_for()


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
    Picture(name="first", path="/", prepare=_first, looks=LOOKS, is_of_demo=True),
    Picture(name="chat", path="/", prepare=_answer, looks=LOOKS, is_of_demo=True),
    Picture(name="chat-card", path="/", prepare=_card, looks=LOOKS, is_of_demo=True),
    Picture(name="chat-sources", path="/", prepare=_sources, looks=LOOKS, is_of_demo=True),
    Picture(name="source", path="/", prepare=_as_read, looks=LOOKS, is_of_demo=True),
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


class House:
    """A server filled with what a small group would have."""

    def __init__(self, web: Web) -> None:
        self.web = web
        self.owner = set_up(web)

    def post(self, path: str, **body: Json) -> Json:
        """Add something."""
        return self.owner.post(f"/api{path}", json=body).raise_for_status().json()

    def furnish(self) -> str:
        """Add everything, and return the owner's cookie."""
        self._add_providers()
        self._add_people()
        self.post(
            "/agents",
            name="Researcher",
            description="Searches, reads and cites",
            system_prompt="Answer in a few sentences. Prefer primary sources.",
            web_search_enabled=True,
        )
        self.post("/agents", name="Editor", description="Improves a text without the web")
        self.post("/tokens", name="Nightly report", expires_in_days=90)
        self.web.ask(OTTERS, self.owner)
        cookie = str(self.owner.cookies["groundwire_session"])
        self.owner.close()
        return cookie

    def _add_providers(self) -> None:
        for name, kind in (("Anthropic", "anthropic"), ("Gemini", "gemini"), ("Lab", "openai")):
            path = f"/api/providers/{self.post('/providers', name=name, type=kind)['id']}"
            self.owner.put(f"{path}/key", json={"key": "an-example-of-a-key"}).raise_for_status()
            fetched = self.owner.post(f"{path}/models", json={}).raise_for_status().json()
            model = fetched["models"][0]["model"]
            self.owner.patch(path, json={"default_model": model}).raise_for_status()

    def _add_people(self) -> None:
        for name in ("grace", "edsger", "barbara"):
            user = self.post("/users", name=name, password=PASSWORD)
            if name != "barbara":
                path = f"/api/workspaces/personal/members/{user['id']}"
                self.owner.put(path, json={"role": "member"}).raise_for_status()


async def _use(database: str) -> None:
    """Keep answers of past days, so that usage has something to show."""
    chance = random.Random(7)  # noqa: S311 - pictures, the same each time
    async with await Store.open(database) as store:
        agent = (await store.agents.list(PERSONAL))[0]
        for day in range(1, 30):
            at = now() - timedelta(days=day)
            session = Session(
                workspace_id=PERSONAL,
                agent_id=agent.id,
                title="Earlier question",
                created_at=at,
                updated_at=at,
            )
            await store.sessions.create(session)
            for provider, model, price in MODELS:
                for _ in range(chance.randint(0, 6 if day % 7 > 1 else 1)):
                    answer = _answer_of(session, chance, price)
                    await store.messages.add(replace(answer, provider=provider, model=model))


def _answer_of(session: Session, chance: random.Random, price: float | None) -> ChatMessage:
    usage = Usage(
        input_tokens=chance.randint(2_000, 9_000),
        output_tokens=chance.randint(150, 800),
        searches=chance.randint(0, 2),
        fetches=chance.randint(0, 3),
    )
    return ChatMessage(
        session_id=session.id,
        kind=MessageKind.AI_RESPONSE,
        usage=usage,
        pages_read=usage.fetches or 0,
        cost_is_partial=price is None,
        cost_usd=price and price * (usage.input_tokens or 0) / 4_000,
        created_at=session.created_at,
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


async def _context(browser: Browser, url: str, cookie: str, **options: Json) -> BrowserContext:
    context = await browser.new_context(locale="en-GB", timezone_id="UTC", **options)
    if cookie:
        await context.add_cookies([{"name": "groundwire_session", "value": cookie, "url": url}])
    return context


async def _photograph(
    url: str, cookie: str, chosen: list[Picture], before: Prepare | None = None
) -> None:
    path = shutil.which("chromium") or shutil.which("chromium-browser")
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        looks: dict[str, Json] = {
            "light": {"viewport": DESKTOP, "color_scheme": "light"},
            "dark": {"viewport": DESKTOP, "color_scheme": "dark"},
            "phone": {
                "viewport": PHONE,
                "color_scheme": "light",
                "has_touch": True,
                "is_mobile": True,
            },
        }
        if before:
            page = await browser.new_page()
            await page.goto(url)
            await before(page)
            await page.close()
        for ending, options in looks.items():
            for picture in (each for each in chosen if ending in each.looks):
                context = await _context(
                    browser, url, "" if picture.name == "login" else cookie, **options
                )
                await _take(context, url, picture, ending)
                await context.close()
        await browser.close()


def main() -> None:
    """Take the pictures that are named, or all."""
    names = sys.argv[1:]
    chosen = [each for each in PICTURES if not names or each.name in names]
    IMAGES.mkdir(exist_ok=True)
    of_demo = [each for each in chosen if each.is_of_demo]
    others = [each for each in chosen if not each.is_of_demo]
    if of_demo:
        with tempfile.TemporaryDirectory() as folder, running_demo(Path(folder)) as url:
            asyncio.run(_photograph(url, "", of_demo, _asked))
    if others:
        _photograph_house(others)


def _photograph_house(chosen: list[Picture]) -> None:
    with tempfile.TemporaryDirectory() as folder, SandboxServer() as sandbox:
        os.environ["GROUNDWIRE_HOME"] = folder
        with with_users(sandbox, Path(folder)) as web:
            cookie = House(web).furnish()
            asyncio.run(_use(web.database))
            asyncio.run(_photograph(web.url, cookie, chosen))


if __name__ == "__main__":
    main()
