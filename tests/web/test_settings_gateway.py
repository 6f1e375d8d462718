"""Settings, Gateway: lines to paste with the user's own address, a model of theirs, a new token."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import httpx2
import pytest
import yaml
from playwright.async_api import Browser, expect

from groundwire.testing import SandboxServer
from tests.gateway.asking import QUESTION, SEARCH
from tests.patience import PATIENCE
from tests.web.browser import violations, visiting
from tests.web.server import PASSWORD, Web, set_up, signed_in, with_users
from tools import gateway_clients

VALUES = {"url": "http://127.0.0.1:8321", "token": "gw_x", "model": "openai/gpt-5.5"}
NAMED = (
    *("Claude Code", "Codex", "OpenCode", "Open WebUI", "LibreChat", "Cursor", "Cline", "Continue"),
    *("Vercel AI SDK", "LangChain", "pydantic-ai", "openai-agents", "llm", "LiteLLM"),
    *("Ollama", "llama.cpp"),
)


def _python(code: str) -> None:
    compile(code, "snippet", "exec")


def _plain(code: str) -> None:
    assert re.fullmatch(r"(?:[\w ]+: \S[^\n]*\n)+", code)


def _shell(code: str) -> None:
    assert all(re.match(r"export \w+=\"[^\"]+\"$|[\w-]+( |$)", line) for line in code.splitlines())


READERS: dict[str, Callable[[str], object]] = {
    "toml": tomllib.loads,
    "json": json.loads,
    "yaml": yaml.safe_load,
    "py": _python,
    "text": _plain,
    "sh": _shell,
    "js": str,
}


@pytest.fixture
def served(sandbox: SandboxServer, tmp_path: Path) -> Iterator[tuple[Web, httpx2.Client]]:
    """Return a server with an owner and Mia, who is a member, and the owner's browser."""
    with with_users(sandbox, tmp_path) as web:
        owner = set_up(web)
        mia = owner.post("/api/users", json={"name": "mia", "password": PASSWORD}).json()
        owner.put(f"/api/workspaces/personal/members/{mia['id']}", json={"role": "member"})
        yield web, owner
        owner.close()


def test_the_documentation_has_the_lines_of_the_page() -> None:
    assert gateway_clients.page() == gateway_clients.PAGE.read_text(encoding="utf-8"), (
        "run make types"
    )


def test_every_client_that_was_promised_is_there() -> None:
    names = [each["name"] for each in gateway_clients.clients()]

    assert set(NAMED) <= set(names)
    assert len(set(names)) == len(names)


def test_every_snippet_can_be_read_as_what_it_is() -> None:
    for client in gateway_clients.clients():
        text = ""
        for snippet in client["snippets"]:
            text += snippet["code"]
            READERS[snippet["language"]](gateway_clients.filled(snippet["code"], VALUES))
        if client["kind"] == "client":
            text += client["search"]
            assert all(f"{{{name}}}" in text for name in VALUES), client["name"]


@pytest.mark.asyncio(loop_scope="session")
async def test_the_lines_work_as_they_are_shown(
    browser: Browser, served: tuple[Web, httpx2.Client]
) -> None:
    web, owner = served
    async with visiting(browser, web, "/settings/gateway", client=owner) as page:
        await page.get_by_label("Model", exact=True).select_option("anthropic/claude-sonnet-5-5")
        await page.get_by_text("Claude Code", exact=True).click()
        lines = page.get_by_label("Lines for Claude Code: In the shell", exact=True)
        assert 'export ANTHROPIC_AUTH_TOKEN="TOKEN"' in (await lines.text_content() or "")
        await page.get_by_role("button", name="Create token").click()
        await expect(page.get_by_text("The lines below have a new token now.")).to_be_visible()
        shown = await lines.text_content() or ""
        broken = await violations(page)

    url = re.search(r'ANTHROPIC_BASE_URL="(.*)"', shown)
    token = re.search(r'ANTHROPIC_AUTH_TOKEN="(.*)"', shown)
    model = re.search(r'--model "(.*)"', shown)
    assert url
    assert token
    assert model
    assert url[1] == web.url
    with httpx2.Client(base_url=url[1], timeout=PATIENCE) as client:
        reply = client.post(
            "/v1/messages",
            headers={"authorization": f"Bearer {token[1]}"},
            json={
                "model": model[1],
                "max_tokens": 500,
                "messages": [{"role": "user", "content": QUESTION}],
                "tools": [SEARCH],
            },
        )
    assert reply.status_code == 200, reply.text
    assert reply.headers["x-groundwire-citations"] == "2"
    assert broken == []


@pytest.mark.asyncio(loop_scope="session")
@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_open_lines_break_no_rule_and_fit_a_phone(
    browser: Browser, served: tuple[Web, httpx2.Client], scheme: str
) -> None:
    web, owner = served
    small = {"width": 320, "height": 640}
    look = {"viewport": small, "color_scheme": scheme}
    async with visiting(browser, web, "/settings/gateway", client=owner, **look) as page:
        await expect(page.get_by_role("heading", name="Gateway", level=1)).to_be_visible()
        await page.wait_for_load_state("networkidle")
        for details in await page.locator("details").all():
            await details.evaluate("(details) => { details.open = true; }")
        width = await page.locator("#content").evaluate("(content) => content.scrollWidth")
        broken = await violations(page)

    assert (width <= small["width"], broken) == (True, [])


@pytest.mark.asyncio(loop_scope="session")
async def test_a_member_sees_the_lines_and_who_makes_tokens(
    browser: Browser, served: tuple[Web, httpx2.Client]
) -> None:
    web, _ = served
    with closing(signed_in(web, "mia")) as mia:
        async with visiting(browser, web, "/settings/gateway", client=mia) as page:
            await expect(page.get_by_text("from an admin of the workspace")).to_be_visible()
            await expect(page.get_by_role("button", name="Create token")).to_have_count(0)
            await page.get_by_text("Codex", exact=True).click()
            await expect(page.get_by_text(f'base_url = "{web.url}/v1"')).to_be_visible()
