"""The first page: small in all its parts, from this server alone, and safe by its headers."""

from __future__ import annotations

from urllib.parse import urlsplit

import pytest
from playwright.async_api import Browser, expect

from tests.web.chat_page.chat import ChatPage
from tests.web.server import Web

pytestmark = pytest.mark.asyncio(loop_scope="session")

MAX_BYTES = 60_000

# What each request brought, as the browser counts it: bodies before unpacking.
SIZES = """['navigation', 'resource'].flatMap((type) => performance.getEntriesByType(type))
  .map((each) => [each.name, each.encodedBodySize])"""


async def test_the_first_page_is_below_60_kb_in_all_its_requests(
    browser: Browser, server: Web
) -> None:
    context = await browser.new_context()
    page = await context.new_page()
    hosts: set[str] = set()
    page.on("request", lambda request: hosts.add(urlsplit(request.url).netloc))
    await page.goto(server.url)
    await expect(page.get_by_label("Agent", exact=True)).to_be_enabled()
    await page.wait_for_load_state("networkidle")

    sizes = await page.evaluate(SIZES)

    await context.close()
    assert hosts == {urlsplit(server.url).netloc}
    assert len(sizes) >= 15
    assert sum(packed for _, packed in sizes) < MAX_BYTES


async def test_the_page_comes_with_the_strict_policy(chat: ChatPage) -> None:
    reply = await chat.page.request.get(chat.web.url)

    policy = reply.headers["content-security-policy"].split("; ")
    assert {"default-src 'none'", "script-src 'self'", "require-trusted-types-for 'script'"} <= {
        *policy
    }
    assert not [rule for rule in policy if "unsafe" in rule or "http" in rule]


async def test_the_page_is_painted_before_the_server_has_told_anything(
    browser: Browser, server: Web
) -> None:
    context = await browser.new_context()
    page = await context.new_page()
    await page.route("**/api/**", lambda route: route.abort())

    await page.goto(server.url)

    await expect(page.get_by_text("What do you want to know?")).to_be_visible()
    await expect(page.get_by_text("The server cannot be reached.")).to_be_visible()
    await context.close()
