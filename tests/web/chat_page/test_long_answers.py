"""A long answer on the page: each change has the browser style and lay out what is new alone.

Nothing is timed: Chromium says in its trace how many elements it styled, and how often it laid out.
"""

from __future__ import annotations

import json

import pytest
from playwright.async_api import Browser, CDPSession

from tests.web.chat_page.chat import ChatPage

pytestmark = pytest.mark.asyncio(loop_scope="session")

CHANGES = 30
MOST_STYLED = 450
"""Elements per change: those of one part of a block (100 items) or of a stretch (100 blocks)."""

KINDS = {
    "paragraphs": ("", "Paragraph has *some* words.\n\n", 5_000),
    "a list": ("", "- Item has *some* words.\n", 10_000),
    "code": ("```py\n", "x = 1\n", 10_000),
    "right to left": ("", "שלום *עולם* רחב.\n\n", 5_000),
}
SHOW = """async (given) => {
  const [{ AnswerView }, { loadStyle }] = await Promise.all(
    [import('/page/answer.js'), import('/page/dom.js')]);
  await loadStyle('/page/answer.css');
  document.querySelector('#chat').dataset.empty = 'false';
  const view = new AnswerView({ onRetry() {}, onDecided() {}, onSearch() {} }, []);
  document.querySelector('#thread').replaceChildren(view.root);
  const add = (text) => view.apply({ type: 'text', data: { text } });
  const frame = () => new Promise((resolve) => {
    requestAnimationFrame(() => setTimeout(resolve));
  });
  const shown = async () => {
    // It may wait for a while between two changes, on a machine that is slow.
    const words = view.root.querySelector('.words');
    const before = words.textContent.length;
    while (words.textContent.length === before) await frame();
    await frame();
  };
  globalThis.grown = { add, shown };
  add(given[0] + given[1].repeat(given[2]));
  await shown();
}"""
CHANGE = """async (given) => {
  for (let time = 0; time < given[1]; time++) {
    grown.add(given[0]);
    await grown.shown();
  }
}"""


@pytest.mark.parametrize("kind", KINDS)
async def test_a_change_at_the_end_of_a_long_answer_leaves_the_rest_alone(
    browser: Browser, chat: ChatPage, kind: str
) -> None:
    page = chat.page
    session = await page.context.new_cdp_session(page)
    await session.send("Performance.enable")
    await page.evaluate(SHOW, [*KINDS[kind]])
    before = await _layouts(session)
    await browser.start_tracing(page=page, categories=["devtools.timeline"])

    await page.evaluate(CHANGE, [KINDS[kind][1], CHANGES])

    events = json.loads(await browser.stop_tracing())["traceEvents"]
    layouts = await _layouts(session) - before
    styled = [
        event["args"]["elementCount"]
        for event in events
        if event["name"] == "UpdateLayoutTree" and "elementCount" in event.get("args", {})
    ]
    await session.detach()
    assert len(styled) >= CHANGES
    assert max(styled) <= MOST_STYLED
    # One for the words, one for the place of the reader, one for what comes into sight.
    assert layouts <= 3 * CHANGES


async def _layouts(session: CDPSession) -> int:
    """Return how often the page was laid out."""
    found = await session.send("Performance.getMetrics")
    return int(next(each["value"] for each in found["metrics"] if each["name"] == "LayoutCount"))


WIDE = {
    "a long word": "x" * 20_000,
    "a long word from right to left": "א" * 20_000,
    "a wide table": f"| {' | '.join('abcdefghij' for _ in range(60))} |\n|{'---|' * 60}\n| 1 |\n",
    "a long line of code": f"```\n{'x = 1; ' * 3_000}\n```\n",
    "a long address": f"https://a.example/{'y' * 5_000}",
    "a long formula": f"$$ {' + '.join(f'x_{number}' for number in range(190))} $$",
}


@pytest.mark.parametrize("width", [390, 1200])
@pytest.mark.parametrize("kind", WIDE)
async def test_nothing_in_an_answer_makes_the_page_wider(
    chat: ChatPage, kind: str, width: int
) -> None:
    page = chat.page
    size = page.viewport_size
    await page.set_viewport_size({"width": width, "height": 800})

    await page.evaluate(SHOW, ["", WIDE[kind], 1])

    scrolled = await page.evaluate(
        "() => { const scroller = document.querySelector('#scroller');"
        " return [document.documentElement.scrollWidth <= innerWidth,"
        " scroller.scrollWidth <= scroller.clientWidth]; }"
    )
    await page.set_viewport_size(size or {"width": 1200, "height": 800})
    assert scrolled == [True, True]
