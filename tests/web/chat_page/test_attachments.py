"""Files beside a question: by button, paste and drop, sent, shown and refused with a reason."""

from __future__ import annotations

import base64

import pytest
from playwright.async_api import FilePayload, Locator, expect

from tests.web.chat_page.chat import ChatPage

pytestmark = pytest.mark.asyncio(loop_scope="session")

PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
NOTES = FilePayload(name="notes.txt", mimeType="text/plain", buffer=b"Otters hold hands.")
PICTURE = FilePayload(name="otter.png", mimeType="image/png", buffer=PIXEL)

CARRY = """([name, type, base64, how]) => {
  const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  const carried = new DataTransfer();
  carried.items.add(new File([bytes], name, { type }));
  const target = document.querySelector(how === 'paste' ? '#question' : '#chat');
  const given = { bubbles: true, cancelable: true };
  if (how === 'paste') {
    return target.dispatchEvent(new ClipboardEvent('paste', { ...given, clipboardData: carried }));
  }
  target.dispatchEvent(new DragEvent('dragover', { ...given, dataTransfer: carried }));
  const isMarked = target.classList.contains('is-drop');
  target.dispatchEvent(new DragEvent('drop', { ...given, dataTransfer: carried }));
  return isMarked && !target.classList.contains('is-drop');
}"""


def chips(chat: ChatPage) -> Locator:
    return chat.page.locator("#attachments li")


async def test_files_are_attached_by_button_and_sent_with_the_question(chat: ChatPage) -> None:
    async with chat.page.expect_file_chooser() as choosing:
        await chat.page.get_by_role("button", name="Attach files").click()
    await (await choosing.value).set_files([NOTES, PICTURE])
    await expect(chips(chat)).to_have_count(2)
    await expect(chips(chat).last.locator("img")).to_be_visible()

    await chat.answered("What is in these?", search="No search")

    sent = chat.page.get_by_role("article", name="Question")
    await expect(sent.get_by_role("listitem").first).to_have_text("notes.txt")
    await expect(sent.get_by_role("img", name="otter.png")).to_be_visible()
    await expect(chips(chat)).to_have_count(0)
    kept = chat.kept()[0]["attachments"]
    assert [(each["file_name"], each["mime_type"], each["type"]) for each in kept] == [
        ("notes.txt", "text/plain", "file"),
        ("otter.png", "image/png", "image"),
    ]
    back = chat.web.client.get(f"/api/attachments/{kept[1]['id']}")
    assert back.content == PIXEL


async def test_a_file_is_attached_by_pasting_it(chat: ChatPage) -> None:
    picture = base64.b64encode(PIXEL).decode()

    await chat.page.evaluate(CARRY, ["pasted.png", "image/png", picture, "paste"])

    await expect(chips(chat)).to_contain_text("pasted.png")
    await chat.answered("And this?", search="No search")
    assert chat.kept()[0]["attachments"][0]["file_name"] == "pasted.png"


async def test_a_file_is_attached_by_dropping_it_on_the_page(chat: ChatPage) -> None:
    text = base64.b64encode(b"a,b\n1,2").decode()

    was_marked = await chat.page.evaluate(CARRY, ["table.csv", "text/csv", text, "drop"])

    assert was_marked
    await expect(chips(chat)).to_contain_text("table.csv")


async def test_an_attachment_can_be_taken_back(chat: ChatPage) -> None:
    await chat.page.locator("#files").set_input_files([NOTES])

    await chat.page.get_by_role("button", name="Remove notes.txt").click()

    await expect(chips(chat)).to_have_count(0)
    await expect(chat.page.get_by_label("Send", exact=True)).to_be_disabled()


async def test_a_question_may_be_files_alone(chat: ChatPage) -> None:
    await chat.page.locator("#files").set_input_files([NOTES])

    await chat.page.get_by_label("Send", exact=True).click()

    await chat.ended()
    assert chat.kept()[0]["content"] == ""


async def test_a_file_that_cannot_be_read_is_refused_with_the_reason(chat: ChatPage) -> None:
    program = FilePayload(name="a.exe", mimeType="application/x-msdownload", buffer=b"MZ")

    await chat.page.locator("#files").set_input_files([program])

    told = chat.page.get_by_role("status").filter(has_text="a.exe")
    await expect(told).to_contain_text("only pictures (PNG, JPEG, GIF, WebP), PDF and text files")
    await expect(chips(chat)).to_have_count(0)
