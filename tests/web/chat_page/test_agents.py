"""Whom a question goes to: a chat has its agent from its first question on."""

from __future__ import annotations

import asyncio

import pytest
from playwright.async_api import Route, expect

from tests.web.chat_page.chat import ChatPage

pytestmark = pytest.mark.asyncio(loop_scope="session")


def add_agent(chat: ChatPage, name: str, provider: str) -> None:
    """Add an agent that asks a provider of its own, unless there is one of this name."""
    if any(each["name"] == name for each in chat.web.get("/api/agents")):
        return
    found = [each for each in chat.web.get("/api/providers") if each["name"] == provider]
    body = {"name": name, "preferred_provider_id": found[0]["id"]}
    made = chat.web.client.post("/api/agents", json=body)
    assert made.status_code == 201, made.text


async def test_a_chat_keeps_its_agent_after_a_reload_whatever_was_picked_last(
    chat: ChatPage,
) -> None:
    add_agent(chat, "Gina", "Google")
    add_agent(chat, "Anna", "Anthropic")
    await chat.open()
    await chat.answered("Tides?", agent="Gina", search="No search")
    address = chat.page.url
    await chat.page.get_by_role("link", name="New chat", exact=True).click()
    await chat.choose(agent="Anna")

    # The list of agents comes last, after the chat that was asked for.
    held = asyncio.Event()

    async def hold(route: Route) -> None:
        await held.wait()
        await route.continue_()

    await chat.page.route("**/api/agents?*", hold)
    await chat.page.route("**/api/agents", hold)
    await chat.page.goto(address)
    await expect(chat.words).to_contain_text("Tides?")
    held.set()
    await expect(chat.page.locator("#agent[data-ready]")).to_be_visible()
    await chat.page.unroute_all(behavior="wait")
    agent = chat.page.get_by_label("Agent", exact=True)

    await expect(agent).to_have_js_property("disabled", True)
    assert await agent.evaluate("each => each.selectedOptions[0].text") == "Gina"
    await chat.answered("And lakes?", search="No search")
    assert [each["provider"] for each in chat.kept() if each["kind"] == "AI_RESPONSE"] == [
        "Google",
        "Google",
    ]


async def test_a_new_chat_has_the_agent_that_was_picked_last(chat: ChatPage) -> None:
    add_agent(chat, "Gina", "Google")
    await chat.open()
    await chat.answered("Tides?", search="No search")
    await expect(chat.page.get_by_label("Agent", exact=True)).to_be_disabled()

    await chat.page.get_by_role("link", name="New chat", exact=True).click()
    await chat.answered("Lakes?", agent="Gina", search="No search")

    assert chat.kept()[-1]["provider"] == "Google"


async def test_what_is_asked_while_a_chat_still_loads_belongs_to_it(chat: ChatPage) -> None:
    add_agent(chat, "Gina", "Google")
    await chat.open()
    await chat.answered("Tides?", agent="Gina", search="No search")
    address, session = chat.page.url, chat.session_id
    held = asyncio.Event()

    async def hold(route: Route) -> None:
        await held.wait()
        await route.continue_()

    await chat.page.evaluate("localStorage.setItem('groundwire.agent', 'assistant')")
    await chat.page.route(f"**/api/sessions/{session}", hold)
    await chat.page.goto(address)
    await expect(chat.page.locator("#agent[data-ready]")).to_be_visible()
    await chat.question.fill("And lakes?")
    await chat.question.press("Enter")
    held.set()
    await expect(chat.page.get_by_role("article", name="Answer")).to_have_count(2)
    await chat.ended()
    await chat.page.unroute_all(behavior="wait")

    assert (chat.session_id, chat.kept()[-1]["provider"]) == (session, "Google")
