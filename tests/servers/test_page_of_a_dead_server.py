"""The page in a real browser when the server that answers it dies: another one goes on with it."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from playwright.async_api import async_playwright, expect
from torture.cluster import HANGING, SERVED_BY, cluster, is_installed

from tests import postgresql, redis
from tests.forked import groundwire
from tests.patience import PATIENCE
from tests.web.conftest import PROGRAMS

_CHROMIUM = next(filter(None, map(shutil.which, PROGRAMS)), None)
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not is_installed(), reason="needs haproxy: apt install haproxy"),
    pytest.mark.skipif(not redis.is_installed(), reason="needs Redis: apt install redis-server"),
    pytest.mark.skipif(not postgresql.is_installed(), reason="needs PostgreSQL"),
    pytest.mark.skipif(_CHROMIUM is None, reason="needs chromium: apt install chromium"),
]


async def test_a_page_whose_server_died_shows_what_came_and_offers_to_go_on(tmp_path: Path) -> None:
    with cluster(tmp_path, count=2, fault=HANGING, command=groundwire) as made:
        servers = {each.name: each for each in made.servers}
        async with async_playwright() as playwright:
            browser = await playwright.chromium.launch(
                executable_path=_CHROMIUM, args=["--no-sandbox"]
            )
            headers = {"authorization": f"Bearer {made.token}"}
            context = await browser.new_context(extra_http_headers=headers)
            page = await context.new_page()
            answering: list[str] = []
            page.on(
                "response",
                lambda reply: (
                    answering.append(reply.headers.get(SERVED_BY, ""))
                    if "event-stream" in reply.headers.get("content-type", "")
                    else None
                ),
            )
            await page.goto(made.url)
            await expect(page.locator("#agent[data-ready]")).to_be_visible(timeout=1000 * PATIENCE)
            await page.get_by_label("Your question").fill("How do sea otters sleep?")
            await page.keyboard.press("Enter")
            answer = page.get_by_role("article", name="Answer").last
            await expect(answer.locator(".words")).to_contain_text(
                "Here is what", timeout=1000 * PATIENCE
            )
            session = f"{made.url}/api/sessions/{page.url.rpartition('/')[2]}"
            # Until another server can read all of it, and not its first words alone.
            while (
                "Here is what"
                not in (await (await context.request.get(session)).json())["messages"][-1][
                    "content"
                ]
            ):
                pass

            servers[answering[0]].kill()

            await expect(answer).to_have_attribute(
                "data-status", "interrupted", timeout=1000 * PATIENCE
            )
            await expect(answer.locator(".words")).to_contain_text("Here is what")
            await expect(answer.get_by_role("button", name=re.compile("Retry"))).to_be_visible()
            assert len(set(answering)) == 2
            await browser.close()
