"""Pages in the browser, with a witness for what the policy stopped and for what broke."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

import httpx2
from axe_playwright_python.async_playwright import Axe
from playwright.async_api import Browser, Page

from tests.web.server import Web

_WITNESS = """
globalThis.violations = [];
addEventListener('securitypolicyviolation', (event) =>
  violations.push(`${event.effectiveDirective} ${event.blockedURI}`));
"""

Violation = tuple[str, list[str]]
# All that another scheme of colours could break where everything else is in order.
OF_COLOURS = ("color-contrast", "link-in-text-block")


@asynccontextmanager
async def visiting(
    browser: Browser, web: Web, path: str, *, client: httpx2.Client | None = None, **options: Any
) -> AsyncIterator[Page]:
    """Open a path as whoever `client` is signed in as; nothing may break and nothing be stopped."""
    context = await browser.new_context(locale="en-GB", timezone_id="UTC", **options)
    for name, value in (client.cookies if client else {}).items():
        await context.add_cookies([{"name": name, "value": value, "url": web.url}])
    page = await context.new_page()
    broken: list[str] = []
    page.on("pageerror", lambda error: broken.append(str(error)))
    await page.add_init_script(_WITNESS)
    await page.goto(web.url + path)

    yield page

    stopped = await page.evaluate("globalThis.violations")
    await context.close()
    assert (broken, stopped) == ([], [])


async def violations(page: Page, rules: Sequence[str] = ()) -> list[Violation]:
    """Return the rules of axe-core that what is shown breaks, with the elements that do."""
    # What is in order, and what a stylesheet elsewhere would say, nobody asks for.
    options: dict[str, Any] = {"resultTypes": ["violations"], "preload": False}
    found = await Axe().run(page, options=options | ({"runOnly": [*rules]} if rules else {}))
    return [
        (each["id"], [node["html"] for node in each["nodes"]])
        for each in found.response["violations"]
    ]
