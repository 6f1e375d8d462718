"""Questions that the page offers: to begin with, and to go on."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing

import pytest
from playwright.async_api import expect

from groundwire.sandbox import SandboxServer
from groundwire.web import Options
from groundwire.web.options import Starter
from tests.web.chat_page.chat import OTTERS, ChatPage, add_providers
from tests.web.server import Web

pytestmark = pytest.mark.asyncio(loop_scope="session")

STARTERS = (Starter(text=OTTERS), Starter(text="Which settings are there?", agent="Setup"))
OWN = "compare otters and tides"

# How much of the page moved after it was painted, as browsers count it.
SHIFT = """new Promise((resolve) => {
  let sum = 0;
  new PerformanceObserver((list) => {
    for (const each of list.getEntries()) sum += each.value;
  }).observe({ type: 'layout-shift', buffered: true });
  requestAnimationFrame(() => requestAnimationFrame(() => resolve(sum)));
})"""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Web]:
    """Return a server that offers questions, one of them by its settings."""
    folder = tmp_path_factory.mktemp("web")
    options, own = Options(starters=STARTERS), {"starters": [OWN]}
    with (
        SandboxServer() as sandbox,
        Web(sandbox, folder, options=options, web=own, checks={}) as web,
    ):
        add_providers(web)
        yield web


async def test_a_new_chat_offers_questions_and_asks_one(chat: ChatPage) -> None:
    offered = chat.page.get_by_role("list", name="Questions to begin with").get_by_role("button")
    await expect(offered).to_have_text([*(each.text for each in STARTERS), OWN])
    assert await chat.check_access() == []

    await offered.first.click()
    await chat.ended()

    assert chat.kept()[0]["content"] == OTTERS
    await expect(offered.first).to_be_hidden()


async def test_a_question_is_asked_of_the_agent_that_it_names(chat: ChatPage) -> None:
    await chat.page.get_by_role("button", name=STARTERS[1].text).click()
    # Its tools change settings, so it asks first.
    await chat.ended("awaiting_approval")

    session = chat.web.get(f"/api/sessions/{chat.session_id}")["session"]
    assert session["agent_id"] == "setup"


async def test_nothing_on_the_first_page_moves_when_the_questions_come(chat: ChatPage) -> None:
    await expect(chat.page.locator(".starter").first).to_be_visible()
    await chat.page.wait_for_load_state("networkidle")

    assert await chat.page.evaluate(SHIFT) < 0.01


async def test_under_the_newest_answer_are_questions_from_the_headings_of_its_pages(
    chat: ChatPage,
) -> None:
    answer = await chat.answered()
    # By then its pages are kept.
    await expect(answer.locator(".checks-line")).not_to_be_empty()
    section = "They eat urchins and clams, which they open with stones on their chests. " * 2
    with closing(sqlite3.connect(chat.web.database)) as database:
        database.execute("UPDATE source_pages SET text = ?", (f"# Otter\n\n## Diet\n\n{section}",))
        database.commit()

    await chat.open(f"/s/{chat.session_id}")
    offered = chat.page.get_by_role("list", name="Questions to go on with").get_by_role("button")
    await expect(offered.first).to_contain_text("say about “Diet”?")
    asked = await offered.first.inner_text()
    assert await chat.check_access() == []
    await offered.first.click()
    await expect(chat.page.get_by_role("article", name="Answer")).to_have_count(2)
    await chat.ended()

    assert chat.kept()[-2]["content"] == asked
    first = chat.page.get_by_role("article", name="Answer").first
    await expect(first.locator(".follow-ups")).to_be_hidden()
