"""Hebrew and Arabic: everything that people and pages write goes its own way, code does not."""

from __future__ import annotations

import pytest
from playwright.async_api import expect

from groundwire.model import Json
from tests.web.chat_page.chat import ChatPage

pytestmark = pytest.mark.asyncio(loop_scope="session")

HEBREW = "איך ישנות לוטרות ים?"
ANSWER = f"""## לוטרות ים

{HEBREW} הן צפות על הגב.

- פריט ראשון `const a = 1;`
- An item in English.
- פריט שלישי

1. First in English
2. פריט בעברית

> ציטוט בעברית

| עמודה | Column |
|---|---|
| תא | cell |

```python
print("שלום")
```

English again, with שלום in it.
"""

SHOW = """
async (text) => {
  const { AnswerView } = await import('/page/answer.js');
  const view = new AnswerView({ onRetry() {}, onDecided() {}, onSearch() {} }, []);
  const source = {
    number: 1, url: 'https://he.example.org/', title: 'לוטרת ים', domain: 'he.example.org',
    evidence: 'cited', quotes: ['הן צפות על הגב'], spans: [],
  };
  view.show({
    id: 'm', kind: 'AI_RESPONSE', content: text, status: 'complete', thinking: '', error: '',
    answer: { text, markers: [], sources: [source], removed: [] }, tool_runs: [], provider: '',
    model: '', mode: 'off', usage: null, cost_usd: null, stop_reason: '', attachments: [],
    parent_id: null, error_code: '', reason: '',
  });
  document.querySelector('#thread').replaceChildren(view.root);
  view.root.querySelector('.sources').open = true;
  const way = (selector) => [...view.root.querySelectorAll(selector)].map((each) => {
    return getComputedStyle(each).direction;
  });
  const side = (item) => {
    const range = new Range();
    range.selectNodeContents(item);
    const [words, box] = [range.getBoundingClientRect(), item.getBoundingClientRect()];
    return Math.abs(words.left - box.left) < Math.abs(words.right - box.right) ? 'left' : 'right';
  };
  return {
    heading: way('.words h3'), paragraphs: way('.words > p'), lists: way('.words > :is(ul, ol)'),
    quote: way('.words blockquote'), table: way('.words table'),
    code: way('.words code, .words pre'), title: way('.source a[dir]'), passage: way('.source q'),
    sides: [...view.root.querySelectorAll('.words li')].map(side),
  };
}
"""


async def test_an_answer_goes_the_way_of_its_words_and_code_does_not(chat: ChatPage) -> None:
    await chat.answered("Tides?", search="No search")

    found: Json = await chat.page.evaluate(SHOW, ANSWER)

    assert found == {
        "heading": ["rtl"],
        "paragraphs": ["rtl", "ltr"],
        "lists": ["rtl", "ltr"],
        "quote": ["rtl"],
        "table": ["rtl"],
        "code": ["ltr", "ltr", "ltr"],
        "title": ["rtl"],
        "passage": ["rtl"],
        # An item stands where its list's signs are, whatever language it is in.
        "sides": ["right", "right", "right", "left", "left"],
    }


async def test_a_question_its_title_and_the_composer_go_the_way_of_their_words(
    chat: ChatPage,
) -> None:
    await chat.question.fill(HEBREW)
    await expect(chat.question).to_have_css("direction", "rtl")
    await chat.answered(HEBREW, search="No search")

    await expect(chat.page.locator(".question .bubble")).to_have_css("direction", "rtl")
    await expect(chat.page.get_by_role("heading", level=1)).to_have_css("direction", "rtl")
    row = chat.page.locator('.session a[aria-current="page"] span').last
    await expect(row).to_have_css("direction", "rtl")
    await chat.question.fill("And in English?")
    await expect(chat.question).to_have_css("direction", "ltr")


async def test_a_shared_answer_goes_the_way_of_its_words(chat: ChatPage) -> None:
    await chat.answered(f"{HEBREW} ", search="No search")
    message = chat.kept()[-1]["id"]

    await chat.page.goto(f"{chat.web.url}/answers/{message}")

    await expect(chat.page.get_by_role("heading", level=1)).to_have_css("direction", "rtl")
    assert await chat.page.locator(".answer > p[dir=auto]").count() > 0
