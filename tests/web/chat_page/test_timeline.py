"""What happened before the answer: who searched for what, which pages were opened, what failed."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.async_api import Locator, expect

from groundwire.sandbox import SandboxServer
from tests.web.chat_page.chat import OTTERS, ChatPage, add_providers
from tests.web.server import Web

pytestmark = pytest.mark.asyncio(loop_scope="session")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Web]:
    """Return a server whose Tavily never answers."""
    folder = tmp_path_factory.mktemp("web")
    with SandboxServer() as sandbox, Web(sandbox, folder, faults={"tavily": "silence;late"}) as web:
        add_providers(web)
        yield web


@pytest.fixture
def slow_search(server: Web) -> Iterator[None]:
    """Have Tavily search, which takes for ever."""
    server.client.put("/api/web", json={"search_provider": ["tavily"]})
    yield
    server.client.put("/api/web", json={"search_provider": ["searxng"]})


async def opened(answer: Locator) -> Locator:
    await answer.locator(".timeline > summary").click()
    return answer.locator(".timeline")


@pytest.mark.usefixtures("slow_search")
async def test_a_search_is_told_with_its_query_and_a_spinner(chat: ChatPage) -> None:
    answer = await chat.ask(search="Client")

    phase = answer.locator(".phase")
    await expect(phase).to_have_text(f"Searching: {OTTERS}")
    await expect(phase.locator(".spinner")).to_be_visible()
    await expect(chat.page.locator("#live")).to_have_text(f"Searching: {OTTERS}")
    await expect(answer.locator(".step[data-status=running]")).to_contain_text("Searching")
    assert await chat.check_access() == []


@pytest.mark.usefixtures("slow_search")
async def test_the_spinner_leaves_when_the_turn_ends(chat: ChatPage) -> None:
    answer = await chat.ask(search="Client")
    await expect(answer.locator(".phase")).to_have_text(f"Searching: {OTTERS}")

    await chat.page.get_by_label("Stop", exact=True).click()

    await chat.ended("cancelled")
    await expect(answer.locator(".phase")).to_be_hidden()
    await expect(answer.locator(".spinner")).to_have_count(0)


async def test_a_hosted_search_is_told_with_results_mode_time_and_cost(chat: ChatPage) -> None:
    answer = await chat.answered("How do sea otters sleep? read")

    summary = answer.locator(".timeline > summary")
    await expect(summary).to_contain_text("Hosted search · Anthropic")
    await expect(summary).to_contain_text("1 search · 1 page read")
    await expect(summary).to_contain_text(re.compile(r"\$0\.\d\d"))
    timeline = await opened(answer)
    step = timeline.locator(".step").first
    await expect(step.locator(".query")).to_have_text("How do sea otters sleep read")
    await expect(step.locator(".step-meta")).to_have_text(re.compile(r"^hosted( · [\d.]+ s)?$"))
    await step.get_by_text("2 results").click()
    await expect(step.get_by_text("Otters return to the river")).to_be_visible()


async def test_a_page_that_was_opened_is_a_card_with_title_and_domain(chat: ChatPage) -> None:
    answer = await chat.answered("How do sea otters sleep? read")

    page = (await opened(answer)).locator(".page-card")
    await expect(page).to_contain_text("Sea otter")
    await expect(page.locator(".domain")).to_have_text("wiki.example.net")


async def test_a_client_search_names_the_service_and_why_it_searched(chat: ChatPage) -> None:
    answer = await chat.answered(search="Client")

    await expect(answer.locator(".timeline > summary")).to_contain_text("Client search · searxng")
    timeline = await opened(answer)
    await expect(timeline).to_contain_text("client search is chosen for this message")
    assert chat.kept()[-1]["reason"] == "client search is chosen for this message"
    await expect(timeline.locator(".query")).to_have_text(OTTERS)
    await timeline.get_by_text("2 results").click()
    await expect(timeline.locator(".snippet").first).to_contain_text("Resting sea otters")


async def test_a_page_that_cannot_be_read_is_a_row_with_its_reason(chat: ChatPage) -> None:
    text = "Call open_page for https://nowhere.example.edu/x please"
    answer = await chat.answered(text, search="Client")

    timeline = await opened(answer)
    row = timeline.locator('.step[data-status="failed"]')
    await expect(row).to_contain_text("Could not read")
    await expect(row.locator(".step-fault")).to_contain_text("jina")
    await expect(answer.locator(".timeline > summary")).to_contain_text("1 failed")


async def test_the_timeline_is_the_same_after_a_reload(chat: ChatPage) -> None:
    await chat.answered("How do sea otters sleep? read")
    before = await chat.answer.locator(".timeline").text_content()

    await chat.page.reload()
    await chat.ended()

    assert "searches on the provider's side" in (before or "")
    assert await chat.answer.locator(".timeline").text_content() == before
