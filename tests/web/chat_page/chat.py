"""The chat page in a real browser over a real server: how a test talks to it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from axe_playwright_python.async_playwright import Axe
from playwright.async_api import Locator, Page, expect

from groundwire.model import Json
from tests.web.server import Web

OTTERS = "How do sea otters sleep?"
PROVIDERS = (
    ("Anthropic", "anthropic", ""),
    ("Google", "gemini", ""),
    ("OpenAI", "openai", ""),
    ("Silent", "anthropic", "silence;after=3"),
    ("Limited", "anthropic", "rate_limit;retry_after=30"),
)

# Whatever runs a script, asks for a dialog or is stopped by the policy leaves its trace here.
WITNESS = """
globalThis.__pwned = [];
globalThis.__violations = [];
for (const name of ['alert', 'confirm', 'prompt', 'print']) {
  globalThis[name] = (...given) => { globalThis.__pwned.push([name, ...given].join(' ')); };
}
addEventListener('securitypolicyviolation', (event) => {
  globalThis.__violations.push(`${event.effectiveDirective} ${event.blockedURI}`);
});
"""

# A transition on its way has colours that nobody will read.
SETTLE = """
for (const each of document.getAnimations()) {
  if (each.effect.getComputedTiming().endTime !== Infinity) each.finish();
}
"""


def thinking(web: Web) -> Web:
    """Have the models of a server, which was not started yet, think."""
    web.program.settings.providers["anthropic"].options["thinking"] = "on"
    return web


def add_providers(web: Web) -> None:
    """Configure the sandbox's providers as an admin would; the first one answers by default."""
    for name, kind, fault in PROVIDERS:
        add_provider(web, name, kind, fault)


def add_provider(web: Web, name: str, kind: str = "anthropic", fault: str = "") -> None:
    """Configure one provider."""
    address = web.sandbox.base_url(kind, fault=fault)
    body = {"name": name, "type": kind, "base_url": address}
    made = web.client.post("/api/providers", json=body)
    assert made.status_code == 201, made.text
    key = f"/api/providers/{made.json()['id']}/key"
    assert web.client.put(key, json={"key": "sk-sandbox-1"}).status_code == 204


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatPage:
    """A tab with the chat, and all that went wrong in it."""

    web: Web
    page: Page
    faults: list[str] = field(default_factory=list)

    async def watch(self) -> None:
        """Note errors of the page and requests to strangers, from now on."""
        page = self.page
        own = urlsplit(self.web.url).hostname
        page.on("pageerror", lambda error: self.faults.append(f"error: {error}"))
        page.on("dialog", lambda dialog: self.faults.append(f"dialog: {dialog.message}"))
        page.on("request", lambda request: self._check(request.url, own))
        await page.add_init_script(WITNESS)

    def _check(self, url: str, own: str | None) -> None:
        if urlsplit(url).scheme in ("http", "https") and urlsplit(url).hostname != own:
            self.faults.append(f"request to a stranger: {url}")

    async def witnessed(self) -> list[str]:
        """Return all that should not have happened."""
        seen: list[str] = await self.page.evaluate("[...__pwned, ...__violations]")
        return [*self.faults, *seen]

    async def open(self, path: str = "/") -> None:
        """Show the page, ready to be asked."""
        await self.page.goto(self.web.url + path)
        await expect(self.page.locator("#agent[data-ready]")).to_be_visible()

    @property
    def question(self) -> Locator:
        """Return the field for the question."""
        return self.page.get_by_label("Your question")

    @property
    def answer(self) -> Locator:
        """Return the last answer on the page."""
        return self.page.get_by_role("article", name="Answer").last

    @property
    def words(self) -> Locator:
        """Return the words of the last answer."""
        return self.answer.locator(".words")

    async def choose(self, *, model: str = "", agent: str = "", search: str = "") -> None:
        """Use the pickers; a model is named by its provider."""
        pick = self.page.get_by_label
        if model:
            group = self.page.locator(f'#model optgroup[label="{model}"] option').first
            value = await group.get_attribute("value")
            await pick("Model", exact=True).select_option(value=value)
        if agent:
            await pick("Agent", exact=True).select_option(label=agent)
        if search:
            await pick("Who searches the web").select_option(label=search)

    async def ask(self, text: str = OTTERS, **choices: str) -> Locator:
        """Send a question and return the place of its answer."""
        await self.choose(**choices)
        await self.question.fill(text)
        await self.question.press("Enter")
        await expect(self.page.get_by_label("Stop", exact=True)).to_be_visible()
        return self.answer

    async def answered(
        self, text: str = OTTERS, status: str = "complete", **choices: str
    ) -> Locator:
        """Send a question and return its answer once it has ended."""
        await self.choose(**choices)
        await self.question.fill(text)
        await self.question.press("Enter")
        await self.ended(status)
        return self.answer

    async def ended(self, status: str = "complete") -> None:
        """Wait until the last answer has ended so."""
        await expect(self.answer).to_have_attribute("data-status", status)
        await expect(self.page.get_by_label("Send", exact=True)).to_be_visible()

    async def show_sources(self, answer: Locator) -> None:
        """Open the list of sources, which is open by itself where it is short."""
        panel = answer.locator("details.sources")
        await expect(panel).to_be_visible()
        if not await panel.evaluate("(panel) => panel.open"):
            await panel.locator("summary").first.click()

    @property
    def session_id(self) -> str:
        """Return the session that the address names."""
        return self.page.url.rpartition("/s/")[2]

    def kept(self) -> list[Json]:
        """Return the messages of the session as the server keeps them."""
        messages: list[Json] = self.web.get(f"/api/sessions/{self.session_id}")["messages"]
        return messages

    async def lit(self) -> list[str]:
        """Return the words that are lit up."""
        lit: list[str] = await self.page.evaluate(
            "[...(CSS.highlights.get('support') ?? [])].map(String)"
        )
        return lit

    async def check_access(self) -> list[str]:
        """Return what axe-core finds wrong."""
        await self.page.evaluate(SETTLE)
        found = await Axe().run(
            self.page, options={"resultTypes": ["violations"], "preload": False}
        )
        return [
            f"{each['id']}: {node['html'][:160]} {node['failureSummary'][:200]}"
            for each in found.response["violations"]
            for node in each["nodes"]
        ]


def plain(marked: str) -> str:
    """Return an answer's text without markers and line ends."""
    return re.sub(r"\s+", "", re.sub(r"\[\d+\]", "", marked))
