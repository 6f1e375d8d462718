"""The list of keys, and the pictures and names that the composer shows."""

from __future__ import annotations

import base64

import pytest
from playwright.async_api import expect

from tests.web.chat_page.chat import ChatPage

pytestmark = pytest.mark.asyncio(loop_scope="session")

# One grey pixel.
PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNoAAAAggCBd81ytgAAAABJRU5ErkJggg=="
)
DROP = """(base64) => {
  const bytes = Uint8Array.from(atob(base64), (each) => each.charCodeAt(0));
  const carried = new DataTransfer();
  carried.items.add(new File([bytes], 'otter.png', { type: 'image/png' }));
  for (const name of ['dragover', 'drop']) {
    document.querySelector('#chat').dispatchEvent(
      new DragEvent(name, { dataTransfer: carried, bubbles: true, cancelable: true }));
  }
}"""


async def test_a_question_mark_outside_of_a_field_lists_the_keys(chat: ChatPage) -> None:
    dialog = chat.page.get_by_role("dialog", name="Keyboard")
    await chat.question.focus()
    await chat.page.keyboard.type("Why?")
    await expect(chat.question).to_have_value("Why?")
    await expect(dialog).to_be_hidden()

    await chat.page.get_by_role("button", name="Keyboard help").focus()
    await chat.page.keyboard.press("?")

    await expect(dialog).to_be_visible()
    await expect(dialog.get_by_text("Search chats")).to_be_visible()
    assert await chat.check_access() == []
    await chat.page.keyboard.press("Escape")
    await expect(dialog).to_be_hidden()
    await chat.page.keyboard.press("/")
    await expect(chat.question).to_be_focused()
    await chat.page.keyboard.press("Control+/")
    await expect(dialog).to_be_visible()
    await dialog.get_by_role("button", name="Close").click()
    await expect(dialog).to_be_hidden()


async def test_a_picture_that_is_dropped_is_shown_before_and_after_it_is_sent(
    chat: ChatPage,
) -> None:
    await chat.page.evaluate(DROP, base64.b64encode(PIXEL).decode())
    thumbnail = chat.page.locator("#attachments img")
    await expect(thumbnail).to_be_visible()

    await chat.answered("What is this?", search="No search")
    picture = chat.page.get_by_role("article", name="Question").get_by_role("img", name="otter.png")
    await expect(picture).to_be_visible()
    await chat.open(f"/s/{chat.session_id}")

    await expect(picture).to_be_visible()
    await expect(picture).to_have_js_property("naturalWidth", 1)
    assert await chat.check_access() == []


async def test_models_have_their_real_names(chat: ChatPage) -> None:
    first = chat.page.locator('#model optgroup[label="Anthropic"] option')

    # Nobody fetched a list: it is the model that would be asked.
    await expect(first).to_have_text(["claude-sonnet-5-5"])
    names = await chat.page.locator("#model option").all_inner_texts()
    assert names[0] == "claude-sonnet-5-5 (agent’s)"
    await expect(chat.page.get_by_label("How the model thinks")).to_be_visible()
    assert "Default model" not in names
