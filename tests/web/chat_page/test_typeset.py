"""Code in colours and formulas in an answer, in a real browser."""

from __future__ import annotations

import pytest
from playwright.async_api import Page, expect

from tests.web.chat_page.chat import ChatPage

pytestmark = pytest.mark.asyncio(loop_scope="session")

TEXT = """An otter:

```python
def sleep(otter):
    return "kelp"  # safe
```

- in a list:

  ```js
  const x = 1;
  ```

It weighs $m = \\frac{a}{b}$, costs $5 or $10, and

$$
\\sum_{i=1}^n x_i
$$

but \\(\\nosuch{x}\\) stays.
"""

SHOW = """async (text) => {
  const { loadAnswers } = await import('/page/chat.js');
  const { AnswerView } = await loadAnswers();
  const view = new AnswerView({ onRetry() {}, onDecided() {}, onSearch() {} }, []);
  document.querySelector('#thread').replaceChildren(view.root);
  document.querySelector('#chat').dataset.empty = 'false';
  globalThis.view = view;
  view.apply({ type: 'text', id: 1, data: { text } });
  const answer = { text, markers: [], sources: [], removed: [], folded: [], suggestions: '' };
  const by = { provider: 'sandbox', model: 'sandbox' };
  view.show({ id: 'x', ...by, status: 'complete', content: text, answer, tool_runs: [],
    thinking: '', mode: 'off', reason: '', usage: null, cost_text: '', pages_read: 0,
    stop_reason: '' });
}"""
WORDS = """(kind) => [...(CSS.highlights.get(`code-${kind}`) ?? [])].map((range) =>
  range.startContainer.data.slice(range.startOffset, range.endOffset))"""


async def shown(page: Page) -> None:
    await page.evaluate(SHOW, TEXT)
    await expect(page.locator(".math.is-set")).to_have_count(2)


async def test_code_is_coloured_and_copied_as_it_was(chat: ChatPage) -> None:
    await shown(chat.page)

    assert await chat.page.evaluate(WORDS, "keyword") == ["def", "return", "const"]
    assert await chat.page.evaluate(WORDS, "comment") == ["# safe"]
    await chat.page.get_by_role("button", name="Copy", exact=True).first.click()
    copied = await chat.page.evaluate("navigator.clipboard.readText()")
    assert copied == 'def sleep(otter):\n    return "kelp"  # safe'
    await chat.page.evaluate("view.leave()")
    assert await chat.page.evaluate(WORDS, "keyword") == []


async def test_formulas_are_mathml_and_prices_are_words(chat: ChatPage) -> None:
    await shown(chat.page)

    formulas = chat.page.locator(".math math")
    await expect(formulas).to_have_count(2)
    await expect(formulas.first.locator("mfrac")).to_be_visible()
    await expect(formulas.last).to_have_attribute("display", "block")
    await expect(chat.page.get_by_text("costs $5 or $10, and")).to_be_visible()
    await expect(chat.page.locator(".math:not(.is-set)")).to_have_text("\\nosuch{x}")
    assert await chat.check_access() == []


async def test_an_answer_without_the_typesetter_is_readable(chat: ChatPage) -> None:
    await chat.page.route("**/api/typeset", lambda route: route.abort())
    try:
        # Not the request alone: it would go through, were the route taken away before it failed.
        async with chat.page.expect_event("requestfailed"):
            await chat.page.evaluate(SHOW, TEXT)
    finally:
        await chat.page.unroute("**/api/typeset")

    await expect(chat.page.locator(".math").first).to_have_text("m = \\frac{a}{b}")
    await expect(chat.page.locator("pre code").first).to_contain_text("def sleep")


async def test_a_text_that_nobody_can_colour_costs_nothing_but_its_colours(chat: ChatPage) -> None:
    reply = chat.web.client.post(
        "/api/typeset",
        json={"code": [{"text": "x", "language": "nosuch"}], "math": [{"text": "\\nosuch"}]},
    )
    too_much = chat.web.client.post(
        "/api/typeset", json={"code": [{"text": "x " * 30_000, "language": "py"}] * 2}
    )

    assert reply.json() == {"code": [[]], "math": [None]}
    assert too_much.status_code == 422
