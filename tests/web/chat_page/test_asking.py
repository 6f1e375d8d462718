"""Asking: pickers, follow-ups, retries, edits and the branches that they make."""

from __future__ import annotations

import json

import pytest
from playwright.async_api import expect

from tests.web.chat_page.chat import ChatPage

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_the_chosen_model_answers_and_is_remembered(chat: ChatPage) -> None:
    await chat.answered("Hello there", model="Google", search="No search")

    kept = chat.kept()[-1]
    assert kept["provider"] == "Google"
    await expect(chat.answer.locator(".meta")).to_contain_text(f"Google · {kept['model']}")
    await chat.page.reload()
    chosen = chat.page.locator("#model option:checked")
    await expect(chosen.locator("xpath=..")).to_have_attribute("label", "Google")


async def test_the_chosen_agent_answers(chat: ChatPage) -> None:
    await chat.answered("Hello there, agent", agent="Setup", status="awaiting_approval")

    session = chat.web.get(f"/api/sessions/{chat.session_id}")["session"]
    assert session["agent_id"] == "setup"


async def test_models_that_were_fetched_can_be_chosen_by_name(chat: ChatPage) -> None:
    provider = chat.web.get("/api/providers")[0]
    chat.web.client.post(f"/api/providers/{provider['id']}/models", json={})
    await chat.open()

    group = chat.page.locator('#model optgroup[label="Anthropic"] option')
    kept = chat.web.get(f"/api/providers/{provider['id']}/models")["models"]
    await expect(group).to_have_count(len(kept))
    name = await group.last.inner_text()
    await chat.page.get_by_label("Model", exact=True).select_option(label=name)
    await chat.answered("Hello again", search="No search")

    models = {each["title"] or each["model"]: each["model"] for each in kept}
    assert chat.kept()[-1]["model"] == models[name.split(" (until")[0]]


async def test_a_follow_up_comes_after_the_answer_that_is_shown(chat: ChatPage) -> None:
    await chat.answered("First question", search="No search")

    await chat.answered("Second question")
    await expect(chat.words).to_contain_text("Second question")

    kept = chat.kept()
    assert [each["parent_id"] for each in kept] == [None, *[each["id"] for each in kept[:-1]]]
    await expect(chat.page.get_by_role("article")).to_have_count(4)


async def test_retry_makes_another_answer_beside_the_first(chat: ChatPage) -> None:
    answer = await chat.answered("Try this", search="No search")

    await answer.get_by_role("button", name="Retry").click()
    await expect(chat.answer.get_by_text("2/2")).to_be_visible()
    await chat.ended()

    question, first, second = chat.kept()
    assert [first["parent_id"], second["parent_id"]] == [question["id"]] * 2
    await expect(chat.page.get_by_role("article", name="Answer")).to_have_count(1)
    await chat.answer.get_by_role("button", name="Previous version").click()
    await expect(chat.answer.get_by_text("1/2")).to_be_visible()
    await chat.answer.get_by_role("button", name="Next version").click()
    await expect(chat.answer.get_by_text("2/2")).to_be_visible()


async def test_a_retry_sends_what_the_composer_shows_and_nothing_else(chat: ChatPage) -> None:
    answer = await chat.answered("Try this too", model="Anthropic", search="No search")
    await chat.choose(model="Google", search="Client")

    async with chat.page.expect_request("**/message") as sending:
        await answer.get_by_role("button", name="Retry").click()
    await expect(chat.answer.get_by_text("2/2")).to_be_visible()
    await chat.ended()

    sent = (await sending.value).post_data_json
    assert sent is not None
    # Domains are not shown, so those of the answer stay.
    assert "domains" not in sent
    shown = await chat.page.locator("#model").input_value()
    assert [sent["provider_id"], sent["model"]] == json.loads(shown)
    assert sent["search"] == await chat.page.locator("#search-mode").input_value()
    assert (chat.kept()[-1]["provider"], chat.kept()[-1]["mode"]) == ("Google", "client")


async def test_a_retry_with_the_agents_model_asks_that_model(chat: ChatPage) -> None:
    answer = await chat.answered("Whose model", model="Google", search="No search")
    await chat.page.get_by_label("Model", exact=True).select_option(value="")

    await answer.get_by_role("button", name="Retry").click()
    await expect(chat.answer.get_by_text("2/2")).to_be_visible()
    await chat.ended()

    assert [each["provider"] for each in chat.kept()[1:]] == ["Google", "Anthropic"]


async def test_thinking_is_chosen_for_a_message_and_offered_only_where_it_works(
    chat: ChatPage,
) -> None:
    chat.web.client.post(f"/api/providers/{_id_of(chat, 'Google')}/models", json={})
    await chat.open()
    thinking = chat.page.get_by_label("How the model thinks")
    # Of the agent's model nobody knows yet what it takes.
    await expect(thinking.locator("option:disabled")).to_have_count(0)

    name = "gemini-3.8-flash"
    option = chat.page.locator('#model optgroup[label="Google"] option', has_text="3.8 Flash")
    value = await option.first.get_attribute("value")
    assert value is not None
    assert name in value
    await chat.page.get_by_label("Model", exact=True).select_option(value=value)
    await expect(thinking.locator("option:disabled")).to_have_text(["No thinking"])
    await thinking.select_option(label="Thinking: low")
    await chat.answered("Think about it", search="No search")

    sent = chat.web.sandbox.requests[-1].body["generationConfig"]["thinkingConfig"]
    assert sent == {"includeThoughts": True, "thinkingLevel": "low"}
    await thinking.select_option(value="")


def _id_of(chat: ChatPage, name: str) -> str:
    [found] = [each["id"] for each in chat.web.get("/api/providers") if each["name"] == name]
    return str(found)


async def test_an_edited_question_is_a_branch_with_an_answer_of_its_own(chat: ChatPage) -> None:
    await chat.answered("Beginning", search="No search")
    await chat.answered("Speling mistake")
    last = chat.page.get_by_role("article", name="Question").last

    await last.hover()
    await last.get_by_role("button", name="Edit and resend").click()
    await chat.page.get_by_label("Edit your question").fill("Spelling corrected")
    await chat.page.get_by_label("Edit your question").press("Enter")
    await expect(chat.words).to_contain_text("Spelling corrected")
    await chat.ended()

    kept = chat.kept()
    questions = [each for each in kept if each["kind"] == "USER"]
    assert [each["parent_id"] for each in questions] == [None, kept[1]["id"], kept[1]["id"]]
    await expect(last.get_by_text("2/2")).to_be_visible()
    await last.get_by_role("button", name="Previous version").click()
    await expect(chat.words).to_contain_text("Speling mistake")


async def test_the_first_question_can_be_edited_too(chat: ChatPage) -> None:
    await chat.answered("The very first", search="No search")
    question = chat.page.get_by_role("article", name="Question")
    await question.hover()
    await question.get_by_role("button", name="Edit and resend").click()
    await chat.page.get_by_label("Edit your question").fill("First, corrected")
    await chat.page.get_by_role("button", name="Send", exact=True).first.click()

    await expect(question.get_by_text("2/2")).to_be_visible()
    await chat.ended()

    assert [each["parent_id"] for each in chat.kept() if each["kind"] == "USER"] == [None, None]
    await chat.page.reload()
    await expect(chat.words).to_contain_text("First, corrected")
    await expect(question.get_by_text("2/2")).to_be_visible()


async def test_an_edit_is_given_up_with_escape(chat: ChatPage) -> None:
    await chat.answered("Leave me alone", search="No search")
    question = chat.page.get_by_role("article", name="Question")
    await question.hover()
    await question.get_by_role("button", name="Edit and resend").click()

    await chat.page.get_by_label("Edit your question").press("Escape")

    await expect(question).to_contain_text("Leave me alone")
    assert len(chat.kept()) == 2


async def test_a_new_line_is_written_with_shift_and_enter(chat: ChatPage) -> None:
    await chat.question.fill("one")
    await chat.question.press("Shift+Enter")
    await chat.question.press_sequentially("two")

    await expect(chat.question).to_have_value("one\ntwo")
    await expect(chat.page.get_by_role("article")).to_have_count(0)
